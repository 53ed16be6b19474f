// Package command is what stands between the arguments of a call and the words
// that run: the declared arguments of a command, their check, the rendering of
// cli[], the words of a command line and its reverse, titles, and ready-to-run
// examples. It implements §3.4, §3.5, §4.5 (the envelope's part), §6.1 and
// §6.4 of the specification, the path rules of §10.6 as pure functions, the
// JSON flag of RFC 0004 and the titles of RFC 0007.
//
// Everything is a pure function of the manifest and the arguments.
//
// Invariants:
//
//   - Numbers are text. An amount given as 2.80 reaches the command as 2.80, and
//     an integer of any size keeps its digits.
//   - A value is expanded once. Text that looks like a placeholder is text.
//   - A value whose text is empty is missing; a required one is refused, so that
//     a flag that narrows a command cannot fall away by accident.
//   - No value becomes an option in a positional slot, none is dropped in
//     silence, and the reserved names confirm, apply and mode never reach argv.
//   - Words stay words: there is no shell, and Line quotes for the reader's one.
//   - No message carries a value, since messages reach the journal.
package command

// Codes of the faults made here, as the Errors page names them; bad_schema is
// ours and marks a command whose args declaration cannot be honoured.
const (
	CodeUnknownCommand  = "unknown_command"
	CodeUnknownArgument = "unknown_argument"
	CodeMissingArgument = "missing_argument"
	CodeBadArgument     = "bad_argument"
	CodeBadArgsJSON     = "bad_args_json"
	CodeBadSchema       = "bad_schema"
)

// Bounds of what a call may carry. Linux takes no argument of 128 KiB or more.
const (
	maxValueBytes = 128<<10 - 1
	maxArgsBytes  = 1 << 20
	maxDepth      = 64
	maxNumber     = 1024
	maxExponent   = 400
)
