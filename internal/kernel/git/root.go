package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
)

// Location is where a repository lies: the root of the working tree, and the
// folder with its data, which for linked worktrees and submodules is elsewhere.
type Location struct {
	Root   string
	GitDir string
}

// Root returns the root of the working tree that dir lies in, as an absolute
// path without links. It runs no git. A folder in no repository is
// no_repository; a repository that belongs to another user is refused with
// foreign_repository, since its configuration would then decide what runs.
func Root(dir string) (string, error) {
	location, err := Locate(dir)
	return location.Root, err
}

// Locate is Root with the place of the repository's data. Like git, it passes
// over a .git folder that holds no repository and stops at a .git file.
func Locate(dir string) (Location, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return Location{}, fault.Newf(CodeNoRepository, "the folder %q cannot be opened", dir).Because(err)
	}
	for at := start; ; at = filepath.Dir(at) {
		found, gitDir, err := dataOf(at)
		if err != nil {
			return Location{}, err
		}
		if found {
			return checked(Location{Root: at, GitDir: gitDir})
		}
		if at == filepath.Dir(at) {
			return Location{}, fault.Newf(CodeNoRepository, "%q lies in no git repository", dir).
				WithHint("run the command inside a project that git tracks")
		}
	}
}

// dataOf says whether the folder is the root of a working tree.
func dataOf(root string) (found bool, gitDir string, err error) {
	entry := filepath.Join(root, ".git")
	info, err := os.Stat(entry)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false, "", nil
	}
	if err != nil {
		return false, "", unreadable(entry, err)
	}
	switch {
	case info.IsDir():
		resolved, err := filepath.EvalSymlinks(entry)
		if err != nil {
			return false, "", unreadable(entry, err)
		}
		return isRepository(resolved), resolved, nil
	case info.Mode().IsRegular():
		gitDir, err := followFile(entry)
		return err == nil, gitDir, err
	default:
		return false, "", nil
	}
}

// followFile reads a .git file, which names the folder with the data. Such a
// file is a statement about this place: one that leads nowhere is an error, and
// the search does not go on to an outer repository that was not meant.
func followFile(entry string) (string, error) {
	data, err := ReadPlain(entry, maxLine)
	if err != nil {
		return "", unreadable(entry, err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok || target == "" {
		return "", fault.Newf(CodeNoRepository, "%q is no git file", entry)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(entry), target)
	}
	resolved, err := filepath.EvalSymlinks(target)
	if err != nil || !isRepository(resolved) {
		return "", fault.Newf(CodeNoRepository, "%q names %q, which holds no repository", entry, target).Because(err)
	}
	return resolved, nil
}

// isRepository looks for what git itself requires: HEAD, and objects and refs,
// which a linked worktree keeps in the common folder it names.
func isRepository(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// Owned reports whether a folder belongs to this user.
func Owned(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && ownedByUs(info)
}

// checked refuses a repository of another user.
func checked(l Location) (Location, error) {
	for _, path := range []string{l.Root, filepath.Join(l.Root, ".git"), l.GitDir} {
		info, err := os.Lstat(path)
		if err != nil {
			return Location{}, unreadable(path, err)
		}
		if !ownedByUs(info) {
			return Location{}, foreign(l.Root)
		}
	}
	return l, nil
}

func unreadable(path string, err error) error {
	return fault.Newf(CodeNoRepository, "%q cannot be read", path).Because(err)
}
