package configedit

import (
	"errors"
	"strings"

	"bridle/internal/kernel/canon"
)

// byteOrderMark may stand before a document of an editor on Windows.
const byteOrderMark = "\ufeff"

// document is a JSON text with comments and trailing commas, as host programs
// read their settings. Every offset is one of the text as it stands.
type document struct {
	plain string // the text with comments, trailing commas and the mark blanked
	root  node
	// trailing holds, by the offset of a closing bracket, whether a comma
	// stands before it.
	trailing map[int]bool
}

// node is a value: an object '{', a list '[', or anything else 0.
type node struct {
	kind       byte
	start, end int
	members    []member
	items      []node
}

type member struct {
	name  string
	start int // of the name
	value node
}

// parse reads a document. What it accepts is JSON in the strict sense once
// comments and trailing commas are taken away; a name that occurs twice in one
// object is refused, since nobody knows which one the host takes.
func parse(text string) (*document, error) {
	d := &document{trailing: map[int]bool{}}
	if err := d.blank(text); err != nil {
		return nil, err
	}
	if err := canon.Check([]byte(d.plain), canon.Limits{}); err != nil {
		return nil, err
	}
	at := d.skip(0)
	d.root, _ = d.value(at)
	return d, nil
}

// blank puts spaces in place of what is no JSON, so that offsets stay.
func (d *document) blank(text string) error {
	out := []byte(text)
	wipe := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	start := 0
	if strings.HasPrefix(text, byteOrderMark) {
		start = len(byteOrderMark)
		wipe(0, start)
	}
	last := -1 // the last byte that means something
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			last = i
		case strings.HasPrefix(text[i:], "//"):
			end := len(text)
			if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
				end = i + n
			}
			wipe(i, end)
			i = end - 1
		case strings.HasPrefix(text[i:], "/*"):
			n := strings.Index(text[i+2:], "*/")
			if n < 0 {
				return errors.New("a comment has no end")
			}
			wipe(i, i+2+n+2)
			i += 2 + n + 1
		case c == '}' || c == ']':
			if last >= 0 && last < len(text) && text[last] == ',' {
				out[last] = ' '
				d.trailing[i] = true
			}
			last = i
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			last = i
		}
	}
	d.plain = string(out)
	return nil
}

func (d *document) skip(at int) int {
	for at < len(d.plain) && strings.IndexByte(" \t\r\n", d.plain[at]) >= 0 {
		at++
	}
	return at
}

// value scans the value that starts at a place. The text is known to be JSON.
func (d *document) value(at int) (n node, end int) {
	n.start = at
	switch d.plain[at] {
	case '{', '[':
		n.kind = d.plain[at]
		at = d.skip(at + 1)
		for d.plain[at] != '}' && d.plain[at] != ']' {
			if d.plain[at] == ',' {
				at = d.skip(at + 1)
			}
			var m member
			if n.kind == '{' {
				m.start = at
				at = d.text(at)
				// The name is JSON, as the whole text is.
				_ = canon.Decode([]byte(d.plain[m.start:at]), &m.name, canon.Limits{})
				at = d.skip(d.skip(at) + 1)
			}
			m.value, at = d.value(at)
			if n.kind == '{' {
				n.members = append(n.members, m)
			} else {
				n.items = append(n.items, m.value)
			}
			at = d.skip(at)
		}
		at++
	case '"':
		at = d.text(at)
	default:
		for at < len(d.plain) && strings.IndexByte(" \t\r\n,]}", d.plain[at]) < 0 {
			at++
		}
	}
	n.end = at
	return n, at
}

// text returns the end of the string that starts at a place.
func (d *document) text(at int) int {
	for at++; d.plain[at] != '"'; at++ {
		if d.plain[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// member finds a member by its name.
func (n *node) member(name string) (int, bool) {
	for i := range n.members {
		if n.members[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// at follows a path of names.
func (d *document) at(path []string) (node, bool) {
	n := d.root
	for _, name := range path {
		i, found := n.member(name)
		if !found {
			return node{}, false
		}
		n = n.members[i].value
	}
	return n, true
}

// canonical is a value in the one form in which values are compared.
func (d *document) canonical(n node) string {
	data, err := canon.Canonical([]byte(d.plain[n.start:n.end]), canon.Limits{})
	if err != nil {
		return ""
	}
	return string(data)
}
