package hcpx

import (
	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

// execLine writes an envelope as canon.Marshal does, in less time than an encoder
// for any type takes to get ready. It returns nothing for one with more in it than
// the result of a call that ran or was refused by itself.
func execLine(r *hcp.ExecResult) []byte {
	if r.Preview != nil || r.Approval != nil || r.Access != nil || r.ReadMore != nil {
		return nil
	}
	w := canon.NewObjectWriter(512 + len(r.Result) + len(r.Stdout) + len(r.Stderr))
	w.Open()
	w.Truth("ok", r.OK)
	w.Text("pack_id", r.PackID)
	w.Text("verb_key", r.VerbKey)
	w.Some("call_id", r.CallID)
	if r.Result != nil {
		w.Value("result", r.Result)
	}
	w.Some("error", r.Error)
	w.Some("code", r.Code)
	w.Some("hint", r.Hint)
	w.List("next", r.Next)
	w.Some("approval_id", r.ApprovalID)
	if r.ExitCode != nil {
		w.Number("exit_code", int64(*r.ExitCode))
	}
	w.List("notes", r.Notes)
	w.Some("stdout", r.Stdout)
	w.Some("stderr", r.Stderr)
	w.Close()
	line, ok := w.Bytes()
	if !ok {
		return nil
	}
	return line
}
