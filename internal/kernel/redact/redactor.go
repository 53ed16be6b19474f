package redact

import (
	"io"
	"strings"
)

// A Redactor redacts a stream on its way to another writer. What it writes is
// what Redact makes of the whole, as long as no line is longer than 16 KiB and
// no private key or marked text longer than 64 KiB; of longer keys it takes more
// rather than less. Close passes on what was kept back.
type Redactor struct {
	w     io.Writer
	buf   []byte
	seen  int  // bytes of buf that were passed on already and are only context
	inKey bool // a private key that was too long to keep goes on
	found []Finding
	err   error
}

const (
	// redactHold is how much of the end is kept back, since what comes after
	// may make it a credential.
	redactHold = 16 << 10
	// redactContext is how much is kept of what was passed on, since it may
	// make a credential of what comes after.
	redactContext = 8 << 10
	// redactBatch is how much new text is worth a look.
	redactBatch = 64 << 10
)

// NewRedactor returns a Redactor to w.
func NewRedactor(w io.Writer) *Redactor { return &Redactor{w: w} }

// Write takes all of p or fails as the underlying writer failed, now or before.
func (r *Redactor) Write(p []byte) (int, error) {
	taken := 0
	for r.err == nil && taken < len(p) {
		n := min(len(p)-taken, redactBatch)
		r.buf = append(r.buf, p[taken:taken+n]...)
		taken += n
		if len(r.buf)-r.seen >= redactHold+redactBatch {
			r.err = r.pass(false)
		}
	}
	if r.err != nil {
		return 0, r.err
	}
	return taken, nil
}

// Close passes on what was kept back. It does not close the underlying writer.
func (r *Redactor) Close() error {
	if r.err == nil {
		r.err = r.pass(true)
	}
	r.buf, r.seen = nil, 0
	return r.err
}

// Counts says how many credentials of which kinds were replaced so far, sorted
// by kind.
func (r *Redactor) Counts() []Count { return Counts(r.found) }

// pass writes what nothing that is still to come can change; at the end, all.
func (r *Redactor) pass(last bool) error {
	text := string(r.buf)
	if r.inKey {
		r.leaveKey(&text)
	}
	found := Find(text)
	cut := len(text)
	if !last {
		cut = r.cut(text, found)
	}
	var out strings.Builder
	done := r.seen
	for _, f := range found {
		if f.Start >= cut {
			break
		}
		if f.End <= done {
			continue
		}
		if f.Start >= done {
			out.WriteString(text[done:f.Start])
			out.WriteString(marker(f.Kind))
			r.found = append(r.found, Finding{Kind: f.Kind})
		}
		done = f.End
	}
	if done < cut {
		out.WriteString(text[done:cut])
	}
	cut = max(cut, done)
	keep := cut - min(cut, redactContext)
	r.buf, r.seen = []byte(text[keep:]), cut-keep
	if out.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(r.w, out.String())
	return err
}

// cut chooses where to divide: at the last line end that leaves enough behind
// it, before a credential that reaches over it.
func (r *Redactor) cut(text string, found []Finding) int {
	limit := max(r.seen, len(text)-redactHold)
	cut := strings.LastIndexByte(text[r.seen:limit], '\n') + 1 + r.seen
	if cut == r.seen {
		cut = limit
	}
	for _, f := range found {
		if f.Start >= cut || f.End <= cut {
			continue
		}
		switch {
		case f.Start > r.seen && len(text)-f.Start < longestKey+redactHold:
			return r.beforeBlock(text, f.Start)
		case f.Kind == KindPrivateKey && f.End >= len(text)-redactHold:
			r.inKey = true
			return len(text)
		default:
			return r.beforeBlock(text, f.End)
		}
	}
	return r.beforeBlock(text, cut)
}

// beforeBlock moves a cut to before what begins like a private key, or was marked as
// secret, and is one by an end that may still come.
func (r *Redactor) beforeBlock(text string, cut int) int {
	const begin, tag = "-----BEGIN ", "<secret>"
	key, marked := endOfKeys(text), endOfMarked(text)
	for at := max(r.seen, len(text)-longestKey-redactHold+1); at < cut; at++ {
		n := strings.IndexAny(text[at:cut], "-<")
		if n < 0 {
			break
		}
		at += n
		rest := text[at:]
		switch {
		case at > key && strings.HasPrefix(rest, begin):
			if label, _, _ := strings.Cut(rest[:min(len(rest), 80)], "\n"); strings.Contains(label, "PRIVATE KEY") {
				return at
			}
		case at > marked && len(rest) >= len(tag) && foldsTo(rest[:len(tag)], tag):
			return at
		}
	}
	return cut
}

// endOfKeys is where the last line that ends a key begins and is all there, or -1.
func endOfKeys(text string) int {
	const end, dashes = "-----END ", "-----"
	last := strings.LastIndex(text, end)
	if last < 0 {
		return last
	}
	if tail := text[last+len(end):]; len(tail) < 80 && !strings.Contains(tail, dashes) {
		return strings.LastIndex(text[:last], end)
	}
	return last
}

// endOfMarked is where the last tag begins that ends what was marked, or -1.
func endOfMarked(text string) int {
	const tag = "</secret>"
	for at := len(text); at >= 0; {
		if at = strings.LastIndexByte(text[:at], '<'); at >= 0 && len(text)-at >= len(tag) && foldsTo(text[at:at+len(tag)], tag) {
			return at
		}
	}
	return -1
}

// leaveKey drops the rest of a private key that began in what was passed on, as
// far as it is there.
func (r *Redactor) leaveKey(text *string) {
	s := scan{text: *text}
	end := s.keyBody(r.seen, len(*text))
	rest := (*text)[end:]
	const dashes = "-----"
	switch frame, found := strings.CutPrefix(rest, dashes); {
	case rest == "":
		end -= len((*text)[r.seen:]) - len(strings.TrimRight((*text)[r.seen:], "-"))
	case found && len(frame) < 80 && !strings.Contains(frame, dashes):
		// the rest of the last line is still to come
	case found:
		r.inKey = false
		if i := strings.Index(frame[:min(len(frame), 80)], dashes); i >= 0 && strings.HasPrefix(frame, "END ") {
			end += len(dashes) + i
		}
		end += len(dashes)
	default:
		r.inKey = false
	}
	*text = (*text)[:r.seen] + (*text)[end:]
}
