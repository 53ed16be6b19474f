package card

import (
	"slices"
	"strings"

	"bridle/hcp"
)

// commandWords are the words of a command's key.
func commandWords(key string) []string {
	return strings.FieldsFunc(strings.ToLower(key), func(r rune) bool {
		return r == '.' || r == '-' || r == '_' || r == ':'
	})
}

// inferred builds the card by the first rule that fits: the host's, then the
// default ones. The last of those fits every command.
func (b *builder) inferred(own []hcp.ViewRule) {
	b.view.Inferred = true
	rule := b.fitting(own)
	if rule == nil {
		rule = b.fitting(DefaultViewRules())
	}
	if rule == nil || !slices.Contains(Kinds(), rule.Kind) {
		rule = &hcp.ViewRule{Kind: Fields}
	}
	b.view.Kind = rule.Kind
	candidates := rule.Fields
	if candidates == nil {
		candidates = synonyms(rule.Kind)
	}
	for _, field := range KindFields(rule.Kind) {
		switch field {
		case "action":
			b.put(field, rule.Action)
		case "entity":
			b.put(field, b.entity())
		}
		if name, ok := b.argumentFor(candidates[field]); ok {
			b.put(field, b.args[name], name)
		}
	}
	if rule.Kind == Record || rule.Kind == Fields {
		for _, name := range b.order {
			if _, taken := b.view.Fields.Get(name); !taken && !b.used[name] {
				b.put(name, b.args[name], name)
			}
		}
	}
	if rule.Title != "" {
		b.view.Title = rule.Title
	}
}

func (b *builder) fitting(rules []hcp.ViewRule) *hcp.ViewRule {
	for i := range rules {
		if b.fits(&rules[i]) {
			return &rules[i]
		}
	}
	return nil
}

func (b *builder) fits(r *hcp.ViewRule) bool {
	own := commandWords(b.key)
	if len(r.Words) > 0 && !slices.ContainsFunc(own, func(w string) bool { return slices.Contains(r.Words, w) }) {
		return false
	}
	if len(r.Nouns) > 0 {
		all := append(commandWords(b.manifest.ID), own...)
		if !slices.ContainsFunc(all, func(w string) bool {
			return slices.Contains(r.Nouns, w) || slices.Contains(r.Nouns, strings.TrimSuffix(w, "s"))
		}) {
			return false
		}
	}
	for _, group := range r.Args {
		if _, ok := b.argumentFor(strings.Split(group, "|")); !ok {
			return false
		}
	}
	return true
}

// argumentFor returns the first of the names that the call has an argument of
// and no field shows yet. A name that begins with * stands for every name with
// that end.
func (b *builder) argumentFor(names []string) (string, bool) {
	for _, want := range names {
		for _, name := range b.order {
			if !b.used[name] && sameName(name, want) {
				return name, true
			}
		}
	}
	return "", false
}

// sameName compares an argument's name with a rule's, where capitals, dashes
// and underscores count alike.
func sameName(name, want string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	if end, ok := strings.CutPrefix(want, "*"); ok {
		return strings.HasSuffix(name, end)
	}
	return name == want || strings.ReplaceAll(name, "_", "") == strings.ReplaceAll(want, "_", "")
}

// entity is what a command is about: the words of its key that are no verb of
// the rules, or the pack's name.
func (b *builder) entity() string {
	verbs := map[string]bool{}
	for _, r := range DefaultViewRules() {
		for _, w := range r.Words {
			verbs[w] = true
		}
	}
	var rest []string
	for _, w := range commandWords(b.key) {
		if !verbs[w] {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		return b.packName() + " entry"
	}
	return strings.Join(rest, " ")
}
