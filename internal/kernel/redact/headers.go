package redact

import (
	"encoding/base64"
	"strings"
)

// schemes of HTTP authentication, in lower case, as they stand before
// credentials. What stands after Basic is base64.
const authSchemes = "bearer basic token apikey api-key key digest negotiate ntlm oauth ssws geniekey splunk jwt dpop hawk mac hoba private-token klaviyo-api-key deepl-auth-key bot discogs zoho-oauthtoken goog-api-key aws4-hmac-sha256 sharedkey sharedaccesssignature sso-key x-api-key jwt-bearer api_key session"

func isScheme(word string) bool { return listed(authSchemes, toLower(word)) }

// authorization looks at the value of an Authorization or Proxy-Authorization
// header, in a dump of HTTP, a command or code.
func authorization(s *scan, at, end int) {
	// The rule of names has read this name as well.
	if end < s.skip {
		return
	}
	i := end
	i += s.quoteAt(i)
	if s.byteAt(i) == ']' {
		i++
	}
	i = s.spaces(i)
	switch s.byteAt(i) {
	case ':', '=', ',':
		i++
		if s.byteAt(i) == '>' {
			i++
		}
	default:
		return
	}
	i = s.spaces(i)
	for n := 0; n < 2 && strings.IndexByte("fFrRbBu[", s.byteAt(i)) >= 0 && s.quoteAt(i+1) > 0; n++ {
		i++
	}
	i += s.quoteAt(i)
	i = s.spaces(i)
	s.credentials(i)
}

// credentials reads a scheme and what follows it, or what stands there alone.
func (s *scan) credentials(i int) {
	end := s.headerWord(i)
	word := s.text[i:end]
	if !isScheme(word) {
		if isAuthToken(word) {
			s.add(i, end, KindAuth, "authorization")
			s.skip = max(s.skip, end)
		}
		return
	}
	from := s.spaces(end)
	if from == end {
		return
	}
	switch toLower(word) {
	case "digest", "aws4-hmac-sha256", "hawk", "oauth", "mac", "sharedaccesssignature":
		s.parameters(from)
		return
	}
	to := s.headerWord(from)
	if v := s.text[from:to]; isAuthToken(v) || isBasic(word, v) {
		s.add(from, to, KindAuth, "authorization")
		s.skip = max(s.skip, to)
		return
	}
	s.parameters(from)
}

// parameters looks for the secret ones among name=value pairs of a header.
func (s *scan) parameters(from int) {
	to := from
	for to < len(s.text) && s.text[to] != '\n' && to-from < 2048 {
		to++
	}
	for _, name := range [...]string{"response=", "signature=", "mac=", "oauth_signature=", "oauth_token=", "token=", "sig=", "nonce="} {
		line := toLower(s.text[from:to])
		for at := 0; ; {
			j := strings.Index(line[at:], name)
			if j < 0 {
				break
			}
			at += j + len(name)
			if p := at - len(name) - 1; p >= 0 && isAlnum(line[p]) {
				continue
			}
			start := from + at
			start += s.quoteAt(start)
			end := s.headerWord(start)
			if looksRandom(s.text[start:end], 16) {
				s.add(start, end, KindAuth, "authorization")
			}
		}
	}
	s.skip = max(s.skip, to)
}

// headerWord is the end of what may be a token in a header.
func (s *scan) headerWord(i int) int {
	end := i
	for end < len(s.text) && end-i < longestToken && (isAlnum(s.text[end]) || strings.IndexByte("-._~+/=:!|@%#$", s.text[end]) >= 0) {
		end++
	}
	return end
}

// isAuthToken reports whether v is a token rather than a word about tokens.
func isAuthToken(v string) bool {
	return !isPlaceholder(v) && !isReference(v) && !isPath(v) && !isOrdinary(v) &&
		(looksRandom(v, 10) || len(v) >= 8 && !isCode(v) && countClass(v, isDigit) >= 2 && !isSlug(v))
}

// isBasic reports whether v is the base64 of a name and a password.
func isBasic(scheme, v string) bool {
	if len(v) < 6 || !foldsTo(pad(scheme, 5), "basic") {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil {
		return false
	}
	user, pass, found := strings.Cut(string(raw), ":")
	return found && isPrintable(user+pass) && user+pass != ""
}

func pad(s string, n int) string {
	if len(s) < n {
		return s + strings.Repeat(" ", n-len(s))
	}
	return s[:n]
}

func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// scheme looks at Bearer and Basic where no header's name stands before them.
func scheme(s *scan, at, end int) {
	if at < s.skip || at > 0 && (isAlnum(s.text[at-1]) || s.text[at-1] == '_') {
		return
	}
	from := s.spaces(end)
	if from == end {
		if c := s.byteAt(end); c != ':' || s.spaces(end+1) == end+1 && !isAlnum(s.byteAt(end+1)) {
			return
		}
		from = s.spaces(end + 1)
	}
	from += s.quoteAt(from)
	to := s.headerWord(from)
	v := s.text[from:to]
	if isBasic(s.text[at:end], v) || looksRandom(v, 16) && isAuthToken(v) && !isSlug(v) && countClass(v, isDigit) >= 2 {
		s.add(from, to, KindAuth, "authorization")
		s.skip = max(s.skip, to)
	}
}

// cookie looks at the pairs of a Cookie or Set-Cookie header.
func cookie(s *scan, _, end int) {
	i := end + s.quoteAt(end)
	if v, ok := s.pairValue(i); ok && i > end {
		i = v.from - 1
	} else if c := s.byteAt(i); c != ':' && c != '=' && c != ',' && c != ' ' {
		return
	}
	i = s.spaces(i + 1)
	i += s.quoteAt(i)
	limit := min(len(s.text), i+longestToken)
	for i < limit && s.text[i] != '\n' && s.text[i] != '\r' {
		i = s.spaces(i)
		eq := i
		for eq < limit && eq-i < longestName && (isNameByte(s.text[eq]) || s.text[eq] == '%' || s.text[eq] == '$') {
			eq++
		}
		if eq == i || s.byteAt(eq) != '=' {
			return
		}
		to := eq + 1
		for to < limit && s.text[to] > ' ' && strings.IndexByte(";\"'\\,", s.text[to]) < 0 {
			to++
		}
		if name, v := s.text[i:eq], s.text[eq+1:to]; isCookie(name, v) {
			s.add(eq+1, to, KindAuth, "cookie")
			s.skip = max(s.skip, to)
		}
		if s.byteAt(to) != ';' {
			return
		}
		i = to + 1
	}
}

func isCookie(name, v string) bool {
	if isPlaceholder(v) || isReference(v) || strings.HasPrefix(name, "_ga") || strings.HasPrefix(name, "_gid") {
		return false
	}
	low := toLower(name)
	for _, part := range [...]string{"sess", "sid", "token", "auth", "jwt", "csrf", "xsrf", "remember", "login", "identity", "secret"} {
		if strings.Contains(low, part) {
			return looksRandom(v, 8) || isUUID(v) || isHexDigest(v)
		}
	}
	return looksRandom(v, 24) && !isUUID(v)
}
