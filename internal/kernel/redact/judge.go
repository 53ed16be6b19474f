package redact

import "strings"

// form says how a value stands beside its name. The surer the form, the less a
// value has to look like a secret.
type form int

const (
	asLoose  form = iota // somewhere in a line of code or prose
	asTight              // name=value, as in queries, connection strings and commands
	asConfig             // a line of a file of settings, all of it
	asQuoted             // a string literal
	asForced             // nothing but a secret can stand here
)

// isSecret decides whether the value beside a name of this class is a secret.
func isSecret(class nameClass, v string, f form) bool {
	if len(v) < 4 || isPlaceholder(v) || isReference(v) {
		return false
	}
	if class == passwordName && isAllDigits(v) {
		return f != asLoose && len(v) >= 6 || f == asForced
	}
	if isOrdinary(v) || strings.HasPrefix(v, "--") {
		return false
	}
	if f != asQuoted && f != asForced && isExpression(class, v, f) {
		return false
	}
	switch class {
	case passwordName:
		return isPassword(v, f)
	case weakKey:
		return looksRandom(v, 20) && !isUUID(v) && entropy(v) >= 3.2
	case sessionName:
		return looksRandom(v, 12) && !isUUID(v)
	case secretName:
		return isToken(v, f) || f != asLoose && len(v) >= 10 && countClass(v, isDigit) >= 2 && !strings.ContainsAny(v, "-_./:") && isPassword(v, f)
	case tokenName:
		return isToken(v, f) && !isUUID(v)
	default:
		return false
	}
}

// isExpression reports whether a value without quotes is more likely code.
func isExpression(class nameClass, v string, f form) bool {
	if class == passwordName && f != asLoose && isName(v) && countClass(v, isDigit) > 0 {
		return false
	}
	return isCode(v)
}

// isPassword judges what a person may have made up: it needs a digit or a
// character that is neither letter nor part of a slug, or must be no word.
func isPassword(v string, f form) bool {
	least := 6
	switch f {
	case asLoose:
		least = 8
	case asTight:
		least = 5
	case asForced:
		least = 4
	case asConfig, asQuoted:
	}
	if len(v) < least || strings.ContainsAny(v, " \t") && !looksRandom(strings.ReplaceAll(v, " ", ""), 12) {
		return false
	}
	letters := countClass(v, isAlpha)
	digits := countClass(v, isDigit)
	slug := letters + digits
	for i := range len(v) {
		if strings.IndexByte("-_./:,", v[i]) >= 0 {
			slug++
		}
	}
	switch {
	case letters == 0 && digits == 0:
		return false
	case f == asLoose:
		return letters > 0 && (digits > 0 && !isPlainName(v) || slug < len(v) && digits > 0)
	case digits > 0:
		return slug < len(v) || !isSlug(v)
	case slug < len(v):
		return f == asForced || !strings.HasSuffix(v, "...") && symbols(v) > 0
	case f == asForced:
		return len(v) >= 6 && (!isWordy(v) || countClass(v, isUpper) > 0 && countClass(v, isLower) > 0 || len(v) >= 14)
	}
	return len(v) >= 8 && !isWordy(v) && countClass(v, isUpper) > 0 && countClass(v, isLower) > 0
}

// symbols counts characters that names and sentences do not have.
func symbols(v string) int {
	n := 0
	for i := range len(v) {
		if strings.IndexByte("!@#$%^&*+=~?|", v[i]) >= 0 && (i < len(v)-1 || v[i] != '?' && v[i] != '!') {
			n++
		}
	}
	return n
}

// isSlug reports whether v is words joined by hyphens and the like, with a
// number here and there: my-app-2, db_password_v2.
func isSlug(v string) bool {
	return strings.ContainsAny(v, "-_./:") && isWordy(v) && countClass(v, isDigit) <= 3
}

// isToken judges what a machine issued.
func isToken(v string, f form) bool {
	if strings.ContainsAny(v, " \t") || isSlug(v) {
		return false
	}
	if isUUID(v) || isHexDigest(v) {
		return true
	}
	least := 8
	if f == asLoose {
		least = 16
	}
	if looksRandom(v, least) {
		return len(v) >= 12 || countClass(v, isDigit) >= 2
	}
	// A secret somebody made up, in a place that leaves no doubt.
	return (f == asQuoted || f == asConfig || f == asForced) && len(v) >= 10 && countClass(v, isDigit) >= 1 && symbols(v) >= 1
}
