package redact

import "strings"

// named looks at a name that promises a secret, and at the value beside it, in
// whatever language the two are written.
func named(s *scan, at, end int) {
	if at < s.skip {
		return
	}
	start, stop := s.nameAround(at, end)
	if stop > s.skip {
		s.skip = stop
	}
	if start < 0 {
		return
	}
	name := s.text[start:stop]
	class := classify(strings.TrimLeft(name, "-"))
	if class == noSecret {
		class = s.classAround(start, name)
	}
	if class == noSecret || name == "PASS" && s.lineBefore(start, 8) == "--- " {
		return
	}
	v, ok := s.valueOf(start, stop)
	if !ok {
		s.spoken(start, stop, class)
	} else {
		s.check(v, class, start)
	}
	s.elsewhere(start, stop, class)
}

// elsewhere looks at values that stand in another line than their name.
func (s *scan) elsewhere(start, stop int, class nameClass) {
	q := stop
	for q < len(s.text) && strings.IndexByte("*`\"' \t", s.text[q]) >= 0 {
		q++
	}
	switch c := s.byteAt(q); {
	case c == ',' && isSpace(s.byteAt(q+1)): // arguments, or a list
	case c == '|' || c == ',' || c == '\n' || c == '\r':
		s.column(start, stop, class)
		before := s.lineBefore(start, 80)
		switch {
		case c == '\n' && (strings.HasPrefix(before, "#") || strings.HasPrefix(s.text[start:stop], "-")):
			s.below(q, class, start)
		case c == '\n' && s.inNetrc(start, s.text[start:stop]) && strings.TrimSpace(before) == "":
			s.below(q, class, start)
		case c == ',' && strings.HasPrefix(s.text[start:stop], "-") && strings.TrimSpace(s.text[q+1:s.lineEnd(q)]) == "":
			s.below(s.lineEnd(q), class, start)
		}
	case c == ':' || c == '=':
		for q++; q < len(s.text) && strings.IndexByte("* \t\\\r", s.text[q]) >= 0; {
			q++
		}
		if s.byteAt(q) == '\n' {
			s.below(q, class, start)
		}
	}
}

// check adds the value if it is a secret.
func (s *scan) check(v field, class nameClass, nameStart int) {
	from, to := v.from, v.to
	if i := strings.IndexByte(s.text[from:min(to, from+20)], ' '); i > 0 && isScheme(s.text[from:from+i]) {
		from += i + 1
	}
	if class == tokenName && (v.form == asConfig || v.form == asTight) && countClass(s.text[nameStart:min(from, nameStart+longestName)], isLower) == 0 {
		class = secretName // NAME_TOKEN of an environment may be a UUID
	}
	if !isSecret(class, s.text[from:to], v.form) {
		return
	}
	kind, rule := KindCredential, "assignment"
	switch {
	case class == sessionName:
		kind, rule = KindAuth, "session"
	case s.inConnectionString(nameStart, to):
		kind, rule = KindConnection, "connection-string"
	}
	s.add(from, to, kind, rule)
	s.skip = max(s.skip, to)
}

// keyWords are words before "key" that make it a secret one, in sentences.
const keyWords = "api access secret private signing encryption license auth service master admin shared account deploy"

// classAround classifies "key" by what stands before it: a word of a sentence
// or the ? of a query.
func (s *scan) classAround(start int, name string) nameClass {
	if len(name) != 3 || !foldsTo(name, "key") || start == 0 {
		return noSecret
	}
	switch s.text[start-1] {
	case '?', '&':
		return weakKey
	case ' ':
		before := s.lineBefore(start-1, 24)
		if listed(keyWords, toLower(before[strings.LastIndexAny(before, " \t\"'(*")+1:])) {
			return secretName
		}
	}
	return noSecret
}

// nameAround returns the whole name that the anchor is part of.
func (s *scan) nameAround(at, end int) (start, stop int) {
	start, stop = at, end
	for start > 0 && isNameByte(s.text[start-1]) {
		if start--; at-start > longestName {
			return -1, end
		}
	}
	for stop < len(s.text) && isNameByte(s.text[stop]) {
		if stop++; stop-end > longestName {
			return -1, stop
		}
	}
	// The n of a \n that stands before the name in a string.
	if start < at && start > 0 && s.text[start-1] == '\\' && strings.IndexByte("nrt", s.text[start]) >= 0 {
		start++
	}
	for stop > end && strings.IndexByte("-.", s.text[stop-1]) >= 0 {
		stop--
	}
	return start, stop
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// field is a stretch of the text and how it stands there.
type field struct {
	from, to int
	form     form
}

func (s *scan) byteAt(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *scan) spaces(i int) int {
	for i < len(s.text) && isSpace(s.text[i]) {
		i++
	}
	return i
}

// quoteAt returns the length of the quote at i, which may be escaped, or 0.
func (s *scan) quoteAt(i int) int {
	n := 0
	for s.byteAt(i+n) == '\\' && n < 3 {
		n++
	}
	if c := s.byteAt(i + n); c == '"' || c == '\'' || c == '`' && n == 0 {
		return n + 1
	}
	return 0
}

// inConnectionString reports whether the field is one of several that say where
// to connect to.
func (s *scan) inConnectionString(start, end int) bool {
	before := s.text[max(0, start-160):start]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	after := s.text[end:min(len(s.text), end+80)]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	around := toLower(before + " " + after)
	for _, field := range [...]string{"server=", "data source=", "host=", "hostname=", "endpoint=", "accountname=", "dbname=", "initial catalog=", "user id=", "uid=", "sharedaccesskeyname="} {
		if strings.Contains(around, field) {
			return true
		}
	}
	return false
}
