package git

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// StagedBefore calls each with the paths of the working tree's own index that sort
// before end, until it says no. It reads no further than that, so that a question
// about the first names of a large index costs little; the sum at the index's end
// is therefore not looked at. An index that cannot be understood has no paths:
// whoever needs it says what is wrong with it.
func (w *Worktree) StagedBefore(ctx context.Context, end string, each func(path string) bool) error {
	split, err := w.hasSharedIndex()
	if err != nil {
		return err
	}
	if split {
		return w.listedBefore(ctx, end, each)
	}
	f, err := os.OpenFile(filepath.Join(w.gitDir, "index"), os.O_RDONLY|nonBlocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(filepath.Join(w.gitDir, "index"), err)
	}
	defer func() { _ = f.Close() }()
	paths := firstPaths{in: bufio.NewReaderSize(f, 16<<10), size: w.repo.format.Size()}
	for paths.next() && paths.path < end && each(paths.path) {
	}
	return nil
}

// hasSharedIndex reports whether the index may be split over two files.
func (w *Worktree) hasSharedIndex() (bool, error) {
	entries, err := os.ReadDir(w.gitDir)
	if err != nil {
		return false, unreadable(w.gitDir, err)
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "sharedindex.") }), nil
}

// listedBefore lets git read an index.
func (w *Worktree) listedBefore(ctx context.Context, end string, each func(path string) bool) error {
	out, _, err := w.git(ctx, job{args: []string{"ls-files", "-z", "--cached"}})
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if path >= end || !each(path) {
			break
		}
	}
	return err
}

// firstPaths reads the paths of an index in their order.
type firstPaths struct {
	in      *bufio.Reader
	size    int // of an object's id
	begun   bool
	version uint32
	left    uint32
	path    string
}

// next reads the next path, and reports whether there is one.
func (p *firstPaths) next() bool {
	if !p.begun {
		head := make([]byte, 12)
		if _, err := io.ReadFull(p.in, head); err != nil || string(head[:4]) != "DIRC" {
			return false
		}
		p.begun, p.version, p.left = true, binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
		if p.version < 2 || p.version > 4 {
			return false
		}
	}
	if p.left == 0 {
		return false
	}
	p.left--
	head := make([]byte, 40+p.size+2, 40+p.size+4)
	if _, err := io.ReadFull(p.in, head); err != nil {
		return false
	}
	if binary.BigEndian.Uint16(head[40+p.size:])&flagExtended != 0 {
		head = head[:40+p.size+4]
		if _, err := io.ReadFull(p.in, head[40+p.size+2:]); err != nil {
			return false
		}
	}
	if p.version == 4 {
		return p.short()
	}
	text, err := p.in.ReadString(0)
	if err != nil {
		return false
	}
	p.path = text[:len(text)-1]
	// Between one and eight NUL bytes follow; ReadString took one.
	_, err = p.in.Discard((8 - (len(head)+len(text))%8) % 8)
	return err == nil
}

// short reads a path as version 4 has it: how much of the end of the path before
// to leave out, and what to put there.
func (p *firstPaths) short() bool {
	var number []byte
	for {
		c, err := p.in.ReadByte()
		if err != nil || len(number) == 5 {
			return false
		}
		if number = append(number, c); c&0x80 == 0 {
			break
		}
	}
	cut, _, ok := varint(number, 0)
	text, err := p.in.ReadString(0)
	if !ok || err != nil || cut > len(p.path) {
		return false
	}
	p.path = p.path[:len(p.path)-cut] + text[:len(text)-1]
	return true
}
