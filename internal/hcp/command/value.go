package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
)

// plain brings a value into the forms that JSON has: string, bool, nil,
// json.Number, []any and map[string]any. It copies containers, so that the
// caller's value and ours share nothing.
func plain(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("is nested more than %d levels deep", maxDepth)
	}
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		return v, plainText(v)
	case json.Number:
		if !isNumber(string(v)) {
			return nil, errors.New("has a number that is no JSON number")
		}
		return v, nil
	case []any:
		return plainList(v, depth)
	case []string:
		return plainList(v, depth)
	case map[string]any:
		return plainObject(v, depth)
	case hcp.Args:
		return plainObject(v, depth)
	default:
		return plainNumber(v)
	}
}

func plainText(s string) error {
	if strings.ContainsRune(s, 0) {
		return errors.New("has a NUL character, which no argument can carry")
	}
	if !utf8.ValidString(s) {
		return errors.New("is not valid UTF-8")
	}
	return nil
}

func plainList[V any](list []V, depth int) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		value, err := plain(item, depth+1)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}

func plainObject(object map[string]any, depth int) (any, error) {
	out := make(map[string]any, len(object))
	for name, member := range object {
		if err := plainText(name); err != nil {
			return nil, err
		}
		value, err := plain(member, depth+1)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// plainNumber takes Go's numbers from Go callers. Floats are written as
// JavaScript writes them, so that both kinds of caller render alike.
func plainNumber(v any) (any, error) {
	switch v := v.(type) {
	case int:
		return json.Number(strconv.Itoa(v)), nil
	case int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return json.Number(fmt.Sprint(v)), nil
	case float32:
		return plainFloat(float64(v), 32)
	case float64:
		return plainFloat(v, 64)
	default:
		return nil, fmt.Errorf("has a value of Go type %T, which JSON has no form for", v)
	}
}

func plainFloat(f float64, bits int) (any, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("is not a finite number")
	}
	if f == 0 {
		return json.Number("0"), nil
	}
	if size := math.Abs(f); size >= 1e-6 && size < 1e21 {
		return json.Number(strconv.FormatFloat(f, 'f', -1, bits)), nil
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(text, "e")
	return json.Number(mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")), nil
}

// textOf is String(value) of the specification's text: lists join with commas,
// null is empty. An object, which that function cannot show, is its JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return string(v)
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			texts[i] = textOf(item)
		}
		return strings.Join(texts, ",")
	default:
		return jsonText(v)
	}
}

// sameKey is equal for values that JSON Schema calls equal: numbers by value,
// objects whatever the order of their members.
func sameKey(v any) string {
	var b strings.Builder
	writeKey(&b, v)
	return b.String()
}

func writeKey(b *strings.Builder, v any) {
	switch v := v.(type) {
	case json.Number:
		if rat, ok := ratOf(v); ok {
			b.WriteString(rat.RatString())
			return
		}
		b.WriteString(string(v))
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			writeKey(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for _, name := range sortedNames(v) {
			fmt.Fprintf(b, "%q:", name)
			writeKey(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case string:
		fmt.Fprintf(b, "%q", v)
	default:
		fmt.Fprint(b, v)
	}
}

func sortedNames[M ~map[string]V, V any](m M) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// sizeOf is what a plain value weighs against the bounds.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.Number:
		return len(v)
	case []any:
		size := 2
		for _, item := range v {
			size += 1 + sizeOf(item)
		}
		return size
	case map[string]any:
		size := 2
		for name, member := range v {
			size += 4 + len(name) + sizeOf(member)
		}
		return size
	default:
		return len("false")
	}
}

// isNumber reports whether the text is exactly one JSON number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		ok := n > 0
		s = s[n:]
		return ok
	}
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// isReadable reports whether the text is a number that JSON arguments could have
// had: theirs are refused beyond a 64-bit float.
func isReadable(text string) bool {
	if !isNumber(text) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// ratOf is the exact value of a number, unless it is so large, small or long
// that working with it would be an attack.
func ratOf(n json.Number) (*big.Rat, bool) {
	text := string(n)
	if len(text) > maxNumber || !isNumber(text) {
		return nil, false
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(text[at+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// kindOf names a plain value's JSON type as schemas do.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}
