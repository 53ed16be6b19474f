package wrap

import (
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
// branches bring: a new branch that follows a remote that was there before, or a
// branch that is gone. A new repository's may have what initialising and cloning
// write. All else decides what runs, or where data and credentials go.
func onlyOrdinary(before, after string) bool {
	if strings.ContainsAny(after, "\\\x00") && before != after {
		return false // continued and escaped lines hide what they say
	}
	old, now := parseConfig(before), parseConfig(after)
	if len(old) == 0 {
		return len(without(now, entry.initial)) == 0
	}
	remotes, branches, left := map[string]bool{".": true}, map[string]bool{}, map[string]bool{}
	for _, e := range old {
		switch {
		case e.section == "remote" && e.name != "" && e.key == "url":
			remotes[e.name] = true
		case e.isBranch():
			branches[e.name] = true
		}
	}
	for _, e := range now {
		if e.isBranch() {
			left[e.name] = true
		}
	}
	return slices.Equal(
		without(old, func(e entry) bool { return e.isBranch() && !left[e.name] }),
		without(now, func(e entry) bool { return e.isBranch() && !branches[e.name] && e.follows(remotes) }))
}

func (e entry) isBranch() bool { return e.section == "branch" && e.name != "" }

// follows reports whether a branch's setting makes it follow a known remote.
func (e entry) follows(remotes map[string]bool) bool {
	switch e.key {
	case "remote":
		return remotes[e.value]
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
