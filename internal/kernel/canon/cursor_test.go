package canon

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// rebuild reads a value with the cursor alone.
func rebuild(c *Cursor) any {
	switch c.Kind() {
	case '{':
		object := map[string]any{}
		c.Open()
		for c.More() {
			name := c.Member()
			object[name] = rebuild(c)
			c.Up()
		}
		c.Close()
		return object
	case '[':
		list := []any{}
		c.Open()
		for i := 0; c.More(); i++ {
			c.Item(i)
			list = append(list, rebuild(c))
			c.Up()
		}
		c.Close()
		return list
	case '"':
		return c.Str()
	default:
		return c.Literal()
	}
}

// What the cursor reads is what was written, with and without white space, and
// Raw passes over exactly one value.
func TestCursorReadsWhatWasWritten(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		text := rapid.Map(rapid.String(), func(s string) any { return s })
		if depth == 0 {
			return text
		}
		return rapid.OneOf(text,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.String(), value(depth-1), 0, 3), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		want := value(3).Draw(t, "value")
		for _, write := range []func(any) ([]byte, error){Marshal, MarshalIndent} {
			data, err := write(want)
			if err != nil {
				t.Fatal(err)
			}
			c := NewCursor(string(data))
			if diff := cmp.Diff(want, rebuild(&c)); diff != "" || c.Kind() != 0 || c.Pointer() != "" {
				t.Fatalf("%s: %s, left at %q", data, diff, c.Pointer())
			}
			if c = NewCursor(string(data)); c.Raw() != string(data) || c.Kind() != 0 {
				t.Fatalf("%s is not one value", data)
			}
		}
	})
}
