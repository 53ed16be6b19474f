// Package view shows plans to people: what each file was and will be, as a diff
// with modes.
//
// Invariants:
//
//   - Only bytes are shown whose hash is the one that the plan binds. Where there
//     are none the view says that it has hashes only; it never guesses.
//   - A plan can be shown whether or not it still holds.
//   - A diff is bounded: what is too long to compare is shown as a whole, and what
//     is no text is named by its size.
package view
