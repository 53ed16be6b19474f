// Package ids makes sortable prefixed identifiers and holds the grammars of
// names.
//
// An identifier is a lower-case prefix, an underscore and a ULID: 48 bits of
// milliseconds and 80 bits from the operating system's random source, so ids
// made later sort later and none can be guessed. Names are ASCII: a look-alike
// letter is a different name and never matches.
package ids

import (
	"crypto/rand"
	"strings"
	"time"
)

// base32 is Crockford's alphabet in lower case. The encoding is written out
// here because a library's costs every program that makes an id a tenth of its
// start.
const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

// bodyLen is how many characters the 128 bits after the prefix take.
const bodyLen = 26

// New returns prefix_ULID for the instant now.
func New(prefix string, now time.Time) string {
	var bits [16]byte
	rand.Read(bits[6:])
	ms := now.UnixMilli()
	for i := range 6 {
		bits[5-i] = byte(ms >> (8 * i))
	}
	var body [bodyLen]byte
	// 26 characters hold 130 bits: the first two are nought.
	for i := range body {
		var digit byte
		for at := 5*i - 2; at < 5*i+3; at++ {
			digit <<= 1
			if at >= 0 {
				digit |= bits[at/8] >> (7 - at%8) & 1
			}
		}
		body[i] = base32[digit]
	}
	return prefix + "_" + string(body[:])
}

// Parse splits an id made by New and reports whether it is one: the prefix as
// given and 26 characters of Crockford base 32 in lower case.
func Parse(id, prefix string) (at time.Time, ok bool) {
	body, found := strings.CutPrefix(id, prefix+"_")
	if !found || len(body) != bodyLen || body[0] > '7' {
		return time.Time{}, false
	}
	var ms int64
	for i := range bodyLen {
		digit := strings.IndexByte(base32, body[i])
		if digit < 0 {
			return time.Time{}, false
		}
		if i < 10 {
			ms = ms<<5 | int64(digit)
		}
	}
	return time.UnixMilli(ms).UTC(), true
}

// IsPackID reports whether s is a pack id by the published schema: 1 to 128
// characters, a lower-case letter or digit first, then also hyphens.
func IsPackID(s string) bool {
	if len(s) == 0 || len(s) > 128 || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLowerAlnum(c) && c != '-' {
			return false
		}
	}
	return true
}

// IsLoosePackID reports whether s is an id that the text of the specification
// (§2.2) still allows: 1 to 128 lower-case ASCII letters, digits, hyphens, dots
// and underscores, a letter or digit first, and safe as one path element on
// every platform. Packs with such an id load with a note.
func IsLoosePackID(s string) bool {
	if len(s) == 0 || len(s) > 128 || !isLowerAlnum(s[0]) || !IsPathElement(s) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isLowerAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// IsCommandKey reports whether s is a command key by the published schema:
// dot-separated words of lower-case letters and digits, each starting with a
// letter.
func IsCommandKey(s string) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			return false
		}
		for i := range len(word) {
			if !isLowerAlnum(word[i]) {
				return false
			}
		}
	}
	return true
}

// IsLooseCommandKey reports whether s is a key that the text of the
// specification (§2.3) allows and that no other grammar reads as something
// else: lower-case ASCII letters, digits, hyphens and underscores, in words that
// dots separate, each starting with a letter or digit. So a key is never a
// pattern, a flag or a path.
func IsLooseCommandKey(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || !isLowerAlnum(word[0]) {
			return false
		}
		for i := range len(word) {
			if c := word[i]; !isLowerAlnum(c) && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// IsPathElement reports whether s can name one file or folder on every
// platform without meaning anything else: no separators, no dots-only names,
// no trailing dot or space, no control characters, none of the device names
// that Windows reserves.
func IsPathElement(s string) bool {
	if s == "" || len(s) > 255 || s == "." || s == ".." || strings.HasSuffix(s, ".") || strings.HasSuffix(s, " ") {
		return false
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r)
	}) {
		return false
	}
	stem, _, _ := strings.Cut(strings.ToLower(s), ".")
	switch stem {
	case "con", "prn", "aux", "nul":
		return false
	}
	if len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) && stem[3] >= '0' && stem[3] <= '9' {
		return false
	}
	return true
}

func isLowerAlnum(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
