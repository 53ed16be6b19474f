package redact

import (
	"bytes"
	"io"
	"slices"
)

// Writer cleans a stream on its way to another writer. It keeps back as much of
// the end as a secret may take, so that one which arrives in pieces is found;
// Close passes the rest on.
type Writer struct {
	c        *Cleaner
	w        io.Writer
	buf      []byte
	seen     int // bytes of buf that were passed on already and are only context
	replaced int
	err      error
}

// At least context bytes of what was passed on are kept, and more until a byte
// that is part of no escape, up to maxContext: the rest is read as it would be
// read after all that came before.
const (
	context    = 16
	maxContext = 256
)

// NewWriter returns a Writer to w.
func (c *Cleaner) NewWriter(w io.Writer) *Writer { return &Writer{c: c, w: w} }

// Write takes all of p or fails as the underlying writer failed, now or before.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	w.buf = append(w.buf, p...)
	hold := 0
	if w.c != nil {
		hold = w.c.hold
	}
	// Rare work on much text is cheaper than frequent work on little.
	if len(w.buf)-w.seen >= 2*hold {
		w.err = w.pass(len(w.buf) - hold)
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Close passes on what was kept back. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.pass(len(w.buf))
	}
	if w.err != nil {
		return w.err
	}
	w.buf, w.seen = nil, 0
	return nil
}

// Replaced returns the number of secrets replaced so far.
func (w *Writer) Replaced() int { return w.replaced }

// pass writes buf up to end, or up to the end of a secret there.
func (w *Writer) pass(end int) error {
	var out []byte
	done := w.seen
	for _, p := range w.c.find(w.buf) {
		if p.from >= end {
			break
		}
		if p.to <= done {
			continue
		}
		if p.from > done {
			out = append(out, w.buf[done:p.from]...)
		}
		out = append(out, Placeholder...)
		w.replaced++
		done = p.to
	}
	end = max(end, done)
	out = append(out, w.buf[done:end]...)
	keep := max(end-context, 0)
	for keep > max(end-maxContext, 0) && mayEscape(w.buf[keep-1]) {
		keep--
	}
	w.buf = slices.Delete(w.buf, 0, keep)
	w.seen = end - keep
	if len(out) == 0 {
		return nil
	}
	_, err := w.w.Write(out)
	return err
}

// mayEscape reports whether c may be part of an escape of JSON or of a
// percent-encoding.
func mayEscape(c byte) bool {
	_, digit := hexDigit(c)
	return digit || bytes.IndexByte([]byte(`\u"/nrt%`), c) >= 0
}

// NewReader returns a reader that gives what r gives, cleaned.
func (c *Cleaner) NewReader(r io.Reader) io.Reader {
	reader := &reader{from: r}
	reader.clean = c.NewWriter(&reader.ready)
	return reader
}

type reader struct {
	from  io.Reader
	clean *Writer
	ready bytes.Buffer
	err   error
	chunk [32 << 10]byte
}

func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.ready.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		var n int
		n, r.err = r.from.Read(r.chunk[:])
		_, _ = r.clean.Write(r.chunk[:n]) // a buffer takes everything
		if r.err != nil {
			_ = r.clean.Close()
		}
	}
	return r.ready.Read(p)
}
