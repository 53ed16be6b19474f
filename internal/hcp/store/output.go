package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// outputAge is how long a long output can be read, and outputLimit how much of
// it is kept.
const (
	outputAge    = time.Hour
	outputLimit  = 256 << 20
	outputPrefix = "out"
)

// Output is a long output being stored. It is a writer that never fails a
// command: what goes past the limit, or does not fit on the disk, is counted
// and dropped, and Kept says how much can be read back.
type Output struct {
	Ref   string
	file  *os.File
	path  string
	size  int64
	kept  int64
	limit int64
	err   error
}

// CreateOutput starts storing one output. Expired ones are removed first.
func (s *Store) CreateOutput() (*Output, error) {
	if err := s.privateDir(s.path(outputsDir)); err != nil {
		return nil, err
	}
	s.sweepOutputs()
	ref := ids.New(outputPrefix, s.opts.Clock.Now())
	path := s.path(outputsDir, ref)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlags, fileMode)
	if err != nil {
		return nil, ioFault("create", path, err)
	}
	return &Output{Ref: ref, file: file, path: path, limit: outputLimit}, nil
}

// Write stores data and always takes all of it.
func (o *Output) Write(data []byte) (int, error) {
	o.size += int64(len(data))
	if room := o.limit - o.kept; o.err == nil && room > 0 {
		n, err := o.file.Write(data[:min(int64(len(data)), room)])
		o.kept += int64(n)
		o.err = err
	}
	return len(data), nil
}

// Size is how much was written, Kept how much of it is stored.
func (o *Output) Size() int64 { return o.size }

// Kept is the number of bytes that can be read back.
func (o *Output) Kept() int64 { return o.kept }

// Close ends the writing and says why less was kept than written, if so.
func (o *Output) Close() error {
	if err := o.file.Close(); o.err == nil {
		o.err = err
	}
	return ioFault("write", o.path, o.err)
}

// Discard removes the output, as for a command whose result was short enough.
func (o *Output) Discard() {
	_ = o.file.Close()
	_ = os.Remove(o.path)
}

// SaveOutput stores what r yields and returns the reference and the size. An
// output that cannot be kept whole is an error, and nothing is kept.
func (s *Store) SaveOutput(ctx context.Context, r io.Reader) (ref string, size int64, err error) {
	out, err := s.CreateOutput()
	if err != nil {
		return "", 0, err
	}
	_, err = io.Copy(out, readerUntil{ctx, r})
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil && out.Kept() < out.Size() {
		err = fault.Newf(CodeBadOutput, "the output has %d bytes and at most %d are kept", out.Size(), out.limit)
	}
	if err != nil {
		out.Discard()
		return "", 0, err
	}
	return out.Ref, out.Size(), nil
}

// readerUntil reads until the context ends.
type readerUntil struct {
	ctx context.Context
	r   io.Reader
}

func (r readerUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// ReadOutput returns up to limit bytes of a stored output from offset, and its
// whole size. An offset beyond the end is refused, since nothing there could be
// told from an output that ended early; an empty output has no bytes at 0.
func (s *Store) ReadOutput(ref string, offset, limit int64) (data []byte, size int64, err error) {
	made, ok := ids.Parse(ref, outputPrefix)
	if !ok {
		return nil, 0, fault.Newf(CodeBadOutput, "%q is no reference to an output", ref).
			WithHint("use the ref of a result's read_more as it stands")
	}
	if offset < 0 || limit <= 0 {
		return nil, 0, fault.New(CodeBadOutput, "the offset must be 0 or more and the limit more than 0")
	}
	path := s.path(outputsDir, ref)
	if s.expired(made) {
		_ = os.Remove(path)
		return nil, 0, outputGone(ref)
	}
	file, size, err := openPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, outputGone(ref)
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	if offset > 0 && offset >= size {
		return nil, size, fault.Newf(CodeBadOutput, "offset %d is beyond the end of the output, which has %s", offset, fault.Count(size, "byte", "bytes")).
			WithHint("read on only where an answer has a next_offset; without one it was the last")
	}
	data = make([]byte, min(limit, size-offset))
	n, err := file.ReadAt(data, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, ioFault("read", path, err)
	}
	return data[:n], size, nil
}

func outputGone(ref string) error {
	return fault.Newf(CodeOutputGone, "the output %q is gone", ref).
		WithHint("outputs are kept for an hour; run the command again")
}

// expired goes by the time in the reference. A clock that was turned back does
// not lengthen the hour: a reference from the future is expired as well.
func (s *Store) expired(made time.Time) bool {
	age := s.opts.Clock.Now().Sub(made)
	return age > outputAge || age < -time.Minute
}

func (s *Store) sweepOutputs() {
	entries, err := os.ReadDir(s.path(outputsDir))
	if err != nil {
		return
	}
	for _, entry := range entries {
		made, ok := ids.Parse(entry.Name(), outputPrefix)
		if ok && s.expired(made) {
			_ = os.Remove(filepath.Join(s.path(outputsDir), entry.Name()))
		}
	}
}
