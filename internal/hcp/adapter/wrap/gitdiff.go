package wrap

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// trees are the directories that hold guarded data: the project, and the
// repository's data where it is elsewhere.
func (p *Project) trees() []*gitState {
	home := cmp.Or(p.limits.Home, p.limits.Account)
	tree := &gitState{Root: p.Root, Data: ".git", Tree: true, Folders: p.folders(), home: home, configs: []string{"/etc/gitconfig"}}
	for _, home := range p.limits.homes() {
		tree.configs = append(tree.configs, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	switch {
	case p.git == "":
	case below(p.git, p.Root):
		if rel, err := filepath.Rel(p.Root, p.git); err == nil {
			tree.Data = filepath.ToSlash(rel)
		}
	default:
		worktrees, _ := filepath.Glob(filepath.Join(globQuote(p.git), "worktrees", "*", "config.worktree"))
		tree.configs = append(append(tree.configs, filepath.Join(p.git, "config")), worktrees...)
		return []*gitState{tree, {Root: p.git, Data: ".", home: home}}
	}
	return []*gitState{tree}
}

// globQuote makes a pattern that matches exactly this path.
func globQuote(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}

// differences lists the names whose items differ in a way that matters. Parents
// come before what is in them.
func differences(before, now *gitState) []string {
	all := map[string]bool{}
	for name := range before.Items {
		all[name] = true
	}
	for name := range now.Items {
		all[name] = true
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, is := before.item(name), now.item(name)
		if old.same(is) || tolerable(before, now, name) {
			continue
		}
		changed = append(changed, name)
	}
	return changed
}

// tolerable accepts the changes that ordinary git commands make and that run
// nothing: some settings, new directories, new repositories with plain settings,
// and repositories and worktrees that go.
func tolerable(before, now *gitState, name string) bool {
	old, is := before.item(name), now.item(name)
	came, went := old.Kind == absent && is.Kind == file, old.Kind == file && is.Kind == absent
	if is.Kind == absent && old.Repo != "" && now.item(old.Repo).Kind == absent {
		return true // a nested repository was removed as a whole
	}
	if old.Kind == absent && is.Kind == directory {
		return true
	}
	role := is.Role
	if is.Kind == absent {
		role = old.Role
	}
	switch role {
	case roleConfig:
		return (came || old.Kind == file && is.Kind == file && old.Mode == is.Mode) &&
			onlyOrdinary(string(old.Content), string(is.Content))
	case roleGitFile:
		return came && leadsInside(now.Root, name, string(is.Content))
	case roleCommon:
		return went || came && strings.TrimRight(string(is.Content), "\n") == "../.."
	case roleWorktree:
		return came || went
	case roleAlternates:
		return came && before.item(strings.TrimSuffix(name, "objects/info/alternates")+"config").Kind == absent
	case roleModules:
		return true
	case roleTodo:
		return went || is.Kind == file && addsNoCommand(string(old.Content), string(is.Content))
	case roleStrategy:
		return went || is.Kind == file && isStrategy(string(is.Content))
	case roleOptions:
		return went || is.Kind == file && !slices.ContainsFunc(parseConfig(string(is.Content)), func(e entry) bool {
			return e.key == "strategy" && !isStrategy(e.value)
		})
	}
	return false
}

// addsNoCommand reports whether a list of steps runs no command that was not in
// it before.
func addsNoCommand(before, now string) bool {
	known := commandsIn(before)
	for step := range commandsIn(now) {
		if !known[step] {
			return false
		}
	}
	return true
}

// commandsIn are the steps of a list that run something, by their text: git takes
// "exec" and "x" for a command, and the steps that it knows by other words run
// none. A word that is none of those may be one of a later git's.
func commandsIn(todo string) map[string]bool {
	steps := map[string]bool{}
	for line := range strings.Lines(todo) {
		line = strings.TrimSpace(line)
		word, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		switch word {
		case "", "pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "drop", "d", "break", "b", "noop",
			"label", "l", "reset", "t", "merge", "m", "update-ref", "u", "revert":
		default:
			if line[0] != '#' {
				steps[line] = true
			}
		}
	}
	return steps
}

// isStrategy reports whether a file of a rebase names what git merges with
// itself; another name would be that of a program.
func isStrategy(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"", r) }) {
		switch word {
		case "ort", "recursive", "resolve", "octopus", "ours", "subtree":
		default:
			return false
		}
	}
	return true
}

// leadsInside reports whether the .git file of a new working tree names a
// repository in the project, where it is guarded.
func leadsInside(root, name, text string) bool {
	target, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if !ok || target == "" {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(root, filepath.FromSlash(name), "..", filepath.FromSlash(target))
	}
	return below(realPath(filepath.Clean(target)), root)
}

// remarks are what the caller is told although it stays.
func remarks(before, now *gitState) (notes []string) {
	if old, is := before.item(".gitmodules"), now.item(".gitmodules"); !old.same(is) {
		notes = append(notes, "the command changed which submodules the project has (.gitmodules)")
	}
	if before.Partial {
		notes = append(notes, fmt.Sprintf("the project has more than %d files; git repositories nested in it deeper are not guarded", maxWalked))
	}
	return notes
}

func names(list []string) string {
	const most = 5
	quotedNames := make([]string, 0, most)
	for i, name := range list {
		if i == most {
			return strings.Join(quotedNames, ", ") + fmt.Sprintf(" and %d more", len(list)-most)
		}
		quotedNames = append(quotedNames, quoted(name))
	}
	return strings.Join(quotedNames, ", ")
}
