package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one name and value of an object, in the order of the document.
type member struct {
	name  string
	value jsontext.Value
}

// members splits an object. Duplicate names, invalid UTF-8 and trailing data
// are refused by the decoder's defaults.
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
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("trailing data")
	}
	return list, nil
}

// parse reads one JSON value into plain form, numbers as written.
func parse(raw []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := readValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("trailing data")
	}
	return v, nil
}

func readValue(dec *jsontext.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deep")
	}
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
			item, err := readValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = dec.ReadToken()
		return list, err
	default:
		object := map[string]any{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			if object[key], err = readValue(dec, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = dec.ReadToken()
		return object, err
	}
}
