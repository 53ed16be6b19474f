package wrap

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"bridle/internal/kernel/fault"
)

// What of a project is guarded before a call: files up to maxGuarded bytes,
// maxBytes and maxItems in all. A project beyond that is refused. After a call
// the same limits would be a way to hide, so there they are wider, and what lies
// beyond them is reported.
const (
	maxGuarded   = 1 << 20
	maxBytes     = 16 << 20
	maxBytesLate = 64 << 20
	maxItems     = 8192
	maxItemsLate = 200_000
)

// item is one guarded thing.
type item struct {
	Kind    string      `json:"kind"`
	Role    string      `json:"role,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Content []byte      `json:"content,omitempty"` // of a file, or the target of a link
	// Repo is the nested repository that it belongs to.
	Repo string `json:"repo,omitempty"`
}

// The kinds of items.
const (
	absent    = "absent"
	file      = "file"
	large     = "large" // a file of more bytes than are looked at
	link      = "link"
	directory = "directory"
	other     = "other"
)

// The roles of items that may change in certain ways. All others stay as they
// are.
const (
	roleConfig     = "config"     // a repository's own configuration
	roleGitFile    = "git"        // the .git entry of a nested working tree
	roleWorktree   = "worktree"   // a file of a linked worktree
	roleCommon     = "common"     // its commondir file
	roleAlternates = "alternates" // where more objects are
	roleModules    = "modules"    // .gitmodules, whose change is told
	roleTodo       = "todo"       // what a rebase under way still has to do
	roleStrategy   = "strategy"   // how it merges
	roleOptions    = "options"    // the same of a cherry-pick
	roleGoverns    = "governs"    // settings of this runtime and of agent hosts
)

func (i item) same(o item) bool {
	moded := i.Kind == file || i.Kind == directory
	return i.Kind == o.Kind && i.Kind != large && (!moded || i.Mode == o.Mode) && bytes.Equal(i.Content, o.Content)
}

// gitState is what decides which programs git runs in a tree: configuration
// with what that includes, hooks wherever they are, and the same of linked
// worktrees, submodules and nested repositories. Names are relative to Root.
type gitState struct {
	Root string `json:"root"`
	// Data is the place of the repository's data, also where there is none yet.
	Data string `json:"data"`
	// Tree says that Root is a working tree: nested repositories are looked for.
	Tree bool `json:"tree"`
	// Partial says that the tree is too large to be looked through.
	Partial bool            `json:"partial,omitempty"`
	Items   map[string]item `json:"items"`
	// Nested are the nested repositories; Hooks and Files the directories and
	// files in the tree that configurations name.
	Nested []string `json:"nested,omitempty"`
	Hooks  []named  `json:"hooks,omitempty"`
	Files  []named  `json:"files,omitempty"`
	// Folders are those that calls go by on their way to the root, Trees the .git
	// entries of nested working trees: there are governing files to guard.
	Folders []string `json:"folders,omitempty"`
	Trees   []string `json:"trees,omitempty"`

	configs  []string // configurations elsewhere that count here
	home     string
	tree     *treeFile // what the last search of the tree found
	late     bool      // the look after a call: as much as can be, and never giving up
	size     int
	repo     string
	problems []string
}

// named is a place in the tree that the configuration of a repository names.
// Repo is the nested repository, or empty.
type named struct {
	Path string `json:"path"`
	Repo string `json:"repo,omitempty"`
}

// read looks at the tree. After a call, what was seen before it says where hooks
// and included files are: a configuration that was changed has no say in what is
// guarded.
func (s *gitState) read(before *gitState) error {
	s.late, s.Items = before != nil, map[string]item{}
	dir, err := os.OpenRoot(s.Root)
	if err != nil {
		return guardFault(s.Root, err)
	}
	defer func() { _ = dir.Close() }()
	if err := s.takeAs(dir, roleModules, ".gitmodules"); err != nil {
		return err
	}
	// What stands for the repository: another put in its place would decide anew.
	if err := s.take(dir, ".git", s.Data); err != nil {
		return err
	}
	if err := s.takeRepository(dir, s.Data); err != nil {
		return err
	}
	if err := s.takeNested(dir, before); err != nil {
		return err
	}
	if err := s.takeGoverning(dir, before); err != nil {
		return err
	}
	if before == nil {
		s.findNamed()
	} else {
		s.Hooks, s.Files = before.Hooks, before.Files
	}
	return s.takeNamed(dir, before)
}

func (s *gitState) takeRepository(dir *os.Root, base string) error {
	at := func(name string) string { return path.Join(base, name) }
	if err := s.take(dir, at("config.worktree"), at("commondir"), at("gitdir"), at("info/attributes")); err != nil {
		return err
	}
	if err := s.takeAs(dir, roleConfig, at("config")); err != nil {
		return err
	}
	if err := s.takeAs(dir, roleAlternates, at("objects/info/alternates")); err != nil {
		return err
	}
	// Addresses of remotes in the forms from before there was a configuration.
	for _, name := range []string{"hooks", "remotes", "branches"} {
		if err := s.takeHooks(dir, at(name)); err != nil {
			return err
		}
	}
	if err := s.takeUnfinished(dir, base); err != nil {
		return err
	}
	if err := s.takeWorktrees(dir, at("worktrees")); err != nil {
		return err
	}
	return s.takeModules(dir, at("modules"))
}

// takeUnfinished guards what git goes on with when somebody continues a rebase, a
// cherry-pick or a revert: lists of steps, of which some run commands, and the
// names of merge strategies, which are names of programs.
func (s *gitState) takeUnfinished(dir *os.Root, base string) error {
	at := func(name string) string { return path.Join(base, name) }
	if err := s.takeAs(dir, roleTodo, at("rebase-merge/git-rebase-todo"), at("rebase-merge/git-rebase-todo.backup"), at("sequencer/todo")); err != nil {
		return err
	}
	if err := s.takeAs(dir, roleStrategy, at("rebase-merge/strategy")); err != nil {
		return err
	}
	return s.takeAs(dir, roleOptions, at("sequencer/opts"))
}

// takeHooks guards a directory of hooks with all that is in it. The samples that
// git puts there never run and are left out.
func (s *gitState) takeHooks(dir *os.Root, hooks string) error {
	return s.each(dir, hooks, func(name string) error {
		if strings.HasSuffix(name, ".sample") {
			return nil
		}
		return s.takeHooks(dir, path.Join(hooks, name))
	})
}

func (s *gitState) takeWorktrees(dir *os.Root, worktrees string) error {
	return s.each(dir, worktrees, func(name string) error {
		at := path.Join(worktrees, name)
		if err := s.take(dir, at, path.Join(at, "config.worktree")); err != nil {
			return err
		}
		if err := s.takeAs(dir, roleCommon, path.Join(at, "commondir")); err != nil {
			return err
		}
		if err := s.takeUnfinished(dir, at); err != nil {
			return err
		}
		return s.takeAs(dir, roleWorktree, path.Join(at, "gitdir"))
	})
}

// takeModules guards the repositories of submodules. Their names may contain
// slashes, so a directory that is none may hold some.
func (s *gitState) takeModules(dir *os.Root, at string) error {
	return s.each(dir, at, func(name string) error {
		module, outer := path.Join(at, name), s.repo
		s.repo = module
		defer func() { s.repo = outer }()
		if err := s.take(dir, module); err != nil || s.item(module).Kind != directory {
			return err
		}
		if _, err := dir.Lstat(filepath.FromSlash(path.Join(module, "HEAD"))); err != nil {
			return s.takeModules(dir, module)
		}
		return s.takeRepository(dir, module)
	})
}

// each records a name and, if it is a directory, visits the names in it.
func (s *gitState) each(dir *os.Root, at string, visit func(name string) error) error {
	return s.eachAs(dir, "", at, visit)
}

// eachAs is the same, and the name is recorded with a role.
func (s *gitState) eachAs(dir *os.Root, role, at string, visit func(name string) error) error {
	if err := s.takeAs(dir, role, at); err != nil {
		return err
	}
	if s.item(at).Kind != directory {
		return nil
	}
	f, err := dir.OpenFile(filepath.FromSlash(at), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return s.problem(at, err)
	}
	names, err := f.Readdirnames(maxItemsLate)
	_ = f.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return s.problem(at, err)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := visit(name); err != nil {
			return err
		}
	}
	return nil
}

// item returns a recorded item; a name that was not there to be recorded is
// absent.
func (s *gitState) item(name string) item {
	if i, ok := s.Items[name]; ok {
		return i
	}
	return item{Kind: absent}
}

// take records items that stay as they are.
func (s *gitState) take(dir *os.Root, names ...string) error { return s.takeAs(dir, "", names...) }

// takeAs records items of a role. Of two roles the stricter one counts.
func (s *gitState) takeAs(dir *os.Root, role string, names ...string) error {
	for _, name := range names {
		i, err := readItem(dir, name)
		if err != nil {
			if err := s.problem(name, err); err != nil {
				return err
			}
			i = item{Kind: other}
		}
		if i.Kind == absent {
			continue
		}
		i.Role, i.Repo = role, s.repo
		if known, ok := s.Items[name]; ok {
			s.size -= len(known.Content)
			i.Repo = known.Repo
			if known.Role != role {
				i.Role = ""
			}
		}
		if i, err = s.bounded(name, i); err != nil {
			return err
		}
		s.Items[name] = i
	}
	if s.late && len(s.Items) > maxItemsLate {
		return guardFault(s.Root, errors.New("too many entries"))
	}
	return nil
}

// bounded refuses, before a call, what would be too much to guard. Afterwards a
// content beyond the bounds is dropped, and the thing counts as changed.
func (s *gitState) bounded(name string, i item) (item, error) {
	s.size += len(i.Content)
	switch {
	case s.late && s.size > maxBytesLate:
		s.size -= len(i.Content)
		return item{Kind: large, Role: i.Role, Repo: i.Repo}, nil
	case s.late || i.Kind == large && i.Role == roleModules:
		return i, nil
	case i.Kind == large:
		return i, unguardable("%q of the project is larger than %d bytes and cannot be guarded", name, maxGuarded)
	case s.size > maxBytes:
		return i, unguardable("the project's hooks and settings have more than %d bytes and cannot be guarded", maxBytes)
	case len(s.Items) >= maxItems:
		return i, unguardable("the project has more than %d hooks, settings, worktrees and submodules and cannot be guarded", maxItems)
	}
	return i, nil
}

func unguardable(format string, values ...any) error {
	return fault.Newf(CodeGitConfigChanged, format, values...).
		WithHint("commands of this pack do not run in such a repository")
}

// problem ends the look before a call; afterwards it is noted.
func (s *gitState) problem(name string, err error) error {
	if !s.late {
		return guardFault(name, err)
	}
	s.problems = append(s.problems, name)
	return nil
}

// readItem looks at one name without following a link at its end. What lies
// behind a link that leads out of the root is absent: that link is an item of
// its own.
func readItem(dir *os.Root, name string) (item, error) {
	local := filepath.FromSlash(name)
	info, err := dir.Lstat(local)
	switch {
	case err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || leaves(dir, name)):
		return item{Kind: absent}, nil
	case err != nil:
		return item{}, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := dir.Readlink(local)
		return item{Kind: link, Content: []byte(target)}, err
	case info.IsDir():
		return item{Kind: directory, Mode: info.Mode().Perm()}, nil
	case !info.Mode().IsRegular():
		return item{Kind: other}, nil
	case info.Size() > maxGuarded:
		return item{Kind: large}, nil
	}
	data, err := readRegular(dir, local)
	return item{Kind: file, Mode: info.Mode().Perm(), Content: data}, err
}

// leaves reports whether a link on the way to a name leads out of the root.
func leaves(dir *os.Root, name string) bool {
	parent := path.Dir(name)
	if parent == "." {
		return false
	}
	f, err := dir.Open(filepath.FromSlash(parent))
	if err != nil {
		return !errors.Is(err, fs.ErrPermission)
	}
	_ = f.Close()
	return false
}

func readRegular(dir *os.Root, name string) ([]byte, error) {
	f, err := openRegular(dir, filepath.ToSlash(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxGuarded))
}

func guardFault(name string, err error) error {
	return fault.Newf(CodeGitConfigChanged, "the repository's hooks and configuration cannot be read: %q", name).Because(err).
		WithHint("check who owns the project's .git directory; nothing runs in a repository that cannot be guarded")
}
