package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// Memory is what is kept of a snapshot between calls: what the kernel told of
// every path, with the hash of its content where the change time was settled, and
// which object store was found intact. It lies outside the repository in a file
// that is the user's own, bound to the place, to this boot of the machine and to
// itself by a hash. A file that is not exactly so is taken for none: everything
// is then hashed anew.

// memoryMagic names the format; another one is forgotten.
const memoryMagic = "bridle snapshot memory 1\n"

// memoryPath is the file for a repository. The name tells which; what is inside
// is compared too.
func memoryPath(dir string, r *repository) string {
	sum := sha256.Sum256([]byte(place(r)))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".snapshot")
}

func place(r *repository) string {
	return r.root + "\x00" + r.gitDir + "\x00" + r.common + "\x00" + bootID()
}

// bootID tells one boot of the machine from another. A clock that was set back
// while the machine was off could otherwise give a change time twice.
var bootID = sync.OnceValue(func() string {
	id, err := git.ReadPlain("/proc/sys/kernel/random/boot_id", 64)
	if err != nil {
		return ""
	}
	return string(id)
})

// remember returns what is remembered of a repository, nil if nothing.
func remember(dir string, r *repository) *Snapshot {
	if dir == "" || bootID() == "" {
		return nil
	}
	path := memoryPath(dir, r)
	if !ownersAlone(path) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s, err := decodeMemory(data, place(r))
	if err != nil {
		return nil
	}
	s.repository = r
	return s
}

// keep stores what a snapshot found for the next call.
func (s *Snapshot) keep(dir string) error {
	if bootID() == "" {
		return nil
	}
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(memoryPath(dir, s.repository), encodeMemory(s, place(s.repository)), 0o600)
}

func encodeMemory(s *Snapshot, place string) []byte {
	e := encoder{buf: make([]byte, 0, 1<<16)}
	e.buf = append(e.buf, memoryMagic...)
	e.text(place)
	intact := ""
	if s.integrity == nil && s.rests {
		intact = s.signature
	}
	e.text(intact)
	for _, t := range []*tree{s.files, s.git.trees[0], s.git.trees[1]} {
		e.tree(t)
	}
	sum := sha256.Sum256(e.buf)
	return append(e.buf, sum[:]...)
}

type encoder struct{ buf []byte }

func (e *encoder) number(n uint64) { e.buf = binary.AppendUvarint(e.buf, n) }
func (e *encoder) text(s string)   { e.buf = appendText(e.buf, s) }

func (e *encoder) tree(t *tree) {
	if t == nil {
		e.number(0)
		return
	}
	e.number(uint64(len(t.nodes)) + 1)
	paths := make([]string, 0, len(t.nodes))
	total := 0
	for path, n := range t.nodes {
		paths = append(paths, path)
		total += len(n.entries)
	}
	slices.Sort(paths)
	e.number(uint64(total))
	for _, path := range paths {
		n := t.nodes[path]
		e.text(path)
		e.number(uint64(len(n.entries)))
		for i := range n.entries {
			e.entry(&n.entries[i])
		}
	}
}

// entry writes a settled file or link. Of others nothing is worth keeping but
// their names, which are not needed either.
func (e *encoder) entry(at *entry) {
	e.text(at.name)
	if !at.settled {
		e.buf = append(e.buf, 0)
		return
	}
	e.buf = append(e.buf, byte(at.kind))
	e.number(uint64(at.mode))
	e.number(uint64(at.uid))
	e.number(uint64(at.gid))
	e.number(at.dev)
	e.number(at.ino)
	e.number(uint64(at.size))
	e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(at.mtime))
	e.buf = binary.LittleEndian.AppendUint64(e.buf, uint64(at.ctime))
	if at.kind == Link {
		e.text(at.link)
		return
	}
	e.buf = append(e.buf, at.sum[:]...)
}

var errMemory = errors.New("what is remembered makes no sense")

func decodeMemory(data []byte, place string) (s *Snapshot, err error) {
	if len(data) < len(memoryMagic)+sha256.Size || string(data[:len(memoryMagic)]) != memoryMagic {
		return nil, errMemory
	}
	body := data[:len(data)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil, errMemory
	}
	d := decoder{rest: string(body[len(memoryMagic):])}
	if d.text() != place {
		return nil, errMemory
	}
	s = &Snapshot{git: &gitState{}, signature: d.text()}
	s.rests = s.signature != ""
	s.files = d.tree()
	s.git.trees = [2]*tree{d.tree(), d.tree()}
	if d.bad || d.rest != "" {
		return nil, errMemory
	}
	return s, nil
}

// decoder reads from one string, of which all names are parts.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) number() uint64 {
	var n uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		b := d.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return n
		}
	}
	d.bad, d.rest = true, ""
	return 0
}

func (d *decoder) take(size uint64) string {
	if size > uint64(len(d.rest)) {
		d.bad, d.rest = true, ""
		return ""
	}
	part := d.rest[:size]
	d.rest = d.rest[size:]
	return part
}

func (d *decoder) text() string { return d.take(d.number()) }

func (d *decoder) fixed() int64 {
	part := d.take(8)
	if part == "" {
		return 0
	}
	return int64(binary.LittleEndian.Uint64([]byte(part)))
}

func (d *decoder) tree() *tree {
	count := d.number()
	if count == 0 || d.bad {
		return nil
	}
	count--
	total := d.number()
	if count > uint64(len(d.rest)) || total > uint64(len(d.rest)) {
		d.bad = true // each takes more than a byte
		return nil
	}
	t := &tree{nodes: make(map[string]*node, count)}
	entries, nodes := make([]entry, total), make([]node, count)
	for i := range nodes {
		n := &nodes[i]
		n.path = d.text()
		size := d.number()
		if d.bad || size > uint64(len(entries)) {
			d.bad = true
			return nil
		}
		n.entries, entries = entries[:size:size], entries[size:]
		for j := range n.entries {
			d.entry(&n.entries[j])
		}
		t.nodes[n.path] = n
	}
	return t
}

func (d *decoder) entry(e *entry) {
	e.name = d.text()
	kind := d.take(1)
	if kind == "" || kind[0] == 0 {
		return
	}
	e.kind, e.settled = Kind(kind[0]), true
	e.mode, e.uid, e.gid = uint32(d.number()), uint32(d.number()), uint32(d.number())
	e.dev, e.ino, e.size = d.number(), d.number(), int64(d.number())
	e.mtime, e.ctime = d.fixed(), d.fixed()
	if e.kind == Link {
		e.link = d.text()
		return
	}
	if copy(e.sum[:], d.take(uint64(len(e.sum)))) != len(e.sum) {
		d.bad = true
	}
}
