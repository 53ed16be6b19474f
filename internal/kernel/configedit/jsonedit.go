package configedit

import (
	"encoding/json"
	"fmt"
	"strings"

	"bridle/internal/kernel/canon"
)

// Set gives the member at a path a value, and makes the objects on the way.
// Where the value is there already, nothing changes. The value is JSON.
func (e *Edit) Set(path []string, value string) error {
	d, err := e.open()
	if err != nil {
		return err
	}
	n := d.root
	for i, name := range path {
		if n.kind != '{' {
			return fmt.Errorf("%s is no object", Place(path[:i]))
		}
		at, found := n.member(name)
		if !found {
			return e.insert(d, n, path, i, value)
		}
		n = n.members[at].value
	}
	want, err := canon.Canonical([]byte(value), canon.Limits{})
	if err != nil {
		return err
	}
	if d.canonical(n) == string(want) {
		return nil
	}
	e.parts = append(e.parts, Part{Kind: PartMember, Path: path, Text: string(want), Before: e.text[n.start:n.end]})
	e.put(n.start, n.end, e.layout(value, e.lineIndent(n.start), e.unit(d)))
	return nil
}

// insert adds the member path[i] to the object n, with the rest of the path as
// objects in it.
func (e *Edit) insert(d *document, n node, path []string, i int, value string) error {
	for k := i + 1; k < len(path); k++ {
		e.parts = append(e.parts, Part{Kind: PartContainer, Path: path[:k]})
	}
	want, err := canon.Canonical([]byte(value), canon.Limits{})
	if err != nil {
		return err
	}
	e.parts = append(e.parts, Part{Kind: PartMember, Path: path, Text: string(want)})
	for k := len(path) - 1; k > i; k-- {
		value = "{" + Quote(path[k]) + ":" + value + "}"
	}
	e.add(d, n, Quote(path[i]), value)
	return nil
}

// add puts a value at the end of an object, with its name, or of a list. An
// object or a list that stands on one line stays on it, unless it was empty.
func (e *Edit) add(d *document, n node, name, value string) {
	unit, closing := e.unit(d), n.end-1
	inner := e.text[n.start+1 : closing]
	content := n.start + 1 + len(strings.TrimRight(inner, " \t\r\n"))
	count := len(n.members) + len(n.items)
	after := ""
	if d.trailing[closing] {
		after = ","
	}
	if count > 0 && !strings.Contains(inner, "\n") {
		if name != "" {
			name += ": "
		}
		text := name + oneLine(value) + after
		if after == "" {
			text = ", " + text
		} else {
			text = " " + text
		}
		e.put(content, content, text)
		return
	}
	indent := e.lineIndent(n.start) + unit
	if first := firstChild(n); first > 0 {
		if line := e.lineIndent(first); strings.TrimSpace(e.text[strings.LastIndexByte(e.text[:first], '\n')+1:first]) == "" {
			indent = line
		}
	}
	if name != "" {
		name += ": "
	}
	text := e.eol() + indent + name + e.layout(value, indent, unit) + after
	if !strings.Contains(e.text[content:closing], "\n") {
		text += e.eol() + e.lineIndent(n.start)
		e.put(content, closing, text)
	} else {
		e.put(content, content, text)
	}
	if count > 0 && after == "" {
		last := lastChild(n)
		e.put(last, last, ",")
	}
}

func firstChild(n node) int {
	switch {
	case len(n.members) > 0:
		return n.members[0].start
	case len(n.items) > 0:
		return n.items[0].start
	}
	return 0
}

func lastChild(n node) int {
	if len(n.members) > 0 {
		return n.members[len(n.members)-1].value.end
	}
	return n.items[len(n.items)-1].end
}

// AddItems appends the items, as JSON, that the list at a path lacks, and makes the list.
func (e *Edit) AddItems(path []string, items ...string) error {
	for _, item := range items {
		d, err := e.open()
		if err != nil {
			return err
		}
		n, found := d.at(path)
		if !found {
			if err := e.Set(path, "[]"); err != nil {
				return err
			}
			e.parts[len(e.parts)-1].Kind = PartContainer
			if d, err = e.open(); err != nil {
				return err
			}
			n, _ = d.at(path)
		}
		if n.kind != '[' {
			return fmt.Errorf("%s is no list", Place(path))
		}
		want, err := canon.Canonical([]byte(item), canon.Limits{})
		if err != nil {
			return err
		}
		if d.holds(n, string(want)) {
			continue
		}
		e.parts = append(e.parts, Part{Kind: PartItem, Path: path, Text: string(want)})
		e.add(d, n, "", item)
	}
	return nil
}

// holds reports whether a list has an item, given in canonical form.
func (d *document) holds(n node, item string) bool {
	for _, have := range n.items {
		if d.canonical(have) == item {
			return true
		}
	}
	return false
}

// Value returns the value at a path as JSON, and whether it is there.
func (e *Edit) Value(path ...string) (value []byte, found bool, err error) {
	d, err := e.open()
	if err != nil {
		return nil, false, err
	}
	n, found := d.at(path)
	if !found {
		return nil, false, nil
	}
	return []byte(d.plain[n.start:n.end]), true, nil
}

// open parses the text; an empty one becomes an empty object first.
func (e *Edit) open() (*document, error) {
	if strings.TrimSpace(strings.TrimPrefix(e.text, byteOrderMark)) == "" {
		e.put(len(e.text), len(e.text), "{}"+e.eol())
	}
	d, err := parse(e.text)
	if err == nil && d.root.kind != '{' {
		return nil, fmt.Errorf("it is no object")
	}
	return d, err
}

// unit is one step of indentation, as the document has it.
func (e *Edit) unit(d *document) string {
	for _, m := range d.root.members {
		line := e.lineIndent(m.start)
		if line != "" && strings.TrimSpace(e.text[strings.LastIndexByte(e.text[:m.start], '\n')+1:m.start]) == "" {
			return line
		}
	}
	return "  "
}

// layout writes a value over several lines that follow a line with the given
// indentation.
func (e *Edit) layout(value, indent, unit string) string {
	text, err := canon.MarshalIndent(json.RawMessage(value))
	if err != nil {
		return value
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		depth := (len(line) - len(rest)) / 2
		if i > 0 {
			lines[i] = indent + strings.Repeat(unit, depth) + rest
		}
	}
	return strings.Join(lines, e.eol())
}

// oneLine writes a value on one line.
func oneLine(value string) string {
	text, err := canon.Marshal(json.RawMessage(value))
	if err != nil {
		return value
	}
	return string(text)
}

// Quote is a text as a JSON string.
func Quote(text string) string {
	data, err := canon.Marshal(text)
	if err != nil {
		return `""`
	}
	return string(data)
}

// Place names a path in sentences for people.
func Place(path []string) string {
	if len(path) == 0 {
		return "the document"
	}
	return `"` + strings.Join(path, ".") + `"`
}

// Compact writes a value as JSON on one line.
func Compact(v any) string {
	data, err := canon.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}

// Indented writes a value as JSON on several lines.
func Indented(v any) string {
	data, err := canon.MarshalIndent(v)
	if err != nil {
		return ""
	}
	return string(data)
}
