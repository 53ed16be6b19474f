package git

import (
	"bytes"
	"strings"
)

// attributes are those that decide how the content of a file differs between
// the working tree and the repository. The zero value of each is "unspecified".
type attributes struct {
	text, eol, crlf, filter, ident, encoding attribute
}

// attribute is the state of one attribute.
type attribute struct {
	state attributeState
	value string
}

type attributeState uint8

const (
	unspecified attributeState = iota
	set
	unset
	valued
)

// attributeLine assigns states to what a pattern matches.
type attributeLine struct {
	rule    ignoreRule
	assigns []assignment
}

type assignment struct {
	name string
	attribute
}

// attributeFile are the lines of one file, which hold below one folder.
type attributeFile struct {
	base   string
	lines  []attributeLine
	macros map[string][]assignment
}

// maxAttributeLine is the longest line that git takes from an attributes file.
const maxAttributeLine = 2048

// parseAttributes reads a file. Macros count only where git lets them be made.
func parseAttributes(data []byte, base string, macros bool) *attributeFile {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	f := &attributeFile{base: base, macros: map[string][]assignment{}}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		text := strings.TrimLeft(string(bytes.TrimSuffix(line, []byte("\r"))), " \t\r\n")
		if text == "" || text[0] == '#' || len(line) > maxAttributeLine {
			continue
		}
		if name, ok := strings.CutPrefix(text, "[attr]"); ok {
			name, rest := cutBlank(strings.TrimLeft(name, " \t"))
			if list, ok := parseAssignments(rest); ok && macros && attributeName(name) {
				f.macros[name] = list
			}
			continue
		}
		pattern, rest, ok := attributePattern(text)
		if !ok {
			continue
		}
		rule, ok := parseIgnoreRule(pattern)
		if !ok || rule.negated {
			continue // git forbids them, and says so
		}
		if list, ok := parseAssignments(rest); ok {
			f.lines = append(f.lines, attributeLine{rule, list})
		}
	}
	return f
}

// attributePattern takes the pattern from a line; it may be quoted.
func attributePattern(text string) (pattern, rest string, ok bool) {
	if text[0] != '"' {
		pattern, rest = cutBlank(text)
		return pattern, rest, true
	}
	return unquote(text)
}

// unquote reads a C string at the start of a text, as git writes paths.
func unquote(text string) (plain, rest string, ok bool) {
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch c {
		case '"':
			return out.String(), text[i+1:], true
		case '\\':
			if i++; i >= len(text) {
				return "", "", false
			}
			if at := strings.IndexByte(`abfnrtv\"`, text[i]); at >= 0 {
				c = "\a\b\f\n\r\t\v\\\""[at]
				break
			}
			if i+2 >= len(text) {
				return "", "", false
			}
			n := 0
			for _, d := range []byte(text[i : i+3]) {
				if d < '0' || d > '7' {
					return "", "", false
				}
				n = n<<3 | int(d-'0')
			}
			if n > 255 {
				return "", "", false
			}
			c = byte(n)
			i += 2
		}
		out.WriteByte(c)
	}
	return "", "", false
}

func cutBlank(text string) (word, rest string) {
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// parseAssignments reads the words behind a pattern. One bad name spoils the
// line.
func parseAssignments(text string) (list []assignment, ok bool) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }) {
		name, value, valuedWord := strings.Cut(word, "=")
		a := assignment{name: name}
		switch {
		case word[0] == '-':
			a.name, a.state = name[1:], unset
		case word[0] == '!':
			a.name, a.state = name[1:], unspecified
		case valuedWord:
			a.state, a.value = valued, value
		default:
			a.state = set
		}
		if !attributeName(a.name) {
			return nil, false
		}
		list = append(list, a)
	}
	return list, true
}

func attributeName(name string) bool {
	if name == "" || name[0] == '-' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") == ""
}

// attributeChain are the files that hold in a folder, the nearest first; the
// repository's own file stands before all, the user's behind all.
type attributeChain struct {
	file   *attributeFile
	parent *attributeChain
}

// attributeLookup collects the states for one path; what is found first counts.
type attributeLookup struct {
	found  map[string]attribute
	macros map[string][]assignment
}

// lookup returns the attributes of a file. own is the repository's own file.
func (c *attributeChain) lookup(own *attributeFile, path string, fold bool) attributes {
	if c == nil && own == nil {
		return attributes{}
	}
	l := attributeLookup{found: map[string]attribute{}, macros: map[string][]assignment{}}
	binary := []assignment{{"diff", attribute{state: unset}}, {"merge", attribute{state: unset}}, {"text", attribute{state: unset}}}
	for at := c; at != nil; at = at.parent {
		l.learn(at.file)
	}
	l.learn(own)
	if _, redefined := l.macros["binary"]; !redefined {
		l.macros["binary"] = binary
	}
	l.apply(own, path, fold)
	for at := c; at != nil; at = at.parent {
		l.apply(at.file, path, fold)
	}
	get := func(name string) attribute { return l.found[name] }
	return attributes{
		text: get("text"), eol: get("eol"), crlf: get("crlf"), filter: get("filter"), ident: get("ident"), encoding: get("working-tree-encoding"),
	}
}

// learn collects macros; those of nearer files and of the repository's own win.
func (l *attributeLookup) learn(f *attributeFile) {
	if f == nil {
		return
	}
	for name, assigns := range f.macros {
		l.macros[name] = assigns
	}
}

func (l *attributeLookup) apply(f *attributeFile, path string, fold bool) {
	if f == nil {
		return
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(f.lines) - 1; i >= 0; i-- {
		r := &f.lines[i].rule
		if r.folders || !(r.basename && matchBasename(r, name, fold) || !r.basename && matchPath(r, path[len(f.base):], fold)) {
			continue
		}
		l.assign(f.lines[i].assigns, 0)
	}
}

// assign takes what is not decided yet. Of a line the last word counts, so it is
// read backwards.
func (l *attributeLookup) assign(list []assignment, depth int) {
	for i := len(list) - 1; i >= 0; i-- {
		a := list[i]
		if _, known := l.found[a.name]; known {
			continue
		}
		l.found[a.name] = a.attribute
		if macro := l.macros[a.name]; macro != nil && a.state == set && depth < 32 {
			l.assign(macro, depth+1)
		}
	}
}
