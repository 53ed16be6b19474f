package credential

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/redact"
)

// Bounds of looking into attachments.
const (
	maxNesting  = 6
	maxUnpacked = 64 << 20 // of one response, all attachments together
	maxTries    = 10_000   // beginnings of gzip, of which nobody prints that many
	maxAttached = 1_000    // beginnings of attachments in one text
)

// A Scanner finds secrets. A nil one knows none.
type Scanner struct {
	cleaner *redact.Cleaner
	forms   [][]byte
}

// NewScanner returns a Scanner for the values, or nil if none is a secret.
func NewScanner(values ...redact.Secret) *Scanner {
	var s Scanner
	for _, value := range slices.Clone(values) {
		for _, part := range partsOf(value.Reveal()) {
			values = append(values, redact.NewSecret(part))
		}
	}
	for _, value := range values {
		if value.IsZero() {
			continue
		}
		for _, form := range Forms(value.Reveal()) {
			s.forms = append(s.forms, []byte(form))
		}
		s.forms = append(s.forms, rareForms(value.Reveal())...)
	}
	if len(s.forms) == 0 {
		return nil
	}
	s.cleaner = redact.NewCleaner(values...)
	return &s
}

// Forms are the forms in which a value is looked for whatever its length: as it
// is, percent-encoded, and in standard base64.
func Forms(value string) []string {
	forms := []string{value}
	for _, form := range []string{percent(value), base64.StdEncoding.EncodeToString([]byte(value))} {
		if form != value {
			forms = append(forms, form)
		}
	}
	return forms
}

// percent encodes all but what RFC 3986 calls unreserved.
func percent(value string) string {
	const upperHex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(value) {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

// InBytes reports whether data holds a secret.
func (s *Scanner) InBytes(data []byte) bool {
	if s == nil {
		return false
	}
	return s.asIs(data) || slices.ContainsFunc(unescaped(data), func(text string) bool { return s.asIs([]byte(text)) })
}

// asIs looks for every form in data as it stands.
func (s *Scanner) asIs(data []byte) bool {
	for _, form := range s.forms {
		if bytes.Contains(data, form) {
			return true
		}
	}
	return s.cleaner.Contains(data)
}

// InDocument reports whether a JSON text holds a secret, also inside what its
// strings hold. Text that is no JSON is looked at as it is.
func (s *Scanner) InDocument(data []byte, limits canon.Limits) bool {
	if s == nil {
		return false
	}
	l := &look{Scanner: s, budget: maxUnpacked, limits: limits}
	return l.bytes(data, 0)
}

// look is one pass over a document.
type look struct {
	*Scanner
	budget   int
	tries    int
	limits   canon.Limits
	inflater io.ReadCloser // used again and again
}

// bytes looks at data and, when it is JSON, at its strings. Everything that is
// unpacked counts against one budget.
func (l *look) bytes(data []byte, depth int) bool {
	if l.InBytes(data) {
		return true
	}
	if l.budget -= len(data); l.budget < 0 || depth > maxNesting {
		return true
	}
	if l.packed(data, depth) || depth > 0 && l.deflated(data, depth) {
		return true
	}
	if bytes.HasPrefix(data, gzipMagic) {
		return false
	}
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' && trimmed[0] != '"' {
		return l.encoded(string(trimmed), depth)
	}
	value, err := canon.Parse(trimmed, l.limits)
	if err != nil {
		return l.encoded(string(trimmed), depth)
	}
	return l.value(value, depth)
}

func (l *look) value(value any, depth int) bool {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if l.text(name, depth) || l.value(member, depth) {
				return true
			}
		}
	case []any:
		for _, member := range v {
			if l.value(member, depth) {
				return true
			}
		}
	case string:
		return l.text(v, depth)
	case json.Number:
		return l.InBytes([]byte(v))
	}
	return false
}

// shortest is the length from which a string may hide something that the forms
// do not show: an attachment within an attachment.
const shortest = 12

// text looks at a string without its escapes, and at what it may encode.
func (l *look) text(text string, depth int) bool {
	if l.InBytes([]byte(text)) {
		return true
	}
	if len(text) < shortest {
		return false
	}
	if first := strings.TrimLeft(text, " \t\r\n"); first != "" && (first[0] == '{' || first[0] == '[' || first[0] == '"') {
		if l.bytes([]byte(text), depth+1) {
			return true
		}
	}
	return l.encoded(text, depth)
}

// decode returns what the text says in base64, base32 and hexadecimal, where it is
// one of them as a whole.
func decode(text string) [][]byte {
	bare := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, text)
	if payload, found := cutDataURL(bare); found {
		bare = payload
	}
	var all [][]byte
	if plain, err := url.PathUnescape(text); err == nil && plain != text {
		all = append(all, []byte(plain))
	}
	if data, err := hex.DecodeString(bare); err == nil {
		all = append(all, data)
	}
	unpadded := strings.TrimRight(bare, "=")
	if data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(unpadded)); err == nil {
		all = append(all, data)
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if data, err := alphabet.DecodeString(unpadded); err == nil {
			return append(all, data)
		}
	}
	return all
}

func cutDataURL(text string) (string, bool) {
	if !strings.HasPrefix(text, "data:") {
		return "", false
	}
	_, payload, found := strings.Cut(text, ";base64,")
	return payload, found
}
