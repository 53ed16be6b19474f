package hop

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Sum returns the digest of a state: "sha256:" and the hash of its compact
// JSON with an empty digest and its parents sorted. The encoding is that of
// existing Hop projects, which is encoding/json's: struct order, HTML
// characters escaped, times in RFC 3339 with nanoseconds. It differs from the
// canonical JSON of the other protocols and must not change.
func (s *State) Sum() string {
	bare := *s
	bare.Digest = ""
	bare.CreatedAt = bare.CreatedAt.UTC()
	bare.Parents = slices.Clone(s.Parents)
	slices.SortFunc(bare.Parents, compareParents)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	// A State holds strings, integers and a time: encoding it cannot fail.
	if err := encoder.Encode(&bare); err != nil {
		panic("hop: encode a state: " + err.Error())
	}
	sum := sha256.Sum256(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func compareParents(a, b Parent) int {
	return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Role, b.Role), cmp.Compare(a.StateID, b.StateID))
}
