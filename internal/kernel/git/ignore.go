package git

import (
	"bytes"
	"strings"
)

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	pattern  string
	literal  int  // how much of the pattern has no wildcard
	negated  bool // takes paths out again
	folders  bool // only folders
	basename bool // compared with the name alone
	suffix   bool // a star and then no more wildcards
}

// ignoreFile are the rules of one file, which hold below one folder.
type ignoreFile struct {
	base  string // the folder with its slash, or "" at the root
	rules []ignoreRule
	fold  bool
}

func parseIgnore(data []byte, base string, fold bool) *ignoreFile {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	f := &ignoreFile{base: base, fold: fold}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		text := string(bytes.TrimSuffix(line, []byte("\r")))
		if nul := strings.IndexByte(text, 0); nul >= 0 {
			text = text[:nul]
		}
		if text == "" || text[0] == '#' {
			continue
		}
		if rule, ok := parseIgnoreRule(trimSpaces(text)); ok {
			f.rules = append(f.rules, rule)
		}
	}
	return f
}

// trimSpaces removes the spaces at the end that no backslash protects.
func trimSpaces(text string) string {
	last := -1 // where the spaces at the end begin
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ':
			if last < 0 {
				last = i
			}
		case '\\':
			if i++; i >= len(text) {
				return text
			}
			last = -1
		default:
			last = -1
		}
	}
	if last >= 0 {
		return text[:last]
	}
	return text
}

func parseIgnoreRule(text string) (ignoreRule, bool) {
	var r ignoreRule
	if strings.HasPrefix(text, "!") {
		r.negated, text = true, text[1:]
	}
	if strings.HasSuffix(text, "/") {
		r.folders, text = true, text[:len(text)-1]
	}
	r.basename = strings.IndexByte(text, '/') < 0
	r.literal = literalLength(text)
	r.suffix = strings.HasPrefix(text, "*") && literalLength(text[1:]) == len(text)-1
	r.pattern = text
	return r, text != ""
}

// literalLength is how many bytes come before the first that is special.
func literalLength(text string) int {
	if i := strings.IndexAny(text, `*?[\`); i >= 0 {
		return i
	}
	return len(text)
}

// match returns the last rule that speaks about a path, which lies below the
// base; nil when none does.
func (f *ignoreFile) match(path string, folder bool) *ignoreRule {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(f.rules) - 1; i >= 0; i-- {
		r := &f.rules[i]
		if r.folders && !folder {
			continue
		}
		if r.basename && matchBasename(r, name, f.fold) || !r.basename && matchPath(r, path[len(f.base):], f.fold) {
			return r
		}
	}
	return nil
}

func matchBasename(r *ignoreRule, name string, fold bool) bool {
	switch {
	case r.literal == len(r.pattern):
		return equalFold(r.pattern, name, fold)
	case r.suffix:
		rest := r.pattern[1:]
		return len(rest) <= len(name) && equalFold(rest, name[len(name)-len(rest):], fold)
	}
	return wildmatch(r.pattern, name, fold)
}

func matchPath(r *ignoreRule, path string, fold bool) bool {
	pattern, literal := r.pattern, r.literal
	if pattern[0] == '/' {
		pattern, literal = pattern[1:], literal-1
	}
	if literal > 0 {
		if literal > len(path) || !equalFold(pattern[:literal], path[:literal], fold) {
			return false
		}
		pattern, path = pattern[literal:], path[literal:]
		if pattern == "" && path == "" {
			return true
		}
	}
	return wildmatch(pattern, path, fold)
}

// equalFold compares bytes, of letters only the English ones without case: so
// does git.
func equalFold(a, b string, fold bool) bool {
	if len(a) != len(b) || !fold {
		return a == b
	}
	m := matcher{fold: true}
	for i := range len(a) {
		if m.fit(a[i]) != m.fit(b[i]) {
			return false
		}
	}
	return true
}

// ignoreChain are the files that hold in a folder, the nearest first. Below them
// come the repository's own and the user's.
type ignoreChain struct {
	file   *ignoreFile
	parent *ignoreChain
}

// ignored says whether a path is ignored, given that the folder it lies in is
// not.
func (c *ignoreChain) ignored(path string, folder bool) bool {
	for ; c != nil; c = c.parent {
		if c.file == nil {
			continue
		}
		if r := c.file.match(path, folder); r != nil {
			return !r.negated
		}
	}
	return false
}
