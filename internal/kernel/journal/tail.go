package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// tailPause is how often a Tail looks for new lines.
const tailPause = 50 * time.Millisecond

// Tail passes every line to fn that is written from now on, until ctx ends or
// fn returns an error, which it returns. It follows the journal across
// rotation, and waits for one that does not exist yet.
func Tail(ctx context.Context, path string, fn func(Line) error) error {
	t := tail{path: path, fn: fn}
	defer t.close()
	if err := t.skipAll(); err != nil {
		return err
	}
	return t.follow(ctx)
}

// TailFrom is Tail from the line after the given number on; 0 is from the
// first line there is.
func TailFrom(ctx context.Context, path string, after uint64, fn func(Line) error) error {
	t := tail{path: path, fn: fn, seq: after}
	defer t.close()
	return t.follow(ctx)
}

type tail struct {
	path   string
	fn     func(Line) error
	file   *os.File // nil: not found yet
	offset int64    // where the first line not yet passed on begins
	seq    uint64   // of the last line passed on
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // read only
	}
}

// skipAll goes to the end of what is there.
func (t *tail) skipAll() error {
	f, err := openFile(t.path, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist): // not begun, or just being put aside
	case err != nil:
		return err
	default:
		t.file = f
		end, err := readEnd(f, t.path)
		if err != nil {
			return err
		}
		t.offset, t.seq = end.whole, end.head.Seq
	}
	if t.seq == 0 {
		head, err := headOfOlder(t.path)
		if err != nil {
			return err
		}
		t.seq = head.Seq
	}
	return nil
}

func (t *tail) follow(ctx context.Context) error {
	ticker := time.NewTicker(tailPause)
	defer ticker.Stop()
	for {
		if err := t.catchUp(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// catchUp passes on all that is there now.
func (t *tail) catchUp(ctx context.Context) error {
	for {
		if t.file != nil {
			current := isAt(t.file, t.path) // looked at first: nothing is added once it is put aside
			if err := t.drain(ctx); err != nil || current {
				return err
			}
		}
		if more, err := t.advance(); err != nil || !more {
			return err
		}
	}
}

// advance goes to the next file and reports whether there is one.
func (t *tail) advance() (bool, error) {
	files, err := openAll(t.path)
	if err != nil || len(files) == 0 {
		return false, err
	}
	next := t.startIn(files)
	if next == len(files) {
		closeAll(files)
		return false, nil
	}
	t.close()
	t.file, t.offset = files[next], 0
	files[next] = nil
	closeAll(files)
	return true, nil
}

// startIn returns the index of the file to go on with: the one after ours, or
// at the start the newest that can hold the next line.
func (t *tail) startIn(files []*os.File) int {
	if t.file != nil {
		for i, f := range files {
			if sameFile(f, t.file) {
				return i + 1
			}
		}
		return 0 // ours was removed, and perhaps others before it
	}
	for i, f := range slices.Backward(files) {
		if i == 0 {
			break
		}
		if first, ok := firstLine(f); ok && first.Seq <= t.seq+1 {
			return i
		}
	}
	return 0
}

func sameFile(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// firstLine returns the first line of f that is one.
func firstLine(f *os.File) (Line, bool) {
	for at, err := range forward([]source{{f.Name(), io.NewSectionReader(f, 0, MaxLine)}}) {
		if err != nil {
			break
		}
		if line, ok := parse(at.text); ok && at.ended {
			return line, true
		}
	}
	return Line{}, false
}

// drain passes on the whole lines of the file from offset on.
func (t *tail) drain(ctx context.Context) error {
	info, err := t.file.Stat()
	if err != nil {
		return durable.Explain("read", t.path, err)
	}
	if info.Size() < t.offset {
		return fault.Newf(CodeBroken, "journal %q was cut while it was read", t.path)
	}
	section := io.NewSectionReader(t.file, t.offset, info.Size()-t.offset)
	for at, err := range forward([]source{{t.path, section}}) {
		if err != nil {
			return err
		}
		if !at.ended {
			return nil
		}
		t.offset += at.size
		line, ok := parse(at.text)
		if !ok || line.Seq <= t.seq {
			continue
		}
		t.seq = line.Seq
		if line.healed != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		line.Raw = bytes.Clone(line.Raw)
		if err := t.fn(line); err != nil {
			return err
		}
	}
	return nil
}
