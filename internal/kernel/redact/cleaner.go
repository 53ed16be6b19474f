package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// A Cleaner finds and replaces the secrets that it was made for. It does not
// change and may be used by several goroutines at once. A nil Cleaner knows no
// secrets.
type Cleaner struct {
	anywhere *searcher // nil if there are no secrets of that length
	words    []needle
	form     bool // a secret has a space, which + may stand for
	hold     int  // the longest stretch of text that one secret can take
}

const (
	// shortest is the length from which a secret is replaced anywhere.
	shortest = 4
	// shortestLine is that for one line of a secret of several lines.
	shortestLine = 24
	// widest is how many characters one byte of a secret can take in any of the
	// forms: \\u00XX, JSON in JSON.
	widest = 8
)

// NewCleaner returns a Cleaner for these secrets.
func NewCleaner(secrets ...Secret) *Cleaner {
	c := &Cleaner{}
	var needles []needle
	known := map[string]bool{"": true}
	for _, s := range secrets {
		for _, text := range texts(s.Reveal()) {
			if known[text] {
				continue
			}
			known[text] = true
			c.hold = max(c.hold, widest*len(text)+64)
			c.form = c.form || strings.Contains(text, " ")
			if len(text) < shortest {
				c.words = append(c.words, needle{text: []byte(text), word: true})
			} else {
				needles = append(needles, forms([]byte(text))...)
			}
		}
	}
	if len(needles) > 0 {
		c.anywhere = newSearcher(needles)
	}
	return c
}

// texts returns what of a secret is searched for on its own.
func texts(secret string) []string {
	all := []string{secret}
	if trimmed := strings.TrimSpace(secret); len(trimmed) >= shortest {
		all = append(all, trimmed)
	}
	if strings.Contains(secret, "\n") {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= shortestLine && isOneToken(line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// isOneToken reports whether line is made of the letters of encoded keys only,
// so that it says nothing but key material. The frame lines of a PEM block are
// no secret.
func isOneToken(line string) bool {
	return !strings.HasPrefix(line, "-----") && !strings.ContainsFunc(line, func(r rune) bool {
		return r >= 0x80 || !isWord(byte(r)) && !strings.ContainsRune("+/=-.", r)
	})
}

// forms returns the needles for one text that is long enough to be replaced
// wherever it stands.
func forms(text []byte) []needle {
	lower := hex.AppendEncode(nil, text)
	all := []needle{{text: text}, {text: lower}}
	if upper := bytes.ToUpper(lower); !bytes.Equal(upper, lower) {
		all = append(all, needle{text: upper})
	}
	for shift := range 3 {
		n := base64Needle(text, shift)
		all = append(all, n)
		if url := bytes.Map(urlAlphabet, n.text); !bytes.Equal(url, n.text) {
			all = append(all, needle{text: url, lead: n.lead, trail: n.trail})
		}
	}
	return all
}

func urlAlphabet(r rune) rune {
	switch r {
	case '+':
		return '-'
	case '/':
		return '_'
	default:
		return r
	}
}

// base64Needle returns the characters that text gives when shift bytes, modulo
// three, stand before it: those whose six bits all belong to it.
func base64Needle(text []byte, shift int) needle {
	encoded := base64.RawStdEncoding.AppendEncode(nil, append(make([]byte, shift), text...))
	firstBit, endBit := 8*shift, 8*(shift+len(text))
	n := needle{text: encoded[(firstBit+5)/6 : endBit/6]}
	if firstBit%6 != 0 {
		n.lead = 1
	}
	if endBit%6 != 0 {
		n.trail = 1
	}
	return n
}

// Clean returns b with Placeholder for every secret, and their number. Without
// any it returns b itself.
func (c *Cleaner) Clean(b []byte) (out []byte, replaced int) {
	found := c.find(b)
	if len(found) == 0 {
		return b, 0
	}
	out = make([]byte, 0, len(b))
	done := 0
	for _, p := range found {
		out = append(append(out, b[done:p.from]...), Placeholder...)
		done = p.to
	}
	return append(out, b[done:]...), len(found)
}

// CleanString is Clean for a string.
func (c *Cleaner) CleanString(s string) (out string, replaced int) {
	b, n := c.Clean([]byte(s))
	if n == 0 {
		return s, 0
	}
	return string(b), n
}

// Contains reports whether b holds a secret in any of the forms.
func (c *Cleaner) Contains(b []byte) bool {
	if c == nil || c.hold == 0 || len(b) == 0 {
		return false
	}
	found := false
	c.views(view{text: b}, func(v view) bool {
		found = c.search(v, func(place) bool { return false })
		return !found
	})
	return found
}

// find returns the places of secrets in b, in order and without overlaps.
func (c *Cleaner) find(b []byte) []place {
	if !c.Contains(b) { // most text holds none
		return nil
	}
	var found []place
	c.views(view{text: b, tracked: true}, func(v view) bool {
		c.search(v, func(p place) bool {
			found = append(found, p)
			return true
		})
		return true
	})
	return merged(found)
}

// views passes every reading of the original to look, until it returns false.
func (c *Cleaner) views(original view, look func(view) bool) {
	if !look(original) {
		return
	}
	if once, ok := unquoted(original); ok {
		if !look(once) {
			return
		}
		if twice, ok := unquoted(once); ok && !look(twice) {
			return
		}
	}
	if decoded, ok := unpercented(original, false); ok && !look(decoded) {
		return
	}
	if c.form {
		if decoded, ok := unpercented(original, true); ok {
			look(decoded)
		}
	}
}

// search passes the places of secrets in one view to each, until it returns
// false, and reports whether there were any.
func (c *Cleaner) search(v view, each func(place) bool) (found bool) {
	for i := range c.words {
		for p := range c.words[i].inWords(v) {
			found = true
			if !each(p) {
				return true
			}
		}
	}
	if c.anywhere == nil {
		return found
	}
	readings := []view{v}
	if isWrapped(v.text) {
		readings = append(readings, unwrapped(v))
	}
	for _, r := range readings {
		for p := range c.anywhere.in(r) {
			found = true
			if !each(p) {
				return true
			}
		}
	}
	return found
}

// merged sorts the places and joins those that overlap.
func merged(found []place) []place {
	slices.SortFunc(found, func(a, b place) int { return a.from - b.from })
	var out []place
	for _, p := range found {
		if last := len(out) - 1; last >= 0 && p.from < out[last].to {
			out[last].to = max(out[last].to, p.to)
			continue
		}
		out = append(out, p)
	}
	return out
}
