package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// Bounds of a pack's directory. A pack describes a program and may bring a
// small one along; it is not a distribution of a large one.
const (
	MaxEntries = 2000     // files, links and folders
	MaxBytes   = 64 << 20 // of all files together
	MaxDepth   = 16       // folders around a file
)

// TreeProblem is something in a pack's directory that no pack may have.
type TreeProblem struct {
	Path   string // relative, with slashes
	Reason string // continues a sentence that begins with the path
}

func (p TreeProblem) fault() error {
	return fault.Newf(CodeUnsafePack, "%s in the pack %s", quote(p.Path), p.Reason)
}

// Entry is one file, link or folder of a pack's directory.
type Entry struct {
	Path string // relative, with slashes; "." is the directory itself
	Info fs.FileInfo
}

// Walk visits everything in dir in a fixed order, folders before what is in
// them, and calls refuse for what no pack may have: links that leave the pack or
// lead nowhere, files that are neither plain files nor links, set-user-id and
// set-group-id files, names that are not the same name on every platform, names
// that differ only in case, and more or larger files than the bounds allow.
// Links are visited and not followed. When visit answers fs.SkipDir, a folder is
// passed over; any other error of either function ends the walk, and so does
// exceeding the bounds.
func Walk(dir string, visit func(Entry) error, refuse func(TreeProblem) error) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return noDirectory(dir, err)
	}
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return noDirectory(dir, err)
	}
	w := &walker{root: root, visit: visit, refuse: refuse}
	if err := visit(Entry{".", info}); err != nil {
		return err
	}
	if err := w.folder("", 0); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

type walker struct {
	root    string
	visit   func(Entry) error
	refuse  func(TreeProblem) error
	entries int
	bytes   int64
}

func (w *walker) folder(rel string, depth int) error {
	if depth > MaxDepth {
		return w.stop(rel, fmt.Sprintf("is nested deeper than %d folders", MaxDepth))
	}
	list, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil {
		return w.gone(rel, err)
	}
	folded := make(map[string]string, len(list))
	for _, e := range list {
		path := e.Name()
		if rel != "" {
			path = rel + "/" + path
		}
		if w.entries++; w.entries > MaxEntries {
			return w.stop(path, fmt.Sprintf("is one file too many: a pack has at most %d", MaxEntries))
		}
		if reason := badName(e.Name()); reason != "" {
			if err := w.refuse(TreeProblem{path, reason}); err != nil {
				return err
			}
			continue
		}
		key := fold(e.Name())
		if other, taken := folded[key]; taken {
			if err := w.refuse(TreeProblem{path, "differs from " + quote(other) + " only in case"}); err != nil {
				return err
			}
			continue
		}
		folded[key] = e.Name()
		if err := w.entry(path, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(path string, depth int) error {
	full := filepath.Join(w.root, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil {
		return w.gone(path, err)
	}
	if reason := w.badKind(full, info); reason != "" {
		return w.refuse(TreeProblem{path, reason})
	}
	if info.Mode().IsRegular() {
		if w.bytes += info.Size(); w.bytes > MaxBytes {
			return w.stop(path, fmt.Sprintf("brings the files to more than the %d bytes that a pack may have", MaxBytes))
		}
	}
	switch err := w.visit(Entry{path, info}); {
	case errors.Is(err, fs.SkipDir) && info.IsDir():
		return nil
	case err != nil:
		return err
	}
	if info.IsDir() {
		return w.folder(path, depth+1)
	}
	return nil
}

// badKind says why a pack may not have a file of this kind.
func (w *walker) badKind(full string, info fs.FileInfo) string {
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return ""
	case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return "runs with the rights of another user (set-user-id or set-group-id)"
	case mode.IsRegular():
		return ""
	case mode&fs.ModeSymlink == 0:
		return "is neither a plain file nor a link"
	}
	target, err := os.Readlink(full)
	if err != nil {
		return "is a link that cannot be read"
	}
	if filepath.IsAbs(target) || strings.HasPrefix(target, "/") || strings.HasPrefix(target, `\`) {
		return "is a link to an absolute path"
	}
	end, err := filepath.EvalSymlinks(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is a link that leads nowhere"
	case err != nil:
		return "is a link that cannot be followed"
	case end != w.root && !within(w.root, end):
		return "is a link that leaves the pack"
	}
	return ""
}

// errStop ends a walk that exceeded the bounds, once that was reported.
var errStop = errors.New("stop")

func (w *walker) stop(path, reason string) error {
	if err := w.refuse(TreeProblem{path, reason}); err != nil {
		return err
	}
	return errStop
}

func (w *walker) gone(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return w.refuse(TreeProblem{path, "vanished while the pack was read"})
	}
	return w.refuse(TreeProblem{path, "cannot be read"})
}

// badName says why a file name is not the same name everywhere.
func badName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "has a name that is not UTF-8"
	case !ids.IsPathElement(name):
		return "has a name that not every platform allows"
	case strings.ContainsFunc(name, invisible):
		return "has a name with characters that cannot be seen or have two spellings"
	}
	return ""
}

// invisible reports characters that two different names can hide behind:
// controls and format characters, and the combining accents for which composed
// letters exist.
func invisible(r rune) bool {
	return r > 0x7f && (!unicode.IsGraphic(r) || 0x300 <= r && r <= 0x36f)
}

// fold maps names that differ only in case to the same key.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}
