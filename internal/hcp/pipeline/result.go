package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/advice"
	"bridle/internal/hcp/approval"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

// How much an envelope carries.
const (
	maxResult = 1 << 20
	maxStderr = 64 << 10
)

// byteOrderMark is what some programs write in front of UTF-8 text.
var byteOrderMark = []byte("\uFEFF")

// refuse shapes and records the envelope of a call that was not run.
func (p *Pipeline) refuse(ctx context.Context, c *call, f *fault.Error) hcp.ExecResult {
	r := hcp.ExecResult{PackID: c.PackID, VerbKey: c.Key, CallID: c.id}
	setFailure(&r, f)
	switch f.Code {
	case access.CodeConfirmRequired:
		r.Preview, r.Approval, r.ApprovalID, r.Access = c.preview, c.approval, c.approvalID, c.note
	case access.CodeDeniedByRule, approval.CodeRejected:
		r.Access = c.note
	}
	r.Notes = append(r.Notes, p.recordRefusal(ctx, c, f)...)
	p.tell(c, refusedStatus(f.Code), nil)
	return r
}

// finish shapes, cleans and records the envelope of a call that reached its
// adapter. The line is written before the result is returned; a read whose line
// cannot be written returns nothing.
func (p *Pipeline) finish(ctx context.Context, c *call) hcp.ExecResult {
	r := p.recorded(ctx, c)
	p.tell(c, endedStatus(&r), r.Result)
	return r
}

func (p *Pipeline) recorded(ctx context.Context, c *call) hcp.ExecResult {
	r := p.envelope(ctx, c)
	p.noteConnected(ctx, c, &r)
	err := p.recordOutcome(ctx, c, &r)
	if err == nil {
		return r
	}
	if c.recorded {
		r.Notes = append(r.Notes, "the command ran, but its outcome could not be written to the audit log: "+reason(err))
		return r
	}
	f := auditUnavailable(err, "the result is withheld, since a call that cannot be recorded returns nothing")
	withheld := hcp.ExecResult{PackID: c.PackID, VerbKey: c.Key, CallID: c.id}
	setFailure(&withheld, f)
	return withheld
}

// envelope turns an outcome into the result envelope (§6.2): bounded, cleaned
// of minted secrets, valid UTF-8.
func (p *Pipeline) envelope(ctx context.Context, c *call) hcp.ExecResult {
	out := &c.outcome
	clean := cleaner{redact.NewCleaner(c.credential.Secrets()...), new(counts)}
	r := hcp.ExecResult{OK: out.Failure == nil, PackID: c.PackID, VerbKey: c.Key, CallID: c.id, ExitCode: out.ExitCode}
	// The error is mostly what stands on standard error: what was replaced in both
	// is counted once.
	inError, inStderr := clean.apart(), clean.apart()
	if out.Failure != nil {
		setFailure(&r, inError.failure(out.Failure))
	}
	if out.Value != nil {
		p.inProcess(ctx, &r, clean, out.Value)
	}
	if out.Stdout != nil {
		p.spawned(ctx, &r, clean, out.Stdout)
	}
	if out.Stderr != nil {
		r.Stderr = inStderr.head(out.Stderr.Head, maxStderr)
		if out.Stderr.Size > maxStderr {
			r.Notes = append(r.Notes, fmt.Sprintf("stderr has %s; the first %d are shown", bytesOf(out.Stderr.Size), maxStderr))
		}
	}
	clean.counts.secrets += max(inError.counts.secrets, inStderr.counts.secrets)
	clean.counts.invalid += max(inError.counts.invalid, inStderr.counts.invalid)
	if n := out.Nested; n != nil && !r.OK {
		adopt(&r, n)
	}
	for _, note := range out.Notes {
		r.Notes = append(r.Notes, clean.text(note))
	}
	r.Notes = append(r.Notes, clean.notes()...)
	return r
}

// adopt takes over what a host needs from the call that was refused or failed
// inside this one: it was cleaned there.
func adopt(r, nested *hcp.ExecResult) {
	r.Preview, r.Approval, r.ApprovalID, r.Access = nested.Preview, nested.Approval, nested.ApprovalID, nested.Access
	r.Result, r.Stderr, r.ExitCode, r.ReadMore = nested.Result, nested.Stderr, nested.ExitCode, nested.ReadMore
	r.Notes = append(r.Notes, nested.Notes...)
}

// inProcess sets the result of a command that returned a value.
func (p *Pipeline) inProcess(ctx context.Context, r *hcp.ExecResult, clean cleaner, value json.RawMessage) {
	text := clean.bytes(value)
	if len(text) > maxResult {
		p.overflow(ctx, r, text, int64(len(text)), "result")
		return
	}
	if canon.Check(text, canon.Limits{MaxBytes: len(text)}) != nil {
		r.Result = quote(string(text))
		return
	}
	r.Result = text
}

// spawned sets the result of a command that wrote to its standard output: its
// JSON exactly as written, else the raw text (§6.2).
func (p *Pipeline) spawned(ctx context.Context, r *hcp.ExecResult, clean cleaner, out *adapter.Stream) {
	text := clean.bytes(out.Head)
	if len(text) > maxResult || out.Truncated() {
		p.overflow(ctx, r, text, out.Size, "stdout")
		if out.Truncated() {
			r.Notes = append(r.Notes, fmt.Sprintf("stdout has %s; the first %d were kept", bytesOf(out.Size), len(out.Head)))
		}
		return
	}
	r.Stdout = string(text)
	trimmed := bytes.TrimSpace(text)
	err := canon.Check(trimmed, canon.Limits{MaxBytes: maxResult})
	switch {
	case err == nil:
		r.Result = trimmed
	case r.OK:
		r.Result = quote(r.Stdout)
	}
	switch marked := bytes.TrimPrefix(trimmed, byteOrderMark); {
	case err == nil:
	case len(marked) < len(trimmed):
		r.Notes = append(r.Notes, "stdout begins with a byte order mark, which JSON does not allow; the result is its raw text")
	case looksLikeJSON(trimmed):
		r.Notes = append(r.Notes, "stdout is no valid JSON ("+jsonReason(err)+"); the result is its raw text")
	}
}

// overflow puts the beginning of a long output into the envelope and the whole
// of it where it can be read in pieces.
func (p *Pipeline) overflow(ctx context.Context, r *hcp.ExecResult, text []byte, size int64, stream string) {
	head := cutUTF8(text, maxResult)
	r.Result = quote(string(head))
	r.Notes = append(r.Notes, fmt.Sprintf("%s has %s; the result is the raw text of the first %d", stream, bytesOf(size), len(head)))
	if p.o.Outputs == nil {
		return
	}
	ref, err := p.o.Outputs.SaveOutput(context.WithoutCancel(ctx), text)
	if err != nil {
		r.Notes = append(r.Notes, "the rest could not be kept: "+reason(err))
		return
	}
	r.ReadMore = &hcp.ReadMore{Ref: ref, Stream: stream, Size: int64(len(text)), Offset: int64(len(head))}
}

func bytesOf(n int64) string { return fault.Count(n, "byte", "bytes") }

func setFailure(r *hcp.ExecResult, f *fault.Error) {
	r.OK = false
	r.Error, r.Code, r.Hint, r.Next = f.Message, f.Code, f.Hint, f.Next
	if r.Hint == "" {
		r.Hint = advice.For(f.Code)
	}
}

// quote makes a JSON string of text.
func quote(text string) json.RawMessage {
	encoded, err := canon.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return encoded
}

func looksLikeJSON(text []byte) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

func jsonReason(err error) string {
	if e, ok := errors.AsType[*canon.Error](err); ok {
		return e.Reason
	}
	return "not JSON"
}

// cutUTF8 returns at most limit bytes of valid UTF-8 text without splitting a
// character.
func cutUTF8(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return text[:limit]
}

// cleaner replaces minted secrets and invalid UTF-8 and counts both.
type cleaner struct {
	secrets *redact.Cleaner
	counts  *counts
}

type counts struct{ secrets, invalid int }

// apart is the cleaner with counts of its own.
func (c cleaner) apart() cleaner { return cleaner{c.secrets, new(counts)} }

func (c cleaner) bytes(b []byte) []byte {
	b, n := c.secrets.Clean(b)
	c.counts.secrets += n
	text, bad := redact.ValidUTF8(b)
	c.counts.invalid += bad
	if bad == 0 {
		return b
	}
	return []byte(text)
}

func (c cleaner) text(s string) string { return string(c.bytes([]byte(s))) }

// head cleans before it cuts, so that no secret is missed because it was split.
func (c cleaner) head(b []byte, limit int) string {
	return string(cutUTF8(c.bytes(b), limit))
}

func (c cleaner) failure(f *fault.Error) *fault.Error {
	cleaned := *f
	cleaned.Message = c.head([]byte(f.Message), maxStderr)
	cleaned.Hint = c.text(f.Hint)
	cleaned.Next = nil
	for _, next := range f.Next {
		cleaned.Next = append(cleaned.Next, c.text(next))
	}
	if strings.TrimSpace(cleaned.Message) == "" {
		cleaned.Message = "the command failed"
	}
	return &cleaned
}

func (c cleaner) notes() []string {
	var notes []string
	if n := c.counts.secrets; n > 0 {
		notes = append(notes, fault.Count(int64(n), "occurrence of a minted secret was replaced", "occurrences of a minted secret were replaced"))
	}
	if n := c.counts.invalid; n > 0 {
		notes = append(notes, fault.Count(int64(n), "byte that was no valid UTF-8 was replaced", "bytes that were no valid UTF-8 were replaced"))
	}
	return notes
}
