package redact

import "strings"

// below looks at the line under a name: a word that stands there alone and looks like
// a secret on its own is one. In a diff of words each line begins with a sign.
func (s *scan) below(from int, class nameClass, start int) {
	for range 2 {
		i := from
		for lines := 0; i < len(s.text) && s.text[i] <= ' ' && lines < 3; i++ {
			if s.text[i] == '\n' {
				lines++
			}
		}
		first, last := s.trimmed(i, s.lineEnd(i))
		sign := first < last && (s.text[first] == '-' || s.text[first] == '+')
		if sign {
			first, last = s.trimmed(first+1, last)
		}
		v := s.text[first:last]
		if strings.ContainsAny(v, " \t") || !isSecret(class, v, asLoose) {
			return
		}
		s.check(field{first, last, asLoose}, class, start)
		if !sign {
			return
		}
		from = s.lineEnd(last)
	}
}
