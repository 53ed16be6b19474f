package canon

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Cursor walks the text of a JSON document that Check has accepted: it tells
// values apart and never judges them. Strings are slices of the text where
// nothing is escaped in them, so reading allocates next to nothing; packs and
// their records are read on every call.
type Cursor struct {
	text string
	at   int
	path []hop // of the value that is being read
}

// NewCursor returns a cursor before the document.
func NewCursor(text string) Cursor { return Cursor{text: text} }

// hop is a member's name or an array's index.
type hop struct {
	name  string
	index int // -1 for a name
}

// Kind looks at the next value or closing bracket: one of n t f " 0 { [ } ], or
// 0 at the end. Where commas and colons stand has been checked already.
func (c *Cursor) Kind() byte {
	for ; c.at < len(c.text); c.at++ {
		switch k := c.text[c.at]; k {
		case ' ', '\t', '\n', '\r', ',', ':':
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return '0'
		default:
			return k
		}
	}
	return 0
}

// Open steps into an array or object.
func (c *Cursor) Open() { c.Kind(); c.at++ }

// Close steps out of it.
func (c *Cursor) Close() { c.Kind(); c.at++ }

// More reports whether the array or object goes on.
func (c *Cursor) More() bool {
	k := c.Kind()
	return k != '}' && k != ']' && k != 0
}

// Member reads a name and descends to its value.
func (c *Cursor) Member() string {
	name := c.Str()
	c.path = append(c.path, hop{name, -1})
	return name
}

// Item descends to the item at an index.
func (c *Cursor) Item(index int) { c.path = append(c.path, hop{"", index}) }

// Up returns to the array or object.
func (c *Cursor) Up() { c.path = c.path[:len(c.path)-1] }

// Str reads a string.
func (c *Cursor) Str() string {
	c.Kind()
	start := c.at
	c.skipString()
	quoted := c.text[start:c.at]
	if body := quoted[1 : len(quoted)-1]; strings.IndexByte(body, '\\') < 0 {
		return body
	}
	plain, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return "" // canon accepted it, so it is well formed
	}
	return string(plain)
}

func (c *Cursor) skipString() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// Literal reads a number or one of the three words, as written.
func (c *Cursor) Literal() string {
	c.Kind()
	start := c.at
	for c.at < len(c.text) && strings.IndexByte(" \t\n\r,:]}", c.text[c.at]) < 0 {
		c.at++
	}
	return c.text[start:c.at]
}

// Raw reads any value, as written.
func (c *Cursor) Raw() string {
	c.Kind()
	start := c.at
	for depth := 0; ; {
		switch c.Kind() {
		case '{', '[':
			c.at++
			depth++
		case '}', ']':
			c.at++
			depth--
		case '"':
			c.skipString()
		case 0:
			return c.text[start:c.at]
		default:
			c.Literal()
		}
		if depth == 0 {
			return c.text[start:c.at]
		}
	}
}

// Pointer is the JSON Pointer (RFC 6901) of the value that is being read.
func (c *Cursor) Pointer() string {
	var b strings.Builder
	for _, s := range c.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(pointerToken(s.name))
		}
	}
	return b.String()
}

func pointerToken(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
