package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// schema is the part of JSON Schema (2020-12) that packs describe arguments
// with: type, enum, const, the bounds of strings, numbers, lists and objects,
// pattern, items, properties and required. A pattern is read in Go's dialect of
// regular expressions (RE2: no look-around, no back-references, matching time
// linear in the text). Annotations say nothing about validity and are skipped.
// Any other keyword would change what is valid, so it is refused by name and
// never passed over.
type schema struct {
	never      bool // the schema false
	types      []string
	enum       []any // with const as its only member; nil means any value
	pattern    string
	hasPattern bool

	minLength, maxLength         *int
	minItems, maxItems           *int
	minProperties, maxProperties *int
	minimum, maximum             *bound
	above, below                 *bound
	multipleOf                   *bound
	unique                       bool

	items      *schema
	names      []string // of properties, in declared order
	properties map[string]*schema
	declares   bool // the schema has a properties member, if an empty one
	required   []string
	others     *schema // additionalProperties; nil means any

	description string
	examples    []any
	standard    any // the default
	position    *int
}

// bound is a number with the text it was written as.
type bound struct {
	value *big.Rat
	text  string
}

var jsonTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// schemaError says which keyword cannot be honoured, and where.
type schemaError struct{ pointer, reason string }

func (e *schemaError) Error() string { return e.reason }

func badSchema(pointer, format string, args ...any) error {
	return &schemaError{pointer, fmt.Sprintf(format, args...)}
}

func parseSchema(v any, pointer string) (*schema, error) {
	switch v := v.(type) {
	case bool:
		return &schema{never: !v}, nil
	case object:
		s := &schema{}
		for _, m := range v {
			if err := s.read(m, pointer+"/"+escapePointer(m.name)); err != nil {
				return nil, err
			}
		}
		return s, nil
	default:
		return nil, badSchema(pointer, "is not a schema")
	}
}

// read takes in one keyword.
func (s *schema) read(m member, at string) error {
	known, err := s.readNested(m, at)
	for _, group := range []func(member) (bool, error){s.readAnnotation, s.readValueRule, s.readSize, s.readNumberRule} {
		if known || err != nil {
			break
		}
		known, err = group(m)
	}
	if _, placed := errors.AsType[*schemaError](err); placed {
		return err
	}
	if err != nil {
		return badSchema(at, "%v", err)
	}
	if !known {
		return badSchema(at, "uses the keyword %q, which is outside the supported part of JSON Schema", m.name)
	}
	return nil
}

func (s *schema) readAnnotation(m member) (bool, error) {
	var err error
	switch m.name {
	case "description":
		s.description, err = stringOf(m.value)
	case "examples":
		s.examples, err = listOf(m.value)
	case "default":
		s.standard = unordered(m.value)
	case "x-position":
		s.position, err = countOf(m.value)
	case "title", "$comment", "$schema", "$id", "deprecated", "readOnly", "writeOnly", "format",
		"contentEncoding", "contentMediaType":
	default:
		return strings.HasPrefix(m.name, "x-"), nil
	}
	return true, err
}

func (s *schema) readValueRule(m member) (bool, error) {
	var err error
	switch m.name {
	case "type":
		s.types, err = typesOf(m.value)
	case "enum":
		err = s.restrict(listOf(m.value))
	case "const":
		err = s.restrict([]any{unordered(m.value)}, nil)
	case "pattern":
		s.pattern, err = stringOf(m.value)
		s.hasPattern = true
	default:
		return false, nil
	}
	return true, err
}

// restrict narrows the allowed values; enum and const hold together.
func (s *schema) restrict(values []any, err error) error {
	if err != nil {
		return err
	}
	if s.enum == nil {
		s.enum = values
		return nil
	}
	s.enum = slices.DeleteFunc(slices.Clone(s.enum), func(v any) bool { return !among(v, values) })
	return nil
}

func (s *schema) readSize(m member) (bool, error) {
	var target **int
	switch m.name {
	case "minLength":
		target = &s.minLength
	case "maxLength":
		target = &s.maxLength
	case "minItems":
		target = &s.minItems
	case "maxItems":
		target = &s.maxItems
	case "minProperties":
		target = &s.minProperties
	case "maxProperties":
		target = &s.maxProperties
	case "uniqueItems":
		value, err := boolOf(m.value)
		s.unique = value
		return true, err
	default:
		return false, nil
	}
	var err error
	*target, err = countOf(m.value)
	return true, err
}

func (s *schema) readNumberRule(m member) (bool, error) {
	var target **bound
	switch m.name {
	case "minimum":
		target = &s.minimum
	case "maximum":
		target = &s.maximum
	case "exclusiveMinimum":
		target = &s.above
	case "exclusiveMaximum":
		target = &s.below
	case "multipleOf":
		target = &s.multipleOf
	default:
		return false, nil
	}
	number, isNumber := m.value.(json.Number)
	if !isNumber {
		return true, errors.New("is no number")
	}
	rat, ok := ratOf(number)
	if !ok {
		return true, errors.New("is a number out of range")
	}
	if m.name == "multipleOf" && rat.Sign() <= 0 {
		return true, errors.New("is not above 0")
	}
	*target = &bound{rat, string(number)}
	return true, nil
}

func (s *schema) readNested(m member, at string) (bool, error) {
	var err error
	switch m.name {
	case "items":
		s.items, err = parseSchema(m.value, at)
	case "additionalProperties":
		s.others, err = parseSchema(m.value, at)
	case "properties":
		err = s.readProperties(m.value, at)
	case "required":
		s.required, err = namesOf(m.value)
	default:
		return false, nil
	}
	return true, err
}

func (s *schema) readProperties(v any, at string) error {
	declared, ok := v.(object)
	if !ok {
		return errors.New("is no object")
	}
	s.declares, s.properties = true, make(map[string]*schema, len(declared))
	for _, m := range declared {
		property, err := parseSchema(m.value, at+"/"+escapePointer(m.name))
		if err != nil {
			return err
		}
		s.names, s.properties[m.name] = append(s.names, m.name), property
	}
	return nil
}

// compile checks every pattern of the schema. Calls do it only for the values
// they carry; lint does it for all.
func (s *schema) compile(pointer string) error {
	if s.hasPattern {
		if _, err := regexp.Compile(s.pattern); err != nil {
			return badSchema(pointer+"/pattern", "is not a pattern that can be used here: %v", err)
		}
	}
	for _, name := range s.names {
		if err := s.properties[name].compile(pointer + "/properties/" + escapePointer(name)); err != nil {
			return err
		}
	}
	for keyword, sub := range map[string]*schema{"items": s.items, "additionalProperties": s.others} {
		if sub == nil {
			continue
		}
		if err := sub.compile(pointer + "/" + keyword); err != nil {
			return err
		}
	}
	return nil
}

func typesOf(v any) ([]string, error) {
	types := []string{}
	if name, single := v.(string); single {
		types = append(types, name)
	} else {
		var err error
		if types, err = namesOf(v); err != nil {
			return nil, err
		}
	}
	if len(types) == 0 {
		return nil, errors.New("names no type")
	}
	for _, name := range types {
		if !slices.Contains(jsonTypes, name) {
			return nil, fmt.Errorf("names the unknown type %q", name)
		}
	}
	return types, nil
}

func namesOf(v any) ([]string, error) {
	list, err := listOf(v)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, item := range list {
		name, ok := item.(string)
		if !ok {
			return nil, errors.New("is no list of strings")
		}
		names[i] = name
	}
	return names, nil
}

func listOf(v any) ([]any, error) {
	list, ok := unordered(v).([]any)
	if !ok {
		return nil, errors.New("is no list")
	}
	return list, nil
}

func stringOf(v any) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", errors.New("is no string")
	}
	return text, nil
}

func boolOf(v any) (bool, error) {
	truth, ok := v.(bool)
	if !ok {
		return false, errors.New("is neither true nor false")
	}
	return truth, nil
}

func countOf(v any) (*int, error) {
	number, _ := v.(json.Number)
	n, err := strconv.Atoi(string(number))
	if err != nil || n < 0 {
		return nil, errors.New("is no whole number from 0 up")
	}
	return &n, nil
}

// escapePointer writes a member name as a JSON Pointer token (RFC 6901).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
