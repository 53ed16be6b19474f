package local

import (
	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/journal"
)

// auditLine writes an event as canon.Marshal does. An encoder for any type takes
// longer to get ready than all the rest of recording a call, and every call records
// one event. It leaves text that is not UTF-8 to that encoder, which says what is
// wrong.
func auditLine(e *hcp.AuditEvent) (line journal.Compact, ok bool) {
	w := canon.NewObjectWriter(1024)
	w.Open()
	w.Text("time", e.Time)
	w.Text("call_id", e.CallID)
	w.Text("action", string(e.Action))
	w.Text("stage", string(e.Stage))
	w.Text("tenant_id", e.TenantID)
	w.Name("principal")
	w.Open()
	w.Text("id", e.Principal.ID)
	w.Text("kind", string(e.Principal.Kind))
	w.Close()
	w.Some("project_id", e.ProjectID)
	if e.Binding != nil {
		w.Name("binding")
		w.Open()
		w.Text("mode", string(e.Binding.Mode))
		w.Some("family", e.Binding.Family)
		w.Some("identity", e.Binding.Identity)
		w.Close()
	}
	w.Text("pack_id", e.PackID)
	w.Some("verb_key", e.VerbKey)
	w.Some("operation", string(e.Operation))
	w.Some("land", string(e.Land))
	w.Text("decision", string(e.Decision))
	w.Some("reason", e.Reason)
	w.Some("code", e.Code)
	w.Some("mode", e.Mode)
	w.Some("approved_by", e.ApprovedBy)
	w.Some("approval_id", e.ApprovalID)
	w.Truth("ran", e.Ran)
	w.Truth("ok", e.OK)
	if e.ExitCode != nil {
		w.Number("exit_code", int64(*e.ExitCode))
	}
	if e.DurationMS != nil {
		w.Number("duration_ms", *e.DurationMS)
	}
	w.List("arg_names", e.ArgNames)
	w.Some("args_digest", e.ArgsDigest)
	w.Labels("labels", e.Labels)
	w.Close()
	return w.Bytes()
}
