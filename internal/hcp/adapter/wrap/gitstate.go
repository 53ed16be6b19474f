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

// maxGuarded bounds one guarded file, maxHooks the entries of one directory of
// hooks, and maxModules how many submodules are looked at.
const (
	maxGuarded = 1 << 20
	maxHooks   = 256
	maxModules = 128
)

// item is one guarded thing of a repository: a file with its content, a link
// with its target, a directory, or nothing.
type item struct {
	Kind    string      `json:"kind"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Content []byte      `json:"content,omitempty"`
}

// The kinds of items.
const (
	absent    = "absent"
	file      = "file"
	link      = "link"
	directory = "directory"
	other     = "other"
)

func (i item) same(o item) bool {
	return i.Kind == o.Kind && (i.Kind != file || i.Mode == o.Mode) && bytes.Equal(i.Content, o.Content)
}

// gitState is what decides which programs git runs for a repository: its
// configuration with what that includes, its hooks, and the same of its
// worktrees and submodules. Names are relative to the root that holds them.
type gitState struct {
	root  string
	items map[string]item
}

// readGitState looks at a repository. data is the directory with git's data,
// below root, or root itself.
func readGitState(root, data string) (*gitState, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, guardFault(err)
	}
	defer func() { _ = dir.Close() }()
	rel, err := filepath.Rel(root, data)
	if err != nil {
		return nil, guardFault(err)
	}
	s := &gitState{root: root, items: map[string]item{}}
	base := filepath.ToSlash(rel)
	for _, name := range []string{".git", base} {
		// What stands for the repository: another put in its place would decide
		// anew.
		if err := s.take(dir, name); err != nil {
			return nil, err
		}
	}
	if err := s.takeRepository(dir, base, 0); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *gitState) takeRepository(dir *os.Root, base string, depth int) error {
	for _, name := range []string{"config", "config.worktree", "commondir", "gitdir", "info/attributes"} {
		if err := s.take(dir, path.Join(base, name)); err != nil {
			return err
		}
	}
	if err := s.takeIncluded(dir, base); err != nil {
		return err
	}
	if err := s.takeHooks(dir, path.Join(base, "hooks")); err != nil {
		return err
	}
	if err := s.takeWorktrees(dir, base); err != nil {
		return err
	}
	return s.takeModules(dir, path.Join(base, "modules"), depth)
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
	if err := s.take(dir, hooks); err != nil {
		return err
	}
	if s.items[hooks].Kind != directory {
		return nil
	}
	names, err := list(dir, hooks, maxHooks)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sample") {
			continue
		}
		if err := s.take(dir, path.Join(hooks, name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *gitState) takeWorktrees(dir *os.Root, base string) error {
	names, err := list(dir, path.Join(base, "worktrees"), maxModules)
	if err != nil {
		return err
	}
	for _, name := range names {
		for _, guarded := range []string{"config.worktree", "commondir", "gitdir"} {
			if err := s.take(dir, path.Join(base, "worktrees", name, guarded)); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeModules guards the repositories of submodules, whose names may contain
// slashes.
func (s *gitState) takeModules(dir *os.Root, at string, depth int) error {
	const deepest = 6
	if depth > deepest {
		return nil
	}
	names, err := list(dir, at, maxModules)
	if err != nil {
		return err
	}
	for _, name := range names {
		module := path.Join(at, name)
		if _, err := dir.Lstat(filepath.FromSlash(path.Join(module, "HEAD"))); err == nil {
			err = s.takeRepository(dir, module, depth+1)
			if err != nil {
				return err
			}
			continue
		}
		if err := s.takeModules(dir, module, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// take records one item.
func (s *gitState) take(dir *os.Root, name string) error {
	i, err := readItem(dir, name)
	if err != nil {
		return err
	}
	s.items[name] = i
	return nil
}

// readItem looks at one name without following a link at its end. A link on the
// way that leaves the root makes it absent: git would not be led there by what
// is guarded, since that link is an item of its own.
func readItem(dir *os.Root, name string) (item, error) {
	local := filepath.FromSlash(name)
	info, err := dir.Lstat(local)
	switch {
	case err != nil && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || leaves(dir, name)):
		return item{Kind: absent}, nil
	case err != nil:
		return item{}, guardFault(err)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := dir.Readlink(local)
		if err != nil {
			return item{}, guardFault(err)
		}
		return item{Kind: link, Content: []byte(target)}, nil
	case info.IsDir():
		return item{Kind: directory}, nil
	case !info.Mode().IsRegular():
		return item{Kind: other}, nil
	case info.Size() > maxGuarded:
		return item{}, fault.Newf(CodeGitConfigChanged, "%q of the repository is larger than %d bytes and cannot be guarded", name, maxGuarded).
			WithHint("commands of this pack do not run in such a repository")
	}
	data, err := readRegular(dir, local)
	if err != nil {
		return item{}, guardFault(err)
	}
	return item{Kind: file, Mode: info.Mode().Perm(), Content: data}, nil
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

// list returns the names in a directory, none when there is no directory, and
// refuses one with too many.
func list(dir *os.Root, name string, most int) ([]string, error) {
	f, err := dir.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil
	}
	if len(names) > most {
		return nil, fault.Newf(CodeGitConfigChanged, "%q of the repository has more than %d entries and cannot be guarded", name, most).
			WithHint("commands of this pack do not run in such a repository")
	}
	slices.Sort(names)
	return names, nil
}

func guardFault(err error) error {
	return fault.New(CodeGitConfigChanged, "the repository's hooks and configuration cannot be read").Because(err).
		WithHint("check who owns the project's .git directory; nothing runs in a repository that cannot be guarded")
}
