package redact

import "strings"

// spoken looks at a name with a blank after it: a flag, an instruction of a
// Dockerfile, a line of .netrc, a clause of SQL, a sentence.
func (s *scan) spoken(start, stop int, class nameClass) {
	if !isSpace(s.byteAt(stop)) && s.quoteAt(stop) == 0 && s.byteAt(stop) != '*' {
		return
	}
	i := s.spaces(stop)
	name := s.text[start:stop]
	if strings.HasPrefix(name, "-") {
		s.flagValue(s.continued(i), class, asForced)
		return
	}
	if v, ok := s.literal(i); ok && isSpace(s.byteAt(stop)) {
		f := asQuoted
		if class == passwordName && s.inSQL(start) {
			f = asForced
		}
		s.check(field{v.from, v.to, f}, class, start)
		return
	}
	word := s.word(i)
	switch {
	case s.inNetrc(start, name):
		s.check(field{i, word, asForced}, class, start)
	case s.isSet(start):
		s.check(field{i, s.bareEnd(i, true), asConfig}, class, start)
	default:
		s.sentence(start, stop, class)
	}
}

// continued skips the mark that a command goes on in the next line.
func (s *scan) continued(i int) int {
	if strings.HasPrefix(s.text[i:], "\\\n") {
		return s.spaces(i + 2)
	}
	return i
}

// flagValue looks at the word after a flag.
func (s *scan) flagValue(i int, class nameClass, f form) {
	if v, ok := s.literal(i); ok {
		s.check(field{v.from, v.to, f}, class, i)
		return
	}
	end := s.word(i)
	if s.byteAt(i) == '-' || isCode(s.text[i:end]) && countClass(s.text[i:end], isDigit) == 0 {
		return
	}
	s.check(field{i, end, f}, class, i)
}

// word is the end of a shell word without quotes.
func (s *scan) word(i int) int {
	end := i
	for end < len(s.text) && end-i < longestToken && s.text[end] > ' ' && strings.IndexByte("\"'`|;<>", s.text[end]) < 0 {
		if s.text[end] == '\\' && strings.IndexByte("nrt", s.byteAt(end+1)) >= 0 {
			break
		}
		end++
	}
	return end
}

// lineBefore is what stands before i on its line, at most so many bytes.
func (s *scan) lineBefore(i, most int) string {
	before := s.text[max(0, i-most):i]
	return before[strings.LastIndexByte(before, '\n')+1:]
}

func (s *scan) inSQL(start int) bool {
	before := toLower(s.lineBefore(start, 200))
	return strings.Contains(before, "create ") || strings.Contains(before, "alter ") || strings.Contains(before, "user") || strings.Contains(before, "role")
}

// inNetrc reports whether the name is the keyword of a .netrc entry.
func (s *scan) inNetrc(start int, name string) bool {
	if name != "password" && name != "passwd" {
		return false
	}
	before := strings.ReplaceAll(s.text[max(0, start-200):start], "\t", " ")
	return (strings.Contains(before, "machine ") || strings.Contains(before, "default")) && strings.Contains(before, "login ")
}

// isSet reports whether the words before the name are those of a command that
// sets it to the word after.
func (s *scan) isSet(start int) bool {
	before := strings.TrimRight(s.lineBefore(start, 80), " \t")
	for _, w := range [...]string{"ENV", "ARG", "setx", "setenv", "set", "set -x", "set -gx", "set -Ux", "SetEnv", "env", "add", "secret", "config", "fastcgi_param", "proxy_set_header", "requirepass"} {
		if strings.HasSuffix(before, w) && (len(before) == len(w) || !isAlnum(before[len(before)-len(w)-1])) {
			return true
		}
	}
	return false
}

// longestSentence is how many words of a sentence may stand between the name of
// a secret and the secret.
const longestSentence = 9

// sentence looks for "the password for staging is X", "set the token to X",
// "here is my API key X".
func (s *scan) sentence(start, stop int, class nameClass) {
	joined := false
	for i, n := stop, 0; n < longestSentence; n++ {
		i = s.blanks(i)
		end := s.word(i)
		end += s.quotedWord(i, end)
		if end == i {
			return
		}
		from, to := s.bare(i, end)
		word := s.text[from:to]
		switch {
		case from == to:
		case isJoint(word):
			joined = true
		case joined && class != weakKey && s.isSpoken(class, word, from > i):
			s.add(from, to, KindCredential, "sentence")
			s.skip = max(s.skip, to)
			return
		case n == 0 && s.isNamedDirectly(class, word):
			s.add(from, to, KindCredential, "sentence")
			s.skip = max(s.skip, to)
			return
		}
		if last := s.text[end-1]; last == '.' || last == ';' || last == '\n' || last == '{' || last == '(' {
			return
		}
		i = end
	}
	_ = start
}

// blanks skips blanks, and one line end, as sentences are wrapped.
func (s *scan) blanks(i int) int {
	i = s.spaces(i)
	if s.byteAt(i) == '\n' && s.byteAt(i+1) != '\n' {
		i = s.spaces(i + 1)
	}
	return i
}

// quotedWord returns how much longer a word is that begins with a quote.
func (s *scan) quotedWord(i, end int) int {
	if end > i || s.quoteAt(i) == 0 {
		return 0
	}
	n := s.quoteAt(i)
	close := s.literalEnd(i+n, s.text[i:i+n])
	return min(close+n, len(s.text)) - end
}

// bare takes quotes, emphasis and the punctuation of a sentence off a word.
func (s *scan) bare(from, to int) (int, int) {
	for from < to && strings.IndexByte("\"'`*_([", s.text[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte("\"'`*_)].,;:!?\n", s.text[to-1]) >= 0 {
		to--
	}
	return from, to
}

func isJoint(word string) bool {
	switch toLower(word) {
	case "is", "was", "are", "to", "as", "=", "be", "becomes", "equals", "ist", "->", "being", "now", "still", "currently":
		return true
	}
	return strings.HasSuffix(word, "'s")
}

// isNamedDirectly judges the word right after the name, as in "password X" and
// "API key X".
func (s *scan) isNamedDirectly(class nameClass, word string) bool {
	if class == passwordName && symbols(word) > 0 && countClass(word, isUpper) > 0 && countClass(word, isLower) > 0 && countClass(word, isDigit) > 0 {
		return s.isSpoken(class, word, false)
	}
	return isOneToken(strings.TrimRight(word, "~")) && looksRandom(word, 16) && isSecret(class, word, asLoose) && !isHexDigest(word) && !isPath(word)
}

// isSpoken is stricter than isSecret: most words of a sentence are words.
func (s *scan) isSpoken(class nameClass, word string, inQuotes bool) bool {
	if strings.ContainsAny(word, " \t,(){}[]") || isPlaceholder(word) || isReference(word) || isOrdinary(word) || isUUID(word) || isHexDigest(word) && class != secretName {
		return false
	}
	digits := countClass(word, isDigit)
	if class == passwordName {
		return len(word) >= 6 && digits > 0 && digits < len(word) && !isSlug(word) && !isCode(strings.TrimRight(word, "!")) && (inQuotes || len(word) >= 7)
	}
	return looksRandom(word, 12) && digits >= 2 && !isSlug(word) && !isPath(word)
}
