// Package host gives coding agents the packs of a store: it composes what a
// host's agent reads, and writes the configuration of hosts into a workspace
// (§12.2, §12.3, the pages on adopting and on coding agents).
//
// How files are edited and taken back is configedit's; here is what goes in.
// Surfaces are what is generated from the activated packs without a file being
// written: the stable part of a system prompt, the tools of an in-process loop,
// the Skills, and the files of each host. A Target is one host, in a file of its
// own; Write writes its files and Undo takes them back.
//
// Invariants:
//
//   - Every foreign byte of a file that is edited stays: comments, order, line
//     ends, byte order mark. What cannot be parsed is not edited; the part that
//     was to go there is handed out instead, and then no file is written at all.
//   - A second run changes nothing. Undo restores what was there to the byte
//     where nothing happened since, and else takes out exactly what was put in.
//   - A file that is wholly ours says so, and one that does not is never
//     replaced.
//   - Nothing is written outside of the workspace, through links neither, and
//     no credential is ever part of what is written. The store's place is
//     written only where the person set it.
//   - Projections drop what the Principal cannot run, and never a confirm mark
//     (§12.6).
package host
