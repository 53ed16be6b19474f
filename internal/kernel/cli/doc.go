// Package cli is the command-line kit that every program of the project shares:
// one Main that parses, runs, renders and returns an exit code.
//
// A program is an App: a table of verbs, each built only when it is the one
// invoked, so that a start costs one small command tree and no more. Whatever
// the process knows of its surroundings (environment, working directory,
// streams, clock, terminal) enters once as an Invocation, a plain value that a
// test can make as well as the operating system.
//
// Invariants:
//
//   - The result goes to standard output, everything else to standard error.
//   - With --json, anywhere before a literal "--", standard output carries
//     exactly one JSON object, for failures too.
//   - Without --json a result is pretty-printed JSON and a string is printed as
//     it is; only a terminal gets tables and colour, and never a control or
//     invisible character that a value brought along.
//   - A failure is a fault: one sentence, a hint, the next commands, a stable
//     code and an exit code. No stack trace, no bare system error.
//   - SIGINT and SIGTERM cancel the context once; a second one ends the process.
//
// The layout of the HCP command line (conventions of its CLI page, §12.1) is the
// default; a protocol with another layout of failures says so in its App.
package cli
