// Package canon reads JSON strictly, writes it in one canonical form, and
// hashes it.
//
// # Reading
//
// Every document that enters the tools passes through Check, directly or by
// way of Decode, DecodeOpen, Parse and Canonical. It accepts RFC 8259 JSON in
// valid UTF-8 and nothing else. Two readers of an accepted document cannot
// disagree about what it says: a name that occurs twice in an object (also
// when one of the two is written with escapes), a lone surrogate, a byte order
// mark, a number that no float64 holds, text after the value, and a depth or
// size over the limit are refused, each with its own Kind, a sentence, the
// offset and the JSON Pointer (RFC 6901) of the place.
//
// Decode adds the Go types. Names match in their exact case only, so "Name" is
// an unknown name where "name" is declared. null does not stand for an empty
// string, a zero, false or an empty object: it is accepted only where the Go
// type can be nil. Numbers that land in an `any` keep their literal text as
// encoding/json.Number, so 2.80 stays 2.80 and no big integer is rounded.
//
// # The canonical form
//
// Encode and Canonical write the form that digests are taken of:
//
//   - no white space; "," and ":" alone separate
//   - object members sorted by the code points of their names
//   - UTF-8, unescaped but for ", \ and U+0000 to U+001F, which are written
//     \b \t \n \f \r or \u00xx in lower case
//   - a number without fraction and exponent is an integer: all its digits,
//     and 0 for -0
//   - any other number is a float64 in the fewest digits that read back as the
//     same value, laid out as Python's repr does: 1.0, 1e-05, 1e+16, -0.0
//
// Writing what was read from canonical bytes gives the same bytes. The
// directory spec/canon holds the vectors and says how this form differs from
// RFC 8785.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Defaults of Limits.
const (
	DefaultMaxBytes = 4 << 20
	DefaultMaxDepth = 64
)

// Limits bound what is read. A field that is zero or negative means its
// default: no document is ever read without bounds.
type Limits struct {
	MaxBytes int // size of the whole text
	MaxDepth int // arrays and objects around the innermost value
}

func (l Limits) orDefault() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	return l
}

// Kind says which rule a document breaks. Kinds are stable; the vectors name
// them.
type Kind string

// The rules, in the order in which this page explains them.
const (
	KindTooLarge       Kind = "too_large"       // more than Limits.MaxBytes
	KindByteOrderMark  Kind = "byte_order_mark" // U+FEFF before the value
	KindTruncated      Kind = "truncated"       // the text ends within a value, or is empty
	KindSyntax         Kind = "syntax"          // anything else that RFC 8259 does not allow
	KindTrailingData   Kind = "trailing_data"   // text after the value
	KindTooDeep        Kind = "too_deep"        // more than Limits.MaxDepth
	KindDuplicateName  Kind = "duplicate_name"
	KindInvalidUTF8    Kind = "invalid_utf8"
	KindLoneSurrogate  Kind = "lone_surrogate"
	KindNotFinite      Kind = "not_finite"      // NaN, Infinity, -Infinity
	KindNumberOverflow Kind = "number_overflow" // a float beyond float64, or a number beyond the Go type
	KindUnknownName    Kind = "unknown_name"    // Decode only
	KindWrongType      Kind = "wrong_type"      // Decode only
	KindBadValue       Kind = "bad_value"       // Decode only: the type's own reader refuses
)

// Error is the one error type of this package for text that is refused.
type Error struct {
	Kind    Kind
	Pointer string // RFC 6901; "" is the whole document
	Reason  string // one sentence, values in double quotes
	Offset  int64  // bytes from the start of the text
	Cause   error  // what a type's own reader said, if it was one
}

// Error returns the reason and the place.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Reason
	}
	return e.Reason + " at " + quoteShort(e.Pointer)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Check reports why data is not one strict JSON document, or nil.
func Check(data []byte, l Limits) error {
	_, err := scan(data, l, false)
	return err
}

// Parse reads any JSON document. The result is made of map[string]any, []any,
// string, bool, nil and encoding/json.Number, which keeps the literal text.
func Parse(data []byte, l Limits) (any, error) {
	return scan(data, l, true)
}

// Canonical returns the canonical form of the document raw. The argument is
// left as it is.
func Canonical(raw []byte, l Limits) ([]byte, error) {
	if text, ok := recognised(raw, l); ok {
		return bytes.Clone(text), nil
	}
	return rewritten(raw, l)
}

// recognised returns the document in raw if it is canonical but for line ends
// behind it, as most that come from a file are.
func recognised(raw []byte, l Limits) ([]byte, bool) {
	text := bytes.TrimRight(raw, "\n")
	return text, len(raw) <= l.orDefault().MaxBytes && IsCanonical(text, l)
}

// rewritten is Canonical of a text that need not be in that form.
func rewritten(raw []byte, l Limits) ([]byte, error) {
	v, err := scan(raw, l, true)
	if err != nil {
		return nil, err
	}
	return appendValue(make([]byte, 0, len(raw)), v), nil
}

// Digest returns the SHA-256 of the canonical form, in lower-case hex.
func Digest(raw []byte, l Limits) (string, error) {
	c, ok := recognised(raw, l)
	if !ok {
		var err error
		if c, err = rewritten(raw, l); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(c)
	return hex.EncodeToString(sum[:]), nil
}

// Encode returns the canonical form of a Go value: of what Marshal writes,
// except that a Go float is always a float (1.0, not 1).
func Encode(v any) ([]byte, error) {
	if plain, ok := appendPlain(nil, v, 0); ok {
		return plain, nil
	}
	return encodeAny(v)
}

// encodeAny is Encode of any value.
func encodeAny(v any) ([]byte, error) {
	raw, err := marshal(v, canonicalOptions())
	if err != nil {
		return nil, err
	}
	return Canonical(raw, Limits{MaxBytes: math.MaxInt, MaxDepth: ownDepth})
}

// ownDepth bounds values that the program itself made; what came from outside
// has passed a Limits before.
const ownDepth = 1000

// quoteShort quotes s for a sentence: everything invisible escaped, long text
// cut.
func quoteShort(s string) string {
	const most = 96
	if len(s) <= most {
		return strconv.Quote(s)
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return strconv.Quote(s[:cut]) + fmt.Sprintf("… (%d bytes)", len(s))
}

var _ error = (*Error)(nil)

// number is the literal text of a JSON number.
type number = json.Number
