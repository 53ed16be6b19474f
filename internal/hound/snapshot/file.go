package snapshot

import (
	"encoding/hex"
	"fmt"
)

// Kind is what a path is.
type Kind uint8

// The kinds of what a snapshot holds.
const (
	Missing Kind = iota
	Regular
	Link
	Directory
	Special // a device, a pipe, a socket
	Value   // a part of git's state that is no file of its own, such as a ref
)

var kindNames = [...]string{"missing", "file", "link", "directory", "special", "value"}

func (k Kind) String() string { return kindNames[k] }

// File is what a snapshot knows of one path.
type File struct {
	Kind Kind
	// Mode is the permission bits with set-id and sticky bits, as in chmod.
	Mode     uint32
	UID, GID uint32
	Size     int64
	// SHA256 is the lower-case hex hash of the content of a regular file or value.
	SHA256 string
	// Link is the text of a link, the value of a ref, the number of a device.
	Link string
}

// ModeText is the mode as four octal digits.
func (f File) ModeText() string { return fmt.Sprintf("%04o", f.Mode) }

// entry is a path of a directory as it was found.
type entry struct {
	name string
	kind Kind
	// settled says that the change time lay clearly before the reading, so that a
	// later change cannot have the same one.
	settled      bool
	mode         uint32
	uid, gid     uint32
	dev, ino     uint64
	size         int64
	mtime, ctime int64
	sum          [32]byte
	link         string
}

func (e *entry) file() File {
	f := File{Kind: e.kind, Mode: e.mode, UID: e.uid, GID: e.gid, Link: e.link}
	if e.kind == Regular {
		f.Size, f.SHA256 = e.size, hex.EncodeToString(e.sum[:])
	}
	return f
}

// same says whether two entries are the same to someone who reads them.
func (e *entry) same(o *entry) bool {
	if e.kind != o.kind || e.mode != o.mode || e.uid != o.uid || e.gid != o.gid || e.link != o.link {
		return false
	}
	return e.kind != Regular || e.size == o.size && e.sum == o.sum
}

// unmoved says whether the kernel tells the same of both: then the content is the
// same too, if the older one was settled.
func (e *entry) unmoved(o *entry) bool {
	return e.ino == o.ino && e.dev == o.dev && e.ctime == o.ctime && e.mtime == o.mtime && e.size == o.size &&
		e.kind == o.kind && e.mode == o.mode && e.uid == o.uid && e.gid == o.gid
}

// node is a directory with its entries in the order of their names.
type node struct {
	path    string // relative, with slashes; "" for the root
	entries []entry
}

// tree is all directories below a root.
type tree struct {
	// lent says that nothing had to be read: all of it is known from the walk before.
	lent  bool
	self  entry // the root itself
	nodes map[string]*node
	now   int64           // when the walk began, less a margin
	local map[uint64]bool // the devices whose change times can be trusted
}

// rests says whether a later change of the entry would show in its change time.
func (t *tree) rests(e *entry) bool { return e.ctime < t.now && t.local[e.dev] }

func (n *node) find(name string) *entry {
	if i := n.index(name); i >= 0 {
		return &n.entries[i]
	}
	return nil
}

// index finds a name among the entries; -1 when it is not there.
func (n *node) index(name string) int {
	low, high := 0, len(n.entries)
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch at := n.entries[mid].name; {
		case at == name:
			return mid
		case at < name:
			low = mid + 1
		default:
			high = mid
		}
	}
	return -1
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
