package redact

import "strings"

// sent looks at what a script of expect, or of a library like it, types after it has
// waited for the prompt of a password.
func sent(s *scan, at, end int) {
	if at > 0 && (isNameByte(s.text[at-1]) && s.text[at-1] != '.') {
		return
	}
	before := s.text[max(0, at-200):at]
	if i := strings.LastIndex(before, "send"); i >= 0 {
		before = before[i:]
	}
	if !waitsForSecret(before) {
		return
	}
	i := s.spaces(end)
	if strings.HasPrefix(s.text[i:], "-- ") {
		i += len("-- ")
	}
	v, ok := s.literal(i)
	if !ok {
		return
	}
	for _, key := range [...]string{`\n`, `\r`} {
		if strings.HasSuffix(s.text[v.from:v.to], key) {
			v.to -= len(key)
		}
	}
	s.check(field{v.from, v.to, asForced}, passwordName, v.from)
}

// waitsForSecret reports whether a text waits for the prompt of a password: with the
// command of expect, or a method of that name. A function expect is one of tests.
func waitsForSecret(before string) bool {
	i := max(strings.LastIndex(before, "expect "), strings.LastIndex(before, ".expect"))
	return i >= 0 && (strings.Contains(before[i:], "assword") || strings.Contains(before[i:], "assphrase"))
}
