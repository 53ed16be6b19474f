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

// What of a repository is guarded before a call: files up to maxGuarded bytes,
// and maxItems things in all. A repository beyond that is refused. After a call
// the same limits would be a way to hide, so there they are wider, and what lies
// beyond them is reported.
const (
	maxGuarded   = 1 << 20
	maxItems     = 4096
	maxItemsLate = 200_000
)

// item is one guarded thing of a repository.
type item struct {
	Kind    string      `json:"kind"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Content []byte      `json:"content,omitempty"` // of a file, or the target of a link
}

// The kinds of items.
const (
	absent    = "absent"
	file      = "file"
	large     = "large" // a file of more than maxGuarded bytes
	link      = "link"
	directory = "directory"
	other     = "other"
)

func (i item) same(o item) bool {
	return i.Kind == o.Kind && i.Kind != large && (i.Kind != file || i.Mode == o.Mode) && bytes.Equal(i.Content, o.Content)
}

// gitState is what decides which programs git runs for a repository: its
// configuration with what that includes, its hooks, and the same of its
// worktrees and submodules. Names are relative to the root that holds them.
type gitState struct {
	root  string
	items map[string]item
	// late is set for the look after a call: it records as much as it can and
	// never gives up.
	late     bool
	problems []string
}

// readGitState looks at a repository. data is the directory with git's data,
// below root, or root itself.
func readGitState(root, data string, late bool) (*gitState, error) {
	s := &gitState{root: root, items: map[string]item{}, late: late}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return s, guardFault(root, err)
	}
	defer func() { _ = dir.Close() }()
	rel, err := filepath.Rel(root, data)
	if err != nil {
		return s, guardFault(root, err)
	}
	base := filepath.ToSlash(rel)
	// What stands for the repository: another put in its place would decide anew.
	if err := s.take(dir, ".git", base); err != nil {
		return s, err
	}
	return s, s.takeRepository(dir, base)
}

func (s *gitState) takeRepository(dir *os.Root, base string) error {
	names := make([]string, 0, 5)
	for _, name := range []string{"config", "config.worktree", "commondir", "gitdir", "info/attributes"} {
		names = append(names, path.Join(base, name))
	}
	if err := s.take(dir, names...); err != nil {
		return err
	}
	if err := s.takeIncluded(dir, base); err != nil {
		return err
	}
	if err := s.takeHooks(dir, path.Join(base, "hooks")); err != nil {
		return err
	}
	if err := s.takeWorktrees(dir, path.Join(base, "worktrees")); err != nil {
		return err
	}
	return s.takeModules(dir, path.Join(base, "modules"))
}

// takeIncluded guards the files within the root that the configuration
// includes.
func (s *gitState) takeIncluded(dir *os.Root, base string) error {
	for _, name := range []string{"config", "config.worktree"} {
		for _, target := range included(string(s.items[path.Join(base, name)].Content)) {
			rel := path.Join(base, filepath.ToSlash(target))
			if filepath.IsAbs(target) {
				inRoot, err := filepath.Rel(s.root, target)
				if err != nil {
					continue
				}
				rel = filepath.ToSlash(inRoot)
			}
			if !filepath.IsLocal(filepath.FromSlash(rel)) {
				continue
			}
			if err := s.take(dir, rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeHooks guards a directory of hooks. The samples that git puts there never
// run and are left out.
func (s *gitState) takeHooks(dir *os.Root, hooks string) error {
	return s.each(dir, hooks, func(name string) error {
		if strings.HasSuffix(name, ".sample") {
			return nil
		}
		return s.take(dir, path.Join(hooks, name))
	})
}

func (s *gitState) takeWorktrees(dir *os.Root, worktrees string) error {
	return s.each(dir, worktrees, func(name string) error {
		at := path.Join(worktrees, name)
		return s.take(dir, at, path.Join(at, "config.worktree"), path.Join(at, "commondir"), path.Join(at, "gitdir"))
	})
}

// takeModules guards the repositories of submodules. Their names may contain
// slashes, so a directory that is none may hold some.
func (s *gitState) takeModules(dir *os.Root, at string) error {
	return s.each(dir, at, func(name string) error {
		module := path.Join(at, name)
		if err := s.take(dir, module); err != nil {
			return err
		}
		if s.items[module].Kind != directory {
			return nil
		}
		if _, err := dir.Lstat(filepath.FromSlash(path.Join(module, "HEAD"))); err == nil {
			return s.takeRepository(dir, module)
		}
		return s.takeModules(dir, module)
	})
}

// each records a directory and visits the names in it, if it is one.
func (s *gitState) each(dir *os.Root, at string, visit func(name string) error) error {
	if err := s.take(dir, at); err != nil {
		return err
	}
	if s.items[at].Kind != directory {
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

// take records items.
func (s *gitState) take(dir *os.Root, names ...string) error {
	for _, name := range names {
		i, err := readItem(dir, name)
		if err != nil {
			if err := s.problem(name, err); err != nil {
				return err
			}
			i = item{Kind: other}
		}
		if i.Kind == large && !s.late {
			return fault.Newf(CodeGitConfigChanged, "%q of the repository is larger than %d bytes and cannot be guarded", name, maxGuarded).
				WithHint("commands of this pack do not run in such a repository")
		}
		s.items[name] = i
	}
	switch {
	case !s.late && len(s.items) > maxItems:
		return fault.Newf(CodeGitConfigChanged, "the repository has more than %d hooks, worktrees and submodules and cannot be guarded", maxItems).
			WithHint("commands of this pack do not run in such a repository")
	case len(s.items) > maxItemsLate:
		return guardFault(s.root, errors.New("too many entries"))
	}
	return nil
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
		return item{Kind: directory}, nil
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
		return true
	}
	_ = f.Close()
	return false
}

func readRegular(dir *os.Root, name string) ([]byte, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
