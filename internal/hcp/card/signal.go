package card

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// signals raises the facts by the host's rules, then the default ones.
func (b *builder) signals(own []hcp.SignalRule) []string {
	found := []string{}
	seen := map[string]bool{}
	for _, r := range slices.Concat(own, DefaultSignalRules()) {
		n, ok := b.raises(&r)
		group := r.Group
		if group == "" {
			group = r.Text
		}
		if !ok || seen[group] {
			continue
		}
		seen[group] = true
		found = append(found, strings.ReplaceAll(r.Text, "{{n}}", strconv.Itoa(n)))
	}
	return found
}

func (b *builder) raises(r *hcp.SignalRule) (n int, ok bool) {
	if len(r.Kinds) > 0 && !slices.Contains(r.Kinds, b.view.Kind) {
		return 0, false
	}
	if r.Action != "" && command.Text(b.value("action")) != r.Action {
		return 0, false
	}
	if len(r.Words) > 0 && !slices.ContainsFunc(commandWords(b.key), func(w string) bool { return slices.Contains(r.Words, w) }) {
		return 0, false
	}
	if len(r.True) > 0 && !slices.ContainsFunc(r.True, func(name string) bool { return isTrue(b.value(name)) }) {
		return 0, false
	}
	for _, name := range r.Fields {
		value := b.value(name)
		if name == "count" {
			n = max(n, number(value))
			continue
		}
		n += items(value)
	}
	return n, len(r.Fields) == 0 || n >= r.AtLeast
}

// value is a field's, or where there is no such field an argument's.
func (b *builder) value(name string) any {
	if v, ok := b.view.Fields.Get(name); ok {
		return v
	}
	return b.args[name]
}

func isTrue(v any) bool {
	switch strings.ToLower(command.Text(v)) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// items counts what a value lists. A text may list with commas and semicolons.
func items(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case []any:
		n := 0
		for _, item := range v {
			n += items(item)
		}
		return n
	case string:
		return len(slices.DeleteFunc(strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }),
			func(s string) bool { return strings.TrimSpace(s) == "" }))
	}
	return 1
}

func number(v any) int {
	if n, ok := v.(json.Number); ok {
		v = string(n)
	}
	n, err := strconv.Atoi(command.Text(v))
	if err != nil {
		return 0
	}
	return n
}
