package canon

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode checks data and reads it into v, which must be a non-nil pointer. The
// document is closed: a member that v's types do not declare is refused, on
// every level. On an error v may be partly filled.
func Decode(data []byte, v any, l Limits) error {
	if err := Check(data, l); err != nil {
		return err
	}
	return explain(json.Unmarshal(data, v, readOptions(), json.RejectUnknownMembers(true)))
}

// DecodeOpen is Decode for a document that may carry more than v declares. The
// undeclared members of the top level are returned by name, in their order; on
// the levels below, v's types decide whether they keep or drop what they do
// not know.
func DecodeOpen(data []byte, v any, l Limits) (unknown []string, err error) {
	if err := Check(data, l); err != nil {
		return nil, err
	}
	if err := explain(json.Unmarshal(data, v, readOptions())); err != nil {
		return nil, err
	}
	return undeclared(data, v)
}

// undeclared asks the decoder itself, name by name, whether v's type knows it:
// {"name":null} is refused as unknown or it is not. So there is no second set
// of rules about tags, embedding and inlining that could differ from the first.
func undeclared(data []byte, v any) ([]string, error) {
	dec := jsontext.NewDecoder(strings.NewReader(string(data)))
	if dec.PeekKind() != '{' {
		return nil, nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var unknown []string
	probe := reflect.New(reflect.TypeOf(v).Elem()).Interface()
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String()
		ask := append(appendString([]byte{'{'}, text), ":null}"...)
		if err := json.Unmarshal(ask, probe, json.RejectUnknownMembers(true)); errors.Is(err, json.ErrUnknownName) {
			unknown = append(unknown, text)
		}
		if err := dec.SkipValue(); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// Marshal writes v as ordinary wire JSON: members of a struct in their order,
// those of a map sorted, a json.Number as a number by its literal, a
// json.RawMessage as it stands but for white space, nil slices and maps as []
// and {}, no HTML escaping. A string that is not UTF-8 and a float that is not
// finite are errors.
func Marshal(v any) ([]byte, error) { return marshal(v, writeOptions()) }

// MarshalIndent is Marshal over several lines, two spaces per level, without a
// line end after the last.
func MarshalIndent(v any) ([]byte, error) {
	return marshal(v, json.JoinOptions(writeOptions(), jsontext.WithIndent("  ")))
}

// MarshalLossy is Marshal for a last answer to a person: of a string that is not
// UTF-8 the bad bytes become U+FFFD. No document is written with it.
func MarshalLossy(v any) ([]byte, error) {
	return marshal(v, json.JoinOptions(writeOptions(), jsontext.AllowInvalidUTF8(true)))
}

func marshal(v any, o json.Options) ([]byte, error) {
	b, err := json.Marshal(v, o)
	if err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return b, nil
}

var readOptions = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		// Check has been here: names are unique, text is UTF-8.
		jsontext.AllowDuplicateNames(true),
		json.WithUnmarshalers(json.JoinUnmarshalers(
			json.UnmarshalFromFunc(readNumber),
			json.UnmarshalFromFunc(readAny),
			json.UnmarshalFromFunc(refuseNull),
		)),
	)
})

var writeOptions = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		json.Deterministic(true),
		jsontext.PreserveRawStrings(true),
		json.WithMarshalers(json.MarshalToFunc(writeNumber)),
	)
})

var canonicalOptions = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		json.Deterministic(true),
		json.WithMarshalers(json.JoinMarshalers(
			json.MarshalToFunc(writeNumber),
			json.MarshalToFunc(writeFloat),
		)),
	)
})

// readNumber keeps the literal of a number that lands in a json.Number.
func readNumber(dec *jsontext.Decoder, n *stdjson.Number) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if raw.Kind() != '0' {
		return &typeError{want: "a number", got: kindWord(raw.Kind())}
	}
	*n = stdjson.Number(raw)
	return nil
}

// readAny fills an empty interface as Parse does.
func readAny(dec *jsontext.Decoder, v *any) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*v, err = scan(raw, Limits{MaxBytes: math.MaxInt, MaxDepth: math.MaxInt}, true)
	return err
}

// refuseNull stops null from passing as a zero value. It sees every value that
// is decoded and leaves all others to the decoder, and so it does a type that
// reads itself token by token.
func refuseNull(dec *jsontext.Decoder, v any) error {
	if dec.PeekKind() != 'n' {
		return errors.ErrUnsupported
	}
	t := reflect.TypeOf(v).Elem()
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return errors.ErrUnsupported
	default:
	}
	if _, reads := v.(json.UnmarshalerFrom); reads {
		return errors.ErrUnsupported
	}
	return &typeError{want: goWord(t), got: "null"}
}

func writeNumber(enc *jsontext.Encoder, n stdjson.Number) error {
	if !isNumber(string(n)) {
		return fmt.Errorf("%s is not a JSON number", quoteShort(string(n)))
	}
	return enc.WriteValue(jsontext.Value(n))
}

// writeFloat sees every value; it writes those whose kind is a float.
func writeFloat(enc *jsontext.Encoder, v any) error {
	r := reflect.ValueOf(v).Elem()
	if !r.CanFloat() {
		return errors.ErrUnsupported
	}
	switch v.(type) {
	case json.Marshaler, json.MarshalerTo, encoding.TextMarshaler, encoding.TextAppender:
		return errors.ErrUnsupported
	}
	f := r.Float()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%v is not a JSON number", f)
	}
	return enc.WriteValue(appendFloat(nil, f, r.Type().Bits()))
}
