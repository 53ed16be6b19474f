package redact

import (
	"strings"
	"sync"
)

// An anchor is a short text that a rule cannot do without. The scan looks for
// anchors only, and a rule looks around them.
type anchor struct {
	text string
	fold bool // in any case; text is lower case
	look func(s *scan, at, end int)
	// Instead of look, for the format of a token:
	provider *provider
	pattern  string
}

// table finds anchors by their first three bytes: a bit map says whether any
// anchor begins with them, and chains lead to those.
type table struct {
	bits    [1 << 12]uint64
	heads   [1 << 10]uint16 // index into links, plus 1
	links   []link
	anchors []anchor
	sets    *sets
}

type link struct {
	hash   uint32
	anchor uint16
	next   uint16
}

const hashMask = 1<<18 - 1

func roll(h uint32, c byte) uint32 { return (h<<6 ^ uint32(c)) & hashMask }

func slot(h uint32) uint32 { return (h ^ h>>8) & (1<<10 - 1) }

var (
	builtTable *table
	buildTable sync.Once
)

// theTable is built when a text is looked at for the first time, so that a
// program which never does pays nothing.
func theTable() *table {
	buildTable.Do(func() { builtTable = newTable() })
	return builtTable
}

func newTable() *table {
	t := &table{sets: newSets(), anchors: make([]anchor, 0, 512), links: make([]link, 0, 1024)}
	for _, a := range contextAnchors() {
		t.put(a)
	}
	for i := range providers {
		for pattern := range strings.FieldsSeq(providers[i].pattern) {
			t.put(anchor{text: anchorOf(pattern), provider: &providers[i], pattern: pattern})
		}
	}
	return t
}

func (t *table) put(a anchor) {
	n := uint16(len(t.anchors)) //nolint:gosec // a few hundred
	t.anchors = append(t.anchors, a)
	if !a.fold {
		t.link(roll(roll(roll(0, a.text[0]), a.text[1]), a.text[2]), n)
		return
	}
	for variant := range 8 {
		h := uint32(0)
		distinct := true
		for i := range 3 {
			c := a.text[i]
			if variant>>i&1 == 1 {
				distinct = distinct && isLower(c)
				c -= 'a' - 'A'
			}
			h = roll(h, c)
		}
		if distinct {
			t.link(h, n)
		}
	}
}

func (t *table) link(h uint32, n uint16) {
	t.bits[h>>6] |= 1 << (h & 63)
	t.links = append(t.links, link{h, n, t.heads[slot(h)]})
	t.heads[slot(h)] = uint16(len(t.links)) //nolint:gosec // a few hundred
}

// run calls the rules of every anchor in the text.
func (s *scan) run(t *table) {
	h := uint32(0)
	text := s.text
	for i := range len(text) {
		h = roll(h, text[i])
		if t.bits[h>>6]>>(h&63)&1 == 0 || i < 2 {
			continue
		}
		for n := t.heads[slot(h)]; n != 0; n = t.links[n-1].next {
			if t.links[n-1].hash != h {
				continue
			}
			a := &t.anchors[t.links[n-1].anchor]
			at := i - 2
			end := at + len(a.text)
			if end > len(text) || a.fold && !foldsTo(text[at:end], a.text) || !a.fold && text[at:end] != a.text {
				continue
			}
			if a.look == nil {
				a.provider.find(s, t.sets, a.pattern, at, end)
			} else {
				a.look(s, at, end)
			}
		}
	}
}

// foldsTo reports whether s is the lower-case text low in any case. Both have
// the same length.
func foldsTo(s, low string) bool {
	for i := range len(s) {
		if lower(s[i]) != low[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if isUpper(c) {
		return c + ('a' - 'A')
	}
	return c
}

func isLower(c byte) bool { return c-'a' < 26 }
func isUpper(c byte) bool { return c-'A' < 26 }
func isDigit(c byte) bool { return c-'0' < 10 }
func isAlpha(c byte) bool { return (c|0x20)-'a' < 26 }
func isAlnum(c byte) bool { return isDigit(c) || isLower(c) || isUpper(c) }
func isHex(c byte) bool   { return isDigit(c) || c-'a' < 6 || c-'A' < 6 }
func isSpace(c byte) bool { return c == ' ' || c == '\t' }
