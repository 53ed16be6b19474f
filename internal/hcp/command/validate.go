package command

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// misfit says what a value should have been, and where. It names only what the
// pack declared, never the value.
type misfit struct{ pointer, want string }

// check returns the first misfit of a plain value, or nil. The error is of the
// schema, not of the value.
func (s *schema) check(v any, pointer string) (*misfit, error) {
	if s.never {
		return &misfit{pointer, "be left out: the pack allows no value here"}, nil
	}
	if s.types != nil && !slices.ContainsFunc(s.types, func(name string) bool { return hasType(v, name) }) {
		return &misfit{pointer, "be " + alternatives(s.types) + ", not " + article(kindOf(v))}, nil
	}
	if s.enum != nil && !among(v, s.enum) {
		return &misfit{pointer, "be one of " + listing(s.enum)}, nil
	}
	switch v := v.(type) {
	case string:
		return s.checkString(v, pointer)
	case json.Number:
		return s.checkNumber(v, pointer), nil
	case []any:
		return s.checkList(v, pointer)
	case map[string]any:
		return s.checkObject(v, pointer)
	}
	return nil, nil
}

func (s *schema) checkString(v, pointer string) (*misfit, error) {
	length := utf8.RuneCountInString(v)
	if s.minLength != nil && length < *s.minLength {
		return &misfit{pointer, fmt.Sprintf("have at least %s", count(*s.minLength, "character"))}, nil
	}
	if s.maxLength != nil && length > *s.maxLength {
		return &misfit{pointer, fmt.Sprintf("have at most %s", count(*s.maxLength, "character"))}, nil
	}
	if !s.hasPattern {
		return nil, nil
	}
	re, err := regexp.Compile(s.pattern)
	if err != nil {
		return nil, badSchema(pointer+"/pattern", "is not a pattern that can be used here: %v", err)
	}
	if !re.MatchString(v) {
		return &misfit{pointer, fmt.Sprintf("match the pattern %q", s.pattern)}, nil
	}
	return nil, nil
}

func (s *schema) checkNumber(v json.Number, pointer string) *misfit {
	rat, ok := ratOf(v)
	if !ok {
		return &misfit{pointer, "be a number of ordinary size"}
	}
	for _, rule := range []struct {
		bound *bound
		want  string
		holds func(int) bool
	}{
		{s.minimum, "be at least ", func(c int) bool { return c >= 0 }},
		{s.maximum, "be at most ", func(c int) bool { return c <= 0 }},
		{s.above, "be above ", func(c int) bool { return c > 0 }},
		{s.below, "be below ", func(c int) bool { return c < 0 }},
	} {
		if rule.bound != nil && !rule.holds(rat.Cmp(rule.bound.value)) {
			return &misfit{pointer, rule.want + rule.bound.text}
		}
	}
	if s.multipleOf != nil && !new(big.Rat).Quo(rat, s.multipleOf.value).IsInt() {
		return &misfit{pointer, "be a multiple of " + s.multipleOf.text}
	}
	return nil
}

func (s *schema) checkList(v []any, pointer string) (*misfit, error) {
	if s.minItems != nil && len(v) < *s.minItems {
		return &misfit{pointer, fmt.Sprintf("have at least %s", count(*s.minItems, "item"))}, nil
	}
	if s.maxItems != nil && len(v) > *s.maxItems {
		return &misfit{pointer, fmt.Sprintf("have at most %s", count(*s.maxItems, "item"))}, nil
	}
	if s.unique {
		seen := make(map[string]bool, len(v))
		for i, item := range v {
			key := sameKey(item)
			if seen[key] {
				return &misfit{fmt.Sprintf("%s/%d", pointer, i), "differ from the items before it"}, nil
			}
			seen[key] = true
		}
	}
	if s.items == nil {
		return nil, nil
	}
	for i, item := range v {
		if bad, err := s.items.check(item, fmt.Sprintf("%s/%d", pointer, i)); bad != nil || err != nil {
			return bad, err
		}
	}
	return nil, nil
}

func (s *schema) checkObject(v map[string]any, pointer string) (*misfit, error) {
	if s.minProperties != nil && len(v) < *s.minProperties {
		return &misfit{pointer, fmt.Sprintf("have at least %s", count(*s.minProperties, "member"))}, nil
	}
	if s.maxProperties != nil && len(v) > *s.maxProperties {
		return &misfit{pointer, fmt.Sprintf("have at most %s", count(*s.maxProperties, "member"))}, nil
	}
	for _, name := range s.required {
		if _, ok := v[name]; !ok {
			return &misfit{pointer, fmt.Sprintf("have the member %q", name)}, nil
		}
	}
	for _, name := range sortedNames(v) {
		sub := s.properties[name]
		if sub == nil {
			sub = s.others
		}
		if sub == nil {
			continue
		}
		if bad, err := sub.check(v[name], pointer+"/"+escapePointer(name)); bad != nil || err != nil {
			return bad, err
		}
	}
	return nil, nil
}

// hasType is JSON Schema's notion: 1.0 is an integer, as a value.
func hasType(v any, name string) bool {
	if name != "integer" {
		return kindOf(v) == name
	}
	number, ok := v.(json.Number)
	if !ok {
		return false
	}
	rat, ok := ratOf(number)
	if !ok {
		// Too long to work with, but its kind shows in its text.
		return !strings.ContainsAny(string(number), ".eE")
	}
	return rat.IsInt()
}

func among(v any, values []any) bool {
	key := sameKey(v)
	return slices.ContainsFunc(values, func(other any) bool { return sameKey(other) == key })
}

func alternatives(types []string) string {
	words := make([]string, len(types))
	for i, name := range types {
		words[i] = article(name)
	}
	return strings.Join(words, " or ")
}

func article(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "array", "object":
		return "an " + name
	default:
		return "a " + name
	}
}

// listing shows declared values, as many as a message can take.
func listing(values []any) string {
	const most = 20
	var b strings.Builder
	for i, v := range values {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(values)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(jsonText(v))
	}
	if b.Len() == 0 {
		return "no value at all"
	}
	return b.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
