package identity

import (
	"bytes"
	"errors"
	"syscall"

	"bridle/internal/hound/document"
)

// held is a file that is open, and what it must be: its inode, mode and bytes.
type held struct {
	h     handle
	is    fingerprint
	bytes []byte
}

// letGo closes a held file.
func (p *place) letGo(d held) {
	if d.h >= 0 {
		_ = p.close(d.h)
	}
}

// draft makes a file without a name: filled, synced, and read back. The mask of
// the process does not touch its mode.
func (p *place) draft(fill func(status) ([]byte, error)) (held, error) {
	h, err := p.openUnnamed(p.service)
	if err != nil {
		return held{h: -1}, explain("make a file in", p.name(""), err)
	}
	d, err := p.fill(h, fill)
	if err != nil {
		_ = p.close(h)
		return held{h: -1}, explain("write a file in", p.name(""), err)
	}
	return d, nil
}

func (p *place) fill(h handle, fill func(status) ([]byte, error)) (held, error) {
	if err := p.chmod(h, fileMode); err != nil {
		return held{}, err
	}
	s, err := p.stat(h)
	if err != nil {
		return held{}, err
	}
	data, err := fill(s)
	if err != nil {
		return held{}, err
	}
	if err := p.write(h, data); err != nil {
		return held{}, err
	}
	if err := p.sync(h); err != nil {
		return held{}, err
	}
	if s.uid != p.user() || s.mode != fileMode {
		return held{}, insecure(p.name(""), "a new file in it does not belong to its user alone")
	}
	d := held{h: h, is: fingerprintOf(s, data), bytes: data}
	return d, p.validate(d, 0)
}

// hold opens a name for good. The bounds of what it may be are its caller's.
func (p *place) hold(name string) (held, status, error) {
	h, err := p.openFile(p.service, name)
	if err != nil {
		return held{h: -1}, status{}, err
	}
	s, err := p.stat(h)
	var data []byte
	if err == nil && s.kind == file {
		data, err = p.read(h, maxBytes)
	}
	if err != nil {
		_ = p.close(h)
		return held{h: -1}, status{}, err
	}
	return held{h: h, is: fingerprintOf(s, data), bytes: data}, s, nil
}

// validate compares an open file with what it must be.
func (p *place) validate(d held, links uint64) error {
	s, err := p.stat(d.h)
	if err != nil {
		return err
	}
	data, err := p.read(d.h, len(d.bytes))
	if err != nil {
		return err
	}
	if s.kind != file || s.links != links || fingerprintOf(s, data) != d.is || !bytes.Equal(data, d.bytes) {
		return tampered(p.path, "a file that was being published is not what was written")
	}
	return nil
}

// publish gives a held file a name that is free, syncs the folder, and makes
// sure that the name leads to exactly this file, with that number of links.
func (p *place) publish(d held, name string, links uint64) error {
	if err := p.linkHeld(d, name); err != nil {
		if errors.Is(err, syscall.EEXIST) {
			return tampered(p.path, "%q was there already", name)
		}
		return explain("name", p.name(name), err)
	}
	if err := p.sync(p.service); err != nil {
		return explain("make durable", p.name(name), err)
	}
	return p.confirm(name, d, links)
}

// linkHeld names the file itself, whatever else may have become of its names.
// Kernels that let only privileged processes do so answer ENOENT or EPERM; then,
// and only then, the way leads through the descriptor's entry in procfs, which
// must lead to this very file.
func (p *place) linkHeld(d held, name string) error {
	err := p.link(d.h, p.service, name)
	if !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	if err := p.ours(); err != nil {
		return err
	}
	proc, err := p.openProc()
	if err != nil {
		return unavailable("name", p.name(name), err)
	}
	defer func() { _ = p.close(proc) }()
	s, err := p.statProc(proc, d.h)
	if err != nil {
		return unavailable("name", p.name(name), err)
	}
	if s.kind != file || inodeOf(s) != d.is.inode() {
		return tampered(p.path, "the descriptor's entry in procfs leads to another file")
	}
	err = p.linkProc(proc, d.h, p.service, name)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EPERM) {
		return unavailable("name", p.name(name), err)
	}
	return err
}

// confirm makes sure that a name leads to exactly this file.
func (p *place) confirm(name string, d held, links uint64) error {
	h, err := p.openFile(p.service, name)
	if err != nil {
		return explain("open", p.name(name), err)
	}
	defer func() { _ = p.close(h) }()
	if err := p.validate(held{h: h, is: d.is, bytes: d.bytes}, links); err != nil {
		return explain("look at", p.name(name), err)
	}
	s, err := p.statAt(p.service, name)
	if err != nil {
		return explain("look at", p.name(name), err)
	}
	if s.kind != file || inodeOf(s) != d.is.inode() {
		return tampered(p.path, "%q was replaced", name)
	}
	return nil
}

// inode says which file it is.
type inode struct {
	Dev  uint64 `json:"st_dev"`
	Ino  uint64 `json:"st_ino"`
	UID  uint32 `json:"uid"`
	GID  uint32 `json:"gid"`
	Mode uint32 `json:"mode"`
}

// fingerprint says which file it is and what it holds.
type fingerprint struct {
	Dev    uint64 `json:"st_dev"`
	Ino    uint64 `json:"st_ino"`
	UID    uint32 `json:"uid"`
	GID    uint32 `json:"gid"`
	Mode   uint32 `json:"mode"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (f fingerprint) inode() inode {
	return inode{Dev: f.Dev, Ino: f.Ino, UID: f.UID, GID: f.GID, Mode: f.Mode}
}

func inodeOf(s status) inode {
	return inode{Dev: s.dev, Ino: s.ino, UID: s.uid, GID: s.gid, Mode: s.mode}
}

func fingerprintOf(s status, data []byte) fingerprint {
	return fingerprint{
		Dev: s.dev, Ino: s.ino, UID: s.uid, GID: s.gid, Mode: s.mode,
		Size: int64(len(data)), SHA256: document.Sum(data),
	}
}
