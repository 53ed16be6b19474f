package redact

import (
	"strconv"
	"strings"
)

// A pattern is the format of a token, written as its providers publish it: text
// that stands for itself, and <class length> for characters, as in
// "ghp_<w36>", "SG.<u22>.<u43>", "xkeysib-<h64>-<w16>", "sl.<u100-2000>". A
// length with + has no upper bound. Every part takes as much as it can get and
// gives nothing back, so that matching is linear.
type part struct {
	text     string // if not empty
	set      *set
	min, max int
}

type set [256]bool

// longestToken is the upper bound of a length with +.
const longestToken = 8192

// classes are the letters for sets of characters: ranges, then single ones.
var classes = [...]struct {
	letter        byte
	ranges, extra string
}{
	{'d', "09", ""},
	{'h', "09af", ""},
	{'H', "09afAF", ""},
	{'a', "09az", ""},
	{'A', "09AZ", ""},
	{'w', "09azAZ", ""},
	{'u', "09azAZ", "-_"},
	{'b', "09azAZ", "+/="},
	{'v', "09azAZ", "-_.="},
	{'t', "09azAZ", "-_.~"},
	{'x', "09azAZ", "-"},
	{'s', "09azAZ", "_"},
	{'2', "27AZ", ""},
}

// sets are the characters of every class, by its letter.
type sets [128]*set

func newSets() *sets {
	var all sets
	for _, c := range classes {
		var m set
		for i := 0; i < len(c.ranges); i += 2 {
			for b := int(c.ranges[i]); b <= int(c.ranges[i+1]); b++ {
				m[b] = true
			}
		}
		for i := range len(c.extra) {
			m[c.extra[i]] = true
		}
		all[c.letter] = &m
	}
	return &all
}

// next reads the first part of a pattern. The patterns are ours, and a test
// reads all of them, so a mistake is a panic.
func (all *sets) next(pattern string) (p part, rest string) {
	if pattern[0] != '<' {
		i := strings.IndexByte(pattern, '<')
		if i < 0 {
			i = len(pattern)
		}
		return part{text: pattern[:i]}, pattern[i:]
	}
	spec, rest, _ := strings.Cut(pattern[1:], ">")
	p.set = all[spec[0]]
	least, most, ranged := strings.Cut(spec[1:], "-")
	least, open := strings.CutSuffix(least, "+")
	p.min = number(least)
	switch {
	case open:
		p.max = longestToken
	case ranged:
		p.max = number(most)
	default:
		p.max = p.min
	}
	if p.set == nil || p.max < p.min {
		panic("redact: bad part of a pattern " + strconv.Quote(spec))
	}
	return p, rest
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("redact: " + err.Error())
	}
	return n
}

// match returns the end of the token at the start of text[at:], or -1. Where
// the last part could go on beyond its length, it is something longer and no
// match.
func (all *sets) match(pattern, text string, at int) int {
	for pattern != "" {
		var p part
		p, pattern = all.next(pattern)
		if p.text != "" {
			if !strings.HasPrefix(text[at:], p.text) {
				return -1
			}
			at += len(p.text)
			continue
		}
		end := at
		for end < len(text) && end-at < p.max && p.set[text[end]] {
			end++
		}
		if pattern != "" && p.max > p.min {
			// The text after this part may begin with characters of its set.
			literal, _ := all.next(pattern)
			if n := strings.LastIndex(text[at:min(end+len(literal.text), len(text))], literal.text); literal.text != "" && n >= p.min {
				end = at + n
			}
		}
		if end-at < p.min {
			return -1
		}
		at = end
		if pattern == "" && p.max < longestToken && at < len(text) && p.set[text[at]] && isAlnum(text[at]) {
			return -1
		}
	}
	return at
}

// begins reports whether a token may begin at this place: no letter or digit
// comes before it, unless that one ends an escape.
func begins(text string, at int) bool {
	if at == 0 || !isAlnum(text[at-1]) {
		return true
	}
	if at >= 2 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0 {
		return true
	}
	if at >= 3 && text[at-3] == '%' && isHex(text[at-2]) && isHex(text[at-1]) {
		return true
	}
	return at >= 6 && text[at-6:at-4] == `\u` && isHex(text[at-1]) && isHex(text[at-2])
}
