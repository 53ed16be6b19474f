package helptext

import (
	"path"
	"slices"
	"strings"
)

// usage reads a usage section: lines that begin with the program's name, the
// lines that continue them, and prose below.
func (r *reader) usage(s section) {
	for i := 0; i < len(s.lines); i++ {
		l := s.lines[i]
		text := strings.TrimSpace(strings.TrimPrefix(l.text, "or:"))
		text = strings.TrimPrefix(text, "$ ")
		if !r.calls(text) || strings.HasPrefix(text, r.program+" is ") {
			r.page.About = firstOf(r.page.About, l)
			continue
		}
		about := ""
		for first := l.indent + strings.IndexByte(text, '['); i+1 < len(s.lines); i++ {
			next := s.lines[i+1]
			if next.gap || next.indent <= l.indent || strings.HasPrefix(next.text, "or:") || r.calls(next.text) {
				break
			}
			// What stands below the first argument goes on, as argparse has it.
			if !open(text, next.text) && next.indent != first {
				if about != "" || !isProse(line{text: next.text}) {
					break
				}
				about = Sentence(next.text)
				continue
			}
			text += " " + next.text
		}
		if len(r.page.Usages) < mostItems && (len(r.page.Usages) == 0 || !isExample(text)) {
			u := r.usageLine(text)
			if u.About == "" {
				u.About = about
			}
			r.page.Usages = append(r.page.Usages, u)
		}
	}
}

// isExample tells a call as somebody would type it from one that says what may be
// typed: it names a real place.
func isExample(text string) bool {
	head, _, _ := cutGap(text)
	for i, word := range strings.Fields(head) {
		if i > 0 && (word[0] == '/' || strings.HasPrefix(word, "~/") || strings.HasPrefix(word, "./") || strings.Contains(word, "://")) {
			return true
		}
	}
	return false
}

// open reports whether the next line goes on with a usage: it begins like an
// argument, or a bracket is open.
func open(text, next string) bool {
	return strings.ContainsRune("[<({-|.", rune(next[0])) || strings.Count(text, "[") > strings.Count(text, "]") || allCapitals(strings.Fields(next)[0])
}

// calls reports whether a text begins with the program's name, alone or behind a
// folder.
func (r *reader) calls(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return first != "" && (first == r.program || path.Base(first) == r.program)
}

// usageLine reads one call. What stands behind two spaces says what it does,
// unless it is an argument as well.
func (r *reader) usageLine(text string) Usage {
	_, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	u := Usage{}
	if head, about, found := cutGap(rest); found && !strings.ContainsRune("[<({-|.", rune(about[0])) {
		rest, u.About = head, Sentence(about)
	}
	u.Parts = parts(rest, false)
	for len(u.Parts) > 0 {
		// Switches may stand between the words of a subcommand.
		if len(u.Words) > 0 && len(u.Parts) > 1 && u.Parts[0].Kind == Switch && u.Parts[0].Optional && u.Parts[1].isWord() {
			u.Parts = u.Parts[1:]
		}
		if !u.Parts[0].isWord() {
			break
		}
		u.Words = append(u.Words, u.Parts[0].Name)
		u.Parts = u.Parts[1:]
	}
	return u
}

func (p Part) isWord() bool { return p.Kind == Literal && !p.Optional && isName(p.Name) }

// cutGap cuts at the first run of two spaces or more.
func cutGap(text string) (head, about string, found bool) {
	head, about, found = strings.Cut(text, "  ")
	about = strings.TrimSpace(about)
	return strings.TrimSpace(head), about, found && about != ""
}

// deepest bounds the brackets within brackets of one usage line.
const deepest = 8

// parts reads the arguments of a usage line.
func parts(text string, optional bool) []Part { return partsAt(text, optional, 0) }

func partsAt(text string, optional bool, depth int) []Part {
	var list []Part
	closed := 0 // parts up to here stood in brackets, and take no value from outside
	tokens := tokens(strings.ReplaceAll(text, "--[no-]", "--"))
	alone := len(tokens) == 1 || len(tokens) == 2 && tokens[1] == "..."
	for i := 0; i < len(tokens); i++ {
		token := tokens[i]
		switch {
		case token == "|":
			i = skipWay(tokens, i)
		case token == "..." || token == "…" || token == "[...]":
			repeat(list)
		case token[0] == '[' || token[0] == '(':
			if flagged(list) && len(list) > closed && bars(token) {
				last := &list[len(list)-1]
				last.Kind, last.Name, last.Choices = Value, "choice", choices("{"+inside(token)+"}")
				continue
			}
			inner := group(inside(token), optional || token[0] == '[', depth)
			if flagged(list) && len(inner) == 1 && strings.HasPrefix(inside(token), "=") {
				attach(list, inner[0].Name)
			} else {
				list = append(list, inner...)
			}
			closed = len(list)
		default:
			list = take(list, closed, one(token, optional, alone && depth > 0))
		}
	}
	return list
}

// bars knows choices that click writes in brackets, as [asc|desc].
func bars(token string) bool {
	return strings.Contains(token, "|") && !strings.ContainsAny(token, "-<= ")
}

// skipWay passes over what follows a bar: one way is enough.
func skipWay(tokens []string, i int) int {
	for i++; i+1 < len(tokens) && tokens[i+1] != "|" && strings.HasPrefix(tokens[i], "-") && !strings.HasPrefix(tokens[i+1], "-"); {
		i++
	}
	return i
}

// group reads what stands in brackets: words such as "build flags" as one.
func group(text string, optional bool, depth int) []Part {
	if kind := valueKind(text); kind != Value && strings.Trim(text, ".") != "" {
		return []Part{{Kind: kind, Name: text, Optional: optional}}
	}
	if depth >= deepest {
		return nil
	}
	return partsAt(text, optional, depth+1)
}

// take adds a part, or gives it as the value to the flag right before it.
func take(list []Part, closed int, p Part) []Part {
	last := len(list) - 1
	if last >= closed && list[last].Kind == Switch && p.Flag == "" && (p.Kind == Value || p.Kind == Literal && p.Name != "--") {
		list[last].Kind, list[last].Name, list[last].Choices, list[last].Repeated = Value, p.Name, p.Choices, p.Repeated
		return list
	}
	return append(list, p)
}

func inside(token string) string {
	if len(token) < 2 {
		return ""
	}
	return strings.TrimSpace(token[1 : len(token)-1])
}

func repeat(list []Part) {
	if n := len(list); n > 0 {
		list[n-1].Repeated = true
	}
}

func flagged(list []Part) bool { return len(list) > 0 && list[len(list)-1].Kind == Switch }

func attach(list []Part, name string) {
	last := &list[len(list)-1]
	last.Kind, last.Name, last.Attached = Value, strings.TrimPrefix(name, "="), true
}

// tokens takes a usage line apart: brackets whole, with what is inside, the bar
// alone, and words.
func tokens(text string) []string {
	closing := map[byte]byte{'[': ']', '(': ')', '<': '>', '{': '}'}
	var list []string
	for i := 0; i < len(text) && len(list) < mostItems; {
		c := text[i]
		switch {
		case c == ' ' || c == ',' || c == ']' || c == ')' || c == '>' || c == '}':
			i++
		case c == '|':
			list = append(list, "|")
			i++
		case closing[c] != 0:
			end := matching(text, i, c, closing[c])
			if c == '<' && strings.HasPrefix(text[end:], "=<") { // <key>=<value>
				end = matching(text, end+1, c, closing[c])
			}
			list = append(list, text[i:end])
			i = end
		default:
			end := i
			for end < len(text) && !strings.ContainsRune(" |,])>}", rune(text[end])) && (closing[text[end]] == 0 || text[end-1] == '=') {
				if c := closing[text[end]]; c != 0 && end > i {
					end = matching(text, end, text[end], c) - 1
				}
				end++
			}
			end = max(end, i+1)
			word := text[i:end]
			if trimmed := strings.TrimRight(word, "."); trimmed != "" && strings.HasSuffix(word, "...") {
				list = append(list, trimmed, "...")
			} else {
				list = append(list, word)
			}
			i = end
		}
	}
	return list
}

// matching is the place behind the bracket that closes the one at i.
func matching(text string, i int, opening, closing byte) int {
	depth := 0
	for j := i; j < len(text); j++ {
		switch text[j] {
		case opening:
			depth++
		case closing:
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return len(text)
}

// one reads a word. A lower-case word that stands alone in brackets is the name
// of a value; elsewhere it is itself.
func one(token string, optional, alone bool) Part {
	p := Part{Optional: optional, Name: token}
	switch {
	case token[0] == '-' && len(token) > 1 && token != "--":
		flag, value, attached := strings.Cut(token, "=")
		p.Kind, p.Flag, p.Name = Switch, flag, ""
		if attached {
			p.Kind, p.Attached, p.Name = Value, true, strings.Trim(value, "<>[]{}")
			p.Choices = choices(value)
		}
	case token[0] == '<' && strings.Contains(token, ">=<"):
		p.Kind, p.Name = Value, strings.ReplaceAll(inside(token), ">=<", "-and-")
	case token[0] == '<':
		p.Name = strings.Trim(inside(token), "<>.")
		p.Kind = valueKind(p.Name)
		p.Repeated = strings.HasSuffix(token, "...>")
		if !strings.Contains(p.Name, " ") {
			p.Choices = choices("{" + p.Name + "}")
		}
	case token[0] == '{':
		p.Kind, p.Choices = Value, choices(token)
		p.Name = "choice"
	case token == "--":
	case isName(beforeEqual(token)): // as in state=open
		flag, value, _ := strings.Cut(token, "=")
		p.Kind, p.Flag, p.Attached, p.Name = Value, flag, true, strings.Trim(value, "<>[]{}")
		p.Choices = choices(value)
	case allUpper(token), alone:
		p.Kind = valueKind(token)
	}
	return p
}

// beforeEqual is the name in a word such as state=open, "" in any other.
func beforeEqual(token string) string {
	name, _, found := strings.Cut(token, "=")
	if !found {
		return ""
	}
	return name
}

// choices are the values that braces list.
func choices(text string) []string {
	if len(text) < 2 || text[0] != '{' && text[0] != '<' || !strings.ContainsAny(text, ",|") {
		return nil
	}
	var list []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("{}<>,| ", r) }) {
		if strings.Trim(word, ".") == "" {
			return nil
		}
		list = append(list, word)
	}
	return list
}

func allUpper(token string) bool {
	upper := false
	for _, r := range token {
		switch {
		case r >= 'A' && r <= 'Z':
			upper = true
		case r != '_' && r != '-' && r != '/' && (r < '0' || r > '9'):
			return false
		}
	}
	return upper
}

// valueKind tells what the name of a place stands for.
func valueKind(name string) Kind {
	lower := strings.Trim(strings.ToLower(name), "<>[]. ")
	has := func(words ...string) bool { return slices.Contains(words, lower) }
	switch {
	case has("options", "option", "flags", "global options", "global flags") || strings.HasSuffix(lower, " flags") || strings.HasSuffix(lower, " options") || strings.HasSuffix(lower, "...options"):
		return Options
	case has("command", "subcommand", "cmd", "commands", "sub-command", "action"):
		return Subcommand
	case has("args", "arg", "arguments", "argv", "command args", "rest", "parameters", "extra", "command-args"):
		return Rest
	}
	return Value
}

// isName reports whether a word can be the name of a subcommand.
func isName(word string) bool {
	if word == "" || len(word) > 40 || word[0] < 'a' || word[0] > 'z' {
		return false
	}
	return !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != ':' && r != '.'
	})
}
