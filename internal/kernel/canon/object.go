package canon

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object that was checked once: its members can be looked at
// by name, and the whole be decoded, without checking it again. It refers to the
// text that it was read from, which must not change meanwhile.
type Object struct {
	// Members are the values as they stand in the text, by name.
	Members map[string]stdjson.RawMessage
	raw     []byte
}

// ReadObject checks data as Check does and returns the object that it is.
func ReadObject(data []byte, l Limits) (*Object, error) {
	o := &Object{raw: data, Members: map[string]stdjson.RawMessage{}}
	err := parts(data, l, '{', func(name, value []byte) { o.Members[string(name)] = value })
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Decode reads the object into v as the function Decode does.
func (o *Object) Decode(v any) error {
	return explain(json.Unmarshal(o.raw, v, readOptions(), json.RejectUnknownMembers(true)))
}

// ReadList checks data as Check does and returns the items of the array that it
// is, as they stand in the text.
func ReadList(data []byte, l Limits) ([]stdjson.RawMessage, error) {
	items := []stdjson.RawMessage{}
	err := parts(data, l, '[', func(_, value []byte) { items = append(items, value) })
	if err != nil {
		return nil, err
	}
	return items, nil
}

// parts gives each part of the outermost value, which must be of a kind.
func parts(data []byte, l Limits, kind jsontext.Kind, part func(name, value []byte)) error {
	s := scanner{part: func(name, value []byte) { part(name, value[:len(value):len(value)]) }}
	if _, err := s.document(data, l); err != nil {
		return err
	}
	start := scanner{data: data}
	start.space()
	if got := jsontext.Value(data[start.pos:]).Kind(); got != kind {
		return &Error{Kind: KindWrongType, Reason: (&typeError{want: kindWord(kind), got: kindWord(got)}).Error(), Offset: int64(start.pos)}
	}
	return nil
}
