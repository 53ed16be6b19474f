package command

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"bridle/hcp"
	"bridle/internal/kernel/redact"
)

// Titles are the words for a step of a run: while the command runs, and after.
// A form that the pack does not declare, or none of whose templates fits, is
// empty.
type Titles struct {
	Live string `json:"live,omitempty"`
	Done string `json:"done,omitempty"`
}

// resultPrefix begins a placeholder for a field of the result.
const resultPrefix = "result."

// maxTitleValue is how many characters of a value a title shows.
const maxTitleValue = 60

// Title words a call (RFC 0007), or returns nil when the command declares no
// title. In each form the first template whose placeholders all have a value
// wins. result is the call's JSON result, or nil while there is none; its fields
// count only in Done. Values stand on one line, cut to 60 characters, and
// neither they nor the pack can hide characters in it.
func Title(m *hcp.Manifest, key string, args hcp.Args, result json.RawMessage) *Titles {
	c, ok := Lookup(m, key)
	if !ok || c.Title == nil {
		return nil
	}
	ofArgs := func(name string) string { return argumentText(args, name) }
	fields := resultFields(result)
	ofBoth := func(name string) string {
		if path, isResult := strings.CutPrefix(name, resultPrefix); isResult {
			return fields(path)
		}
		return argumentText(args, name)
	}
	return &Titles{Live: firstFilled(c.Title.Live, ofArgs), Done: firstFilled(c.Title.Done, ofBoth)}
}

func firstFilled(templates hcp.Templates, value func(string) string) string {
	for _, template := range templates {
		if text, ok := fillTitle(template, value); ok {
			return text
		}
	}
	return ""
}

func fillTitle(template string, value func(string) string) (string, bool) {
	var b strings.Builder
	for _, p := range pieces(template) {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		text := cut(oneLine(value(p.name)))
		if text == "" {
			return "", false
		}
		b.WriteString(text)
	}
	return oneLine(b.String()), true
}

// FillTitle fills one template from the arguments as Title does, and reports
// whether each placeholder has a value.
func FillTitle(template string, args hcp.Args) (string, bool) {
	return fillTitle(template, func(name string) string { return argumentText(args, name) })
}

// TitleValue is a value as it stands in a title: on one line, visible, and cut
// to 60 characters with a mark where it was longer.
func TitleValue(v any) string {
	value, err := plain(v, 0)
	if err != nil {
		return ""
	}
	return cut(oneLine(titleText(value)))
}

// Fill fills one template from the arguments, whole and as they are, and
// reports whether each placeholder has a value.
func Fill(template string, args hcp.Args) (string, bool) {
	var b strings.Builder
	for _, p := range pieces(template) {
		text := p.text
		if p.name != "" {
			if text = Text(args[p.name]); text == "" {
				return "", false
			}
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// Text is a value as it stands in a command line: lists join with commas, what
// has no words is JSON, and what JSON cannot carry is nothing.
func Text(v any) string {
	value, err := plain(v, 0)
	if err != nil {
		return ""
	}
	return textOf(value)
}

func argumentText(args hcp.Args, name string) string {
	if IsReserved(name) || strings.HasPrefix(name, resultPrefix) {
		return ""
	}
	value, err := plain(args[name], 0)
	if err != nil {
		return ""
	}
	return titleText(value)
}

// resultFields finds the text of a field by its path. The result is parsed when
// the first template asks.
func resultFields(result json.RawMessage) func(path string) string {
	var root any
	parsed := false
	return func(path string) string {
		if !parsed {
			root, _ = parse(result) // what is no JSON has no fields
			parsed = true
		}
		value := root
		for name := range strings.SplitSeq(path, ".") {
			switch node := value.(type) {
			case map[string]any:
				value = node[name]
			case []any:
				index, err := strconv.Atoi(name)
				if err != nil || index < 0 || index >= len(node) {
					return ""
				}
				value = node[index]
			default:
				return ""
			}
		}
		return titleText(value)
	}
}

// titleText is a value in words: scalars, and lists of strings joined with
// commas. What else there is has no words.
func titleText(v any) string {
	switch v := v.(type) {
	case string, bool, json.Number:
		return textOf(v)
	case []any:
		words := make([]string, 0, len(v))
		for _, item := range v {
			word, ok := item.(string)
			if !ok {
				return ""
			}
			words = append(words, word)
		}
		return strings.Join(words, ", ")
	default:
		return ""
	}
}

// oneLine puts a text on one line, with every run of white space and control
// characters as one space and what would hide or move text made visible.
func oneLine(text string) string {
	return redact.Visible(strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " "))
}

// cut shortens a text to what a title shows, not between a character and the
// marks that belong to it.
func cut(text string) string {
	runes := []rune(text)
	if len(runes) <= maxTitleValue {
		return text
	}
	end := maxTitleValue - 1
	for end > 0 && (isMark(runes[end]) || splitsFlag(runes, end)) {
		end--
	}
	return strings.TrimRight(string(runes[:end]), " ") + "…"
}

// isMark reports whether a character is drawn as part of the one before it.
func isMark(r rune) bool {
	return unicode.Is(unicode.M, r) || 0x1F3FB <= r && r <= 0x1F3FF
}

// splitsFlag reports whether a cut would part the two letters of a flag.
func splitsFlag(runes []rune, end int) bool {
	letters := 0
	for letters < end && isFlagLetter(runes[end-1-letters]) {
		letters++
	}
	return isFlagLetter(runes[end]) && letters%2 == 1
}

func isFlagLetter(r rune) bool { return 0x1F1E6 <= r && r <= 0x1F1FF }
