package pack

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// cursor walks the text of a JSON document that canon.Check has accepted: it
// tells values apart and never judges them. Strings are slices of the text
// where nothing is escaped in them, so reading allocates next to nothing; a
// pack is read on every call.
type cursor struct {
	text string
	at   int
	path []step // of the value that is being read
}

// step is a member's name or an array's index.
type step struct {
	name  string
	index int // -1 for a name
}

// kind looks at the next value or closing bracket: one of n t f " 0 { [ } ], or
// 0 at the end. Where commas and colons stand has been checked already.
func (c *cursor) kind() byte {
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

// open steps into an array or object, close steps out of it.
func (c *cursor) open()  { c.kind(); c.at++ }
func (c *cursor) close() { c.kind(); c.at++ }

// more reports whether the array or object goes on.
func (c *cursor) more() bool {
	k := c.kind()
	return k != '}' && k != ']' && k != 0
}

// member reads a name and descends to its value, item descends to the item at
// an index, and up returns to the array or object.
func (c *cursor) member() string {
	name := c.str()
	c.path = append(c.path, step{name, -1})
	return name
}
func (c *cursor) item(index int) { c.path = append(c.path, step{"", index}) }
func (c *cursor) up()            { c.path = c.path[:len(c.path)-1] }

// str reads a string.
func (c *cursor) str() string {
	c.kind()
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

func (c *cursor) skipString() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// literal reads a number or one of the three words, as written.
func (c *cursor) literal() string {
	c.kind()
	start := c.at
	for c.at < len(c.text) && strings.IndexByte(" \t\n\r,:]}", c.text[c.at]) < 0 {
		c.at++
	}
	return c.text[start:c.at]
}

// raw reads any value, as written.
func (c *cursor) raw() string {
	c.kind()
	start := c.at
	for depth := 0; ; {
		switch c.kind() {
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
			c.literal()
		}
		if depth == 0 {
			return c.text[start:c.at]
		}
	}
}

// pointer is the JSON Pointer (RFC 6901) of the value that is being read.
func (c *cursor) pointer() string {
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
