package command

import (
	"strings"

	"bridle/hcp"
)

// verbName is the placeholder of argv_template that stands for the command.
const verbName = "verb"

// template is what a command renders from: its own cli[] without the name of
// the program, or the pack's argv_template with {{verb}} filled in. As a token
// of its own {{verb}} gives one word for each word of the command's tail.
func (f *form) template(m *hcp.Manifest) []slot {
	if len(f.command.CLI) > 0 {
		slots := make([]slot, 0, len(f.command.CLI)-1)
		for _, token := range f.command.CLI[1:] {
			slots = append(slots, pieces(token))
		}
		return slots
	}
	tokens := []string{"{{" + verbName + "}}"}
	if m.Wrap != nil && len(m.Wrap.ArgvTemplate) > 0 {
		tokens = m.Wrap.ArgvTemplate
	}
	words := strings.Fields(tailOf(f.key))
	var slots []slot
	for _, token := range tokens {
		parts := slot(pieces(token))
		if len(parts) == 1 && parts[0].name == verbName {
			for _, word := range words {
				slots = append(slots, slot{{text: word}})
			}
			continue
		}
		for i, p := range parts {
			if p.name == verbName {
				parts[i] = piece{text: strings.Join(words, " ")}
			}
		}
		slots = append(slots, joinText(parts))
	}
	return slots
}

// joinText merges neighbouring literal pieces.
func joinText(parts slot) slot {
	var out slot
	for _, p := range parts {
		if last := len(out) - 1; last >= 0 && p.name == "" && out[last].name == "" {
			out[last].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}

// tailOf is the command without its family.
func tailOf(key string) string {
	if _, tail, found := strings.Cut(key, "."); found {
		return tail
	}
	return key
}
