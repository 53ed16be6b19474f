package git

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Few objects are written one by one, each flushed; more of them together as
// one pack, which costs two flushes whatever their number.
const maxLoose = 12

// packBytes is how much one pack of ours holds, before deflating.
const packBytes = 256 << 20

// present says whether an object is in the repository, as far as the packs that
// are open tell. A wrong "no" costs a second copy, nothing else. What is there is
// made young again, as git does: housekeeping removes what is old and not named
// by anything yet.
func (s *store) present(id OID) bool {
	if p, _, ok := s.locate(id, false); ok {
		p.freshOnce.Do(func() { s.freshen(p.path) })
		return true
	}
	if path := s.loose(id); path != "" {
		s.freshen(path)
		return true
	}
	return false
}

// fresh is the age up to which a file of objects is left alone.
const fresh = time.Hour

func (s *store) freshen(path string) {
	if s.clock == nil {
		return
	}
	now := s.clock.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > fresh {
		_ = os.Chtimes(path, now, now) // a borrowed or read-only one keeps its age
	}
}

// write puts objects into the repository so that they outlive a crash.
func (s *store) write(ctx context.Context, objects []pending) error {
	if len(objects) <= maxLoose {
		return eachOf(ctx, len(objects), func(i int) error { return s.writeLoose(objects[i]) })
	}
	for start := 0; start < len(objects); {
		end, size := start, 0
		for end < len(objects) && (end == start || size+len(objects[end].data) <= packBytes) {
			size += len(objects[end].data)
			end++
		}
		if err := s.writePack(ctx, objects[start:end]); err != nil {
			return err
		}
		start = end
	}
	return nil
}

// eachOf calls fn for 0 … n-1 on all processors and returns the first error.
func eachOf(ctx context.Context, n int, fn func(i int) error) error {
	var (
		wait  sync.WaitGroup
		mu    sync.Mutex
		next  int
		first error
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = ctx.Err()
		}
		if first != nil || next >= n {
			return -1
		}
		next++
		return next - 1
	}
	for range min(n, workers()) {
		wait.Go(func() {
			for i := take(); i >= 0; i = take() {
				if err := fn(i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return first
}

// deflaters are reused: one is larger than most objects.
var deflaters sync.Pool

// deflate appends the compressed bytes.
func deflate(out []byte, parts ...[]byte) ([]byte, error) {
	buffer := bytes.NewBuffer(out)
	w, ok := deflaters.Get().(*zlib.Writer)
	if ok {
		w.Reset(buffer)
	} else {
		var err error
		if w, err = zlib.NewWriterLevel(buffer, zlib.BestSpeed); err != nil {
			return nil, err
		}
	}
	defer deflaters.Put(w)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

func (s *store) writeLoose(p pending) error {
	data, err := deflate(nil, header(p.kind, int64(len(p.data))), p.data)
	if err != nil {
		return err
	}
	path := loosePath(s.dirs[0], p.id)
	if err := durable.MkdirOpen(filepath.Dir(path)); err != nil {
		return err
	}
	return s.publish(filepath.Join(filepath.Dir(path), "tmp_obj_"+rand.Text()), path, data)
}

// publish writes a file under a temporary name, one that git's own housekeeping
// removes when we are killed, flushes it and gives it its name. A file that is
// there already holds the same object.
func (s *store) publish(temp, path string, data []byte) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444) //nolint:gosec // git's own mode for what never changes
	if err != nil {
		return durable.Explain("write the object", path, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = s.replaceEmpty(path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return durable.Explain("write the object", path, err)
	}
	if err := durable.MoveFile(temp, path); err != nil {
		_ = os.Remove(temp)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// replaceEmpty removes an empty file that a crash left in the object's place.
func (s *store) replaceEmpty(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Size() > 0 {
		return nil //nolint:nilerr // usually there is nothing
	}
	return os.Remove(path)
}

// packedObject is an object on its way into a pack.
type packedObject struct {
	id     []byte
	bytes  []byte
	sum    uint32
	offset int
}

// writePack writes objects as one pack with its index.
func (s *store) writePack(ctx context.Context, objects []pending) error {
	entries := make([]packedObject, len(objects))
	err := eachOf(ctx, len(objects), func(i int) error {
		p := objects[i]
		data, err := deflate(packHeader(entryOf(p.kind), len(p.data)), p.data)
		entries[i] = packedObject{id: p.id.raw(), bytes: data, sum: crc32.ChecksumIEEE(data)}
		return err
	})
	if err != nil {
		return err
	}
	data := s.assemble(entries)
	trailer := data[len(data)-s.format.Size():]
	index, err := s.indexOf(entries, trailer)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dirs[0], "pack")
	if err := durable.MkdirOpen(dir); err != nil {
		return err
	}
	name := filepath.Join(dir, "pack-"+string(oidOf(trailer)))
	temp := filepath.Join(dir, "tmp_pack_"+rand.Text())
	if err := s.publish(temp, name+".pack", data); err != nil {
		return err
	}
	if err := s.publish(temp+"_idx", name+".idx", index); err != nil {
		return err
	}
	s.load()
	return nil
}

func packHeader(kind byte, size int) []byte {
	out := make([]byte, 0, 10+size/2)
	c := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		out = append(out, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(out, c)
}

// assemble lays the entries out one after the other.
func (s *store) assemble(entries []packedObject) []byte {
	size := 12 + s.format.Size()
	for i := range entries {
		size += len(entries[i].bytes)
	}
	out := make([]byte, 0, size)
	out = append(out, "PACK\x00\x00\x00\x02"...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries))) //nolint:gosec // bounded by memory
	for i := range entries {
		entries[i].offset = len(out)
		out = append(out, entries[i].bytes...)
	}
	h := s.format.hash()
	h.Write(out)
	return h.Sum(out)
}

// indexOf makes the index, version 2. It sorts the entries.
func (s *store) indexOf(entries []packedObject, trailer []byte) ([]byte, error) {
	slices.SortFunc(entries, func(a, b packedObject) int { return bytes.Compare(a.id, b.id) })
	out := make([]byte, 0, indexHeader+fanoutSize+len(entries)*(s.format.Size()+8)+2*s.format.Size())
	out = append(out, indexMagic+"\x00\x00\x00\x02"...)
	at := 0
	for first := range 256 {
		for at < len(entries) && int(entries[at].id[0]) <= first {
			at++
		}
		out = binary.BigEndian.AppendUint32(out, uint32(at)) //nolint:gosec // bounded by memory
	}
	for i := range entries {
		out = append(out, entries[i].id...)
	}
	for i := range entries {
		out = binary.BigEndian.AppendUint32(out, entries[i].sum)
	}
	for i := range entries {
		if entries[i].offset > 0x7fffffff {
			return nil, fault.New(CodeUnsupported, "the objects do not fit into one pack")
		}
		out = binary.BigEndian.AppendUint32(out, uint32(entries[i].offset)) //nolint:gosec // checked above
	}
	out = append(out, trailer...)
	h := s.format.hash()
	h.Write(out)
	return h.Sum(out), nil
}

// writeStream stores one large file as an object of its own. If the content is
// not the one that was announced, nothing is stored.
func (s *store) writeStream(ctx context.Context, id OID, from io.Reader, size int64) error {
	path := loosePath(s.dirs[0], id)
	if err := durable.MkdirOpen(filepath.Dir(path)); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(path), "tmp_obj_"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444) //nolint:gosec // git's own mode for what never changes
	if err != nil {
		return durable.Explain("write the object", path, err)
	}
	h := s.format.hash()
	z, err := zlib.NewWriterLevel(f, zlib.BestSpeed)
	if err == nil {
		start := header(KindBlob, size)
		h.Write(start)
		_, err = z.Write(start)
	}
	if err == nil {
		_, err = io.Copy(io.MultiWriter(h, z), &untilDone{ctx, from})
	}
	if err == nil {
		err = errors.Join(z.Close(), f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil && s.format.sum(h) != id {
		err = errChanging
	}
	if err == nil {
		err = durable.MoveFile(temp, path)
	}
	if err == nil {
		return nil
	}
	_ = os.Remove(temp)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if errors.Is(err, errChanging) || isReadError(err) || ctx.Err() != nil {
		return err
	}
	return durable.Explain("write the object", path, err)
}

// untilDone ends a long copy with the context.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // lives for one copy
	from io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.from.Read(p)
}
