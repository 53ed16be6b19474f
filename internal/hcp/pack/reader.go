package pack

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

// reader reads a JSON document that canon has accepted into values, and goes on
// after each problem. It exists beside the decoder of the vocabulary because it
// knows what that one cannot tell apart (absent, null, empty), keeps the rules
// next to the fields, and reports every problem with its place.
type reader struct {
	canon.Cursor
	file     string
	classify func(pointer string) (hcp.LintKind, string)
	problems []Problem
	notes    []string
	isObject bool // the document is an object
	loose    bool // something holds by the text only, not by the schema
}

// shape describes an object: its fields, those that must be there, and whether
// it may carry others.
type shape struct {
	what     string
	fields   []string // at most 64
	required []string
	open     bool
}

func newReader(file string, data []byte, classify func(string) (hcp.LintKind, string)) *reader {
	return &reader{Cursor: canon.NewCursor(string(data)), file: file, classify: classify}
}

// strict reports why data is not a strict JSON document.
func strict(file string, data []byte, classify func(string) (hcp.LintKind, string)) *Problem {
	err := canon.Check(data, canon.Limits{MaxBytes: MaxJSON})
	if err == nil {
		return nil
	}
	pointer, reason := "", err.Error()
	if e, ok := errors.AsType[*canon.Error](err); ok {
		pointer, reason = e.Pointer, e.Reason
	}
	kind, key := classify(pointer)
	return &Problem{
		LintIssue: hcp.LintIssue{Kind: kind, Key: key, Message: place(file, pointer) + " is not strict JSON: " + reason},
		Code:      CodeBadPack, File: file, Pointer: pointer,
	}
}

func place(file, pointer string) string {
	if pointer == "" {
		return file
	}
	if !isPrintable(pointer) {
		return file + " " + quote(pointer)
	}
	return file + " " + shorten(pointer)
}

func shorten(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// mostFindings bounds the problems and the notes about one file.
const mostFindings = 500

func (r *reader) report(pointer, format string, args ...any) *Problem {
	if len(r.problems) == mostFindings {
		return &Problem{}
	}
	kind, key := r.classify(pointer)
	r.problems = append(r.problems, Problem{
		LintIssue: hcp.LintIssue{Kind: kind, Key: key, Message: place(r.file, pointer) + " " + fmt.Sprintf(format, args...)},
		Code:      CodeBadPack, File: r.file, Pointer: pointer,
	})
	return &r.problems[len(r.problems)-1]
}

// stricter reports what the schema would accept.
func (r *reader) stricter(pointer, format string, args ...any) {
	r.report(pointer, format, args...).Stricter = true
}

func (r *reader) note(pointer, format string, args ...any) {
	if len(r.notes) == mostFindings {
		return
	}
	r.notes = append(r.notes, place(r.file, pointer)+" "+fmt.Sprintf(format, args...))
}

// is reports whether the next value has one of the kinds; if not, it is skipped
// and reported.
func (r *reader) is(want string, kinds ...byte) bool {
	kind := r.Kind()
	if slices.Contains(kinds, kind) {
		return true
	}
	r.Raw()
	r.report(r.Pointer(), "must be %s, not %s", want, kindWord(kind))
	return false
}

func kindWord(kind byte) string {
	switch kind {
	case 'n':
		return "null"
	case 't':
		return "true"
	case 'f':
		return "false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	default:
		return "an object"
	}
}

// object reads an object and calls member for each field that s declares; member
// reads the value. It reports whether there was an object.
func (r *reader) object(s *shape, member func(name string)) bool {
	var seen uint64
	isObject := r.members(func(name string) {
		if i := slices.Index(s.fields, name); i >= 0 {
			seen |= 1 << i
			member(name)
		} else {
			r.unknown(s, name)
		}
	})
	if !isObject {
		return false
	}
	for _, name := range s.required {
		if seen&(1<<slices.Index(s.fields, name)) == 0 {
			r.report(r.Pointer()+"/"+name, "is missing")
		}
	}
	return true
}

func (r *reader) unknown(s *shape, name string) {
	r.Raw()
	for _, field := range s.fields {
		if strings.EqualFold(field, name) {
			r.report(r.Pointer(), "differs from the field %q only in case", field).Stricter = s.open
			return
		}
	}
	if s.open {
		r.note(r.Pointer(), "is not a field of %s and is ignored", s.what)
		return
	}
	r.report(r.Pointer(), "is not a field of %s", s.what)
}

// members reads an object whose names are free.
func (r *reader) members(value func(name string)) bool {
	if !r.is("an object", '{') {
		return false
	}
	r.Open()
	for r.More() {
		name := r.Member()
		value(name)
		r.Up()
	}
	r.Close()
	return true
}

// list reads an array of min to max items; max 0 means no bound.
func (r *reader) list(min, max int, value func()) bool {
	if !r.is("an array", '[') {
		return false
	}
	r.Open()
	n := 0
	for ; r.More(); n++ {
		r.Item(n)
		value()
		r.Up()
	}
	r.Close()
	if n < min || max > 0 && n > max {
		r.report(r.Pointer(), "must have %s, not %d", span(min, max, "entry"), n)
	}
	return true
}

// text reads a string of min to max characters; max 0 means no bound.
func (r *reader) text(min, max int) string {
	if !r.is("a string", '"') {
		return ""
	}
	s := r.Str()
	switch n := len(s); {
	case n < min || max > 0 && n > max && utf8.RuneCountInString(s) > max:
		r.report(r.Pointer(), "must have %s, not %d", span(min, max, "character"), utf8.RuneCountInString(s))
	case strings.IndexByte(s, 0) >= 0:
		// No file name, argument or environment variable can hold it.
		r.stricter(r.Pointer(), "holds a NUL character")
	}
	return s
}

// address reads an absolute URI.
func (r *reader) address() string {
	before := len(r.problems)
	s := r.text(0, 0)
	if len(r.problems) == before && !isURI(s) {
		r.report(r.Pointer(), "must be an absolute URL, not %s", quote(s))
	}
	return s
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() {
		return false
	}
	host := u.Hostname()
	if !strings.Contains(host, ":") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" && strings.HasPrefix(u.Host, "[")
}

// choice reads one of the allowed words.
func choice[T ~string](r *reader, allowed []T) T {
	got := kindWord(r.Kind())
	if r.Kind() == '"' {
		word := T(r.Str())
		if slices.Contains(allowed, word) {
			return word
		}
		got = quote(string(word))
	} else {
		r.Raw()
	}
	r.report(r.Pointer(), "must be %s, not %s", alternatives(allowed), got)
	return ""
}

// strings reads an array of strings. An empty array is not nil.
func (r *reader) strings(minItems, maxItems, minLen, maxLen int) []string {
	out := []string{}
	if !r.list(minItems, maxItems, func() { out = append(out, r.text(minLen, maxLen)) }) {
		return nil
	}
	return out
}

// stringMap reads an object of strings.
func (r *reader) stringMap() map[string]string {
	out := map[string]string{}
	if !r.members(func(name string) { out[name] = r.text(0, 0) }) {
		return nil
	}
	return out
}

// number reads a number and returns it as written.
func (r *reader) number() (string, bool) {
	if !r.is("a number", '0') {
		return "", false
	}
	return r.Literal(), true
}

// whole returns the value of a number's text if it is an integer, also one that
// is written 2.0 or 2e3 as JSON Schema has it. What no int32 holds becomes the
// nearest that it does.
func whole(literal string) (int, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	digits, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	e := 0
	if exponent != "" {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return 0, false
		}
	}
	integer := strings.TrimLeft(strings.TrimLeft(digits, "-"), "0")
	zeros := len(integer) - len(strings.TrimRight(integer, "0"))
	isZero := integer == "" && fraction == ""
	if !isZero && e < len(fraction) && (fraction != "" || -e > zeros) {
		return 0, false
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return 0, false
	}
	return int(math.Max(math.MinInt32, math.Min(math.MaxInt32, f))), true
}

func span(min, max int, unit string) string {
	plural := func(n int) string {
		if n == 1 {
			return "1 " + unit
		}
		return strconv.Itoa(n) + " " + strings.TrimSuffix(unit, "y") + map[bool]string{true: "ies", false: "s"}[strings.HasSuffix(unit, "y")]
	}
	switch {
	case max == 0:
		return "at least " + plural(min)
	case min == 0:
		return "at most " + plural(max)
	default:
		return strconv.Itoa(min) + " to " + plural(max)
	}
}

func alternatives[T ~string](words []T) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(string(w))
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// quote shows a value from a pack: quoted, cut, and with everything beyond ASCII
// escaped, so that no letter passes for another.
func quote(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) > most {
		return strconv.QuoteToASCII(string([]rune(s)[:most])) + "…"
	}
	return strconv.QuoteToASCII(s)
}
