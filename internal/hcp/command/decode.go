package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"bridle/internal/kernel/canon"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object in the order of its document, which the declared
// order of arguments is.
type object []member

type member struct {
	name  string
	value any
}

// decodeOrdered reads a document strictly, in the forms of canon.Parse but with
// objects as object.
func decodeOrdered(raw []byte) (any, error) {
	if err := canon.Check(raw, canon.Limits{}); err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := readValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return v, nil
}

func readValue(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case '[':
		list := []any{}
		for dec.PeekKind() != ']' {
			item, err := readValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = dec.ReadToken()
		return list, err
	default:
		members := object{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			m := member{name: name.String()}
			if m.value, err = readValue(dec); err != nil {
				return nil, err
			}
			members = append(members, m)
		}
		_, err = dec.ReadToken()
		return members, err
	}
}

// unordered gives a value of decodeOrdered its plain form.
func unordered(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = unordered(item)
		}
		return list
	case object:
		members := make(map[string]any, len(v))
		for _, m := range v {
			members[m.name] = unordered(m.value)
		}
		return members
	default:
		return v
	}
}

// parse reads one JSON value into plain form, numbers as written.
func parse(raw []byte) (any, error) { return canon.Parse(raw, canon.Limits{}) }

// jsonText writes a plain value as JSON, numbers as written and members sorted.
func jsonText(v any) string {
	text, err := canon.Marshal(v)
	if err != nil {
		return "" // a plain value has nothing that JSON refuses
	}
	return string(text)
}
