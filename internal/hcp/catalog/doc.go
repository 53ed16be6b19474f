// Package catalog finds packs (the search and catalog sections of the CLI
// reference, the catalog section of the sharing page).
//
// A listing comes from the first of these that is to be had: an answer of the
// same origin that is less than an hour old, the origin, an older answer of it,
// and the snapshot of the gold packs that is part of the program. The listing
// says which it was, and why it is not the first.
//
// Invariants:
//
//   - The origin is asked for everything and never for a query: what a person
//     looks for stays on the machine, and one answer serves every search.
//   - An answer is data of a stranger: it is bounded, decoded strictly, and an
//     entry that is not well-formed is left out and counted. Nothing of it is
//     run, installed or trusted; an installation lints and asks as ever.
//   - A kept answer counts only for the origin that gave it, so that whoever
//     points the variable elsewhere for a moment leaves nothing behind.
package catalog
