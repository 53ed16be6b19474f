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
// # Looking at text
//
// Visible shows what a terminal would hide or obey. ValidUTF8 makes any bytes a
// valid string.
package redact
