package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// worker walks with descriptors and buffers of its own.
type worker struct {
	walk *walk
	root int
	list []byte
	// names is what the directory at hand holds.
	names []found
	buf   []byte
	hash  hash.Hash
	// fresh says that something was read that the next walk need not read.
	fresh bool
}

// open opens the root for each worker.
func (w *walk) open(count int) ([]*worker, error) {
	workers := make([]*worker, 0, count)
	for range count {
		root, err := unix.Open(w.root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			for _, opened := range workers {
				opened.close()
			}
			return nil, unreadable(w.root, err)
		}
		workers = append(workers, &worker{
			walk: w, root: root, list: make([]byte, 32<<10), buf: make([]byte, 128<<10), hash: sha256.New(),
		})
	}
	var st unix.Stat_t
	if err := unix.Fstat(workers[0].root, &st); err != nil {
		return nil, unreadable(w.root, err)
	}
	w.self = entryOf("", &st)
	return workers, nil
}

func (k *worker) close() {
	unix.Close(k.root)
	if k.fresh {
		k.walk.mu.Lock()
		k.walk.fresh = true
		k.walk.mu.Unlock()
	}
}

func (k *worker) perform(t task) error {
	dir, err := k.openDir(t.path)
	if err != nil {
		return unreadable(k.name(t.path), err)
	}
	defer unix.Close(dir)
	if t.files != nil {
		return k.hashAll(dir, t.node, t.files)
	}
	return k.listDir(dir, t)
}

func (k *worker) name(path string) string { return join(k.walk.root, path) }

// openDir opens a directory below the root without following any link on the way.
func (k *worker) openDir(path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if path == "" {
		// A descriptor of its own, since the position of a listing belongs to it.
		return openAgain(k.root, ".", flags)
	}
	how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, err := unix.Openat2(k.root, path, &how)
		switch err {
		case nil:
			return fd, nil
		case unix.EINTR, unix.EAGAIN:
			continue
		case unix.ENOSYS, unix.EPERM, unix.ENAMETOOLONG: // an old kernel, a filter, a very deep tree
			return k.descend(path, flags)
		default:
			return -1, err
		}
	}
}

// descend opens a directory step by step.
func (k *worker) descend(path string, flags int) (int, error) {
	at, err := openAgain(k.root, ".", flags)
	for step := range strings.SplitSeq(path, "/") {
		if err != nil {
			return -1, err
		}
		var next int
		next, err = openAgain(at, step, flags)
		unix.Close(at)
		at = next
	}
	return at, err
}

func openAgain(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// listDir reads a directory and what the kernel tells of its entries.
func (k *worker) listDir(dir int, t task) error {
	var self unix.Stat_t
	if err := unix.Fstat(dir, &self); err != nil {
		return unreadable(k.name(t.path), err)
	}
	k.walk.meet(dir, uint64(self.Dev)) //nolint:unconvert // a different type on other architectures
	if err := k.readNames(dir); err != nil {
		return unreadable(k.name(t.path), err)
	}
	n := &node{path: t.path, entries: make([]entry, 0, len(k.names))}
	ways := make([]look, 0, len(k.names))
	old := k.walk.lender(t.path)
	var stale []int
	for _, at := range k.names {
		e, way, err := k.inspect(dir, &t, at)
		if err != nil {
			return err
		}
		if way == skip {
			continue
		}
		if way == record && (e.kind == Regular || e.kind == Link) && !old.lend(&e) {
			stale = append(stale, len(n.entries))
		}
		n.entries, ways = append(n.entries, e), append(ways, way)
	}
	rest, own := k.walk.follow(n, ways, stale)
	k.walk.listed(n, rest)
	return k.hashAll(dir, n, own)
}

// inspect asks the kernel of an entry. A file that is read in any case tells of
// itself when it is open, and is not asked for twice.
func (k *worker) inspect(dir int, t *task, at found) (entry, look, error) {
	if at.file && k.walk.base == nil {
		if way := k.walk.way(t, at.name, false); way == record {
			return entry{name: at.name, kind: Regular}, way, nil
		}
	}
	var st unix.Stat_t
	switch err := unix.Fstatat(dir, at.name, &st, unix.AT_SYMLINK_NOFOLLOW); err {
	case nil:
	case unix.ENOENT:
		return entry{}, skip, unstable(k.name(join(t.path, at.name)))
	default:
		return entry{}, skip, unreadable(k.name(join(t.path, at.name)), err)
	}
	e := entryOf(at.name, &st)
	return e, k.walk.way(t, at.name, e.kind == Directory), nil
}

// found is a name in a directory; file says that the directory calls it a regular
// file, which some file systems leave open.
type found struct {
	name string
	file bool
}

// readNames reads the names of a directory, in their order.
func (k *worker) readNames(dir int) error {
	for k.names = k.names[:0]; ; {
		n, err := unix.Getdents(dir, k.list)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		case n == 0:
			slices.SortFunc(k.names, func(a, b found) int { return strings.Compare(a.name, b.name) })
			return nil
		}
		k.names = parseNames(k.names, k.list[:n])
	}
}

// parseNames takes apart what getdents64 gives: number, position, length of the
// record, kind, and the name with NULs behind it.
func parseNames(names []found, records []byte) []found {
	const size, kind, text = 16, 18, 19
	for len(records) > text {
		length := int(binary.NativeEndian.Uint16(records[size:]))
		if length <= text || length > len(records) {
			break
		}
		record := records[:length]
		records = records[length:]
		name, _, _ := bytes.Cut(record[text:], []byte{0})
		if gone := binary.NativeEndian.Uint64(record) == 0; gone || string(name) == "." || string(name) == ".." {
			continue
		}
		names = append(names, found{name: string(name), file: record[kind] == unix.DT_REG})
	}
	return names
}

func (k *worker) hashAll(dir int, n *node, files []int) error {
	for _, i := range files {
		e := &n.entries[i]
		var err error
		if e.kind == Link {
			err = k.readLink(dir, e)
		} else {
			err = k.hashFile(dir, e)
		}
		if errors.Is(err, errMoving) {
			return unstable(k.name(join(n.path, e.name)))
		}
		if err != nil {
			return unreadable(k.name(join(n.path, e.name)), err)
		}
	}
	return nil
}

var errMoving = errors.New("it changes while it is read")

// attempts is how often a file that changes meanwhile is read.
const attempts = 3

// hashFile hashes a regular file. What the kernel tells before and after must be
// the same, and the same as when it was listed, if it was asked then.
func (k *worker) hashFile(dir int, e *entry) error {
	fd, err := openAgain(dir, e.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENXIO) {
		return errMoving // it was something else when it was listed
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for range attempts {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		before := entryOf(e.name, &st)
		if asked := e.ino != 0; before.kind != Regular || asked && (before.ino != e.ino || before.dev != e.dev) {
			return errMoving
		}
		if hollow(&st) {
			return errHollow
		}
		sum, err := k.sum(fd, st.Size, k.walk.trusted(before.dev))
		if err != nil {
			return err
		}
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		after := entryOf(e.name, &st)
		if after.unmoved(&before) {
			*e = after
			e.sum, e.settled = sum, k.walk.settled(&after)
			k.fresh = k.fresh || e.settled
			return nil
		}
	}
	return errMoving
}

// A file of holes costs its writer nothing and whoever reads it hours: one call
// of a driver could keep every later look from its end.
const maxHollow = 64 << 30

var errHollow = errors.New("it is longer than 64 GiB, and most of that is holes")

// hollow says whether a file is long without taking the space.
func hollow(st *unix.Stat_t) bool { return st.Size > maxHollow && st.Blocks < st.Size/512/2 }

// sum hashes a file of a size; one that has grown meanwhile is not read to an end
// that may never come. Where the size is exact, as on file systems of this machine,
// the end need not be looked for.
func (k *worker) sum(fd int, size int64, exact bool) (sum [32]byte, err error) {
	k.hash.Reset()
	for offset := int64(0); !exact || offset < size; {
		n, err := unix.Pread(fd, k.buf, offset)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return sum, err
		}
		if n == 0 || offset > size {
			break
		}
		k.hash.Write(k.buf[:n])
		offset += int64(n)
	}
	k.hash.Sum(sum[:0])
	return sum, nil
}

func (k *worker) readLink(dir int, e *entry) error {
	for size := 256; ; size *= 2 {
		text := make([]byte, size)
		n, err := unix.Readlinkat(dir, e.name, text)
		switch {
		case err == unix.EINVAL || err == unix.ENOENT:
			return errMoving
		case err != nil:
			return err
		case n < size:
			e.link, e.settled = string(text[:n]), k.walk.settled(e)
			k.fresh = k.fresh || e.settled
			return nil
		}
	}
}

// settled says whether a later change of the entry would show in its change time.
func (w *walk) settled(e *entry) bool { return e.ctime < w.now && w.trusted(e.dev) }

// lender is for a directory what the walk before knew of it.
func (w *walk) lender(path string) lender {
	if w.base == nil {
		return lender{}
	}
	if n := w.base.nodes[path]; n != nil {
		return lender{n.entries}
	}
	return lender{}
}

func entryOf(name string, st *unix.Stat_t) entry {
	e := entry{
		name: name, mode: st.Mode & 0o7777, uid: st.Uid, gid: st.Gid,
		dev: uint64(st.Dev), ino: st.Ino, size: st.Size, //nolint:unconvert // a different type on other architectures
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		e.kind = Regular
	case unix.S_IFLNK:
		e.kind = Link
	case unix.S_IFDIR:
		e.kind = Directory
	default:
		e.kind = Special
		e.link = fmt.Sprintf("%o %d", st.Mode&unix.S_IFMT, st.Rdev)
	}
	return e
}
