package configedit

import (
	"strings"
)

// Splice is one change of a text: at a place, one stretch gives way to another.
type Splice struct {
	At       int    `json:"at"`
	Removed  string `json:"removed,omitempty"`
	Inserted string `json:"inserted"`
}

// Part is something that an edit put into a file, found again by what it is and
// not by where: a member or an item of a JSON document, or a marked block.
type Part struct {
	Kind PartKind `json:"kind"`
	// Path leads to the member, or to the list of the item.
	Path []string `json:"path,omitempty"`
	// Text is the value that was written, as canonical JSON.
	Text string `json:"text,omitempty"`
	// Before is the text of the value that it replaced; empty where there was
	// none.
	Before string `json:"before,omitempty"`
}

// PartKind says what a Part is.
type PartKind string

// The kinds of parts. A container is an object or a list that was made to hold
// others.
const (
	PartMember    PartKind = "member"
	PartContainer PartKind = "container"
	PartItem      PartKind = "item"
	PartBlock     PartKind = "block"
)

// Edit is a text on its way to another, with everything that was done to it.
type Edit struct {
	text    string
	splices []Splice
	parts   []Part
}

// New returns an edit of a text.
func New(text string) *Edit { return &Edit{text: text} }

// Text is the text as it is now.
func (e *Edit) Text() string { return e.text }

// put replaces text[at:end].
func (e *Edit) put(at, end int, with string) {
	e.splices = append(e.splices, Splice{At: at, Removed: e.text[at:end], Inserted: with})
	e.text = e.text[:at] + with + e.text[end:]
}

// eol is the line end of the text.
func (e *Edit) eol() string {
	if strings.Contains(e.text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// lineIndent is the white space at the start of the line that holds a place.
func (e *Edit) lineIndent(at int) string {
	start := strings.LastIndexByte(e.text[:at], '\n') + 1
	end := start
	for end < len(e.text) && (e.text[end] == ' ' || e.text[end] == '\t') {
		end++
	}
	return e.text[start:end]
}

// revert takes splices back, the last one first. It fails where the text is not
// what they left.
func revert(text string, splices []Splice) (string, bool) {
	for i := len(splices) - 1; i >= 0; i-- {
		s := splices[i]
		if s.At < 0 || s.At > len(text) || !strings.HasPrefix(text[s.At:], s.Inserted) {
			return text, false
		}
		text = text[:s.At] + s.Removed + text[s.At+len(s.Inserted):]
	}
	return text, true
}
