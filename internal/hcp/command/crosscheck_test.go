package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// A full validator agrees with ours about every value, over generated schemas
// of the supported part.
func TestChecksAgreeWithAFullValidator(t *testing.T) {
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := mustJSON(t, drawSchema(t, 2))
		document, err := decodeOrdered(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseSchema(document, "")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		full := compileFull(t, text)
		for range 8 {
			valueText := mustJSON(t, drawValue(t, 2))
			value, err := parse(valueText)
			if err != nil {
				t.Fatal(err)
			}
			bad, err := s.check(value, "")
			if err != nil {
				t.Fatal(err)
			}
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(valueText))
			if err != nil {
				t.Fatal(err)
			}
			theirs := full.Validate(instance)
			if (bad == nil) != (theirs == nil) {
				t.Fatalf("schema %s\nvalue  %s\nours   %+v\ntheirs %v", text, valueText, bad, theirs)
			}
			seen[bad == nil]++
		}
	})
	if seen[true] == 0 || seen[false] == 0 {
		t.Fatalf("one-sided: %v", seen)
	}
}

func compileFull(t *rapid.T, text []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	full, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return full
}

func mustJSON(t *rapid.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var (
	somePatterns = []string{"a", "^a", "b$", "^[ab]*$", "a|é", "[0-9]+", ".", "^$", `\d`}
	someNumbers  = []string{"0", "1", "-1", "2", "1.0", "0.5", "1e1", "10", "2.50", "-0", "9007199254740993", "9007199254740992", "0.1", "0.30"}
	someTexts    = []string{"", "a", "ab", "aé", "b", "10", "é", "\U0001F600a", "true", "null"}
)

func drawSchema(t *rapid.T, depth int) any {
	if rapid.IntRange(0, 15).Draw(t, "whole?") == 0 {
		return rapid.Bool().Draw(t, "whole")
	}
	s := map[string]any{"title": "t", "format": "uri", "examples": []any{1}}
	for range rapid.IntRange(0, 4).Draw(t, "rules") {
		addRule(t, s, depth)
	}
	return s
}

func addRule(t *rapid.T, s map[string]any, depth int) {
	count := func() int { return rapid.IntRange(0, 3).Draw(t, "n") }
	number := func() json.Number { return json.Number(rapid.SampledFrom(someNumbers).Draw(t, "number")) }
	switch rule := rapid.SampledFrom([]string{
		"type", "type", "types", "enum", "const", "pattern", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "items", "properties", "required", "additionalProperties",
	}).Draw(t, "rule"); rule {
	case "type":
		s["type"] = rapid.SampledFrom(jsonTypes).Draw(t, "type")
	case "types":
		s["type"] = rapid.SliceOfNDistinct(rapid.SampledFrom(jsonTypes), 1, 3, rapid.ID).Draw(t, "types")
	case "enum":
		values := []any{}
		for range rapid.IntRange(1, 4).Draw(t, "size") {
			values = append(values, drawValue(t, 1))
		}
		s["enum"] = values
	case "const":
		s["const"] = drawValue(t, 1)
	case "pattern":
		s["pattern"] = rapid.SampledFrom(somePatterns).Draw(t, "pattern")
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		s[rule] = number()
	case "multipleOf":
		s[rule] = json.Number(rapid.SampledFrom([]string{"1", "0.5", "0.1", "2", "1e-2"}).Draw(t, "step"))
	case "uniqueItems":
		s[rule] = rapid.Bool().Draw(t, "unique")
	case "items", "additionalProperties":
		if depth > 0 {
			s[rule] = drawSchema(t, depth-1)
		}
	case "properties":
		if depth > 0 {
			s[rule] = map[string]any{"a": drawSchema(t, depth-1), "b": drawSchema(t, depth-1)}
		}
	case "required":
		s[rule] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID).Draw(t, "required")
	default:
		s[rule] = count()
	}
}

func drawValue(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "number", "text"}
	if depth > 0 {
		kinds = append(kinds, "list", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "null":
		return nil
	case "bool":
		return rapid.Bool().Draw(t, "truth")
	case "number":
		return json.Number(rapid.SampledFrom(someNumbers).Draw(t, "number"))
	case "text":
		return rapid.SampledFrom(someTexts).Draw(t, "text")
	case "list":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, name+"?") {
				object[name] = drawValue(t, depth-1)
			}
		}
		return object
	}
}

// Checking is the same question asked once: a checked value passes unchanged,
// and a refused one stays refused.
func TestCheckingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := wrapOf(t, fmt.Sprintf(`{"x":{"args":{"properties":{"a":%s,"b":%s}}}}`, mustJSON(t, drawSchema(t, 1)), mustJSON(t, drawSchema(t, 1))))
		args := map[string]any{"a": drawValue(t, 2), "b": drawValue(t, 2)}
		once, err := Check(m, "x", args)
		if err != nil {
			return
		}
		twice, err := Check(m, "x", once)
		if err != nil {
			t.Fatalf("%v passed as %v and then failed: %v", args, once, err)
		}
		if a, b := jsonText(map[string]any(once)), jsonText(map[string]any(twice)); a != b {
			t.Fatalf("%s became %s", a, b)
		}
	})
}
