package approval

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
)

// maxFile bounds approvals.json.
const maxFile = 16 << 20

// lockWait bounds the wait for other processes.
const lockWait = 10 * time.Second

// Memory is a store that lasts as long as the process.
type Memory struct {
	mu   sync.Mutex
	book Book
}

// Read returns a copy of the book.
func (m *Memory) Read(context.Context) (Book, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Book{m.book.Latest, slices.Clone(m.book.Records)}, nil
}

// Update changes the book.
func (m *Memory) Update(_ context.Context, fn func(*Book) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	draft := Book{m.book.Latest, slices.Clone(m.book.Records)}
	if err := fn(&draft); err != nil {
		return err
	}
	m.book = draft
	return nil
}

// File is a store in one private file, which several processes share.
type File struct {
	path, holder string
}

// NewFile returns the store at path, made when the first request comes. Holder
// names this process to others that wait for it.
func NewFile(path, holder string) *File { return &File{path, holder} }

// Read reads the book. It needs no lock: the file is replaced as a whole.
func (f *File) Read(context.Context) (Book, error) {
	book, _, err := f.read()
	return book, err
}

func (f *File) read() (Book, []byte, error) {
	info, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Book{}, nil, nil
	}
	switch {
	case err != nil:
		return Book{}, nil, f.unusable(durable.Explain("read", f.path, err).Error(), err)
	case !info.Mode().IsRegular():
		return Book{}, nil, f.unusable("it is not a regular file", nil)
	case info.Size() > maxFile:
		return Book{}, nil, f.unusable("it is too large", nil)
	case fileid.OthersMayWrite(info):
		return Book{}, nil, f.unusable("other users could have written it", nil)
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return Book{}, nil, f.unusable("it cannot be read", err)
	}
	var book Book
	if err := canon.Decode(data, &book, canon.Limits{MaxBytes: maxFile}); err != nil {
		return Book{}, nil, f.unusable(err.Error(), err)
	}
	return book, data, nil
}

func (f *File) unusable(why string, cause error) error {
	return fault.Newf(CodeBadApprovals, "cannot use the approvals %q: %s", f.path, why).Because(cause).
		WithHint("nothing that asks can run; remove the file, which drops the requests that wait")
}

// Update changes the book.
func (f *File) Update(ctx context.Context, fn func(*Book) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockWait)
	defer cancel()
	unlock, err := durable.Lock(ctx, f.path+".lock", f.holder)
	if err != nil {
		return err
	}
	defer unlock()
	book, before, err := f.read()
	if err != nil {
		return err
	}
	if err := fn(&book); err != nil {
		return err
	}
	after, err := canon.MarshalIndent(book)
	if err != nil {
		return err
	}
	after = append(after, '\n')
	if len(after) > maxFile {
		return fault.New(CodeTooMany, "the requests for approval have no room left").
			WithHint("nothing ran; the user answers some of them, or they expire within 15 minutes")
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return durable.WriteFile(f.path, after, 0o600)
}
