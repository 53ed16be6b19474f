package catalog

import (
	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// CodeBadAnswer is an answer that is no catalog.
const CodeBadAnswer = "bad_catalog_answer"

// decode reads the answer of an origin: an object with the rows under "packs",
// or the rows alone. What a row has beside the known members is ignored; a row
// that is not well-formed is left out, and so is a second one of the same id.
func decode(data []byte) (rows []Entry, left int, err error) {
	value, err := canon.Parse(data, canon.Limits{MaxBytes: MaxBytes})
	if err != nil {
		return nil, 0, fault.New(CodeBadAnswer, "the answer is no JSON").Because(err)
	}
	if object, ok := value.(map[string]any); ok {
		value = object["packs"]
	}
	list, ok := value.([]any)
	if !ok {
		return nil, 0, fault.New(CodeBadAnswer, "the answer lists no packs")
	}
	if len(list) > mostEntries {
		return nil, 0, fault.Newf(CodeBadAnswer, "the answer has more than %d entries", mostEntries)
	}
	rows, seen := []Entry{}, map[string]bool{}
	for _, item := range list {
		entry, ok := entryOf(item)
		if !ok || seen[entry.ID] {
			left++
			continue
		}
		seen[entry.ID] = true
		rows = append(rows, entry)
	}
	return rows, left, nil
}

// entryOf reads one row.
func entryOf(item any) (Entry, bool) {
	row, ok := item.(map[string]any)
	if !ok {
		return Entry{}, false
	}
	r := reader{row, true}
	e := Entry{
		ID: r.text("id"), Class: r.text("class"), Name: r.text("name"), Description: r.text("description"),
		Status: r.text("status"), Tags: r.texts("tags"), Install: r.text("install"), Repository: r.text("repository"),
	}
	for _, item := range r.list("commands") {
		row, ok := item.(map[string]any)
		if !ok {
			return Entry{}, false
		}
		c := reader{row, true}
		command := Command{
			Command: c.text("command"), Description: c.text("description"),
			Operation: hcp.Operation(c.text("operation")), Confirm: c.confirm(),
		}
		known := command.Operation == "" || command.Operation == hcp.OperationRead || command.Operation == hcp.OperationWrite
		if !c.ok || !known {
			return Entry{}, false
		}
		e.Commands = append(e.Commands, command)
	}
	return e, r.ok && e.usable()
}

// reader takes members of an object, and remembers whether one had another type.
type reader struct {
	row map[string]any
	ok  bool
}

func (r *reader) text(name string) string {
	value, found := r.row[name]
	text, isText := value.(string)
	r.ok = r.ok && (!found || value == nil || isText)
	return text
}

func (r *reader) list(name string) []any {
	value, found := r.row[name]
	list, isList := value.([]any)
	r.ok = r.ok && (!found || value == nil || isList)
	return list
}

func (r *reader) texts(name string) []string {
	var texts []string
	for _, item := range r.list(name) {
		text, isText := item.(string)
		r.ok = r.ok && isText
		texts = append(texts, text)
	}
	return texts
}

func (r *reader) confirm() hcp.Confirm {
	switch value := r.row["confirm"].(type) {
	case nil:
	case bool:
		if value {
			return hcp.ConfirmAsk
		}
	case string:
		if value == string(hcp.ConfirmAlways) {
			return hcp.ConfirmAlways
		}
		r.ok = false
	default:
		r.ok = false
	}
	return hcp.ConfirmNone
}
