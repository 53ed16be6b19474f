package wrap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
)

// exchange carries files between the workspace that the caller means and the
// directory that exists for one call only: inputs before it, results after it.
type exchange struct {
	// source is the caller's workspace, work the call's own directory.
	source, work string
	outputs      []string
}

// maxExchange bounds what one call carries in each direction, maxExchanged the
// number of files.
const (
	maxExchange  = 1 << 30
	maxExchanged = 10_000
)

var errTooLarge = errors.New("too large")

// exchanged notes that a word names a file of the workspace: an input is brought
// into the call's directory, a result is expected there.
func (s *stay) exchanged(local string, output bool) error {
	if s.exchange == nil {
		return nil
	}
	if output {
		return s.exchange.expect(filepath.ToSlash(local))
	}
	return s.exchange.fetch(filepath.ToSlash(local))
}

// fetch brings a file or a directory of the workspace into the call's
// directory. What is not there is left to the program to complain about.
func (e *exchange) fetch(name string) error {
	if e.source == "" {
		return nil
	}
	err := e.copy(e.work, e.source, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return e.problem("bring", name, err)
}

// expect makes room for a result.
func (e *exchange) expect(name string) error {
	part := ownData(name)
	if part == "" && governs(name) {
		part = name
	}
	if part != "" {
		return fault.Newf(CodeBadFile, "the result %q would change the project's own %q", name, part).
			WithHint("write the result to another file")
	}
	if !slices.Contains(e.outputs, name) {
		e.outputs = append(e.outputs, name)
	}
	root, err := os.OpenRoot(e.work)
	if err != nil {
		return e.problem("make room for", name, err)
	}
	defer func() { _ = root.Close() }()
	if parent := path.Dir(name); parent != "." {
		err = root.MkdirAll(filepath.FromSlash(parent), 0o700)
	}
	return e.problem("make room for", name, err)
}

// ownData returns the part of a name that belongs to git or to the runtime, on
// file systems that ignore case as well.
func ownData(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if trimmed := strings.TrimRight(part, ". "); strings.EqualFold(trimmed, ".git") || strings.EqualFold(trimmed, ".hcp") {
			return part
		}
	}
	return ""
}

// deliver carries the results back. After a failure nothing is carried: half a
// result would replace a whole one.
func (e *exchange) deliver(succeeded bool) (notes []string, err error) {
	for _, name := range e.outputs {
		if _, statErr := os.Lstat(filepath.Join(e.work, filepath.FromSlash(name))); statErr != nil {
			continue
		}
		if !succeeded {
			notes = append(notes, fmt.Sprintf("%q was not written, because the command failed", name))
			continue
		}
		if err := e.copy(e.source, e.work, name); err != nil {
			return notes, e.problem("write", name, err)
		}
		notes = append(notes, fmt.Sprintf("wrote %q", name))
	}
	return notes, nil
}

// copy copies a file, or the regular files below a directory.
func (e *exchange) copy(to, from, name string) error {
	back := to == e.source
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = target.Close() }()
	budget := int64(maxExchange)
	info, err := source.Stat(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return copyFile(target, source, name, &budget)
	}
	count := 0
	return fs.WalkDir(source.FS(), name, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && ownData(entry.Name()) != "" {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || back && governs(at) {
			return nil
		}
		count++
		if count > maxExchanged {
			return errTooLarge
		}
		return copyFile(target, source, at, &budget)
	})
}

func (e *exchange) problem(verb, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooLarge):
		return fault.Newf(CodeBadFile, "cannot %s %q: it has more than %d bytes or %d files", verb, name, int64(maxExchange), maxExchanged).
			WithHint("work on a smaller part of it")
	}
	return fault.Newf(CodeBadFile, "cannot %s %q", verb, name).Because(err).
		WithHint("check that the file is a regular one inside the workspace and that there is room")
}
