package git

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// place is the root of a working tree, held open. Folders are reached from it
// without following a link, so that what is read is below it even while others
// move things about.
type place struct {
	fd   int
	root string
}

func openPlace(root string) (*place, error) {
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	return &place{fd: fd, root: root}, nil
}

func (p *place) close() { _ = unix.Close(p.fd) }

// folder is one folder below the root.
type folder struct{ fd int }

// folder opens a folder by its path from the root; "" is the root.
func (p *place) folder(path string) (*folder, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if path == "" {
		path = "."
	}
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(p.fd, path, &how)
	for errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		fd, err = unix.Openat2(p.fd, path, &how)
	}
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENAMETOOLONG) {
		fd, err = p.stepwise(path, flags)
	}
	if err != nil {
		return nil, err
	}
	return &folder{fd}, nil
}

// stepwise is the way on kernels and in sandboxes without openat2.
func (p *place) stepwise(path string, flags int) (int, error) {
	at := p.fd
	for part := range strings.SplitSeq(path, "/") {
		next, err := unix.Openat(at, part, flags, 0)
		if at != p.fd {
			_ = unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

func (f *folder) close() { _ = unix.Close(f.fd) }

// list returns the names in the folder, without "." and "..".
func (f *folder) list(buffer []byte) ([]name, error) {
	var names []name
	for {
		n, err := unix.ReadDirent(f.fd, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return names, err
		}
		if names == nil {
			names = make([]name, 0, n/28)
		}
		// One string holds all names of a portion.
		for rest, text := buffer[:n], string(buffer[:n]); len(rest) >= 19; {
			size := int(binary.NativeEndian.Uint16(rest[16:]))
			if size < 19 || size > len(rest) {
				return names, unix.EIO
			}
			s := text[19:size]
			if end := strings.IndexByte(s, 0); end >= 0 {
				s = s[:end]
			}
			if s != "." && s != ".." {
				names = append(names, name{s, typeOf(rest[18])})
			}
			rest, text = rest[size:], text[size:]
		}
	}
}

func typeOf(t byte) fileType {
	switch t {
	case unix.DT_DIR:
		return typeFolder
	case unix.DT_UNKNOWN:
		return typeUnknown
	}
	return typeOther
}

// info looks at a name in the folder without following a link.
func (f *folder) info(name string) (fileInfo, error) {
	var s unix.Stat_t
	err := unix.Fstatat(f.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fstatat(f.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW)
	}
	return infoOf(&s), err
}

func infoOf(s *unix.Stat_t) fileInfo {
	return fileInfo{
		mode: s.Mode, size: s.Size, device: s.Dev,
		//nolint:gosec // an index keeps the low 32 bits
		stat: stat{
			ctimeS: uint32(s.Ctim.Sec), ctimeN: uint32(s.Ctim.Nsec), mtimeS: uint32(s.Mtim.Sec), mtimeN: uint32(s.Mtim.Nsec),
			dev: uint32(s.Dev), ino: uint32(s.Ino), uid: s.Uid, gid: s.Gid, size: uint32(s.Size),
		},
	}
}

// open opens a regular file in the folder.
func (f *folder) open(name string) (*os.File, fileInfo, error) {
	fd, err := unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	for errors.Is(err, unix.EINTR) {
		fd, err = unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, fileInfo{}, err
	}
	file := os.NewFile(uintptr(fd), name)
	info, err := infoOfFile(file)
	if err != nil {
		_ = file.Close()
	}
	return file, info, err
}

// infoOfFile looks at an open file.
func infoOfFile(file *os.File) (fileInfo, error) {
	var s unix.Stat_t
	err := unix.Fstat(int(file.Fd()), &s)
	return infoOf(&s), err
}

// link reads a symbolic link in the folder.
func (f *folder) link(name string) (string, error) {
	for size := 256; ; size *= 4 {
		buffer := make([]byte, size)
		n, err := unix.Readlinkat(f.fd, name, buffer)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return "", err
		}
		if n < size {
			return string(buffer[:n]), nil
		}
	}
}
