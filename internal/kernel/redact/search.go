package redact

import (
	"bytes"
	"iter"
)

// needle is a text to search for.
type needle struct {
	text []byte
	word bool // only between characters that are not part of a word
	// lead and trail are the characters of base64 beside the text that hold
	// some bits of the secret as well.
	lead, trail int
}

// searcher finds many needles in one pass (Wu and Manber's method): it looks at
// two bytes, and a table says how far ahead the next place is at which some
// needle may end there. The longer the shortest needle, the fewer bytes it
// looks at.
type searcher struct {
	needles []needle
	width   int // of the window: the length of the shortest needle
	skip    [tableSize]uint8
	ending  map[uint16][]int // needles by the pair at the end of the window
}

const tableSize = 1 << 12

func pair(a, b byte) uint16 { return (uint16(a)<<5 ^ uint16(b)) % tableSize }

// newSearcher takes needles of at least two bytes.
func newSearcher(needles []needle) *searcher {
	s := &searcher{needles: needles, width: 255, ending: map[uint16][]int{}}
	for _, n := range needles {
		s.width = min(s.width, len(n.text))
	}
	for i := range s.skip {
		s.skip[i] = uint8(s.width - 1)
	}
	for i, n := range needles {
		for end := 1; end < s.width; end++ {
			p := pair(n.text[end-1], n.text[end])
			s.skip[p] = min(s.skip[p], uint8(s.width-1-end))
		}
		p := pair(n.text[s.width-2], n.text[s.width-1])
		s.ending[p] = append(s.ending[p], i)
	}
	return s
}

// in yields the places of all needles in a view, overlapping ones too.
func (s *searcher) in(v view) iter.Seq[place] {
	return func(yield func(place) bool) {
		if len(s.needles) == 0 {
			return
		}
		t := v.text
		for end := s.width - 1; end < len(t); {
			p := pair(t[end-1], t[end])
			if ahead := int(s.skip[p]); ahead > 0 {
				end += ahead
				continue
			}
			start := end - s.width + 1
			for _, i := range s.ending[p] {
				n := &s.needles[i]
				if bytes.HasPrefix(t[start:], n.text) && !yield(n.span(v, start)) {
					return
				}
			}
			end++
		}
	}
}

// span is the place of n, found at i, with what belongs to it on either side.
func (n *needle) span(v view, i int) place {
	return v.span(max(i-n.lead, 0), min(i+len(n.text)+n.trail, len(v.text)))
}

// inWords yields the places of n where it stands apart.
func (n *needle) inWords(v view) iter.Seq[place] {
	return func(yield func(place) bool) {
		for from := 0; ; {
			i := bytes.Index(v.text[from:], n.text)
			if i < 0 {
				return
			}
			i += from
			if isApart(v.text, i, i+len(n.text)) && !yield(n.span(v, i)) {
				return
			}
			from = i + 1
		}
	}
}

// isApart reports whether bytes i to j of t are not part of a longer word.
func isApart(t []byte, i, j int) bool {
	joins := func(a, b int) bool {
		return a >= 0 && b < len(t) && isWord(t[a]) && isWord(t[b])
	}
	return !joins(i-1, i) && !joins(j-1, j)
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
