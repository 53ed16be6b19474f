package wrap

import (
	"slices"
	"strings"
)

// entry is one setting of a git configuration file, as far as it can be told
// without git: the section with its name as written, the key in lower case.
type entry struct{ section, name, key, value string }

// parseConfig reads the settings of a git configuration file. It need not
// understand everything: what it gets wrong makes two configurations look more
// different, never less, because callers also compare the text.
func parseConfig(text string) []entry {
	var entries []entry
	section, name := "", ""
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
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
	value = strings.Trim(strings.TrimSpace(value), `"`)
	return entry{section, name, strings.ToLower(strings.TrimSpace(key)), value}
}

// onlyOrdinary reports whether a configuration became another one only by what
// initialising, cloning, branching, pushing with -u, adding a remote and
// initialising a submodule write. None of it names a program. The address of a
// remote that was there before is not among them, since it decides where later
// pushes go.
func onlyOrdinary(before, after string) bool {
	if strings.ContainsAny(after, "\\\x00") && before != after {
		return false // continued and escaped lines hide what they say
	}
	old, now := parseConfig(before), parseConfig(after)
	remotes := map[string]bool{}
	for _, e := range old {
		if e.section == "remote" {
			remotes[e.name] = true
		}
	}
	ordinary := func(e entry) bool { return e.ordinary(remotes) }
	fresh := len(old) == 0
	return slices.Equal(without(old, ordinary), without(now, func(e entry) bool {
		return ordinary(e) || fresh && e.initial()
	}))
}

// ordinary reports whether a setting runs nothing and redirects nothing.
func (e entry) ordinary(known map[string]bool) bool {
	if e.name == "" {
		return false
	}
	switch e.section + "." + e.key {
	case "branch.remote":
		return e.value == "." || isWord(e.value)
	case "branch.merge":
		return isBranchRef(e.value)
	case "remote.url":
		return !known[e.name] && isPlainURL(e.value)
	case "remote.fetch":
		return !known[e.name]
	case "submodule.active":
		return e.value == "true" || e.value == "false"
	case "submodule.url":
		return isPlainURL(e.value)
	}
	return false
}

// initial reports whether a setting is one that git writes into a new
// repository.
func (e entry) initial() bool {
	switch e.section + "." + e.key {
	case "core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
		"core.precomposeunicode", "core.symlinks", "core.worktree", "extensions.objectformat", "extensions.refstorage":
		return e.name == ""
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

// included lists the files that a configuration includes.
func included(text string) []string {
	var paths []string
	for _, e := range parseConfig(text) {
		if (e.section == "include" || e.section == "includeif") && e.key == "path" && e.value != "" {
			paths = append(paths, e.value)
		}
	}
	return paths
}
