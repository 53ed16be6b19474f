// Package executable says which file wrap.bin of a pack means, and whether it is
// still that file (§10.2.1).
//
// A name with a slash stays inside the pack. A bare name is looked up once, when
// the pack is activated, on the absolute entries of a search path, and never in a
// folder that an agent works in. What is found is one file without links, with
// its hash and its identity; a call compares the identity and reads the file
// again only when it moved. Nothing else is ever run for the pack, and a file of
// the same base name elsewhere is another file.
package executable

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
)

// File is what wrap.bin of a pack meant when the pack was activated. Path is
// the absolute file without links that runs, under the name Argv0, since some
// programs act by the name they were called. An empty Path means that there
// was nothing to run; Reason says why, and the pack's commands are refused.
type File struct {
	Name         string          `json:"name"`
	Path         string          `json:"path,omitempty"`
	Argv0        string          `json:"argv0,omitempty"`
	SHA256       string          `json:"sha256,omitempty"`
	Inside       bool            `json:"inside,omitempty"`
	Identity     fileid.Identity `json:"identity,omitzero"`
	HashedAt     int64           `json:"hashed_at,omitempty"`
	Interpreters []Interpreter   `json:"interpreters,omitempty"`
	Reason       string          `json:"reason,omitempty"`
}

// Interpreter is one program that the kernel starts in place of a script. Name
// is what the script says, Path the file without links. Interpreters belong to
// the machine and are pinned by path alone.
type Interpreter struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// Runnable reports whether there is a file to run.
func (b *File) Runnable() bool { return b != nil && b.Path != "" }

// The codes of this package's faults.
const (
	CodeBinChanged = "bin_changed"
	CodeUnreadable = "bin_unreadable"
)

// Search says where a bare executable name may be found: the PATH to search
// and the folders from which nothing is taken (the project and workspaces,
// where the work of an agent could plant a program).
type Search struct {
	Path  string
	Avoid []string
}

// Resolve finds what wrap.bin of p means; it is nil for a pack that wraps
// nothing. Content maps the pack's files to their hashes. That nothing can be
// found is no error: it is a fact about this machine that availability reports.
func Resolve(p *pack.Pack, content map[string]string, search Search) (*File, error) {
	if p.Manifest.Wrap == nil || p.Manifest.Wrap.Bin == "" {
		return nil, nil
	}
	name := p.Manifest.Wrap.Bin
	bin := &File{Name: name}
	if strings.ContainsAny(name, `/\`) {
		err := bin.resolveInside(p, content, search)
		return bin, err
	}
	path, why := search.Find(name)
	if path == "" {
		bin.Reason = why
		return bin, nil
	}
	bin.Path, bin.Argv0 = path, name
	if err := bin.hash(); err != nil {
		return nil, unreadable(path, err)
	}
	err := bin.resolveInterpreters(search)
	return bin, err
}

func unreadable(path string, err error) error {
	return fault.Newf(CodeUnreadable, "the executable %q cannot be read", path).Because(err).
		WithHint("check its mode and owner")
}

// resolveInside takes a path inside the pack. Its content is pinned with the
// pack's other files.
func (b *File) resolveInside(p *pack.Pack, content map[string]string, search Search) error {
	path, err := p.ResolveInside(b.Name)
	if err != nil {
		b.Reason = err.Error()
		return nil //nolint:nilerr // that there is nothing to run is a fact, not a failure
	}
	// The path is free of links; the pack's folder need not be.
	root, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return unreadable(p.Dir, err)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return unreadable(path, err)
	}
	info, err := os.Lstat(path)
	sum := content[filepath.ToSlash(rel)]
	switch {
	case err != nil || !info.Mode().IsRegular() || sum == "":
		b.Reason = fmt.Sprintf("the pack has no file %q", b.Name)
	case enforceModes && info.Mode().Perm()&0o100 == 0:
		b.Reason = fmt.Sprintf("the pack's file %q is not executable", b.Name)
	default:
		b.Path, b.Argv0, b.SHA256, b.Inside = path, path, sum, true
		return b.resolveInterpreters(search)
	}
	return nil
}

// Find finds a bare name on the absolute entries of PATH that are not avoided.
// The file that runs is the one behind all links, and it must not lie in an
// avoided folder either.
func (s Search) Find(name string) (path, why string) {
	skipped := ""
	for _, dir := range filepath.SplitList(s.Path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		candidate := executable(filepath.Join(dir, name))
		if candidate == "" {
			continue
		}
		resolved, err := filepath.EvalSymlinks(candidate)
		if err != nil {
			continue
		}
		if s.avoided(dir) || s.avoided(resolved) {
			skipped = candidate
			continue
		}
		return resolved, ""
	}
	if skipped != "" {
		return "", fmt.Sprintf("%q is only at %q, inside a folder that an agent works in", name, skipped)
	}
	return "", fmt.Sprintf("%q is not on PATH", name)
}

// avoided reports whether path lies in an avoided folder, by its real place.
func (s Search) avoided(path string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	for _, dir := range s.Avoid {
		if dir == "" {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		if within(path, dir) {
			return true
		}
	}
	return false
}

// executable returns the path under which a file can be started, or nothing.
// Windows runs only .exe files here: a batch file would have its arguments
// parsed a second time.
func executable(path string) string {
	if runtime.GOOS == "windows" && !strings.EqualFold(filepath.Ext(path), ".exe") {
		path += ".exe"
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || enforceModes && info.Mode().Perm()&0o111 == 0 {
		return ""
	}
	return path
}

// resolveInterpreters follows the first lines of scripts. The kernel allows a
// few levels; so do we.
func (b *File) resolveInterpreters(search Search) error {
	const deepest = 4
	path := b.Path
	for range deepest {
		words, err := shebang(path)
		if err != nil {
			return unreadable(path, err)
		}
		if len(words) == 0 {
			return nil
		}
		next, why := b.interpret(words, search)
		if next == "" {
			b.unresolve(why)
			return nil
		}
		path = next
	}
	b.unresolve(fmt.Sprintf("%q is a script of a script, too many levels deep", b.Path))
	return nil
}

func (b *File) unresolve(why string) {
	*b = File{Name: b.Name, Reason: why}
}

// interpret records what one first line starts and returns the file whose own
// first line comes next. "env NAME" starts NAME off the PATH.
func (b *File) interpret(words []string, search Search) (next, why string) {
	program := words[0]
	if !filepath.IsAbs(program) {
		return "", fmt.Sprintf("the interpreter %q of %q is not an absolute path", program, b.Name)
	}
	resolved, err := filepath.EvalSymlinks(program)
	if err != nil || executable(resolved) == "" {
		return "", fmt.Sprintf("the interpreter %q of %q does not exist", program, b.Name)
	}
	if search.avoided(resolved) {
		return "", fmt.Sprintf("the interpreter %q of %q lies in a folder that an agent works in", program, b.Name)
	}
	b.Interpreters = append(b.Interpreters, Interpreter{Name: program, Path: resolved})
	if filepath.Base(program) != "env" {
		return resolved, ""
	}
	name := envTarget(words[1:])
	if name == "" || strings.ContainsRune(name, '/') {
		return "", fmt.Sprintf("the first line of %q starts no program by name", b.Name)
	}
	target, why := search.Find(name)
	if target == "" {
		return "", "the interpreter " + why
	}
	b.Interpreters = append(b.Interpreters, Interpreter{Name: name, Path: target})
	return target, ""
}

// envTarget is the program that the words after env start: options and
// assignments come before it.
func envTarget(words []string) string {
	for _, word := range words {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

// shebang returns the words of a script's first line, or nothing for any other
// file.
func shebang(path string) ([]string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	// The kernel looks at the first 256 bytes.
	line, err := bufio.NewReaderSize(io.LimitReader(file, 256), 256).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	rest, script := strings.CutPrefix(line, "#!")
	if !script {
		return nil, nil
	}
	return strings.Fields(rest), nil
}

// hash takes the hash of the file and the identity that it had before and
// after, which must be one.
func (b *File) hash() error {
	const attempts = 3
	for range attempts {
		// The system's clock, not the caller's: it is compared with the times
		// that the kernel writes.
		began := clock.System().Now().UnixNano()
		before, err := identify(b.Path)
		if err != nil {
			return err
		}
		sum, err := hashContent(b.Path)
		if err != nil {
			return err
		}
		after, err := identify(b.Path)
		if err != nil {
			return err
		}
		if before == after {
			b.SHA256, b.Identity, b.HashedAt = sum, after, began
			return nil
		}
	}
	return errors.New("it keeps changing")
}

func hashContent(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Check refuses a file that is not the one that was accepted for a pack, and
// returns it with its identity brought up to date; moved says that this
// differs from what was recorded. A file inside the pack is checked with the
// pack's content.
func (b *File) Check(packID string) (now *File, moved bool, err error) {
	if !b.Runnable() {
		return b, false, nil
	}
	for _, interpreter := range b.Interpreters {
		if _, err := os.Stat(interpreter.Path); err != nil {
			return nil, false, missing(packID, interpreter.Path)
		}
	}
	if b.Inside {
		return b, false, nil
	}
	same, now := b.Same()
	if same {
		return now, now != b, nil
	}
	if _, err := os.Lstat(b.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, missing(packID, b.Path)
	}
	return nil, false, changed(packID, b.Path)
}

// Same reports whether the file is still what it was. It reads the file only
// when its identity moved or could not tell; the returned value then carries the
// new identity.
func (b *File) Same() (bool, *File) {
	identity, err := identify(b.Path)
	if err != nil {
		return false, b
	}
	if identity == b.Identity && identity.Settled(b.HashedAt) {
		return true, b
	}
	now := *b
	if err := now.hash(); err != nil || now.SHA256 != b.SHA256 {
		return false, b
	}
	return true, &now
}

func missing(id, path string) error {
	return fault.Newf(CodeBinChanged, "the executable %q of pack %q is gone", path, id).
		WithHint("install the program again; if it moved, a person accepts the new place by activating the pack again").
		WithNext("hcpx activate " + id)
}

func changed(id, path string) error {
	return fault.Newf(CodeBinChanged, "the executable %q of pack %q is not the one that was accepted", path, id).
		WithHint("nothing ran; if you updated it, a person accepts the new one by activating the pack again").
		WithNext("hcpx activate " + id)
}

// within reports whether path is dir or lies below it, by name.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)))
}
