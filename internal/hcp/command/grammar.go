package command

import (
	"slices"
	"strings"
)

// grammar is how a command's template reads a command line.
type grammar struct {
	flags    map[string]slot  // flag → the slot of its value
	attached []slot           // options with the value in the same word, without "="
	fixed    [][]string       // the pack's own options, with the words that follow them
	places   map[int]slot     // index of a bare word → slot
	literals map[int][]string // the pack's own bare words before that index
	jsonFlag []string
}

// grammarOf leaves out the command's own words, which the caller has read.
func grammarOf(f *form, template []slot) grammar {
	g := grammar{flags: map[string]slot{}, places: map[int]slot{}, literals: map[int][]string{}, jsonFlag: f.command.JSONFlag}
	for len(template) > 0 {
		if word, fixed := template[0].fixed(); !fixed || strings.HasPrefix(word, "-") {
			break
		}
		template = template[1:]
	}
	index, data := 0, false
	for i := 0; i < len(template); i++ {
		word, fixed := template[i].fixed()
		var next slot
		if i+1 < len(template) {
			next = template[i+1]
		}
		switch {
		case fixed && word == "--":
			data = true
		case fixed && !data && strings.HasPrefix(word, "-"):
			if _, literal := next.fixed(); !literal && takesValue(word) && !strings.HasPrefix(next[0].text, "-") {
				g.flags[word] = next
				i++
				continue
			}
			g.fixed = append(g.fixed, []string{word})
			if value, literal := next.fixed(); literal && value != "" && value[0] != '-' {
				g.fixed = append(g.fixed, []string{word, value})
			}
		case fixed:
			g.literals[index] = append(g.literals[index], word)
		case !data && strings.HasPrefix(template[i][0].text, "-"):
			g.addOption(template[i])
		default:
			g.places[index] = template[i]
			index++
		}
	}
	g.addPositions(f)
	return g
}

// addOption files a slot such as --flag={{x}} under its flag.
func (g *grammar) addOption(s slot) {
	flag, rest, found := strings.Cut(s[0].text, "=")
	if !found {
		g.attached = append(g.attached, s)
		return
	}
	value := slices.Clone(s[1:])
	if rest != "" {
		value = slices.Insert(value, 0, piece{text: rest})
	}
	g.flags[flag] = value
}

// addPositions gives the arguments with an x-position their bare word, unless a
// placeholder of the command line already stands there.
func (g *grammar) addPositions(f *form) {
	for _, a := range f.arguments {
		if a.Position == nil || slices.Contains(placeholdersOf(g.bareSlots()), a.Name) {
			continue
		}
		if _, taken := g.places[*a.Position]; !taken {
			g.places[*a.Position] = slot{{name: a.Name}}
		}
	}
}

func (g *grammar) bareSlots() []slot {
	slots := make([]slot, 0, len(g.places))
	for _, s := range g.places {
		slots = append(slots, s)
	}
	return slots
}

func (g *grammar) place(index int) (slot, bool) {
	s, ok := g.places[index]
	return s, ok
}

// skip returns how many words at the front are the pack's own or select JSON.
func (g *grammar) skip(argv []string) int {
	longest := 0
	for _, words := range g.fixed {
		if len(words) > longest && len(argv) >= len(words) && slices.Equal(argv[:len(words)], words) {
			longest = len(words)
		}
	}
	if longest > 0 {
		return longest
	}
	if n := len(g.jsonFlag); n > 0 && len(argv) >= n && slices.Equal(argv[:n], g.jsonFlag) {
		return n
	}
	next := ""
	if len(argv) > 1 {
		next = argv[1]
	}
	return jsonWords(argv[0], next)
}

// named finds the declared argument that a flag is called after.
func (f *form) named(flag string) *Argument {
	name := strings.TrimLeft(flag, "-")
	if a, ok := f.argument(name); ok {
		return a
	}
	var found *Argument
	for i := range f.arguments {
		if foldName(f.arguments[i].Name) == foldName(name) {
			if found != nil {
				return nil // two could be meant
			}
			found = &f.arguments[i]
		}
	}
	return found
}

func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// filled is a value that a command line gives to an argument.
type filled struct{ name, value string }

// matchSlot reads the values of a slot out of a word: its literal text must be
// there, and a value reaches to the text behind it. Values that touch each other
// cannot be told apart.
func matchSlot(s slot, word string) ([]filled, bool) {
	var values []filled
	for i, p := range s {
		if p.name == "" {
			rest, found := strings.CutPrefix(word, p.text)
			if !found {
				return nil, false
			}
			word = rest
			continue
		}
		value := word
		if i+1 < len(s) {
			if s[i+1].name != "" {
				return nil, false
			}
			at := strings.Index(word, s[i+1].text)
			if at < 0 {
				return nil, false
			}
			value = word[:at]
		}
		if word = word[len(value):]; value == "" && len(s) > 1 {
			return nil, false // half of a word is no value
		}
		same := slices.IndexFunc(values, func(m filled) bool { return m.name == p.name })
		if same >= 0 && values[same].value != value {
			return nil, false
		}
		if same < 0 {
			values = append(values, filled{p.name, value})
		}
	}
	return values, word == ""
}
