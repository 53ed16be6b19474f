package local

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/journal"
)

// auditLine writes an event as canon.Marshal does. An encoder for any type takes
// longer to get ready than all the rest of recording a call, and every call records
// one event. It leaves text that is not UTF-8 to that encoder, which says what is
// wrong.
func auditLine(e *hcp.AuditEvent) (line journal.Compact, ok bool) {
	w := objectWriter{b: make([]byte, 0, 1024)}
	w.open()
	w.text("time", e.Time)
	w.text("call_id", e.CallID)
	w.text("action", string(e.Action))
	w.text("stage", string(e.Stage))
	w.text("tenant_id", e.TenantID)
	w.name("principal")
	w.open()
	w.text("id", e.Principal.ID)
	w.text("kind", string(e.Principal.Kind))
	w.close()
	w.some("project_id", e.ProjectID)
	if e.Binding != nil {
		w.name("binding")
		w.open()
		w.text("mode", string(e.Binding.Mode))
		w.some("family", e.Binding.Family)
		w.some("identity", e.Binding.Identity)
		w.close()
	}
	w.text("pack_id", e.PackID)
	w.some("verb_key", e.VerbKey)
	w.some("operation", string(e.Operation))
	w.some("land", string(e.Land))
	w.text("decision", string(e.Decision))
	w.some("reason", e.Reason)
	w.some("code", e.Code)
	w.some("mode", e.Mode)
	w.some("approved_by", e.ApprovedBy)
	w.some("approval_id", e.ApprovalID)
	w.truth("ran", e.Ran)
	w.truth("ok", e.OK)
	if e.ExitCode != nil {
		w.number("exit_code", int64(*e.ExitCode))
	}
	if e.DurationMS != nil {
		w.number("duration_ms", *e.DurationMS)
	}
	w.list("arg_names", e.ArgNames)
	w.some("args_digest", e.ArgsDigest)
	w.labels("labels", e.Labels)
	w.close()
	return w.b, !w.bad
}

// objectWriter writes members of JSON objects one after another.
type objectWriter struct {
	b   []byte
	bad bool // a text is not UTF-8
}

func (w *objectWriter) open()  { w.b = append(w.b, '{') }
func (w *objectWriter) close() { w.b = append(w.b, '}') }

func (w *objectWriter) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.string(name)
	w.b = append(w.b, ':')
}

func (w *objectWriter) string(text string) {
	w.bad = w.bad || !utf8.ValidString(text)
	w.b = canon.AppendString(w.b, text)
}

func (w *objectWriter) text(name, text string) {
	w.name(name)
	w.string(text)
}

// some leaves an empty text out.
func (w *objectWriter) some(name, text string) {
	if text != "" {
		w.text(name, text)
	}
}

func (w *objectWriter) truth(name string, yes bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, yes)
}

func (w *objectWriter) number(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

// list leaves an empty list out.
func (w *objectWriter) list(name string, items []string) {
	if len(items) == 0 {
		return
	}
	w.name(name)
	w.b = append(w.b, '[')
	for i, item := range items {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.string(item)
	}
	w.b = append(w.b, ']')
}

// labels leaves an empty map out.
func (w *objectWriter) labels(name string, labels map[string]string) {
	if len(labels) == 0 {
		return
	}
	w.name(name)
	w.open()
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		w.text(key, labels[key])
	}
	w.close()
}
