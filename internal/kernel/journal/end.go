package journal

import (
	"bytes"
	"io"
	"iter"
	"os"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// rawLine is a stretch of a file up to a line feed or the end.
type rawLine struct {
	offset int64
	text   []byte // without the line feed
	ended  bool   // there is a line feed
}

// backward yields the lines of a file of that size from the last to the first.
// It reads chunk bytes at a time, or more for long lines. A text is valid until
// the next step.
func backward(r io.ReaderAt, size int64, chunk int) iter.Seq2[rawLine, error] {
	return func(yield func(rawLine, error) bool) {
		var buf []byte // from offset to the end of the lines still to be yielded
		offset := size
		for {
			body, ended := bytes.CutSuffix(buf, []byte{'\n'})
			before := bytes.LastIndexByte(body, '\n')
			if before < 0 && offset > 0 {
				if len(buf) > maxTorn {
					yield(rawLine{}, fault.New(CodeBroken, "a line is too long for a journal"))
					return
				}
				n := int(min(offset, int64(max(chunk, len(buf)))))
				grown := make([]byte, n, n+len(buf))
				if _, err := r.ReadAt(grown, offset-int64(n)); err != nil {
					yield(rawLine{}, err)
					return
				}
				buf, offset = append(grown, buf...), offset-int64(n)
				continue
			}
			if len(buf) == 0 {
				return
			}
			start := before + 1
			if !yield(rawLine{offset + int64(start), body[start:], ended}, nil) {
				return
			}
			buf = buf[:start]
		}
	}
}

// end is what the end of a file says.
type end struct {
	size    int64
	head    Head   // of the last whole line, or of the file before
	whole   int64  // where the last whole line ends
	torn    []byte // what follows it
	unended bool   // the last whole line lacks its line feed
}

func (e end) isWhole() bool { return e.whole == e.size && !e.unended }

// maxTorn bounds the search for the last whole line.
const maxTorn = 2 * MaxLine

// endOf looks at the end of the journal's newest file.
func (j *Journal) endOf(f *os.File) (end, error) {
	e, err := readEnd(f, j.path)
	if err != nil {
		return end{}, err
	}
	if e.head.Seq == 0 {
		if e.head, err = headOfOlder(j.path); err != nil {
			return end{}, err
		}
	}
	if e.head.Seq < j.last.Seq || e.head.Seq == j.last.Seq && e.head != j.last {
		return end{}, fault.Newf(CodeBroken, "journal %q has lost line %d since this process has seen it", j.path, j.last.Seq).
			WithHint("someone has cut or replaced the file; keep it as it is and look into it")
	}
	return e, nil
}

// readEnd finds the last whole line and what a crash left behind it. A head of
// zero means that the file has none.
func readEnd(f *os.File, path string) (end, error) {
	info, err := f.Stat()
	if err != nil {
		return end{}, durable.Explain("read", path, err)
	}
	e := end{size: info.Size()}
	stray := false // a line that follows none
	for raw, err := range backward(f, e.size, 4096) {
		if err != nil {
			return end{}, durable.Explain("read", path, err)
		}
		line, ok := parse(raw.text)
		if ok && (raw.ended || e.continues(f, raw, line)) {
			e.head, e.unended = line.Head(), !raw.ended
			e.whole = raw.offset + int64(len(raw.text))
			if raw.ended {
				e.whole++
			}
			break
		}
		stray = stray || ok
		if e.size-raw.offset > maxTorn {
			break
		}
	}
	if e.whole == e.size {
		return e, nil
	}
	e.torn = make([]byte, min(e.size-e.whole, maxTorn+1))
	if _, err := f.ReadAt(e.torn, e.whole); err != nil {
		return end{}, durable.Explain("read", path, err)
	}
	if stray || !isTorn(e.torn) {
		return end{}, fault.Newf(CodeBroken, "journal %q does not end with a line of its own", path).
			WithHint("it was changed by hand, or another program writes it; move it aside to begin a new one")
	}
	return e, nil
}

// continues reports whether a line without line feed follows the one before it,
// so that it is whole all the same.
func (e end) continues(f *os.File, raw rawLine, line Line) bool {
	for before, err := range backward(f, raw.offset, 4096) {
		if err != nil {
			return false
		}
		last, ok := parse(before.text)
		return ok && line.Seq == last.Seq+1 && line.Prev == hashOf(before.text)
	}
	return line.Seq == 1 && line.Prev == Head{}.link()
}

// isTorn reports whether a text behind the last whole line can be what a crash
// leaves: one line that does not end and is no complete JSON, or, after a loss
// of power, blocks that were never written and read as NUL. Anything else was
// not left by us.
func isTorn(t []byte) bool {
	if len(t) > maxTorn {
		return false
	}
	if bytes.IndexByte(t, 0) >= 0 {
		return true
	}
	return bytes.IndexByte(t, '\n') < 0 && canon.Check(t, limits) != nil
}
