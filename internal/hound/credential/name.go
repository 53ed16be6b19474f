// Package credential says which names promise a secret, and finds the secrets
// that a driver was given in what it answers (Hound trust model: a response is
// scanned before it is accepted or kept).
//
// Invariants:
//
//   - A value is found as it is, percent-encoded, and in standard base64, however
//     short it is; from four bytes on also in the further forms of package
//     redact, in UTF-16, base32, and behind escapes of languages and markup; and
//     inside attachments: strings, and words of them, that hold base64, base32,
//     hexadecimal or JSON text, and gzip within those, to a fixed depth.
//   - The work grows with the size of the text, however many attachments seem to
//     begin in it.
//   - The password in a URL is a secret like the URL itself.
//   - What is too large or too deep to look into counts as holding a secret.
//   - No secret is ever part of an error.
package credential

import "strings"

// secretNames are names that promise a secret, without their separators.
const secretNames = " apikey authorization token accesstoken refreshtoken sessiontoken password passwd secret clientsecret" +
	" credential credentials sig signature accesskey secretaccesskey privatekey signingkey cookie setcookie "

// secretEndings are endings of such names.
var secretEndings = [...]string{
	"_api_key", "_apikey", "_authorization", "_token", "_password", "_secret", "_credential", "_credentials",
	"_sig", "_signature", "_access_key", "_private_key", "_signing_key", "_cookie",
}

// IsSecretName reports whether a name of a member, a parameter or a header
// promises a secret.
func IsSecretName(name string) bool {
	folded := fold(name)
	if bare := strings.ReplaceAll(folded, "_", ""); bare != "" && strings.Contains(secretNames, " "+bare+" ") {
		return true
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(folded, ending) {
			return true
		}
	}
	return false
}

// IsSecretVariable reports whether the name or the value of an environment
// variable promises a secret.
func IsSecretVariable(name, value string) bool {
	upper := strings.ToUpper(name)
	for _, ending := range [...]string{"KEY", "DATABASE_URL"} {
		if upper == ending || strings.HasSuffix(upper, "_"+ending) {
			return true
		}
	}
	return IsSecretName(name) || hasUserInfo(value)
}

// hasUserInfo reports whether text is a URL with something before an "@" in its
// authority. It reads no more strictly than the programs that are handed it.
func hasUserInfo(text string) bool {
	_, rest, found := strings.Cut(text, "://")
	if !found {
		return false
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "@")
}

// fold lower-cases a name and turns what is neither letter nor digit into single
// underscores, none at the ends.
func fold(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if r < 'a' || r > 'z' {
			if r < '0' || r > '9' {
				gap = true
				continue
			}
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}
