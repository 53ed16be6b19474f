package lint

import (
	"slices"
	"strings"
	"unicode"

	"bridle/internal/kernel/redact"
)

// shape is a kind of token that is known by how it begins. The formats of
// providers are known to package redact, exactly, checksums included. These here
// are for what only looks like one: agents copy a credential that was made up for
// an example as well (§5.2).
type shape struct {
	name   string
	prefix string
	least  int // characters after the prefix
}

var shapes = []shape{
	{"a GitHub token", "ghp_", 30},
	{"a GitHub token", "gho_", 30},
	{"a GitHub token", "ghu_", 30},
	{"a GitHub token", "ghs_", 30},
	{"a GitHub token", "ghr_", 30},
	{"a GitHub token", "github_pat_", 22},
	{"a GitLab token", "glpat-", 20},
	{"a Slack token", "xoxb-", 10},
	{"a Slack token", "xoxp-", 10},
	{"a Slack token", "xoxa-", 10},
	{"a Slack token", "xoxr-", 10},
	{"a Slack token", "xoxs-", 10},
	{"a Slack token", "xapp-", 10},
	{"an AWS key id", "AKIA", 16},
	{"an AWS key id", "ASIA", 16},
	{"a Google API key", "AIza", 35},
	{"a Google token", "ya29.", 20},
	{"a Stripe key", "sk_live_", 16},
	{"a Stripe key", "sk_test_", 16},
	{"a Stripe key", "rk_live_", 16},
	{"an API key", "sk-", 20},
	{"an npm token", "npm_", 36},
	{"a PyPI token", "pypi-AgE", 30},
	{"a Hugging Face token", "hf_", 30},
	{"a SendGrid key", "SG.", 30},
	{"a DigitalOcean token", "dop_v1_", 40},
	{"an age key", "AGE-SECRET-KEY-1", 40},
}

// Lines are looked at in windows: no credential is longer than the overlap, and
// a file that is one long line costs no more than one of many lines.
const (
	window  = 2048
	overlap = 512
)

// Unfit says why a text may not stand in a pack, whoever wrote it: it holds what
// looks like a credential, or a path of one machine. It is empty for others.
func Unfit(text string) string {
	if what := credential(text, false); what != "" {
		return "it holds what looks like " + what
	}
	if path := hostPath(text); path != "" {
		return "it names the host path " + path
	}
	return ""
}

// credential says what in a line looks like a credential, or nothing. It never
// returns the credential. code says that the line is program text, where
// "name: value" assigns.
func credential(s string, code bool) string {
	for len(s) > window {
		if what := credential(s[:window], code); what != "" {
			return what
		}
		s = s[window-overlap:]
	}
	if what := tokenShape(s); what != "" {
		return "what looks like " + what
	}
	if name := assignment(s, code); name != "" {
		return "a value for " + quoted(name)
	}
	return ""
}

// tokenShape finds material that is a credential by its form alone.
func tokenShape(s string) string {
	for _, sh := range shapes {
		for from := 0; ; {
			at := strings.Index(s[from:], sh.prefix)
			if at < 0 {
				break
			}
			at += from
			from = at + len(sh.prefix)
			if at > 0 && isTokenByte(s[at-1]) {
				continue
			}
			body := s[from : from+run(s[from:], isTokenByte)]
			if len(body) >= sh.least && !isProse(sh, body) {
				return sh.name
			}
		}
	}
	if what := providersToken(s); what != "" {
		return what
	}
	switch {
	case strings.Contains(s, "-----BEGIN ") && strings.Contains(s, "PRIVATE KEY"):
		return "a private key"
	case isJWT(s):
		return "a JSON Web Token"
	case hasBearer(s):
		return "a bearer token"
	case hasUserInfo(s):
		return "a password in a URL"
	}
	return ""
}

// providersToken finds what has the published format of a provider. What a name
// or a place gives away is judged elsewhere, by rules for packs.
func providersToken(s string) string {
	for _, found := range redact.Find(s) {
		switch found.Kind {
		case redact.KindAccessKey, redact.KindToken, redact.KindAPIKey, redact.KindPrivateKey:
			return "a credential of the form " + found.Rule
		}
	}
	return ""
}

// isProse tells words joined by hyphens from a key, for the one prefix that is
// also how words begin.
func isProse(sh shape, body string) bool {
	return sh.prefix == "sk-" && strings.Contains(body, "-") && !strings.ContainsAny(body, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

func run(s string, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

func isTokenByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '-'
}

func isJWT(s string) bool {
	for {
		at := strings.Index(s, "eyJ")
		if at < 0 {
			return false
		}
		inWord := at > 0 && isTokenByte(s[at-1])
		s = s[at:]
		if inWord {
			s = s[3:]
			continue
		}
		parts := strings.SplitN(s[:run(s, func(c byte) bool { return isTokenByte(c) || c == '.' })], ".", 3)
		if len(parts) == 3 && len(parts[0]) > 10 && strings.HasPrefix(parts[1], "eyJ") && len(parts[2]) > 10 {
			return true
		}
		s = s[3:]
	}
}

func hasBearer(s string) bool {
	_, rest, ok := strings.Cut(s, "Bearer ")
	body := rest[:run(rest, func(c byte) bool { return isTokenByte(c) || strings.IndexByte(".~+/=", c) >= 0 })]
	return ok && len(body) >= 16 && strings.ContainsAny(body, "0123456789")
}

func hasUserInfo(s string) bool {
	for {
		_, rest, ok := strings.Cut(s, "://")
		if !ok {
			return false
		}
		authority := rest[:run(rest, func(c byte) bool { return c > ' ' && strings.IndexByte("/?#\"'`<>", c) < 0 })]
		if at := strings.LastIndexByte(authority, '@'); at > 0 {
			if _, password, ok := strings.Cut(authority[:at], ":"); ok && isLiteral(password) {
				return true
			}
		}
		s = rest
	}
}

// assignment returns the name of a secret that the line gives a value to: as
// name=value, as name: value, or as the value of a flag.
func assignment(s string, code bool) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '=':
			if i > 0 && strings.IndexByte("!<>=:~+", s[i-1]) >= 0 || i+1 < len(s) && strings.IndexByte("=>~", s[i+1]) >= 0 {
				continue
			}
		case ':':
			if i+1 < len(s) && (s[i+1] == '/' || s[i+1] == ':') {
				continue
			}
		default:
			continue
		}
		name, nameQuoted := nameBefore(s[:i])
		value, valueQuoted := valueAfter(s[i+1:])
		if assigns(name, value, s[i] == '=' || code || nameQuoted || valueQuoted) {
			return name
		}
	}
	return flagValue(s, code)
}

// assigns reports whether value is a secret under this name. certain says that
// the place is an assignment for sure; else the value has to look like one.
func assigns(name, value string, certain bool) bool {
	if !isLiteral(value) {
		return false
	}
	switch secretName(name) {
	case secretFor:
		return certain || looksRandom(value)
	case secretMaybe:
		return looksRandom(value)
	default:
		return false
	}
}

func flagValue(s string, code bool) string {
	if !code {
		return ""
	}
	words := strings.Fields(s)
	for i, word := range words[:max(0, len(words)-1)] {
		if strings.HasPrefix(word, "--") && secretName(word) == secretFor && isLiteral(words[i+1]) && looksRandom(words[i+1]) {
			return strings.TrimLeft(word, "-")
		}
	}
	return ""
}

// nameBefore returns the identifier that s ends in, quotes and spaces aside.
func nameBefore(s string) (name string, inQuotes bool) {
	trimmed := strings.TrimRight(s, " \t*_")
	bare := strings.TrimRight(trimmed, "\"'`")
	start := len(bare)
	for start > 0 && (isTokenByte(bare[start-1]) || bare[start-1] == '.') {
		start--
	}
	return bare[start:], len(bare) < len(trimmed)
}

// valueAfter returns the word or quoted text that s begins with.
func valueAfter(s string) (value string, inQuotes bool) {
	s = strings.TrimLeft(s, " \t*")
	if s == "" {
		return "", false
	}
	if q := s[0]; q == '"' || q == '\'' || q == '`' {
		body, _, _ := strings.Cut(s[1:], string(q))
		return body, q != '`'
	}
	return strings.TrimRight(s[:run(s, func(c byte) bool { return c > ' ' && strings.IndexByte("\"'`|", c) < 0 })], ".,;:)*"), false
}

type secrecy int

const (
	noSecret    secrecy = iota
	secretMaybe         // a name that also means other things
	secretFor
)

var (
	secretWords   = []string{"password", "passwd", "passphrase", "pwd", "secret", "token", "apikey", "credential", "credentials"}
	keyQualifiers = []string{"api", "secret", "private", "access", "auth", "signing", "encryption", "client", "service", "account", "license", "master"}
	pagingWords   = []string{"page", "next", "cursor", "continuation", "sync", "idempotency", "max"}
)

// secretName says whether a name is one of a secret, by its last words.
func secretName(name string) secrecy {
	words := nameWords(name)
	if len(words) == 0 {
		return noSecret
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case slices.Contains(pagingWords, before):
		return noSecret
	case slices.Contains(secretWords, last), last == "id" && before == "client":
		return secretFor
	case last == "key" && slices.Contains(keyQualifiers, before):
		return secretFor
	case last == "key":
		return secretMaybe
	default:
		return noSecret
	}
}

// nameWords splits snake, kebab, dotted and camel case into lower-case words.
func nameWords(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte(' ')
		}
		if r == '_' || r == '-' || r == '.' {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// plainWords stand where a value is meant, not given.
var plainWords = []string{
	"true", "false", "null", "none", "nil", "yes", "no", "string", "boolean", "integer", "required", "optional",
	"value", "hidden", "redacted", "removed", "unset", "empty", "read", "write",
}

// isLiteral reports whether a value is given rather than meant: it is neither
// empty nor a placeholder, a variable or a word for what belongs there.
func isLiteral(v string) bool {
	switch {
	case v == "" || strings.ContainsAny(v[:1], "$<{[(%*&|\\…•") || strings.HasPrefix(v, "…") || strings.HasPrefix(v, "•") || strings.HasPrefix(v, "..."):
		return false
	case strings.Contains(v, "{{") || strings.Contains(v, "${"):
		return false
	}
	return !slices.Contains(plainWords, strings.ToLower(v))
}

// looksRandom reports whether a value is more likely a key than a word or a
// number: letters and digits mixed, and not just a word with a number after it
// such as PROJ-12.
func looksRandom(v string) bool {
	if len(v) < 6 || strings.ContainsAny(v, " \t/") {
		return false
	}
	hasLetter, hasDigit := false, false
	for i := range len(v) {
		hasLetter = hasLetter || isLetter(v[i])
		hasDigit = hasDigit || '0' <= v[i] && v[i] <= '9'
	}
	word, number, dashed := strings.Cut(v, "-")
	if dashed && strings.Trim(number, "0123456789") == "" && strings.ToUpper(word) == word {
		return false
	}
	return hasLetter && hasDigit
}
