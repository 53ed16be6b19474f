package canon

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// ObjectWriter writes members of JSON objects one after another, as Marshal would.
// An encoder for any type takes longer to get ready than the few objects take that
// every call of a short program writes.
type ObjectWriter struct {
	b   []byte
	bad bool
}

// NewObjectWriter returns a writer with room for so many bytes.
func NewObjectWriter(room int) *ObjectWriter { return &ObjectWriter{b: make([]byte, 0, room)} }

// Bytes returns what was written. It is not ok when a text was not UTF-8 or a value
// no JSON: then Marshal says what is wrong.
func (w *ObjectWriter) Bytes() (written []byte, ok bool) { return w.b, !w.bad }

// Open begins an object.
func (w *ObjectWriter) Open() { w.b = append(w.b, '{') }

// Close ends it.
func (w *ObjectWriter) Close() { w.b = append(w.b, '}') }

// Name begins a member.
func (w *ObjectWriter) Name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.string(name)
	w.b = append(w.b, ':')
}

func (w *ObjectWriter) string(text string) {
	w.bad = w.bad || !utf8.ValidString(text)
	w.b = AppendString(w.b, text)
}

// Text writes a member.
func (w *ObjectWriter) Text(name, text string) {
	w.Name(name)
	w.string(text)
}

// Some is Text that leaves an empty text out.
func (w *ObjectWriter) Some(name, text string) {
	if text != "" {
		w.Text(name, text)
	}
}

// Truth writes a member.
func (w *ObjectWriter) Truth(name string, yes bool) {
	w.Name(name)
	w.b = strconv.AppendBool(w.b, yes)
}

// Number writes a member.
func (w *ObjectWriter) Number(name string, n int64) {
	w.Name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

// List leaves an empty list out.
func (w *ObjectWriter) List(name string, items []string) {
	if len(items) == 0 {
		return
	}
	w.Name(name)
	w.b = append(w.b, '[')
	for i, item := range items {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.string(item)
	}
	w.b = append(w.b, ']')
}

// Labels leaves an empty map out.
func (w *ObjectWriter) Labels(name string, labels map[string]string) {
	if len(labels) == 0 {
		return
	}
	w.Name(name)
	w.Open()
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		w.Text(key, labels[key])
	}
	w.Close()
}

// Value writes a member whose value is JSON already, as it stands but for white
// space.
func (w *ObjectWriter) Value(name string, value []byte) {
	w.Name(name)
	w.bad = w.bad || Check(value, Limits{MaxBytes: max(len(value), 1)}) != nil
	text := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case text && c == '\\' && i+1 < len(value):
			w.b = append(w.b, c)
			i++
			w.b = append(w.b, value[i])
			continue
		case c == '"':
			text = !text
		case !text && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		w.b = append(w.b, value[i])
	}
}
