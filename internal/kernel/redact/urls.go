package redact

import "strings"

// userinfo looks at the user part of a URL. The password goes, and a user name
// that is a token; name and host stay.
func userinfo(s *scan, at, end int) {
	if at == 0 || !isAlnum(s.text[at-1]) {
		return
	}
	i, colon := end, -1
	for ; i < len(s.text) && i-end < 1024; i++ {
		c := s.text[i]
		if c == '@' {
			break
		}
		if c <= ' ' || strings.IndexByte("/?#\"'`<>\\", c) >= 0 && !s.inPassword(i, colon) {
			return
		}
		if c == ':' && colon < 0 {
			colon = i
		}
	}
	if s.byteAt(i) != '@' {
		return
	}
	// A password may hold an @; the last one before the path divides.
	for j := i + 1; j < len(s.text) && j-end < 1024 && s.text[j] > ' ' && strings.IndexByte("/?#\"'`<>\\,;()", s.text[j]) < 0; j++ {
		if s.text[j] == '@' {
			i = j
		}
	}
	if colon < 0 {
		if v := s.text[end:i]; looksRandom(v, 16) && !isPlaceholder(v) && !isReference(v) {
			s.add(end, i, KindConnection, "url")
			s.skip = max(s.skip, i)
		}
		return
	}
	user, pass := s.text[end:colon], s.text[colon+1:i]
	if pass == "" || pass == "x" || foldsTo(pad(pass, 13), "x-oauth-basic") {
		pass = ""
	}
	if isURLPassword(pass) {
		s.add(colon+1, i, KindConnection, "url")
		s.skip = max(s.skip, i)
	} else if pass == "" && looksRandom(user, 20) && !isPlaceholder(user) && !isReference(user) {
		s.add(end, colon, KindConnection, "url")
	}
}

// inPassword reports whether the character at i may be part of a password that
// nobody has escaped: an @ and a host come after it on the same word.
func (s *scan) inPassword(i, colon int) bool {
	if colon < 0 || strings.IndexByte("\"'`<>\\", s.text[i]) >= 0 {
		return false
	}
	// host:port/path is what a colon means most of the time.
	port := s.text[colon+1 : i]
	if isAllDigits(port) || port == "" {
		return false
	}
	rest := s.text[i:min(len(s.text), i+64)]
	for j := range len(rest) {
		if rest[j] <= ' ' || strings.IndexByte("\"'`<>", rest[j]) >= 0 {
			return false
		}
		if rest[j] == '@' {
			return true
		}
	}
	return false
}

func isURLPassword(v string) bool {
	if len(v) < 3 || isPlaceholder(v) || isReference(v) || isCommonWord(v) || isAllUpperName(v) {
		return false
	}
	return strings.IndexByte("[]", v[0]) < 0 && hasAlnum(v)
}

// isAllUpperName is PASSWORD, DB_PASS and the like.
func isAllUpperName(v string) bool {
	return isName(v) && countClass(v, isLower) == 0 && countClass(v, isDigit) == 0
}

// signed looks at the signature of a URL that is a credential for its time.
func signed(s *scan, at, end int) {
	if at == 0 || strings.IndexByte("?&-_;", s.text[at-1]) < 0 || at < s.skip {
		return
	}
	to := s.bareEnd(end, false)
	if v := s.text[end:to]; looksRandom(v, 16) && !isPlaceholder(v) {
		s.add(end, to, KindCredential, "signed-url")
		s.skip = max(s.skip, to)
	}
}

// dsn looks at user:password@tcp(host), which has no scheme.
func dsn(s *scan, at, _ int) {
	from := at
	for from > 0 && at-from < 256 && s.text[from-1] > ' ' && strings.IndexByte("\"'`=", s.text[from-1]) < 0 {
		from--
	}
	_, pass, found := strings.Cut(s.text[from:at], ":")
	if found && isURLPassword(pass) {
		s.add(at-len(pass), at, KindConnection, "dsn")
	}
}

// pgpass looks at a line host:port:database:user:password.
func pgpass(s *scan, at, end int) {
	before := s.lineBefore(at, 120)
	if before == "" || strings.ContainsAny(before, " \t:/@\"'") {
		return
	}
	i := end
	for range 2 {
		n := strings.IndexByte(s.text[i:min(len(s.text), i+80)], ':')
		if n <= 0 || strings.ContainsAny(s.text[i:i+n], " \t\n/") {
			return
		}
		i += n + 1
	}
	to := i
	for to < len(s.text) && s.text[to] > ' ' {
		to++
	}
	if v := s.text[i:to]; len(v) >= 4 && isURLPassword(v) {
		s.add(i, to, KindConnection, "pgpass")
	}
}
