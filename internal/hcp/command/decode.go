package command

import (
	"bytes"
	"errors"

	"bridle/internal/kernel/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one name and value of an object, in the order of the document.
type member struct {
	name  string
	value jsontext.Value
}

// members splits an object of a document that canon.Check accepted, and keeps
// the order, which canon.Parse does not.
func members(raw []byte) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if dec.PeekKind() != '{' {
		return nil, errors.New("want an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var list []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		m.value = value.Clone()
		list = append(list, m)
	}
	return list, nil
}

// parse reads one JSON value, numbers as written.
func parse(raw []byte) (any, error) { return canon.Parse(raw, canon.Limits{}) }

// jsonText writes a plain value as JSON, numbers as written and members sorted.
func jsonText(v any) string {
	text, err := canon.Marshal(v)
	if err != nil {
		return "" // a plain value has nothing that JSON refuses
	}
	return string(text)
}
