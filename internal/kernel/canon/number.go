package canon

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// number reads the number that begins at pos and returns its literal.
func (s *scanner) number() ([]byte, error) {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
		if bytes.HasPrefix(s.data[s.pos:], []byte("Infinity")) || bytes.HasPrefix(s.data[s.pos:], []byte("NaN")) {
			return nil, s.failAt(KindNotFinite, "an infinity or NaN is not a JSON number", start)
		}
	}
	whole := s.pos
	if s.digits() == 0 {
		return nil, s.unexpected("a digit")
	}
	if s.data[whole] == '0' && s.pos > whole+1 {
		return nil, s.failAt(KindSyntax, "number with a leading zero", start)
	}
	exponent := false
	if s.at('.') {
		s.pos++
		if s.digits() == 0 {
			return nil, s.unexpected("a digit")
		}
	}
	if s.at('e') || s.at('E') {
		exponent = true
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if s.digits() == 0 {
			return nil, s.unexpected("a digit")
		}
	}
	literal := s.data[start:s.pos]
	if s.pos < len(s.data) && wordGoesOn(s.data[s.pos:]) {
		return nil, s.unexpected("the end of a number")
	}
	// A short literal without exponent cannot overflow; an integer is no float.
	if exponent || len(literal) > 300 && bytes.IndexByte(literal, '.') >= 0 {
		if _, err := strconv.ParseFloat(string(literal), 64); err != nil {
			return nil, s.failAt(KindNumberOverflow, "number "+quoteShort(string(literal))+" is beyond a 64-bit float", start)
		}
	}
	return literal, nil
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}

// isNumber reports whether text is exactly one number that Check accepts.
func isNumber(text string) bool {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	s := scanner{data: []byte(text)}
	_, err := s.number()
	return err == nil && s.pos == len(text)
}

// appendNumber writes the canonical form of a literal that Check accepted.
func appendNumber(b []byte, literal string) []byte {
	if !strings.ContainsAny(literal, ".eE") {
		if literal == "-0" {
			return append(b, '0')
		}
		return append(b, literal...)
	}
	f, _ := strconv.ParseFloat(literal, 64) // Check has refused what overflows
	return appendFloat(b, f, 64)
}

// appendFloat writes a finite float as Python's repr does: the fewest digits
// that read back, plain between 1e-4 and 1e16, else with an exponent of at
// least two digits.
func appendFloat(b []byte, f float64, bits int) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, bits)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, bits)
	if bytes.IndexByte(b[start:], '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}
