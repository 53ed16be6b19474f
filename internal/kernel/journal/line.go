package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// MaxLine is the length in bytes of the longest line.
const MaxLine = 1 << 20

// Head is a place in a journal: a line's number and its hash. Kept elsewhere it
// shows later whether the journal still holds everything up to there. The zero
// Head is the place before the first line.
type Head struct {
	Seq  uint64 `json:"seq"`
	Hash string `json:"hash"`
}

// link is what the line after h has as its prev.
func (h Head) link() string {
	if h.Seq == 0 {
		return strings.Repeat("0", 2*sha256.Size)
	}
	return h.Hash
}

// Line is one line of a journal.
type Line struct {
	Seq  uint64
	Prev string
	Raw  []byte // the whole line without its line feed

	healed *healing // not nil: the line is the journal's own
}

// Head returns the place of the line.
func (l Line) Head() Head { return Head{Seq: l.Seq, Hash: hashOf(l.Raw)} }

// Decode reads the event into v; members that v does not declare are passed
// over.
func (l Line) Decode(v any) error {
	_, err := canon.DecodeOpen(l.Raw, v, limits)
	return err
}

var limits = canon.Limits{MaxBytes: MaxLine}

// healing says what was removed before a line.
type healing struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Text   []byte `json:"text"` // the first bytes
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// appendLine writes the line that follows after: its own two members, then
// those of the object event.
func appendLine(b []byte, after Head, event []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, after.Seq+1, 10)
	b = append(b, `,"prev":"`...)
	b = append(b, after.link()...)
	b = append(b, '"')
	if rest := event[1:]; len(rest) > 1 {
		b = append(append(b, ','), rest...)
		return b
	}
	return append(b, '}')
}

// Compact is an event that its maker has already written: one JSON object without
// white space between its parts. It is read as strictly as any other.
type Compact []byte

// encode returns an event as an object that can become a line.
func encode(event any) ([]byte, error) {
	written, ok := event.(Compact)
	raw := []byte(written)
	if !ok || !onOneLine(raw) {
		var err error
		if ok {
			event = json.RawMessage(written)
		}
		if raw, err = canon.Marshal(event); err != nil {
			return nil, err
		}
	}
	tree, err := canon.Parse(raw, limits)
	if err != nil {
		return nil, err
	}
	members, ok := tree.(map[string]any)
	if !ok {
		return nil, fault.New(CodeBadEvent, "an event is not an object")
	}
	for _, own := range []string{"seq", "prev", "healed"} {
		if _, taken := members[own]; taken {
			return nil, fault.Newf(CodeBadEvent, "an event has a member %q, which is the journal's own", own)
		}
	}
	if len(raw) > MaxLine-256 {
		return nil, fault.Newf(CodeBadEvent, "an event of %d bytes is too long for a line", len(raw))
	}
	return raw, nil
}

// onOneLine reports that an object is written as a line of it must begin and end,
// without white space that breaks lines. Whether it is an object is seen later.
func onOneLine(raw []byte) bool {
	return len(raw) >= 2 && raw[0] == '{' && raw[len(raw)-1] == '}' &&
		!bytes.ContainsFunc(raw, func(r rune) bool { return r < ' ' })
}

// parse reads a line in exactly the form that appendLine gives it.
func parse(text []byte) (Line, bool) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"seq":`))
	if !ok || len(text) > MaxLine {
		return Line{}, false
	}
	digits, rest, ok := bytes.Cut(rest, []byte(`,"prev":"`))
	if !ok {
		return Line{}, false
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || seq == 0 || strconv.FormatUint(seq, 10) != string(digits) {
		return Line{}, false
	}
	const hashLength = 2 * sha256.Size
	if len(rest) < hashLength+2 || rest[hashLength] != '"' || rest[hashLength+1] != ',' && rest[hashLength+1] != '}' {
		return Line{}, false
	}
	line := Line{Seq: seq, Prev: string(rest[:hashLength]), Raw: text}
	if canon.Check(text, limits) != nil {
		return Line{}, false
	}
	if bytes.HasPrefix(rest[hashLength+1:], []byte(`,"healed":`)) {
		var own struct {
			Seq    json.Number `json:"seq"`
			Prev   string      `json:"prev"`
			Healed healing     `json:"healed"`
		}
		if canon.Decode(text, &own, limits) != nil {
			return Line{}, false
		}
		line.healed = &own.Healed
	}
	return line, true
}
