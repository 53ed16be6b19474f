package hop

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"
)

// Kind is what a state is.
type Kind string

// The six kinds of state.
const (
	KindAccepted   Kind = "accepted"
	KindPrompt     Kind = "prompt"
	KindCheckpoint Kind = "checkpoint"
	KindProposal   Kind = "proposal"
	KindFailed     Kind = "failed"
	KindCancelled  Kind = "cancelled"
)

// Id prefixes of the six kinds and of what is no state.
const (
	PrefixAccepted   = "A"
	PrefixPrompt     = "P"
	PrefixCheckpoint = "C"
	PrefixProposal   = "R"
	PrefixFailed     = "F"
	PrefixCancelled  = "X"
	PrefixTask       = "T"
	PrefixAttempt    = "AT"
	PrefixEvidence   = "EVIDENCE"
	PrefixEvent      = "E"
)

// Prefix returns the id prefix of a kind, or the empty string for no kind.
func (k Kind) Prefix() string {
	switch k {
	case KindAccepted:
		return PrefixAccepted
	case KindPrompt:
		return PrefixPrompt
	case KindCheckpoint:
		return PrefixCheckpoint
	case KindProposal:
		return PrefixProposal
	case KindFailed:
		return PrefixFailed
	case KindCancelled:
		return PrefixCancelled
	default:
		return ""
	}
}

// idEncoding is Crockford's base 32 in upper case: no I, L, O and U.
var idEncoding = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

const (
	idTimeBytes = 6
	idBytes     = idTimeBytes + 8
	idLength    = 23
)

// NewID returns PREFIX_ and 23 characters: six bytes of milliseconds, big
// endian, then eight random bytes. Ids made later sort later.
func NewID(prefix string, now time.Time) string {
	var raw [idBytes]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli())) //nolint:gosec // times before 1970 do not occur and would only sort oddly
	copy(raw[:idTimeBytes], ms[2:])
	// crypto/rand never fails: it aborts the process instead.
	_, _ = rand.Read(raw[idTimeBytes:])
	return prefix + "_" + idEncoding.EncodeToString(raw[:])
}

// ParseID splits an id into its prefix and the time it was made. Only the exact
// form that NewID writes is an id: another case, an abbreviation or anything
// around it is not.
func ParseID(id string) (prefix string, at time.Time, ok bool) {
	prefix, body, found := strings.Cut(id, "_")
	if !found || len(body) != idLength || !knownPrefix(prefix) {
		return "", time.Time{}, false
	}
	raw, err := idEncoding.DecodeString(body)
	if err != nil || len(raw) != idBytes || idEncoding.EncodeToString(raw) != body {
		return "", time.Time{}, false
	}
	var ms [8]byte
	copy(ms[2:], raw[:idTimeBytes])
	return prefix, time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))).UTC(), true //nolint:gosec // 48 bits fit
}

// KindOf returns the kind of the state that id names.
func KindOf(id string) (Kind, bool) {
	prefix, _, ok := ParseID(id)
	if !ok {
		return "", false
	}
	for _, kind := range []Kind{KindAccepted, KindPrompt, KindCheckpoint, KindProposal, KindFailed, KindCancelled} {
		if kind.Prefix() == prefix {
			return kind, true
		}
	}
	return "", false
}

func knownPrefix(prefix string) bool {
	switch prefix {
	case PrefixAccepted, PrefixPrompt, PrefixCheckpoint, PrefixProposal, PrefixFailed, PrefixCancelled,
		PrefixTask, PrefixAttempt, PrefixEvidence, PrefixEvent:
		return true
	default:
		return false
	}
}
