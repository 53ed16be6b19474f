package git

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// parts splits a path into its folder and its name.
func parts(p string) (dir, name string) {
	dir, name = path.Split(p)
	return strings.TrimSuffix(dir, "/"), name
}

// removeFile removes what is at a path, and the folders above that are empty
// then. What is not there is removed already.
func (p *place) removeFile(at string) error {
	dir, name := parts(at)
	f, err := p.folder(dir)
	if err != nil {
		if noFile(err) || errors.Is(err, unix.ELOOP) {
			return nil
		}
		return err
	}
	err = f.remove(name)
	f.close()
	for err == nil && dir != "" {
		above, own := parts(dir)
		if f, err = p.folder(above); err != nil {
			return err
		}
		empty := unix.Unlinkat(f.fd, own, unix.AT_REMOVEDIR) == nil
		f.close()
		if !empty {
			break
		}
		dir = above
	}
	return err
}

// remove removes a name in the folder, be it a folder with all that is in it.
func (f *folder) remove(name string) error {
	err := unix.Unlinkat(f.fd, name, 0)
	switch {
	case err == nil || errors.Is(err, unix.ENOENT):
		return nil
	case !errors.Is(err, unix.EISDIR) && !errors.Is(err, unix.EPERM):
		return err
	}
	fd, err := unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	sub := &folder{fd}
	defer sub.close()
	names, err := sub.list(make([]byte, 8192))
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := sub.remove(n.text); err != nil {
			return err
		}
	}
	return unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
}

// makeFolder makes a folder and those above it. A file or link in its way is
// removed.
func (p *place) makeFolder(at string) error {
	if f, err := p.folder(at); err == nil {
		f.close()
		return nil
	}
	done := ""
	for name := range strings.SplitSeq(at, "/") {
		f, err := p.folder(done)
		if err != nil {
			return err
		}
		err = f.makeSub(name)
		f.close()
		if err != nil {
			return err
		}
		done = path.Join(done, name)
	}
	return nil
}

// makeSub makes a folder in the folder.
func (f *folder) makeSub(name string) error {
	err := unix.Mkdirat(f.fd, name, 0o777)
	if !errors.Is(err, unix.EEXIST) {
		return err
	}
	info, err := f.info(name)
	if err != nil || info.isFolder() {
		return err
	}
	if err := unix.Unlinkat(f.fd, name, 0); err != nil {
		return err
	}
	return unix.Mkdirat(f.fd, name, 0o777)
}

// makeLink makes a symbolic link. What was in its place is removed.
func (f *folder) makeLink(text, name string) error {
	err := unix.Symlinkat(text, f.fd, name)
	if errors.Is(err, unix.EEXIST) {
		if err := f.remove(name); err != nil {
			return err
		}
		err = unix.Symlinkat(text, f.fd, name)
	}
	return err
}

// makeFile makes a file. What was in its place is removed, never written to: it
// may be shared by links.
func (f *folder) makeFile(name string, data []byte, executable bool) (fileInfo, error) {
	mode := uint32(0o666)
	if executable {
		mode = 0o777
	}
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(f.fd, name, flags, mode)
	if errors.Is(err, unix.EEXIST) {
		if err := f.remove(name); err != nil {
			return fileInfo{}, err
		}
		fd, err = unix.Openat(f.fd, name, flags, mode)
	}
	if err != nil {
		return fileInfo{}, err
	}
	for rest := data; len(rest) > 0 && err == nil; {
		var n int
		if n, err = unix.Write(fd, rest); errors.Is(err, unix.EINTR) {
			err = nil
		}
		rest = rest[max(n, 0):]
	}
	var s unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &s)
	}
	return infoOf(&s), errors.Join(err, unix.Close(fd))
}

func reasonOf(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return filepath.ToSlash(err.Error())
}
