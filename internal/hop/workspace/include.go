package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// IncludeFile is the file in a project's root, known from other tools, that
// lists ignored paths to copy into working copies. It is written like a
// .gitignore: a name alone is meant in every folder, a pattern with a slash from
// the root, and a later line that begins with an exclamation mark takes back.
const IncludeFile = ".worktreeinclude"

// included lists the paths that the include file means.
func included(root string) ([]string, error) {
	file := filepath.Join(root, IncludeFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, durable.Explain("read", file, err)
	}
	w := includeWalk{root: root, wanted: git.NewIgnoring(data, false)}
	everywhere := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		pattern := strings.TrimPrefix(line, "/")
		switch {
		case line == "" || line[0] == '#' || line[0] == '!':
		case !localPattern(pattern):
			return nil, fault.Newf(CodeBadConfig, "%q in %q does not stay in the project", line, IncludeFile).
				WithHint("take the line out; the workspace is then made by hop resume")
		case strings.Contains(pattern, "**") || !strings.Contains(strings.TrimSuffix(line, "/"), "/"):
			everywhere = true
		default:
			if err := w.add(pattern); err != nil {
				return nil, err
			}
		}
	}
	if !everywhere {
		return w.found, nil
	}
	return w.found, w.visit("", git.NewIgnoring(nil, false))
}

// includeWalk looks for what an include file means.
type includeWalk struct {
	root   string
	wanted *git.Ignoring
	found  []string
}

// add takes what a pattern from the root matches and no later line takes back. It
// may lie in an ignored folder.
func (w *includeWalk) add(pattern string) error {
	paths, err := matching(w.root, pattern)
	if err != nil {
		return err
	}
	for _, p := range paths {
		info, err := os.Lstat(filepath.Join(w.root, p))
		if err == nil && w.wanted.Ignored(filepath.ToSlash(p), info.IsDir()) {
			w.found = append(w.found, p)
		}
	}
	return nil
}

// visit looks through a folder and those below it. What git ignores as a whole,
// such as a folder of dependencies, is not searched for names.
func (w *includeWalk) visit(folder string, ignored *git.Ignoring) error {
	dir := filepath.Join(w.root, filepath.FromSlash(folder))
	if rules, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err == nil {
		ignored = ignored.Below(folder, rules)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return durable.Explain("read", dir, err)
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		switch {
		case strings.EqualFold(e.Name(), ".git") || IsOwn(name):
		case w.wanted.Ignored(name, e.IsDir()):
			w.found = append(w.found, filepath.FromSlash(name))
		case !e.IsDir() || ignored.Ignored(name, true) || isRepository(filepath.Join(dir, e.Name())):
		default:
			if err := w.visit(name, ignored); err != nil {
				return err
			}
		}
	}
	return nil
}

// isRepository reports whether a folder is a repository of its own.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}
