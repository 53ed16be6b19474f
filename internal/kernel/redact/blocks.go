package redact

import (
	"encoding/base64"
	"strings"
)

// longestKey bounds how far the end line of a private key is looked for.
// Without one, a key ends where its letters do.
const longestKey = 64 << 10

// privateKey looks at "-----BEGIN … PRIVATE KEY…-----" and takes everything to
// the end of the block: in lines, with \n for line ends, or all in one.
func privateKey(s *scan, at, end int) {
	if at < s.skip {
		return
	}
	label := s.text[end:min(len(s.text), end+64)]
	close := strings.Index(label, "-----")
	if close < 0 || !strings.Contains(label[:close], "PRIVATE KEY") || strings.ContainsAny(label[:close], "\n<>{") {
		return
	}
	body := end + close + len("-----")
	limit := min(len(s.text), body+longestKey)
	to, closed := limit, false
	if i := strings.Index(s.text[body:limit], "-----END "); i >= 0 {
		if j := strings.Index(s.text[body+i+9:min(limit, body+i+80)], "-----"); j >= 0 {
			to, closed = body+i+9+j+5, true
		}
	}
	if !closed {
		to = s.keyBody(body, len(s.text))
	}
	if !hasKey(s.text[body:to]) {
		return
	}
	s.add(at, to, KindPrivateKey, "pem")
	s.skip = max(s.skip, to)
}

// encodedKey looks at a private key whose frame and lines are encoded for a URL or
// a form.
func encodedKey(s *scan, at, end int) {
	if at < s.skip {
		return
	}
	label := s.text[end:min(len(s.text), end+32)]
	if !strings.Contains(label, "PRIVATE") || !strings.Contains(label, "KEY") {
		return
	}
	limit := min(len(s.text), end+longestKey)
	if i := strings.Index(s.text[end:limit], "BEGIN"); i >= 0 {
		limit = end + i
	}
	to := end
	for to < limit && (isAlnum(s.text[to]) || strings.IndexByte("%+/=-_.~", s.text[to]) >= 0) {
		to++
	}
	if !hasKey(s.text[end:to]) {
		return
	}
	s.add(at, to, KindPrivateKey, "pem")
	s.skip = max(s.skip, to)
}

// keyBody is the end of what may be the inside of a key: base64 and its lines.
func (s *scan) keyBody(from, limit int) int {
	i := from
	for i < limit {
		c := s.text[i]
		if c == '-' && strings.HasPrefix(s.text[i:], "-----") {
			break
		}
		if !isAlnum(c) && strings.IndexByte("+/=\\\r\n\t \"',:-", c) < 0 {
			break
		}
		// Two words in a row are text again, except in the headers of a key.
		if c == ' ' && i > from && isLower(s.text[i-1]) && isLower(s.byteAt(i+1)) {
			for i > from && s.text[i] != '\n' {
				i--
			}
			break
		}
		i++
	}
	return i
}

// hasKey reports whether there is key material between the frame lines, rather
// than dots or nothing.
func hasKey(body string) bool {
	n := 0
	for i := range len(body) {
		if isAlnum(body[i]) {
			n++
		}
	}
	if n < 24 {
		return false
	}
	run, best := 0, 0
	for i := range len(body) {
		if isAlnum(body[i]) || body[i] == '+' || body[i] == '/' {
			run++
			best = max(best, run)
		} else {
			run = 0
		}
	}
	return best >= 16
}

// putty looks at the private lines of a PuTTY key file.
func putty(s *scan, _, end int) {
	limit := min(len(s.text), end+longestKey)
	i := end
	for i < limit && s.text[i] != '\n' {
		i++
	}
	from := i + 1
	for i = from; i < limit && (isAlnum(s.text[i]) || strings.IndexByte("+/=\r\n", s.text[i]) >= 0); i++ {
		if s.text[i] == '\n' && strings.HasPrefix(s.text[i+1:], "Private-MAC") {
			break
		}
	}
	if i > from && hasKey(s.text[from:i]) {
		s.add(from, i, KindPrivateKey, "putty")
	}
}

// tagged looks at text that somebody has marked as secret, tags included.
func tagged(s *scan, at, end int) {
	limit := min(len(s.text), end+longestKey)
	for i := max(end, s.untagged); i+9 <= limit; i++ {
		n := strings.IndexByte(s.text[i:limit-8], '<')
		if n < 0 {
			break
		}
		i += n
		if foldsTo(s.text[i:i+9], "</secret>") {
			if strings.TrimSpace(s.text[end:i]) != "" {
				s.add(at, i+9, KindExplicit, "tag")
				s.skip = max(s.skip, i+9)
			}
			return
		}
	}
	s.untagged = max(s.untagged, limit-8)
}

// jwt looks at tokens of dotted base64url of which the first part is JSON.
func jwt(s *scan, at, _ int) {
	if !begins(s.text, at) {
		return
	}
	i, dots, part := at, 0, at
	for ; i < len(s.text); i++ {
		c := s.text[i]
		if c == '.' && dots < 4 && (i > part || dots > 0) {
			if dots == 0 && !isJOSE(s.text[at:i]) {
				return
			}
			dots++
			part = i + 1
			continue
		}
		if !isAlnum(c) && c != '-' && c != '_' {
			break
		}
	}
	for i > at && s.text[i-1] == '.' {
		i--
		dots--
	}
	if dots < 1 || i-at < 30 || isPlaceholder(s.text[at:i]) {
		return
	}
	s.add(at, i, KindAuth, "jwt")
}

// isJOSE reports whether a part decodes to a JSON object with the members of a
// JOSE header. Encoded data alone begins in the same way.
func isJOSE(part string) bool {
	if len(part) > 4096 {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return false
	}
	head := string(raw)
	return strings.HasPrefix(head, "{") && (strings.Contains(head, `"alg"`) || strings.Contains(head, `"typ"`) || strings.Contains(head, `"kid"`))
}

// jwk looks at the private members of a JSON Web Key.
func jwk(s *scan, at, end int) {
	if at < s.keyed {
		return
	}
	from, to := max(s.keyed, at-4096), min(len(s.text), end+4096)
	if i := strings.LastIndexByte(s.text[from:at], '{'); i >= 0 {
		from += i
	}
	if i := strings.IndexByte(s.text[end:to], '}'); i >= 0 {
		to = end + i
	}
	s.keyed = to
	for _, name := range [...]string{`"d"`, `"k"`, `"p"`, `"q"`, `"dp"`, `"dq"`, `"qi"`} {
		i := strings.Index(s.text[from:to], name)
		if i < 0 {
			continue
		}
		j := s.spaces(from + i + len(name))
		if s.byteAt(j) != ':' {
			continue
		}
		if v, ok := s.literal(j + 1); ok && v.to <= to && looksRandom(s.text[v.from:v.to], 22) {
			s.add(v.from, v.to, KindPrivateKey, "jwk")
		}
	}
}

// discord looks at the tokens of bots: a number in base64, a time and a
// signature, with dots between.
func discord(s *scan, at, _ int) {
	if !begins(s.text, at) {
		return
	}
	i := at
	for _, p := range [...]struct{ min, max int }{{23, 28}, {6, 6}, {27, 40}} {
		start := i
		for i < len(s.text) && i-start < p.max && (isAlnum(s.text[i]) || s.text[i] == '-' || s.text[i] == '_') {
			i++
		}
		if i-start < p.min {
			return
		}
		if start == at {
			if raw, err := base64.RawStdEncoding.DecodeString(s.text[at:i]); err != nil || !isAllDigits(string(raw)) {
				return
			}
		}
		if p.min == 27 {
			break
		}
		if s.byteAt(i) != '.' {
			return
		}
		i++
	}
	s.add(at, i, KindToken, "discord")
}
