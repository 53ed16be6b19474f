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
		return
	}
	s.check(v, class, start)
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

// valueOf finds the value that belongs to the name text[start:stop].
func (s *scan) valueOf(start, stop int) (field, bool) {
	q := stop
	closed := s.quoteAt(q) > 0
	q += s.quoteAt(q)
	if s.byteAt(q) == ']' || s.byteAt(q) == ')' && closed {
		q++
	}
	if c := s.byteAt(q); (c == '?' || c == '!') && s.byteAt(q+1) == ':' {
		q++
	}
	if s.byteAt(q) == '[' { // char pass[16]
		end := q + 1
		for isDigit(s.byteAt(end)) {
			end++
		}
		if s.byteAt(end) == ']' {
			q = end + 1
		}
	}
	r := s.spaces(q)
	switch c := s.byteAt(r); {
	case c == '%' && r == q && foldsTo(pad(s.text[r:min(len(s.text), r+3)], 3), "%3d"):
		return s.encodedValue(r + 3), true
	case c == '|' && s.byteAt(r+1) == ' ' && strings.HasPrefix(s.lineBefore(start, 80), "|"):
		from := s.spaces(r + 1)
		return field{from, s.bareEnd(from, false), asLoose}, true
	case closed && c == 't' && strings.HasPrefix(s.text[r:], "to "):
		return s.literal(r + 3)
	case c == '=':
		return s.afterEquals(start, q, r)
	case c == ':':
		return s.afterColon(start, r)
	case strings.IndexByte("+?|!", c) >= 0 && c != 0 && strings.HasPrefix(strings.TrimLeft(s.text[r:min(r+3, len(s.text))], "+?|!"), "="):
		return s.literal(r + strings.IndexByte(s.text[r:], '=') + 1)
	case c == '(' && r == q:
		return s.literal(r + 1)
	case c == ',' && closed:
		if v, ok := s.pairValue(r); ok {
			return v, true
		}
		return s.literal(r + 1)
	case c == '>' && r == q:
		return s.element(r + 1)
	case closed || c == '\n' || c == '\r' || c == '<':
		return s.pairValue(q)
	}
	return field{}, false
}

func (s *scan) afterEquals(start, q, r int) (field, bool) {
	end := r
	for s.byteAt(end) == '=' || s.byteAt(end) == '>' || s.byteAt(end) == '~' {
		end++
	}
	if end-r > 1 {
		return s.literal(end)
	}
	if v, ok := s.literal(end); ok {
		return v, true
	}
	from := s.spaces(end)
	if v, ok := s.wrapped(from); ok {
		return v, true
	}
	if s.byteAt(from) == '{' && s.inFields(start) { // ODBC
		if n := strings.IndexByte(s.text[from:min(len(s.text), from+256)], '}'); n > 0 {
			return field{from + 1, from + n, asTight}, true
		}
	}
	spaced := r > q || from > end
	if s.startsLine(start) {
		if to := s.restOfLine(from); to > from {
			return field{from, to, asConfig}, true
		}
		if !spaced {
			return field{from, s.bareEnd(from, true), asTight}, true
		}
	}
	f := asTight
	if spaced {
		f = asLoose
		if s.inFields(start) {
			f = asTight
		}
	}
	return field{from, s.bareEnd(from, false), f}, true
}

// inFields reports whether the name follows a semicolon or a blank after
// another assignment, as in connection strings with blanks around the signs.
func (s *scan) inFields(start int) bool {
	for start > 0 && s.text[start-1] == ' ' {
		start--
	}
	return start > 0 && s.text[start-1] == ';'
}

func (s *scan) afterColon(start, r int) (field, bool) {
	from := r + 1
	for start > 0 && s.text[start-1] == '*' && s.byteAt(from) == '*' {
		from++ // **Password:** X
	}
	if s.byteAt(from) == ':' {
		return field{}, false
	}
	if s.byteAt(from) == '=' {
		return s.literal(from + 1)
	}
	if v, ok := s.literal(from); ok {
		return v, true
	}
	if v, ok := s.annotated(from); ok {
		return v, true
	}
	if s.startsLine(start) {
		from = s.inYAML(from)
	}
	from = s.spaces(from)
	if s.byteAt(from) == '\n' || s.byteAt(from) == '\r' {
		if r > 0 && s.text[r-1] == '"' {
			return s.inNextLine(from)
		}
		return field{}, false
	}
	if v, ok := s.literal(from); ok {
		return v, true
	}
	if s.startsLine(start) {
		if to := s.restOfLine(from); to > from {
			return field{from, to, asConfig}, true
		}
	}
	return field{from, s.bareEnd(from, false), asLoose}, true
}

// encodedValue is a value in a query that stands, encoded, in another URL.
func (s *scan) encodedValue(from int) field {
	end := s.bareEnd(from, false)
	if i := strings.IndexByte(s.text[from:end], '%'); i >= 0 {
		end = from + i
	}
	return field{from, end, asTight}
}

// inYAML skips what may stand between a key and its value in YAML: a tag, an
// anchor, and the sign that the value is a block, which begins in the next line.
func (s *scan) inYAML(from int) int {
	i := s.spaces(from)
	for n := 0; n < 2 && (s.byteAt(i) == '!' || s.byteAt(i) == '&') && (isAlpha(s.byteAt(i+1)) || s.byteAt(i+1) == '!'); n++ {
		for i < len(s.text) && s.text[i] > ' ' {
			i++
		}
		i = s.spaces(i)
	}
	if c := s.byteAt(i); c == '|' || c == '>' {
		end := i + 1
		for strings.IndexByte("+-0123456789", s.byteAt(end)) >= 0 && end < len(s.text) {
			end++
		}
		if s.byteAt(end) == '\n' {
			return s.spaces(end + 1)
		}
	}
	return i
}

// inNextLine reads the literal that stands in the line below a quoted name, as
// where long JSON is broken.
func (s *scan) inNextLine(from int) (field, bool) {
	for n := 0; n < 80 && strings.IndexByte(" \t\r\n", s.byteAt(from)) >= 0 && from < len(s.text); n++ {
		from++
	}
	return s.literal(from)
}

// wrappers are parts of the names of functions that make a secret of a literal
// and are not the names of those that look one up.
const wrappers = "secret secure string bytes text password some ptr"

// wrapped reads the literal in SecretStr("…"), []byte("…"), ConvertTo-SecureString "….
func (s *scan) wrapped(from int) (field, bool) {
	end := from
	for end < len(s.text) && end-from < 40 && (isNameByte(s.text[end]) || s.text[end] == '[' || s.text[end] == ']') {
		end++
	}
	if end == from || s.byteAt(end) != '(' && s.byteAt(end) != ' ' {
		return field{}, false
	}
	parts := splitName(s.text[from:end])
	for _, w := range parts {
		switch w {
		case "get", "env", "read", "input", "prompt", "find", "load":
			return field{}, false
		}
	}
	for _, w := range parts {
		if listed(wrappers, w) || w == "byte" || w == "str" {
			return s.literal(end + 1)
		}
	}
	return field{}, false
}

// annotated skips a type between the name and its value.
func (s *scan) annotated(from int) (field, bool) {
	i := s.spaces(from)
	for n := 0; n < 40 && i < len(s.text); n++ {
		c := s.text[i]
		if c == '=' {
			return s.literal(i + 1)
		}
		if !isAlnum(c) && strings.IndexByte("&*'<>?|[]. _", c) < 0 {
			break
		}
		i++
	}
	return field{}, false
}

// literal reads a string literal, with what may stand before its quote.
func (s *scan) literal(i int) (field, bool) {
	i = s.spaces(i)
	if strings.HasPrefix(s.text[i:], "\\n") {
		return field{}, false
	}
	for n := 0; n < 2 && strings.IndexByte("fFrRbBuUL@$", s.byteAt(i)) >= 0 && i+1 < len(s.text) && (s.quoteAt(i+1) > 0 || s.quoteAt(i+2) > 0 && strings.IndexByte("fFrRbBuU@$", s.byteAt(i+1)) >= 0); n++ {
		i++
	}
	n := s.quoteAt(i)
	if n == 0 {
		return field{}, false
	}
	quote := s.text[i : i+n]
	from := i + n
	for strings.HasPrefix(s.text[from:], quote) && strings.HasPrefix(s.text[from+n:], quote) {
		from += 2 * n // three quotes
	}
	to := s.literalEnd(from, quote)
	return field{from, to, asQuoted}, true
}

// literalEnd is the place of the closing quote, or the end of the line.
func (s *scan) literalEnd(from int, quote string) int {
	limit := min(len(s.text), from+longestToken)
	for i := from; i < limit; i++ {
		switch c := s.text[i]; {
		case c == '\n' || c == '\r':
			return i
		case strings.HasPrefix(s.text[i:], quote):
			return i
		case c == '\\' && len(quote) == 1:
			i++
		}
	}
	return limit
}

// startsLine reports whether nothing but a declaration word, indentation or a
// prompt stands before the name.
func (s *scan) startsLine(start int) bool {
	from := start
	for from > 0 && start-from < 64 && s.text[from-1] != '\n' && !(s.text[from-1] == 'n' && from > 1 && s.text[from-2] == '\\') {
		from--
	}
	if from > 0 && s.text[from-1] != '\n' && s.text[from-1] != 'n' {
		return false
	}
	before := strings.Trim(s.text[from:start], " \t-+>*#$\"'\r|/")
	switch before {
	case "", "export", "set", "setx", "env", "ENV", "ARG", "let", "declare -x", "local", "readonly", "- ", "_", "@", ":":
		return true
	}
	return false
}

// restOfLine returns the end of a value that is one word and the last of its
// line, but for a comment; or from if it is not so.
func (s *scan) restOfLine(from int) int {
	end := from
	for end < len(s.text) && s.text[end] > ' ' && end-from < longestToken {
		if s.text[end] == '\\' && strings.IndexByte("nr\"", s.byteAt(end+1)) >= 0 && s.byteAt(end+1) != 0 {
			return end
		}
		end++
	}
	after := s.spaces(end)
	switch c := s.byteAt(after); {
	case after == len(s.text) || c == '\n' || c == '\r', c == '#' && after > end, strings.HasPrefix(s.text[after:], "//") && after > end:
		for end > from && strings.IndexByte(",;", s.text[end-1]) >= 0 {
			end--
		}
		return end
	}
	return from
}

// bareEnd is the end of a value without quotes.
func (s *scan) bareEnd(from int, line bool) int {
	end := from
	for end < len(s.text) && end-from < longestToken {
		c := s.text[end]
		if c <= ' ' || strings.IndexByte("\"'`<>", c) >= 0 || !line && strings.IndexByte(",;&|)}]\\", c) >= 0 {
			break
		}
		end++
	}
	return end
}

// element reads the text of an XML element up to the next tag.
func (s *scan) element(from int) (field, bool) {
	limit := min(len(s.text), from+1024)
	i := strings.IndexByte(s.text[from:limit], '<')
	if i <= 0 || s.byteAt(from+i+1) != '/' {
		return field{}, false
	}
	to := from + i
	for from < to && s.text[from] <= ' ' {
		from++
	}
	for to > from && s.text[to-1] <= ' ' {
		to--
	}
	return field{from, to, asQuoted}, true
}

// pairValue reads the value of a pair of which the name is a value itself:
// {"name": "X", "value": "…"}, name="X" value="…", <key>X</key><string>….
func (s *scan) pairValue(i int) (field, bool) {
	limit := min(len(s.text), i+96)
	i += s.quoteAt(i)
	rest := s.text[min(i, limit):limit]
	if at := strings.Index(rest, "</key>"); at >= 0 && at < 4 {
		if j := strings.Index(rest, "<string>"); j > 0 {
			return s.element(i + j + len("<string>"))
		}
		return field{}, false
	}
	for i < limit && strings.IndexByte(" \t\r\n,", s.text[i]) >= 0 {
		i++
	}
	i += s.quoteAt(i)
	if s.byteAt(i) == '{' {
		// variable "db_password" { … default = "…" }
		block := s.text[i:min(len(s.text), i+240)]
		if end := strings.IndexByte(block, '}'); end >= 0 {
			block = block[:end]
		}
		if j := strings.Index(block, " default"); j > 0 {
			if k := s.spaces(i + j + len(" default")); s.byteAt(k) == '=' {
				return s.literal(k + 1)
			}
		}
		return field{}, false
	}
	if i+5 > limit || !foldsTo(s.text[i:i+5], "value") {
		return field{}, false
	}
	i += 5
	i += s.quoteAt(i)
	i = s.spaces(i)
	if c := s.byteAt(i); c != ':' && c != '=' {
		return field{}, false
	}
	if v, ok := s.literal(i + 1); ok {
		return v, true
	}
	from := s.spaces(i + 1)
	return field{from, s.bareEnd(from, true), asConfig}, true
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
