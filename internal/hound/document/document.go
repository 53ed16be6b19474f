// Package document reads and writes the JSON documents of Hound: closed objects
// whose members are all named in advance.
//
// Invariants:
//
//   - A document is strict JSON (package canon): a name that occurs twice, a
//     lone surrogate, a number that no float64 holds, text after the value are
//     refused. What an existing reader would let pass by taking the last of two
//     members, this one refuses.
//   - A member that a form does not name is refused, a member that it needs is
//     there, and null stands only where the form says so.
//   - What is opaque to the kernel keeps its bytes: numbers stay as they were
//     written until the canonical form lays them out.
package document

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bridle/internal/kernel/canon"
)

// MaxBytes and MaxDepth bound documents; a driver's response has tighter ones,
// so that what is made of it can be read again.
const (
	MaxBytes = 96 << 20
	MaxDepth = 256
)

// Limits are the bounds of every document.
func Limits() canon.Limits { return canon.Limits{MaxBytes: MaxBytes, MaxDepth: MaxDepth} }

// Form names the members of an object. Nullable ones may be null.
type Form struct {
	Required []string
	Optional []string
	Nullable []string
}

// Decode reads one closed object into v, a pointer to a struct.
func Decode(raw []byte, form Form, v any) error {
	_, err := DecodeMembers(raw, form, v)
	return err
}

// DecodeMembers is Decode that also tells which members there are: an absent
// member and an empty one are two things to a hash.
func DecodeMembers(raw []byte, form Form, v any) (map[string]json.RawMessage, error) {
	object, err := canon.ReadObject(raw, Limits())
	if err != nil {
		return nil, err
	}
	return object.Members, form.Decode(object, v)
}

// Decode reads an object that was checked before into v.
func (f Form) Decode(object *canon.Object, v any) error {
	if err := f.check(object.Members); err != nil {
		return err
	}
	return object.Decode(v)
}

// Members returns the members of an object by name.
func Members(raw []byte) (map[string]json.RawMessage, error) {
	object, err := canon.ReadObject(raw, Limits())
	if err != nil {
		return nil, err
	}
	return object.Members, nil
}

func (f Form) check(members map[string]json.RawMessage) error {
	for _, name := range f.Required {
		if _, there := members[name]; !there {
			return fmt.Errorf("%q is missing", name)
		}
	}
	var bad []string
	for name, value := range members {
		if !f.declares(name) || string(value) == "null" && !slices.Contains(f.Nullable, name) {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	first := slices.Min(bad) // the same of several every time
	if !f.declares(first) {
		return fmt.Errorf("%q is no member of this document", first)
	}
	return fmt.Errorf("%q may not be null", first)
}

func (f Form) declares(name string) bool {
	return slices.Contains(f.Required, name) || slices.Contains(f.Optional, name)
}

// IsObject reports whether raw, valid JSON, is an object.
func IsObject(raw json.RawMessage) bool {
	text := strings.TrimLeft(string(raw[:min(len(raw), 64)]), " \t\r\n")
	return text != "" && text[0] == '{'
}

// Canonical returns the canonical JSON of a value.
func Canonical(v any) ([]byte, error) {
	data, err := canon.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("write canonical JSON: %w", err)
	}
	return data, nil
}

// Digest returns the hash of a value's canonical JSON.
func Digest(v any) (string, error) {
	data, err := Canonical(v)
	if err != nil {
		return "", err
	}
	return Sum(data), nil
}

// Line returns the form of a document in a file: canonical JSON and a line feed.
func Line(v any) ([]byte, error) {
	data, err := Canonical(v)
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// Equal reports whether two JSON texts are the same value in canonical form.
func Equal(a, b json.RawMessage) bool {
	left, err := canon.Canonical(a, Limits())
	if err != nil {
		return false
	}
	right, err := canon.Canonical(b, Limits())
	return err == nil && bytes.Equal(left, right)
}

// IsSHA256 reports whether text is a hash as documents write it.
func IsSHA256(text string) bool {
	if len(text) != 64 || strings.ToLower(text) != text {
		return false
	}
	_, err := hex.DecodeString(text)
	return err == nil
}

// SelfHash returns the hash of an object without one of its members: the form
// of every id that a document holds of itself. The object must be canonical: its
// parts then are, too, and only need to be put together.
func SelfHash(canonical json.RawMessage, member string) (string, error) {
	members, err := Members(canonical)
	if err != nil {
		return "", err
	}
	return SelfHashOf(members, member), nil
}

// SelfHashOf is SelfHash of the members of a canonical object.
func SelfHashOf(members map[string]json.RawMessage, member string) string {
	sum := sha256.New()
	separator := "{"
	var part []byte
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == member {
			continue
		}
		part = append(canon.AppendString(append(part[:0], separator...), name), ':')
		sum.Write(part)
		sum.Write(members[name])
		separator = ","
	}
	if separator == "{" {
		sum.Write([]byte(separator))
	}
	sum.Write([]byte("}"))
	return hex.EncodeToString(sum.Sum(nil))
}

// IsCanonicalLine reports whether a file holds a document as it is written here:
// canonical JSON and a line feed.
func IsCanonicalLine(data []byte) bool {
	text, found := bytes.CutSuffix(data, []byte("\n"))
	if !found || !IsObject(text) {
		return false
	}
	return canon.IsCanonical(text, Limits())
}
