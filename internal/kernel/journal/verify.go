package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Kind says in what way a journal was changed.
type Kind string

// The kinds of change.
const (
	Edited    Kind = "edited"    // a line is not what it was
	Removed   Kind = "removed"   // lines are missing
	Inserted  Kind = "inserted"  // a line was not there
	Reordered Kind = "reordered" // a line stands elsewhere
	Cut       Kind = "cut"       // lines at the end are missing
	Rewritten Kind = "rewritten" // the journal is another one
)

// Problem is the first place at which a journal is not what was written.
type Problem struct {
	Kind   Kind
	File   string
	Line   int    // counted from 1 within the file; 0 if it is no line
	Seq    uint64 // the number that the line there has or should have
	Reason string
}

// Report is what Verify found.
type Report struct {
	Files  []string
	Lines  uint64 // whole lines up to the first problem, the journal's own included
	From   Head   // the place before the first line; not zero if earlier files are gone
	Head   Head   // the place of the last line
	Healed int    // times that a crash had cut a line short and the rest was removed
	Torn   int64  // bytes at the end that a crash cut short or that are just being written
	// Problem is nil if everything is as it was written.
	Problem *Problem
}

// Err returns the problem as a fault, or nil.
func (r Report) Err() error {
	if r.Problem == nil {
		return nil
	}
	p := r.Problem
	place := fmt.Sprintf("%q", p.File)
	if p.Line > 0 {
		place = fmt.Sprintf("%q, line %d", p.File, p.Line)
	}
	return fault.Newf(CodeBroken, "journal %s: %s", place, p.Reason).
		WithHint("every line before it is as it was written; keep the file as it is and look into it")
}

// Verify checks a journal with all its files. Each of kept is a place that was
// noted earlier and elsewhere; the journal must still go through it. An error
// means that the files could not be read.
func Verify(path string, kept ...Head) (Report, error) {
	files, err := openAll(path)
	if err != nil {
		return Report{}, err
	}
	defer closeAll(files)
	if len(files) == 0 {
		return Report{}, durable.Explain("verify", path, fs.ErrNotExist)
	}
	var sources []source
	for _, f := range files {
		info, err := f.Stat()
		if err != nil {
			return Report{}, durable.Explain("verify", f.Name(), err)
		}
		sources = append(sources, source{f.Name(), io.NewSectionReader(f, 0, info.Size())})
	}
	return verify(sources, kept)
}

// VerifyReader checks one stream of lines, which name stands for in the report.
func VerifyReader(name string, r io.Reader, kept ...Head) (Report, error) {
	return verify([]source{{name, r}}, kept)
}

type source struct {
	name string
	r    io.Reader
}

// placed is a line with its place in the files.
type placed struct {
	file   string
	number int
	text   []byte // without the line feed
	ended  bool   // there is a line feed
	size   int64  // in the file, with it
}

// forward yields the lines of all sources in order. Of a line that is too long
// only the beginning is kept, which is no line then.
func forward(sources []source) iter.Seq2[placed, error] {
	return func(yield func(placed, error) bool) {
		for _, s := range sources {
			r := bufio.NewReaderSize(s.r, 64<<10)
			for number := 1; ; number++ {
				text, size, err := readLine(r)
				if err != nil && !errors.Is(err, io.EOF) {
					yield(placed{}, durable.Explain("verify", s.name, err))
					return
				}
				if len(text) == 0 && err != nil {
					break
				}
				if !yield(placed{s.name, number, text, err == nil, size}, nil) {
					return
				}
			}
		}
	}
}

func readLine(r *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if room := MaxLine + 1 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil {
			line = bytes.TrimSuffix(line, []byte{'\n'})
		}
		return line, size, err
	}
}

func verify(sources []source, kept []Head) (Report, error) {
	next, stop := iter.Pull2(forward(sources))
	defer stop()
	v := verifier{next: next, kept: slices.SortedFunc(slices.Values(kept), func(a, b Head) int {
		return cmp.Compare(a.Seq, b.Seq)
	})}
	// The place before the first line is part of every journal.
	v.kept = slices.DeleteFunc(v.kept, func(h Head) bool { return h.Seq == 0 })
	for _, s := range sources {
		v.report.Files = append(v.report.Files, s.name)
	}
	err := v.run()
	return v.report, err
}

// verifier walks the lines. It keeps the two before the current one, since a
// change shows only in the line after it.
type verifier struct {
	next         func() (placed, error, bool)
	kept         []Head // those that were not reached yet, in order
	report       Report
	begun        bool
	last, before Head   // of the last line and the one before it
	lastAt       placed // where the last line stands
}

func (v *verifier) run() error {
	for {
		at, err, ok := v.next()
		if err != nil {
			return err
		}
		if !ok {
			v.finish()
			return nil
		}
		line, valid := parse(at.text)
		if !valid {
			return v.noLine(at)
		}
		if !v.begun {
			v.begin(at, line)
		}
		if v.report.Problem == nil && (line.Seq != v.last.Seq+1 || line.Prev != v.last.link()) {
			err = v.explain(at, line)
		}
		if err != nil || v.report.Problem != nil {
			return err
		}
		v.accept(at, line)
		if v.report.Problem != nil {
			return nil
		}
	}
}

// begin takes what the first line says of those before it.
func (v *verifier) begin(at placed, line Line) {
	v.begun = true
	if line.Seq > 1 {
		v.report.From = Head{Seq: line.Seq - 1, Hash: line.Prev}
	}
	v.last, v.report.Head = v.report.From, v.report.From
	if len(v.kept) > 0 && v.kept[0].Seq < v.report.From.Seq {
		v.fail(Removed, at, line.Seq, "line %d, whose hash was kept, is in none of the files", v.kept[0].Seq)
	}
	v.check(at)
}

func (v *verifier) accept(at placed, line Line) {
	v.before, v.last, v.lastAt = v.last, line.Head(), at
	v.report.Lines++
	v.report.Head = v.last
	if line.healed != nil {
		v.report.Healed++
	}
	v.check(at)
}

// check compares the current place with those that were kept.
func (v *verifier) check(at placed) {
	for v.report.Problem == nil && len(v.kept) > 0 && v.kept[0].Seq == v.last.Seq {
		if v.kept[0] != v.last {
			v.fail(Rewritten, at, v.last.Seq, "line %d has another hash than the one that was kept", v.last.Seq)
		}
		v.kept = v.kept[1:]
	}
}

func (v *verifier) fail(kind Kind, at placed, seq uint64, reason string, args ...any) {
	v.report.Problem = &Problem{Kind: kind, File: at.file, Line: at.number, Seq: seq, Reason: fmt.Sprintf(reason, args...)}
}

// finish is reached when all lines are in order.
func (v *verifier) finish() {
	if len(v.kept) > 0 {
		files := v.report.Files
		v.fail(Cut, placed{file: files[len(files)-1]}, v.kept[0].Seq,
			"it ends with line %d, but the hash of line %d was kept", v.last.Seq, v.kept[0].Seq)
	}
}

// noLine deals with a text that is no line.
func (v *verifier) noLine(at placed) error {
	rest := at.text
	seq := v.last.Seq + 1
	for ended := at.ended; ; {
		after, err, ok := v.next()
		if err != nil {
			return err
		}
		if !ok { // the end: the remains of a crash, or not
			if ended {
				rest = append(bytes.Clone(rest), '\n')
			}
			if isTorn(rest) {
				v.report.Torn = int64(len(rest))
				v.finish()
			} else {
				v.fail(Edited, at, seq, "it is not a line of a journal")
			}
			return nil
		}
		line, valid := parse(after.text)
		switch {
		case valid && line.Seq == seq && line.Prev == v.last.link():
			v.fail(Inserted, at, seq, "it is not a line of a journal, and the lines around it belong together")
			return nil
		case valid:
			v.fail(Edited, at, seq, "it is not a line of a journal")
			return nil
		}
		rest = append(append(bytes.Clone(rest), '\n'), after.text...)
		ended = after.ended
		if len(rest) > maxTorn {
			v.fail(Edited, at, seq, "it is not a line of a journal")
			return nil
		}
	}
}

// explain finds out why line does not follow the last one.
func (v *verifier) explain(at placed, line Line) error {
	want := v.last.Seq + 1
	switch {
	case line.Seq == want:
		return v.explainLink(at, line)
	case line.Seq == v.last.Seq && line.Prev == v.before.link() && v.report.Lines > 0 && line.Head() != v.last:
		v.fail(Inserted, v.lastAt, v.last.Seq, "the line after it belongs where it stands")
	case line.Seq < want:
		v.fail(Inserted, at, line.Seq, "line %d is there already", line.Seq)
	default:
		later, err := v.later(want)
		if err != nil {
			return err
		}
		if later {
			v.fail(Reordered, at, line.Seq, "line %d stands before line %d", line.Seq, want)
		} else {
			what := fmt.Sprintf("lines %d to %d are", want, line.Seq-1)
			if want == line.Seq-1 {
				what = fmt.Sprintf("line %d is", want)
			}
			v.fail(Removed, at, want, "%s missing before it", what)
		}
	}
	return nil
}

// explainLink deals with a line of the right number whose prev is not the hash
// of the line before: one of the two was edited. The line after it knows
// whether it was this one.
func (v *verifier) explainLink(at placed, line Line) error {
	after, err, ok := v.next()
	if err != nil {
		return err
	}
	if next, valid := parse(after.text); ok && valid && next.Prev != line.Head().Hash {
		v.fail(Edited, at, line.Seq, "it does not link to the line before it, nor the line after it to this one")
		return nil
	}
	if v.report.Lines == 0 {
		v.fail(Edited, at, line.Seq, "it is the first line and links to another one")
		return nil
	}
	v.fail(Edited, v.lastAt, v.last.Seq, "the line after it was written after another line %d", v.last.Seq)
	return nil
}

// later reports whether the line of that number stands further on.
func (v *verifier) later(seq uint64) (bool, error) {
	for {
		at, err, ok := v.next()
		if err != nil || !ok {
			return false, err
		}
		if line, valid := parse(at.text); valid && line.Seq == seq && line.Prev == v.last.link() {
			return true, nil
		}
	}
}
