package hcp

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Commands is the manifest's verbs map in declared order.
type Commands struct{ ordered[Command] }

// PreviewFields maps a card's field to its template, in declared order.
type PreviewFields struct{ ordered[string] }

// ordered is a JSON object that remembers the order of its members. The zero
// value is an empty object.
type ordered[V any] struct {
	keys   []string
	values map[string]V
}

// Len returns the number of members.
func (o *ordered[V]) Len() int { return len(o.keys) }

// Keys returns the names in declared order.
func (o *ordered[V]) Keys() []string { return slices.Clone(o.keys) }

// Get returns the member and whether it is declared.
func (o *ordered[V]) Get(key string) (V, bool) {
	v, ok := o.values[key]
	return v, ok
}

// Set adds or replaces a member; a new one goes to the end.
func (o *ordered[V]) Set(key string, value V) {
	if o.values == nil {
		o.values = map[string]V{}
	}
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// All yields the members in declared order.
func (o *ordered[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range o.keys {
			if !yield(key, o.values[key]) {
				return
			}
		}
	}
}

// IsZero reports whether there is no member, for omitzero.
func (o ordered[V]) IsZero() bool { return len(o.keys) == 0 }

// MarshalJSONTo writes the object in declared order.
func (o ordered[V]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, key := range o.keys {
		if err := enc.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, o.values[key]); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads an object and keeps the order of its members.
func (o *ordered[V]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	start, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if start.Kind() != '{' {
		return fmt.Errorf("want an object, got %v", start.Kind())
	}
	*o = ordered[V]{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if _, twice := o.values[key]; twice {
			return fmt.Errorf("duplicate name %q", key)
		}
		var value V
		if err := json.UnmarshalDecode(dec, &value); err != nil {
			return err
		}
		o.Set(key, value)
	}
	_, err = dec.ReadToken()
	return err
}

// UnmarshalJSONFrom accepts a string or a list of strings.
func (t *Templates) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		var one string
		if err := json.UnmarshalDecode(dec, &one); err != nil {
			return err
		}
		*t = Templates{one}
		return nil
	case '[':
		var many []string
		if err := json.UnmarshalDecode(dec, &many); err != nil {
			return err
		}
		*t = many
		return nil
	default:
		return errors.New("want a template or a list of templates")
	}
}

// MarshalJSONTo writes a single template as a string, several as a list.
func (t Templates) MarshalJSONTo(enc *jsontext.Encoder) error {
	if len(t) == 1 {
		return enc.WriteToken(jsontext.String(t[0]))
	}
	return json.MarshalEncode(enc, []string(t))
}
