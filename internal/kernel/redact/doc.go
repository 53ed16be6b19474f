// Package redact keeps secrets out of what is printed, and makes untrusted text
// safe to look at.
//
// # Secrets
//
// A Secret holds a credential and prints as a placeholder in every way Go has
// of printing a value. Only Reveal gives it away, so a search for that word
// finds every place where one leaves the program.
//
// # Cleaning
//
// A Cleaner knows some secrets and replaces them in bytes that others wrote:
// what a child process echoes, an error page, a log. It finds a secret
//
//   - as it is, also without the white space around it
//   - base64-encoded, in either alphabet, with or without padding, broken over
//     lines, and at any place within a longer encoded text
//   - in hexadecimal, in either case, broken over lines
//   - percent-encoded, whichever of its characters are, also with + for spaces
//   - as JSON writes strings, whichever of its characters are escaped, also in
//     JSON within JSON
//
// and, of a secret of several lines, also each long line of base64 or the like,
// as in a private key. It guards against accidents, not against a program that
// wants to give a secret away: that one may encode it in its own manner.
//
// A secret of fewer than four bytes is replaced only where it stands as a word
// of its own and only as it is; everywhere else it is more likely something
// else. An empty secret is ignored.
//
// # Detecting
//
// Redact and Find look for credentials that nobody has told us of, and a
// Redactor does so in a stream. Rules are of two sorts: the token formats that
// providers publish (formats.go), and contexts that give a value away, such as
// password=…, an Authorization header or the user part of a URL. A short text
// that a rule cannot do without is its anchor; one pass finds the anchors, and
// only there a rule looks around. What a rule finds still has to look like a
// secret rather than like a placeholder, a variable, a word, a path or a hash.
//
// For every text, Redact of its result changes nothing; text without findings
// stays as it is; a finding never reaches into a marker; and the work grows
// with the length of the text. Detecting is a second line of defence: what a
// program knows to be secret belongs in a Secret and a Cleaner.
//
// # Looking at text
//
// Visible shows what a terminal would hide or obey. ValidUTF8 makes any bytes a
// valid string.
package redact
