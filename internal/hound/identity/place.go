package identity

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"bridle/internal/kernel/fault"
)

const (
	serviceName  = "service"
	lockName     = "lock"
	identityName = "identity.json"

	dirMode  = 0o700
	fileMode = 0o600
)

// Certified names the file systems that the claim covers. Remote ones are not
// among them, nor are those that stack on others.
func Certified() []string { return []string{"ext4", "xfs", "btrfs"} }

// place is the way to a store, with its open folders.
type place struct {
	system
	path          string // the store's root
	owner         int    // the process that opened it
	certified     []string
	root, service handle
}

// reach opens the folders of a store, one below the other, and makes those that
// are missing when told to.
func reach(s system, path string, certified []string, create bool) (*place, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	p := &place{system: s, path: path, owner: s.process(), certified: certified, root: -1, service: -1}
	at, err := s.top()
	if err != nil {
		return nil, explain("open", "/", err)
	}
	walked := "/"
	for name := range strings.SplitSeq(path[1:], "/") {
		next := handle(-1)
		if err = p.checkAncestor(at, walked); err == nil {
			walked = filepath.Join(walked, name)
			next, err = p.step(at, name, walked, create)
		}
		_ = s.close(at)
		if err != nil {
			return nil, err
		}
		at = next
	}
	p.root = at
	if err = p.checkOwn(p.root, path); err == nil {
		p.service, err = p.step(p.root, serviceName, p.name(""), create)
	}
	if err == nil {
		err = p.checkOwn(p.service, p.name(""))
	}
	if err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

// checkPath refuses what could mean more than one place.
func checkPath(path string) error {
	rest, absolute := strings.CutPrefix(path, "/")
	odd := func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0)
	}
	if !absolute || slices.ContainsFunc(strings.Split(rest, "/"), odd) {
		return fault.Newf(CodeInsecure, "%q is no place for a service identity", path).
			WithHint("give an absolute path without \".\", \"..\" or empty parts, and not \"/\" itself")
	}
	return nil
}

// step opens a folder, after making it where it is missing and create says so.
func (p *place) step(dir handle, name, path string, create bool) (handle, error) {
	h, err := p.openDir(dir, name)
	switch {
	case err == nil:
		return h, nil
	case !isMissing(err):
		return -1, explain("open", path, err)
	case !create:
		return -1, missing(p.path, err)
	}
	// A new folder lies where the one above it lies: nothing is made in vain.
	if err = p.checkFileSystem(dir, path); err != nil {
		return -1, err
	}
	made := p.makeDir(dir, name)
	if made != nil && !errors.Is(made, syscall.EEXIST) {
		return -1, explain("make", path, made)
	}
	if h, err = p.openDir(dir, name); err != nil {
		return -1, explain("open", path, err)
	}
	if made == nil {
		// The mask of the process may have taken bits away, or the parent may
		// have handed one down.
		err = p.chmod(h, dirMode)
	}
	if err == nil {
		err = p.sync(h)
	}
	if err == nil {
		err = p.sync(dir)
	}
	if err != nil {
		_ = p.close(h)
		return -1, explain("make", path, err)
	}
	return h, nil
}

// checkAncestor refuses a folder in which another user could put something else
// in the place of the store.
func (p *place) checkAncestor(h handle, path string) error {
	s, err := p.stat(h)
	if err != nil {
		return explain("look at", path, err)
	}
	const sticky, othersWrite = 0o1000, 0o022
	if s.uid != 0 && s.uid != p.user() {
		return insecure(path, "another user owns it")
	}
	if s.mode&othersWrite != 0 && s.mode&sticky == 0 {
		return insecure(path, "other users may rename what is in it")
	}
	return nil
}

// checkOwn refuses a folder of the store that is not the caller's alone, or not
// on a file system that the claim covers.
func (p *place) checkOwn(h handle, path string) error {
	s, err := p.stat(h)
	switch {
	case err != nil:
		return explain("look at", path, err)
	case s.kind != folder:
		return insecure(path, "it is no folder")
	case s.uid != p.user():
		return insecure(path, "another user owns it")
	case s.mode != dirMode:
		return insecure(path, "its mode is not 0700")
	}
	return p.checkFileSystem(h, path)
}

// checkFileSystem refuses a folder on a file system that the claim does not cover.
func (p *place) checkFileSystem(h handle, path string) error {
	name, err := p.fileSystem(h)
	if err != nil {
		return unavailable("tell the file system of", path, err)
	}
	if !slices.Contains(p.certified, name) {
		return fault.Newf(CodeUncertified, "%q lies on %q, which is not among the file systems that keep an identity whole", path, name).
			WithHint("choose a folder on %s", strings.Join(Certified(), ", "))
	}
	return nil
}

// ours refuses a process that inherited the store's descriptors.
func (p *place) ours() error {
	if p.process() != p.owner {
		return fault.New(CodeClosed, "the service identity was opened by another process").WithHint("open it in this one")
	}
	return nil
}

// name is the full path of a file in the service folder, for messages.
func (p *place) name(file string) string { return filepath.Join(p.path, serviceName, file) }

// leave closes the folders.
func (p *place) leave() {
	for _, h := range []handle{p.service, p.root} {
		if h >= 0 {
			_ = p.close(h)
		}
	}
	p.service, p.root = -1, -1
}
