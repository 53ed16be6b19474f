package access

import "strings"

// maxDecimal is the length from which a number is no amount but an attack.
const maxDecimal = 100

// decimal is a number that was written as people write amounts: an optional
// minus, digits, and perhaps a point with digits behind it. Nothing else is
// one: no exponent, no plus, no separators, no spaces, no zeros in front.
type decimal struct {
	negative  bool
	whole     string // without leading zeros; empty is zero
	fractions string // without trailing zeros
}

func parseDecimal(text string) (decimal, bool) {
	if len(text) > maxDecimal {
		return decimal{}, false
	}
	whole, negative := strings.CutPrefix(text, "-")
	fractions := ""
	if point := strings.IndexByte(whole, '.'); point >= 0 {
		whole, fractions = whole[:point], whole[point+1:]
		if !digits(fractions) {
			return decimal{}, false
		}
	}
	if !digits(whole) || len(whole) > 1 && whole[0] == '0' {
		return decimal{}, false
	}
	if whole == "0" {
		whole = ""
	}
	d := decimal{negative, whole, strings.TrimRight(fractions, "0")}
	if d.whole == "" && d.fractions == "" {
		d.negative = false
	}
	return d, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// compare is negative, zero or positive as a is below, equal to or above b.
func (a decimal) compare(b decimal) int {
	switch {
	case a.negative && !b.negative:
		return -1
	case !a.negative && b.negative:
		return 1
	case a.negative:
		a, b = b, a
	}
	if d := len(a.whole) - len(b.whole); d != 0 {
		return d
	}
	if d := strings.Compare(a.whole, b.whole); d != 0 {
		return d
	}
	return strings.Compare(a.fractions, b.fractions)
}
