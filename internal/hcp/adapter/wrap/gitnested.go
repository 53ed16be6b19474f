package wrap

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxWalked bounds the search for nested repositories, in directory entries. It
// is made before and after each call that may write, and reads again only the
// directories that changed; see treememory.go. In a larger tree those beyond the
// bound are not guarded, and every result says so; a tree that a command made too
// large is reported as changed.
const maxWalked = 4_000_000

// takeNested guards the repositories within the tree, wherever they are: git
// enters those that the index names as submodules, a command may make any of
// them one, and people enter the others.
func (s *gitState) takeNested(dir *os.Root, before *gitState) error {
	switch {
	case !s.Tree:
		return nil
	case before != nil && before.Partial:
		s.Nested, s.Partial = before.Nested, true // others may be new or not: nobody knows
	default:
		s.Nested, s.Partial = s.tree.search(s.Root, s.Data)
		if before != nil {
			s.Nested = append(s.Nested, before.Nested...)
			slices.Sort(s.Nested)
			s.Nested = slices.Compact(s.Nested)
		}
	}
	defer func() { s.repo = "" }()
	for _, at := range s.Nested {
		s.repo = at
		role := ""
		if isGitEntry(path.Base(at)) {
			role = roleGitFile
		}
		if err := s.takeAs(dir, role, at); err != nil {
			return err
		}
		if s.item(at).Kind != directory {
			continue
		}
		if err := s.takeRepository(dir, at); err != nil {
			return err
		}
	}
	return nil
}

func isGitEntry(name string) bool { return strings.EqualFold(name, ".git") }

// layout is what of a repository's layout a directory has.
type layout struct{ head, objects, refs, common bool }

func (l *layout) note(name string) {
	switch name {
	case "HEAD":
		l.head = true
	case "objects":
		l.objects = true
	case "refs":
		l.refs = true
	case "commondir":
		l.common = true
	}
}

func (l *layout) isRepository() bool { return l.head && (l.common || l.objects && l.refs) }

// findNamed finds what configurations name in the tree: included files, and
// directories of hooks. All that they may mean under some condition counts.
func (s *gitState) findNamed() {
	r := reach{home: s.home, seen: map[string]bool{}}
	for _, config := range s.configs {
		r.read(config, s.Root, 0)
	}
	for _, base := range append([]string{s.Data}, s.repositories()...) {
		dir, top := filepath.Join(s.Root, filepath.FromSlash(base)), s.top(base)
		if base != s.Data {
			r.repo = s.owner(base, top)
		}
		for _, name := range []string{"config", "config.worktree"} {
			r.read(filepath.Join(dir, name), top, 0)
		}
	}
	r.repo = ""
	for name, i := range s.Items {
		if i.Kind == file && path.Base(name) == "config.worktree" {
			r.read(filepath.Join(s.Root, filepath.FromSlash(name)), s.Root, 0)
		}
	}
	s.Files, s.Hooks = s.inTree(r.files), s.inTree(r.hooks)
}

// owner is what a repository's hooks in the tree come and go with: the .git entry
// of its working tree, where it has one.
func (s *gitState) owner(base, top string) string {
	rel, err := filepath.Rel(s.Root, filepath.Join(top, ".git"))
	if err == nil && filepath.IsLocal(rel) && slices.Contains(s.Nested, filepath.ToSlash(rel)) {
		return filepath.ToSlash(rel)
	}
	return base
}

// repositories lists the nested repositories and the submodules' own.
func (s *gitState) repositories() []string {
	bases := slices.Clone(s.Nested)
	for _, i := range s.Items {
		if i.Repo != "" {
			bases = append(bases, i.Repo)
		}
	}
	slices.Sort(bases)
	return slices.Compact(bases)
}

// top is where the hooks of a repository run: its working tree, else itself.
func (s *gitState) top(base string) string {
	dir := filepath.Join(s.Root, filepath.FromSlash(base))
	for _, e := range parseConfig(string(s.item(path.Join(base, "config")).Content)) {
		if e.section == "core" && e.key == "worktree" {
			return resolveFrom(dir, e.value, s.home)
		}
	}
	if isGitEntry(filepath.Base(dir)) {
		return filepath.Dir(dir)
	}
	return dir
}

// inTree turns paths into names in the tree, also by where links lead.
func (s *gitState) inTree(places []named) []named {
	var inside []named
	for _, n := range places {
		for _, at := range []string{filepath.Clean(n.Path), realPath(n.Path)} {
			rel, err := filepath.Rel(s.Root, at)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			if of := (named{filepath.ToSlash(rel), n.Repo}); !slices.Contains(inside, of) {
				inside = append(inside, of)
			}
		}
	}
	slices.SortFunc(inside, func(a, b named) int {
		return cmp.Or(strings.Compare(a.Repo, b.Repo), strings.Compare(a.Path, b.Path))
	})
	return inside
}

// takeNamed guards what configurations name in the tree, with the directories on
// the way to it.
func (s *gitState) takeNamed(dir *os.Root, before *gitState) error {
	defer func() { s.repo = "" }()
	for _, n := range s.Files {
		s.repo = n.Repo
		if err := s.takeWay(dir, n.Path); err != nil {
			return err
		}
		if err := s.take(dir, n.Path); err != nil {
			return err
		}
	}
	for _, n := range s.Hooks {
		s.repo = n.Repo
		if err := s.takeWay(dir, n.Path); err != nil {
			return err
		}
		if err := s.takeHookTree(dir, n.Path); err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	for name, i := range before.Items {
		if _, ok := s.Items[name]; !ok {
			s.repo = i.Repo
			if err := s.takeAs(dir, i.Role, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeHookTree guards a directory of hooks in the tree. In the root itself those
// are the files with the names of hooks, not the whole project. A directory
// named "_" is one that a hook manager fills with stubs, which run the files
// beside it.
func (s *gitState) takeHookTree(dir *os.Root, hooks string) error {
	if path.Base(hooks) == "_" && path.Dir(hooks) != "." {
		hooks = path.Dir(hooks)
	}
	if hooks != "." {
		return s.takeHooks(dir, hooks)
	}
	return s.take(dir, hookNames()...)
}

// takeWay records the directories that lead to a name: put another in the place
// of one, and the name means something else.
func (s *gitState) takeWay(dir *os.Root, name string) error { return s.takeWayAs(dir, "", name) }

func (s *gitState) takeWayAs(dir *os.Root, role, name string) error {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if err := s.takeAs(dir, role, at); err != nil {
			return err
		}
	}
	return nil
}

// hookNames are the hooks that git runs.
func hookNames() []string {
	return strings.Fields("applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit " +
		"p4-prepare-changelist post-applypatch post-checkout post-commit post-index-change post-merge post-receive " +
		"post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive " +
		"prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update")
}
