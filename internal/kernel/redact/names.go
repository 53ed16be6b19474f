package redact

import "strings"

// nameClass says what a name promises of the value beside it.
type nameClass int

const (
	noSecret   nameClass = iota
	weakKey              // SOMETHING_KEY: only a value drawn at random counts
	tokenName            // issued by a machine
	secretName           // issued by a machine, a UUID perhaps
	sessionName
	passwordName // made by a person, perhaps
)

// longestName bounds how far a name reaches to each side of its anchor.
const longestName = 80

// Names that end so are secrets, whatever comes before and however the words
// are joined.
var nameEndings = [...]struct {
	text  string
	class nameClass
}{
	{"password", passwordName},
	{"passwd", passwordName},
	{"passphrase", passwordName},
	{"passcode", passwordName},
	{"passwort", passwordName},
	{"storepass", passwordName},
	{"keypass", passwordName},
	{"userpass", passwordName},
	{"dbpass", passwordName},
	{"rootpass", passwordName},
	{"bindpw", passwordName},
	{"pgpass", passwordName},
	{"pwd", passwordName},
	{"secretkey", secretName},
	{"secretaccesskey", secretName},
	{"secretkeybase", secretName},
	{"clientsecret", secretName},
	{"apikey", secretName},
	{"appkey", secretName},
	{"accesskey", secretName},
	{"accountkey", secretName},
	{"sharedkey", secretName},
	{"signingkey", secretName},
	{"encryptionkey", secretName},
	{"masterkey", secretName},
	{"privatekey", secretName},
	{"licensekey", secretName},
	{"authkey", secretName},
	{"servicekey", secretName},
	{"adminkey", secretName},
	{"ingestkey", secretName},
	{"writekey", secretName},
	{"integrationkey", secretName},
	{"applicationkey", secretName},
	{"functionkey", secretName},
	{"functionskey", secretName},
	{"subscriptionkey", secretName},
	{"storagekey", secretName},
	{"sessionkey", secretName},
	{"deploykey", secretName},
	{"presharedkey", secretName},
	{"psk", passwordName},
	{"keydata", secretName},
	{"secret", secretName},
	{"secrets", secretName},
	{"token", tokenName},
	{"pat", tokenName},
	{"credential", secretName},
	{"credentials", secretName},
	{"cred", secretName},
	{"creds", secretName},
	{"jwt", tokenName},
	{"bearer", tokenName},
	{"xauth", tokenName},
	{"auth", tokenName},
	{"sessionid", sessionName},
	{"sessid", sessionName},
	{"session", sessionName},
	{"sid", sessionName},
	{"cookie", sessionName},
	{"pass", passwordName},
	{"pw", passwordName},
	{"key", weakKey},
}

// wholeWords are endings that count only as a word of their own: bypass,
// keypad, side.
func isWholeWord(ending string) bool {
	return len(ending) <= 4 || ending == "bearer" || ending == "session" || ending == "creds" || ending == "cookie"
}

// qualifiers are last words that leave a name what it was without them.
const qualifiers = "value values b64 base64 prod production dev development staging stage test testing live old new current primary secondary backup default plain plaintext raw literal override qa uat local main legacy rotated"

// harmless are words before token, session or key that make the name one of
// something else.
const harmless = "next page continuation pagination sync resume pad eos bos unk mask sep cls cancel cancellation stop special max min num total input output prompt completion prev start end cursor list watch lookahead delim syntax parse lexer keyword design color stack public primary foreign sort partition cache row idempotency site publishable object index map dict group range json lookup routing message dedup host known pub hash sha digest checksum fingerprint etag commit integrity no missing invalid expired has is use with require requires without hot short cut keyboard arrow any translation i18n locale sharding shard order config column field ssh gpg pgp kms"

// listed reports whether word is one of the words of list, which single spaces
// part. A constant list costs nothing when the program starts.
func listed(list, word string) bool {
	for entry := range strings.SplitSeq(list, " ") {
		if entry == word {
			return true
		}
	}
	return false
}

// classify splits a name into words and looks at the last ones.
func classify(name string) nameClass {
	parts := splitName(name)
	for len(parts) > 1 && (isAllDigits(parts[len(parts)-1]) || listed(qualifiers, parts[len(parts)-1])) {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return noSecret
	}
	last := strings.TrimRight(parts[len(parts)-1], "0123456789")
	flat := strings.Join(parts[:len(parts)-1], "") + last
	for _, e := range nameEndings {
		if isWholeWord(e.text) && last != e.text || !strings.HasSuffix(flat, e.text) {
			continue
		}
		if e.class != passwordName && isHarmless(parts, e.text) {
			return noSecret
		}
		if e.class == weakKey && len(parts) == 1 {
			return noSecret
		}
		return e.class
	}
	return noSecret
}

// isHarmless looks at the words before the ending.
func isHarmless(parts []string, ending string) bool {
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-3; i-- {
		if listed(harmless, parts[i]) && !strings.HasSuffix(ending, parts[i]) {
			return true
		}
	}
	return false
}

func isAllDigits(s string) bool { return s != "" && countClass(s, isDigit) == len(s) }

// splitName splits at everything that is no letter or digit, and before a
// capital that begins a word; in lower case.
func splitName(name string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, toLower(name[start:end]))
		}
		start = end
	}
	for i := range len(name) {
		switch {
		case !isAlnum(name[i]):
			cut(i)
			start = i + 1
		case i > start && isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			cut(i)
		}
	}
	cut(len(name))
	return parts
}
