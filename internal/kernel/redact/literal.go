package redact

import (
	"math"
	"strings"
)

// This file judges whether a text that stands where a secret would stand is
// one, or speaks about one: a placeholder, a variable, a word, a path.

// fillers are texts that only a placeholder contains, in lower case.
var fillers = [...]string{
	"example", "placeholder", "changeme", "change_me", "change-me", "changeit", "redacted", "your_", "your-", "yourpass", "yourtoken", "yoursecret", "yourkey", "yourapi", "my_pass", "my-pass", "mypass",
	"xxxx", "****", "....", "____", "dummy", "insert", "replace", "goes_here", "goes-here", "goeshere", "-here", "_here", "todo", "fixme",
	"sample", "not-a-real", "notreal", "not_real", "fake", "lorem", "foobar", "<", ">", "•••", "…", "0123456789", "123456789012", "abcdefgh", "deadbeef", "aaaaaaaa",
	"00000000", "[secret]", "[redacted", "[filtered", "[hidden", "[masked", "censored", "not-used", "notused", "unused", "super-secret", "top-secret", "my-secret", "my_secret", "mysecret", "test-token", "test_token", "testtoken", "some-token", "some_token", "sometoken",
}

// isPlaceholder reports whether a value is one of the texts that manuals and
// templates put in place of a secret, or a mask.
func isPlaceholder(v string) bool {
	if len(v) > 512 {
		v = v[:512]
	}
	low := toLower(v)
	for _, f := range fillers {
		if i := strings.Index(low, f); i >= 0 && isMeant(v, i, i+len(f)) {
			return true
		}
	}
	return distinct(v) <= 2 && len(v) >= 3
}

// isMeant tells a filler from the same letters in a random text: those are in
// any case, and stand among others.
func isMeant(v string, from, to int) bool {
	found := v[from:to]
	if upper := countClass(found[1:], isUpper); upper > 0 && countClass(found[1:], isLower) > 0 {
		return false
	}
	return to-from > 4 || from == 0 || to == len(v) || !isAlnum(v[from-1]) || !isAlnum(v[to]) || countClass(found, isAlpha) == 0 || distinct(found) == 1
}

// commonWords are values that say something else than a secret.
var commonWords = []string{
	"true", "false", "null", "nil", "none", "undefined", "yes", "no", "on", "off", "string", "str", "bytes", "number", "int", "integer", "bool", "boolean", "object", "any", "required", "optional", "password", "passwd", "pass",
	"pwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "key", "username", "user", "admin", "root", "test", "default", "empty", "env", "file", "prompt", "stdin", "basic", "bearer", "hidden", "text", "value", "auth", "login", "anonymous",
	"postgres", "mysql", "redis", "guest", "unset", "missing", "invalid", "expired", "disabled", "enabled", "the", "your", "this", "not",
	"pass1234", "passw0rd", "user1", "token1", "token2", "key1", "key2", "secret1", "secret2", "password1", "password2", "pass1", "pass2", "oauth2", "base64", "sha256", "sha512", "md5", "hs256", "rs256", "es256", "utf8", "utf-8", "bcrypt", "argon2", "argon2id", "x509", "ed25519", "aes256", "p256", "ecdsa",
}

func isCommonWord(v string) bool {
	low := toLower(v)
	for _, w := range commonWords {
		if low == w {
			return true
		}
	}
	return false
}

func toLower(s string) string {
	b := make([]byte, len(s))
	for i := range len(s) {
		b[i] = lower(s[i])
	}
	return string(b)
}

// isReference reports whether a value stands for one that is kept elsewhere: a
// variable, a substitution, a call, a template.
func isReference(v string) bool {
	switch {
	case v == "":
		return true
	case v[0] == '$':
		return len(v) > 1 && (isAlpha(v[1]) || strings.IndexByte("{(_[$", v[1]) >= 0)
	case v[0] == '%':
		return strings.Count(v, "%") >= 2 && isName(strings.Trim(v, "%")) || isName(v[1:])
	case v[0] == '<' || v[0] == '{' || v[0] == '(' || v[0] == '*' || v[0] == '&' && isName(v[1:]):
		return true
	case v[0] == '@' && isName(v[1:]), v[0] == ':' && isName(v[1:]), v[0] == '!':
		return true
	}
	if looksRandom(v, 32) && !strings.Contains(v, "${") {
		return false
	}
	if strings.Contains(v, "${") || strings.Contains(v, "$(") || strings.Contains(v, "{{") || strings.Contains(v, "#{") || strings.Contains(v, "%s") || strings.Contains(v, "%v") || strings.Contains(v, "\\(") {
		return true
	}
	for _, p := range [...]string{"secretref", "vault:", "ssm:", "arn:", "op://", "env:", "env.", "file:", "sops:", "enc[", "projects/", "ref+", "keyring:", "process.env", "os.environ", "os.getenv", "secrets.", "vars.", "var.", "local.", "data.", "module.", "config.", "settings.", "self.", "this."} {
		if len(v) > len(p) && foldsTo(v[:len(p)], p) {
			return true
		}
	}
	// {name} as in f-strings, format strings and URI templates
	if i := strings.IndexByte(v, '{'); i >= 0 {
		if j := strings.IndexByte(v[i:], '}'); j > 0 && isDotted(v[i+1:i+j]) {
			return true
		}
	}
	return false
}

// isName reports whether v is an identifier.
func isName(v string) bool {
	for i := range len(v) {
		if !isAlnum(v[i]) && v[i] != '_' {
			return false
		}
	}
	return v != "" && !isDigit(v[0])
}

// isDotted reports whether v is identifiers with dots between, or nothing.
func isDotted(v string) bool {
	for i := range len(v) {
		if !isAlnum(v[i]) && v[i] != '_' && v[i] != '.' {
			return false
		}
	}
	return v == "" || !isDigit(v[0])
}

// isCode reports whether a value without quotes is an expression: a call, an
// index, a member, a name that reads like words.
func isCode(v string) bool {
	if strings.HasSuffix(v, "()") || strings.HasSuffix(v, "(") || strings.HasPrefix(v, "new ") || strings.Contains(v, "->") || strings.Contains(v, "::") {
		return true
	}
	if i := strings.IndexByte(v, '{'); i > 0 && isDotted(strings.TrimLeft(v[:i], "&*")) {
		return true
	}
	if i := strings.IndexAny(v, "(["); i > 0 && isDotted(strings.TrimRight(v[:i], "?!")) {
		return true
	}
	if strings.Contains(v, ".") && isDotted(v) && !looksRandom(v, 20) {
		return true
	}
	return isName(v) && isPlainName(v)
}

// isPlainName reports whether an identifier is made of words with at most two
// digits after them, like accessToken, DB_PASSWORD or token2.
func isPlainName(v string) bool {
	trimmed := strings.TrimRight(v, "0123456789")
	if len(v)-len(trimmed) > 2 || trimmed == "" {
		return false
	}
	return countClass(trimmed, isDigit) == 0 && (isWordy(trimmed) || len(trimmed) < 8 || onlyUpperSnake(trimmed))
}

func onlyUpperSnake(v string) bool {
	return strings.Contains(v, "_") && countClass(v, isLower) == 0
}

func countClass(v string, in func(byte) bool) int {
	n := 0
	for i := range len(v) {
		if in(v[i]) {
			n++
		}
	}
	return n
}

// isWordy reports whether most of v is words: runs of lower or of upper case
// with vowels in them. What is drawn at random has few of those.
func isWordy(v string) bool {
	words := 0
	letters := 0
	for i := 0; i < len(v); {
		if !isAlpha(v[i]) {
			i++
			continue
		}
		start := i
		run := i
		if isUpper(v[i]) {
			i++
		}
		for i < len(v) && isLower(v[i]) {
			i++
		}
		if i-run <= 1 { // a run of capitals
			for i < len(v) && isUpper(v[i]) && (i+1 >= len(v) || !isLower(v[i+1])) {
				i++
			}
		}
		if i == start {
			i++
		}
		letters += i - start
		if isPronounceable(v[start:i]) {
			words += i - start
		}
	}
	return letters > 0 && words*10 >= len(v)*6 && (len(v) < 12 || embedded(v) < 2)
}

// embedded counts the groups of digits that have letters on both sides.
func embedded(v string) int {
	n := 0
	for i := 1; i < len(v); i++ {
		if !isDigit(v[i]) || !isAlpha(v[i-1]) {
			continue
		}
		for i < len(v) && isDigit(v[i]) {
			i++
		}
		if i < len(v) && isAlpha(v[i]) {
			n++
		}
	}
	return n
}

// isPronounceable reports whether a run of letters could be a word: at least
// four letters, vowels among them, and never five consonants in a row.
func isPronounceable(run string) bool {
	if len(run) < 4 {
		return false
	}
	vowels, consonants := 0, 0
	for i := range len(run) {
		if strings.IndexByte("aeiouy", lower(run[i])) >= 0 {
			vowels++
			consonants = 0
		} else if consonants++; consonants >= 5 {
			return false
		}
	}
	if len(run) >= 7 {
		return vowels*4 >= len(run)
	}
	return vowels*6 >= len(run)
}

// entropy is Shannon's, in bits for each byte.
func entropy(v string) float64 {
	if len(v) > 256 {
		v = v[:256]
	}
	var counts [256]int
	for i := range len(v) {
		counts[v[i]]++
	}
	h := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(v))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// looksRandom reports whether v, of at least so many characters, looks drawn at
// random: letters and digits, no words, and about as many different characters
// as its length allows.
func looksRandom(v string, least int) bool {
	if len(v) < least || isWordy(v) {
		return false
	}
	digits, letters := countClass(v, isDigit), countClass(v, isAlpha)
	if letters == 0 || digits == 0 && (len(v) < 16 || countClass(v, isUpper) == 0 || countClass(v, isLower) == 0) {
		return false
	}
	floor := 3.0
	if len(v) < 16 {
		floor = 2.5
	}
	return entropy(v) >= floor
}

// isOrdinary reports whether a value has the shape of something that is no
// secret wherever it stands: a number, a path, an address, a time, a version,
// a hash with its name before it.
func isOrdinary(v string) bool {
	return isCommonWord(v) || isNumber(v) || isPath(v) || isMoment(v) || isVersion(v) || isLabelled(v) || isMail(v)
}

func isNumber(v string) bool {
	for i := range len(v) {
		if !isDigit(v[i]) && strings.IndexByte(".,_-+:/%eE", v[i]) < 0 && (i != len(v)-1 || strings.IndexByte("smhdkMGx", v[i]) < 0) {
			return len(v) > 2 && v[0] == '0' && v[1] == 'x' && len(v) <= 18 && countClass(v[2:], isHex) == len(v)-2
		}
	}
	return v != "" && isDigit(v[0])
}

func isPath(v string) bool {
	switch {
	case strings.Contains(v, "://"):
		return true
	case strings.HasPrefix(v, "./"), strings.HasPrefix(v, "../"), strings.HasPrefix(v, "~/"), strings.HasPrefix(v, `.\`), strings.HasPrefix(v, "@/"):
		return true
	case len(v) > 3 && isAlpha(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/'):
		return true
	case strings.HasPrefix(v, "/"):
		return isWordy(v) || strings.Count(v, "/") >= 2 && len(v) < 32
	}
	if i := strings.LastIndexByte(v, '.'); i > 0 && len(v)-i <= 6 && len(v)-i >= 3 && isWordy(v[:i]) {
		return countClass(v[i+1:], isAlnum) == len(v)-i-1
	}
	return strings.Count(v, "/") >= 1 && isWordy(v)
}

// isMoment reports whether v begins like a date or a time.
func isMoment(v string) bool {
	shape := func(format string) bool {
		if len(v) < len(format) {
			return false
		}
		for i := range len(format) {
			if format[i] == '0' && !isDigit(v[i]) || format[i] != '0' && format[i] != v[i] {
				return false
			}
		}
		return true
	}
	return shape("0000-00-00") || shape("00:00:00")
}

// isVersion reports whether v begins like 1.2.3 or v1.2.
func isVersion(v string) bool {
	v = strings.TrimPrefix(v, "v")
	major, rest, found := strings.Cut(v, ".")
	minor, _, _ := strings.Cut(rest, ".")
	minor, _, _ = strings.Cut(minor, "-")
	return found && len(v) < 40 && isAllDigits(major) && isAllDigits(minor) && len(major) < 5
}

// isLabelled reports whether v says itself that it is a hash, or an address of
// contents.
func isLabelled(v string) bool {
	for _, p := range [...]string{"sha1-", "sha1:", "sha256:", "sha256-", "sha384-", "sha512-", "sha512:", "md5:", "md5-", "h1:", "$2a$", "$2b$", "$2y$", "$argon2", "$6$", "$5$", "$1$", "pbkdf2", "scrypt:", "{sha", "{ssha", "data:", "urn:", "uuid:", "bafy"} {
		if len(v) >= len(p) && foldsTo(v[:len(p)], p) {
			return true
		}
	}
	return false
}

func isMail(v string) bool {
	name, host, found := strings.Cut(v, "@")
	return found && isWordy(name) && strings.Contains(host, ".") && isDotted(strings.ReplaceAll(host, "-", ""))
}

// isUUID reports whether v is a UUID in its usual form.
func isUUID(v string) bool {
	if len(v) != 36 || v[8] != '-' || v[13] != '-' || v[18] != '-' || v[23] != '-' {
		return false
	}
	return countClass(v, isHex) == 32
}

// isHexDigest reports whether v has the length and the alphabet of a hash.
func isHexDigest(v string) bool {
	switch len(v) {
	case 32, 40, 56, 64, 96, 128:
		return countClass(v, isHex) == len(v)
	}
	return false
}
