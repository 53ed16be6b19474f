package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bridle/internal/kernel/canon"
)

// Expect is what must stand in an answer. Places are JSON Pointers (RFC 6901).
type Expect struct {
	// Exact values, compared in canonical form.
	Exact map[string]json.RawMessage `json:"exact,omitzero"`
	// Contains: a text holds the text; a list holds an item equal to the value
	// or, for objects, with all of its members; an object has all of its members.
	Contains map[string]json.RawMessage `json:"contains,omitzero"`
	// Absent places are not there, or null.
	Absent []string `json:"absent,omitzero"`
	// Present places are there and not null, whatever they hold.
	Present []string `json:"present,omitzero"`
	// Without lists texts that stand nowhere in the answer.
	Without []string `json:"without,omitzero"`
	// Same places hold what the place "name#pointer" of a kept answer holds.
	Same map[string]string `json:"same,omitzero"`
}

func (e Expect) empty() bool {
	return len(e.Exact)+len(e.Contains)+len(e.Absent)+len(e.Present)+len(e.Without)+len(e.Same) == 0
}

// answers are the kept answers of a vector, by name.
type answers map[string]any

// check compares an answer with what is expected of it and returns what does
// not hold.
func (e Expect) check(raw []byte, kept answers) (any, []string) {
	answer, err := canon.Parse(raw, canon.Limits{})
	if err != nil {
		return nil, []string{"the answer is no JSON: " + err.Error()}
	}
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, place := range sorted(e.Exact) {
		value, found := resolve(answer, place)
		if want := parsed(e.Exact[place]); !found || !equal(value, want) {
			say("%s is %s, not %s", place, shown(value, found), shown(want, true))
		}
	}
	for _, place := range sorted(e.Contains) {
		value, found := resolve(answer, place)
		if want := parsed(e.Contains[place]); !found || !contains(value, want) {
			say("%s is %s, which lacks %s", place, shown(value, found), shown(want, true))
		}
	}
	for _, place := range e.Absent {
		if value, found := resolve(answer, place); found && value != nil {
			say("%s is %s, and should not be there", place, shown(value, true))
		}
	}
	for _, place := range e.Present {
		if value, found := resolve(answer, place); !found || value == nil {
			say("%s is not there", place)
		}
	}
	for _, text := range e.Without {
		if holds(answer, text) {
			say("the answer holds %q", text)
		}
	}
	for _, place := range sorted(e.Same) {
		value, found := resolve(answer, place)
		name, pointer, _ := strings.Cut(e.Same[place], "#")
		if want, there := resolve(kept[name], pointer); !found || !there || !equal(value, want) {
			say("%s is %s, not %s as in %s", place, shown(value, found), shown(want, there), e.Same[place])
		}
	}
	return answer, wrong
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// parsed is a value of a vector, whose syntax was checked when it was loaded.
func parsed(raw json.RawMessage) any {
	value, err := canon.Parse(raw, canon.Limits{})
	if err != nil {
		return err // equal to nothing that an answer can hold
	}
	return value
}

// resolve follows a JSON Pointer.
func resolve(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, false
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := value.(type) {
		case map[string]any:
			member, found := v[token]
			if !found {
				return nil, false
			}
			value = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

func equal(a, b any) bool {
	x, errX := canon.Encode(a)
	y, errY := canon.Encode(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func contains(value, want any) bool {
	switch v := value.(type) {
	case string:
		text, ok := want.(string)
		return ok && strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool {
			_, object := item.(map[string]any)
			return equal(item, want) || object && contains(item, want)
		})
	case map[string]any:
		members, ok := want.(map[string]any)
		if !ok {
			return false
		}
		for name, member := range members {
			if got, found := v[name]; !found || !equal(got, member) {
				return false
			}
		}
		return true
	}
	return false
}

// holds reports whether a text stands in any string of the value, names
// included.
func holds(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return holds(item, text) })
	case map[string]any:
		for name, member := range v {
			if strings.Contains(name, text) || holds(member, text) {
				return true
			}
		}
	}
	return false
}

// shown is a value in a sentence.
func shown(value any, found bool) string {
	if !found {
		return "not there"
	}
	text, err := canon.Encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 300
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "…"
	}
	return string(text)
}
