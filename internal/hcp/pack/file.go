package pack

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// Sizes of the three files. A Skill is one screen; a manifest names a dozen
// commands.
const (
	MaxJSON  = 1 << 20
	MaxSkill = 256 << 10
)

// readFile reads one of the three files. It looks before it opens, so that a
// pipe or a device is never touched, opens without waiting in case one was put
// there in between, and reads no more than the limit allows.
func (d *Draft) readFile(root *os.Root, name string, limit int64) ([]byte, bool) {
	if !d.find(root, name, limit) {
		return nil, false
	}
	f, err := root.OpenFile(name, openPlain, 0)
	if err != nil {
		d.unreadable(name, err)
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		d.unreadable(name, err)
		return nil, false
	}
	if !d.fits(name, info, limit) {
		return nil, false
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		// Also when the file was cut meanwhile: half a file is none.
		d.unreadable(name, err)
		return nil, false
	}
	return data, true
}

// find reports whether the file is there and is one that may be opened.
func (d *Draft) find(root *os.Root, name string, limit int64) bool {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !spelled(root, name):
		d.missing(root, name)
		return false
	case err != nil:
		d.unreadable(name, err)
		return false
	case info.Mode()&fs.ModeSymlink != 0:
		d.refuse(name, CodeUnsafePack, "%s is a link: the three files of a pack are plain files", name)
		return false
	}
	return d.fits(name, info, limit)
}

func (d *Draft) fits(name string, info fs.FileInfo, limit int64) bool {
	switch {
	case !info.Mode().IsRegular():
		d.refuse(name, CodeUnsafePack, "%s is not a plain file", name)
		return false
	case info.Size() > limit:
		d.refuse(name, CodeBadPack, "%s has %d bytes, more than the %d that it may have", name, info.Size(), limit)
		return false
	}
	return true
}

// spelled reports whether the directory holds the name as it is written. The
// names of the three files are case-sensitive (§2.1) also where the file system
// is not.
func spelled(root *os.Root, name string) bool {
	if runtime.GOOS == "linux" {
		return true
	}
	return slices.Contains(names(root), name)
}

func names(root *os.Root) []string {
	f, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer f.Close()
	found, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return found
}

func (d *Draft) missing(root *os.Root, name string) {
	kind, code := hcp.LintMissingHarness, CodeBadPack
	switch name {
	case SurfaceFile:
		kind, code = hcp.LintMissingSurface, CodeNoPack
	case PolicyFile:
		kind = hcp.LintMissingPolicy
	}
	d.add(kind, name, name, code, "%s", d.lacks(name))
	for _, other := range names(root) {
		if other != name && strings.EqualFold(other, name) {
			d.note("%s is there as %s, but the name is case-sensitive", name, quote(other))
		}
	}
}

func (d *Draft) lacks(name string) string {
	message := "HCP pack " + quote(d.Label()) + " missing " + name
	if name == SkillFile {
		message += " skill"
	}
	return message
}

func (d *Draft) unreadable(name string, err error) {
	reason := "cannot be read"
	switch {
	case exhausted(err):
		d.refuse(name, CodeManyFiles, "%s cannot be read: too many open files", name)
		return
	case errors.Is(err, fs.ErrPermission):
		reason = "may not be read"
	}
	d.refuse(name, CodeBadPack, "%s %s", name, reason)
}

// exhausted reports whether an error says that there is no descriptor left.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func manyFiles(what string, err error) error {
	return fault.Newf(CodeManyFiles, "%s cannot be read: too many open files", what).Because(err).
		WithHint("close programs or raise the limit with ulimit -n, then run the command again; nothing is known to be wrong with the pack")
}

func (d *Draft) refuse(name, code, format string, args ...any) {
	kind := hcp.LintSkill
	switch name {
	case SurfaceFile:
		kind = hcp.LintInvalidMeta
	case PolicyFile:
		kind = hcp.LintInvalidPolicy
	}
	d.add(kind, name, name, code, format, args...)
}
