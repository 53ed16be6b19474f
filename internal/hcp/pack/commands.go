package pack

import (
	"encoding/json"

	"bridle/hcp"
	"bridle/internal/kernel/ids"
)

// commands reads the verbs map. What only the text of §2.3 allows as a key loads
// with a note.
func (r *manifestReader) commands() {
	r.members(func(key string) {
		switch {
		case ids.IsCommandKey(key):
		case ids.IsLooseCommandKey(key):
			r.loose = true
			r.note("/verbs", "command %s is not a key by the published schema, which wants words of lower-case letters and digits, joined by dots", quote(key))
		default:
			r.report(r.Pointer(), "must be named in lower-case letters and digits, words joined by dots, not %s", quote(key))
		}
		r.m.Verbs.Set(key, r.command())
	})
}

func (r *manifestReader) command() hcp.Command {
	c := hcp.Command{}
	r.object(&commandShape, func(name string) {
		switch name {
		case "description":
			c.Description = r.text(0, 0)
		case "cli":
			c.CLI = r.strings(0, 0, 0, 0)
		case "args":
			c.Args = r.schema()
		case "json_flag":
			c.JSONFlag = r.strings(0, 0, 0, 0)
		case "title":
			c.Title = r.title()
		case "policy":
			c.Policy = r.text(0, 0)
			if c.Policy != string(hcp.OperationRead) && c.Policy != string(hcp.OperationWrite) {
				r.note(r.Pointer(), "is a hint that should be \"read\" or \"write\"")
			}
		case "preview":
			c.Preview = r.preview()
		}
	})
	return c
}

// schema reads an object and keeps its text.
func (r *manifestReader) schema() json.RawMessage {
	if !r.is("an object", '{') {
		return nil
	}
	return json.RawMessage(r.Raw())
}

func (r *manifestReader) title() *hcp.Title {
	t := &hcp.Title{}
	r.object(&titleShape, func(name string) {
		switch name {
		case "live":
			t.Live = r.templates()
		case "done":
			t.Done = r.templates()
		}
	})
	return t
}

func (r *manifestReader) templates() hcp.Templates {
	if r.Kind() == '"' {
		return hcp.Templates{r.text(1, 0)}
	}
	if !r.is("a string or an array of strings", '[') {
		return nil
	}
	return r.strings(1, 0, 1, 0)
}

func (r *manifestReader) preview() *hcp.Preview {
	p := &hcp.Preview{}
	r.object(&previewShape, func(name string) {
		switch name {
		case "kind":
			p.Kind = choice(r.reader, previewKinds)
		case "title":
			p.Title = r.text(0, 0)
		case "fields":
			r.members(func(field string) { p.Fields.Set(field, r.text(0, 0)) })
		}
	})
	return p
}
