package wrap

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// entry is one setting of a git configuration file, as far as it can be told
// without git: the section with its name as written, the key in lower case.
type entry struct{ section, name, key, value string }

// parseConfig reads the settings of a git configuration file, as git does. What
// it gets wrong about a file that git refuses does not matter.
func parseConfig(text string) []entry {
	var entries []entry
	section, name := "", ""
	for line := range strings.Lines(strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			head, rest, _ := strings.Cut(line[1:], "]")
			section, name, _ = strings.Cut(head, " ")
			section, name = strings.ToLower(strings.TrimSpace(section)), strings.Trim(strings.TrimSpace(name), `"`)
			if rest = strings.TrimSpace(rest); rest != "" {
				entries = append(entries, setting(section, name, rest))
			}
		default:
			entries = append(entries, setting(section, name, line))
		}
	}
	return entries
}

func setting(section, name, line string) entry {
	key, value, _ := strings.Cut(line, "=")
	return entry{section, name, strings.ToLower(strings.TrimSpace(key)), unquote(strings.TrimSpace(value))}
}

// unquote takes quotes, escapes and a comment out of a value.
func unquote(value string) string {
	var plain strings.Builder
	quotedPart, end := false, 0
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '"':
			quotedPart = !quotedPart
		case !quotedPart && (c == '#' || c == ';'):
			return plain.String()[:end]
		case c == '\\' && i+1 < len(value):
			i++
			plain.WriteByte(escaped(value[i]))
		default:
			plain.WriteByte(c)
		}
		if quotedPart || c != ' ' && c != '\t' {
			end = plain.Len()
		}
	}
	return plain.String()[:end]
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

// onlyOrdinary reports whether a configuration became another one only by what
// runs nothing and leads nothing elsewhere: a remote or submodule under a new
// name, a new branch that follows a remote that was there before, or a branch
// that is gone. A new repository's may have what initialising and cloning write.
// All else decides what runs, or where data and credentials go.
func onlyOrdinary(before, after string) bool {
	if before == after {
		return true
	}
	if hidesLines(after) {
		return false
	}
	old, now := parseConfig(before), parseConfig(after)
	if len(old) == 0 {
		return len(without(now, entry.initial)) == 0
	}
	names, left := namesOf(old), namesOf(now)
	return slices.Equal(
		without(old, func(e entry) bool { return e.isBranch() && !left[e.owner()] }),
		without(now, func(e entry) bool { return e.adds(names) }))
}

// mended is what to put in the place of a configuration that may not stay: what
// it was, with the settings that are harmless by themselves.
func mended(before, after string) string {
	if hidesLines(after) || hidesLines(before) {
		return before
	}
	names := namesOf(parseConfig(before))
	var text strings.Builder
	text.WriteString(before)
	last := ""
	for _, e := range parseConfig(after) {
		if before == "" || !e.adds(names) || strings.ContainsAny(e.name+e.value, "\"\\#;\n\r") {
			continue
		}
		if head := "[" + e.section + ` "` + e.name + "\"]\n"; head != last {
			if text.Len() > 0 && !strings.HasSuffix(text.String(), "\n") {
				text.WriteByte('\n')
			}
			text.WriteString(head)
			last = head
		}
		fmt.Fprintf(&text, "\t%s = %s\n", e.key, e.value)
	}
	return text.String()
}

// hidesLines is true of a text that a reader other than git may misread.
func hidesLines(text string) bool { return strings.ContainsAny(text, "\\\x00") }

// namesOf are the remotes, submodules and branches that a configuration has, by
// their owner.
func namesOf(entries []entry) map[string]bool {
	names := map[string]bool{}
	for _, e := range entries {
		names[e.owner()] = true
	}
	return names
}

// owner is the section with its name.
func (e entry) owner() string { return e.section + "\x00" + e.name }

// adds reports whether a setting belongs to something that was not there before,
// and runs nothing and leads nothing elsewhere.
func (e entry) adds(before map[string]bool) bool {
	if e.name == "" || before[e.owner()] {
		return false
	}
	switch e.section {
	case "branch":
		return e.follows(before)
	case "remote":
		// A name with other characters could be an address, and then stands for it.
		if !isWord(e.name) {
			return false
		}
		switch e.key {
		case "url":
			return isPlainURL(e.value)
		case "fetch":
			from, to, ok := strings.Cut(strings.TrimPrefix(e.value, "+"), ":")
			return ok && strings.HasPrefix(from, "refs/") && strings.HasPrefix(to, "refs/remotes/"+e.name+"/")
		case "tagopt":
			return e.value == "--tags" || e.value == "--no-tags"
		}
	case "submodule":
		switch e.key {
		case "url":
			return isPlainURL(e.value)
		case "active":
			return e.value == "true" || e.value == "false"
		case "update":
			return slices.Contains([]string{"checkout", "rebase", "merge", "none"}, e.value)
		}
	}
	return false
}

func (e entry) isBranch() bool { return e.section == "branch" && e.name != "" }

// follows reports whether a branch's setting makes it follow a known remote.
func (e entry) follows(before map[string]bool) bool {
	switch e.key {
	case "remote":
		return e.value == "." || before[entry{section: "remote", name: e.value}.owner()]
	case "merge":
		return isBranchRef(e.value)
	}
	return false
}

// initial reports whether a setting is one that git writes into a new
// repository, and runs nothing.
func (e entry) initial() bool {
	switch e.section + "." + e.key {
	case "core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
		"core.precomposeunicode", "core.symlinks", "extensions.objectformat", "extensions.refstorage":
		return e.name == ""
	case "core.worktree":
		return e.name == "" && !filepath.IsAbs(e.value)
	case "branch.remote":
		return e.name != "" && (e.value == "." || isWord(e.value))
	case "branch.merge":
		return e.name != "" && isBranchRef(e.value)
	case "remote.url":
		return e.name != "" && isPlainURL(e.value)
	case "remote.fetch", "submodule.active":
		return e.name != ""
	case "submodule.url":
		return e.name != "" && isPlainURL(e.value)
	}
	return false
}

// isPlainURL refuses addresses that make git run a program to reach them.
func isPlainURL(value string) bool {
	return value != "" && !strings.Contains(value, "::") && value[0] != '-'
}

func isWord(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

func isBranchRef(value string) bool {
	name, ok := strings.CutPrefix(value, "refs/heads/")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune("\"#;~^:?*[\\", r)
	})
}

func without(entries []entry, drop func(entry) bool) []entry {
	return slices.DeleteFunc(slices.Clone(entries), drop)
}
