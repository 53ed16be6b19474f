package canon

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// explain turns what the decoder says into an Error, in words of JSON rather
// than of Go.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	said, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("decode JSON: %w", err)
	}
	e := &Error{Pointer: string(said.JSONPointer), Offset: said.ByteOffset}
	if own, ok := errors.AsType[*typeError](said.Err); ok {
		e.Kind, e.Reason = KindWrongType, own.Error()
		return e
	}
	switch {
	case errors.Is(said.Err, json.ErrUnknownName):
		e.Kind, e.Reason = KindUnknownName, "unknown name "+quoteShort(said.JSONPointer.LastToken())
	case errors.Is(said.Err, strconv.ErrRange) && said.JSONKind == '0':
		e.Kind, e.Reason = KindNumberOverflow, "number "+quoteShort(string(said.JSONValue))+" does not fit"
	case said.Err == nil || errors.Is(said.Err, strconv.ErrSyntax) && said.JSONKind == '0':
		got := kindWord(said.JSONKind)
		if len(said.JSONValue) > 0 && said.JSONKind == '0' {
			got = "number " + quoteShort(string(said.JSONValue))
		}
		e.Kind, e.Reason = KindWrongType, (&typeError{goWord(said.GoType), got}).Error()
	default:
		e.Kind, e.Reason, e.Cause = KindBadValue, said.Err.Error(), said.Err
	}
	return e
}

// typeError says that a value is of another type than the place wants.
type typeError struct{ want, got string }

func (e *typeError) Error() string { return "want " + e.want + ", got " + e.got }

func kindWord(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	default:
		return "another type"
	}
}

func goWord(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "another type"
	}
	if t == reflect.TypeFor[stdjson.Number]() {
		return "a number"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a base64 string"
		}
		return "an array"
	default:
		return "another type"
	}
}
