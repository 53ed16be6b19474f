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

type sets map[byte]*set

func newSets() sets {
	all := sets{}
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
	return all
}

// parts reads a pattern; the rules are ours, so a mistake is a panic that the
// first test sees.
func (all sets) parts(pattern string) []part {
	var out []part
	for pattern != "" {
		text, rest, found := strings.Cut(pattern, "<")
		if text != "" {
			out = append(out, part{text: text})
		}
		if !found {
			break
		}
		spec, after, _ := strings.Cut(rest, ">")
		p := part{set: all[spec[0]]}
		least, most, ranged := strings.Cut(strings.TrimSuffix(spec[1:], "+"), "-")
		p.min = number(least)
		p.max = p.min
		if ranged {
			p.max = number(most)
		} else if strings.HasSuffix(spec, "+") {
			p.max = longestToken
		}
		if p.set == nil {
			panic("redact: unknown class in pattern " + strconv.Quote(spec))
		}
		out = append(out, p)
		pattern = after
	}
	return out
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("redact: " + err.Error())
	}
	return n
}

// match returns the end of the token at the start of text[at:], or -1. A part
// of a fixed alphabet that goes on beyond its length is no match: it is
// something longer.
func match(parts []part, text string, at int) int {
	for i := range parts {
		p := &parts[i]
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
		// The next part may begin with a character of this set.
		if i+1 < len(parts) && parts[i+1].text != "" && p.max > p.min {
			if n := strings.LastIndex(text[at:min(end+len(parts[i+1].text), len(text))], parts[i+1].text); n >= p.min {
				end = at + n
			}
		}
		if end-at < p.min {
			return -1
		}
		at = end
		if i == len(parts)-1 && p.max < longestToken && at < len(text) && p.set[text[at]] && isAlnum(text[at]) {
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
