package journal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// The codes of this package's faults; those of package durable come as well.
const (
	// CodeBadEvent is an event that cannot be a line.
	CodeBadEvent = "bad_event"
	// CodeUnsafe is a file that others could have written.
	CodeUnsafe = "unsafe_journal"
	// CodeBroken is a journal that was changed behind our back.
	CodeBroken = "journal_broken"
)

// Options are the choices of who opens a journal.
type Options struct {
	// Holder is the name under which this process holds the lock.
	Holder string
	// MaxBytes is the size from which a file is put aside; 0 is never.
	MaxBytes int64
	// Wait bounds the wait for the lock; 0 is DefaultWait.
	Wait time.Duration
}

// DefaultWait is how long Append waits for other processes.
const DefaultWait = 10 * time.Second

// Durability is how far an appended line has come when Append returns.
type Durability int

const (
	// Sync lines are on disk.
	Sync Durability = iota
	// NoSync lines are the operating system's to write: they survive the end of
	// the process, not that of the machine.
	NoSync
)

// Journal appends to one journal. Several goroutines may use it.
type Journal struct {
	path string
	opts Options

	mu   sync.Mutex
	file *os.File
	last Head // the newest line that this process has seen
}

// Open opens the journal at path or makes an empty one. The folder must exist.
func Open(path string, opts Options) (*Journal, error) {
	if opts.Holder == "" {
		opts.Holder = "journal"
	}
	if opts.Wait <= 0 {
		opts.Wait = DefaultWait
	}
	j := &Journal{path: path, opts: opts}
	if _, err := j.open(); err != nil {
		return nil, err
	}
	return j, nil
}

// Close gives the file up. Lines need no Close to be safe.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.release()
}

func (j *Journal) release() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// open returns the file that has the journal's name now.
func (j *Journal) open() (*os.File, error) {
	if j.file != nil && isAt(j.file, j.path) {
		return j.file, nil
	}
	_ = j.release() // nothing was left to be written
	for range 3 {
		f, err := openFile(j.path, os.O_RDWR|appending)
		if errors.Is(err, fs.ErrNotExist) {
			err = durable.CreateFile(j.path, nil, 0o600)
			if err == nil || errors.Is(err, fs.ErrExist) {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		j.file = f
		return f, nil
	}
	return nil, fault.Newf(durable.CodeIO, "cannot open %q: it comes and goes", j.path)
}

// openFile opens one file of a journal after making sure that nobody else can
// have written it.
func openFile(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, durable.Explain("open", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.Newf(CodeUnsafe, "journal %q is not a regular file", path)
	}
	f, err := os.OpenFile(path, flag|guarded, 0)
	if err != nil {
		return nil, durable.Explain("open", path, err)
	}
	if err := checkFile(f, path); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func checkFile(f *os.File, path string) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return durable.Explain("open", path, err)
	case !info.Mode().IsRegular():
		return fault.Newf(CodeUnsafe, "journal %q is not a regular file", path)
	case isWritableByOthers(info):
		return fault.Newf(CodeUnsafe, "journal %q can be written by others", path).
			WithHint("look at it, then allow only its owner to write it: chmod 600 %s", path)
	}
	return nil
}

// isAt reports whether f is the file that path names, links not followed.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}

// Head returns the place of the last line.
func (j *Journal) Head(ctx context.Context) (Head, error) {
	var head Head
	err := j.locked(ctx, func(f *os.File) error {
		end, err := j.endOf(f)
		head = end.head
		return err
	})
	return head, err
}

// locked runs do on the journal's file, which no other process appends to
// meanwhile.
func (j *Journal) locked(ctx context.Context, do func(*os.File) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, j.opts.Wait)
	defer cancel()
	unlock, err := durable.Lock(ctx, j.path+".lock", j.opts.Holder)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := j.open()
	if err != nil {
		return err
	}
	return do(f)
}

// Append adds one event, which must be a JSON object without the members "seq",
// "prev" and "healed", and returns its place.
func (j *Journal) Append(ctx context.Context, event any, how Durability) (Head, error) {
	raw, err := encode(event)
	if err != nil {
		return Head{}, err
	}
	var head Head
	err = j.locked(ctx, func(f *os.File) error {
		head, err = j.append(f, raw, how)
		return err
	})
	return head, err
}

func (j *Journal) append(f *os.File, event []byte, how Durability) (Head, error) {
	end, err := j.endOf(f)
	if err != nil {
		return Head{}, err
	}
	if j.opts.MaxBytes > 0 && end.size >= j.opts.MaxBytes && end.isWhole() {
		if f, err = j.rotate(f); err != nil {
			return Head{}, err
		}
		if end, err = j.endOf(f); err != nil {
			return Head{}, err
		}
	}
	head, text, err := j.heal(f, &end)
	if err != nil {
		return Head{}, err
	}
	start := len(text)
	text = appendLine(text, head, event)
	head = Head{Seq: head.Seq + 1, Hash: hashOf(text[start:])}
	if err := j.write(f, end.size, append(text, '\n'), how); err != nil {
		return Head{}, err
	}
	j.last = head
	return head, nil
}

// heal removes what a crash left behind the last whole line, and returns the
// head to go on from and the text that has to come first.
func (j *Journal) heal(f *os.File, end *end) (Head, []byte, error) {
	if end.unended {
		return end.head, []byte{'\n'}, nil // of a whole line only the line feed is missing
	}
	if end.isWhole() {
		return end.head, nil, nil
	}
	torn := healing{Bytes: end.size - end.whole, SHA256: hashOf(end.torn), Text: end.torn[:min(len(end.torn), 1024)]}
	event, err := canon.Marshal(struct {
		Healed healing `json:"healed"`
	}{torn})
	if err != nil {
		return Head{}, nil, err
	}
	if err := f.Truncate(end.whole); err != nil {
		return Head{}, nil, durable.Explain("repair", j.path, err)
	}
	end.size = end.whole
	line := appendLine(nil, end.head, event)
	return Head{Seq: end.head.Seq + 1, Hash: hashOf(line)}, append(line, '\n'), nil
}

// write appends text at size in one call. If that fails, the file is cut back.
func (j *Journal) write(f *os.File, size int64, text []byte, how Durability) error {
	_, err := f.Seek(size, io.SeekStart)
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil && how == Sync {
		err = f.Sync()
	}
	if err == nil {
		return nil
	}
	// If the cut fails too, the next Append heals what is there.
	_ = f.Truncate(size)
	return durable.Explain("append to", j.path, err)
}
