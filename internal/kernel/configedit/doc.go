// Package configedit puts pieces into the configuration files of other programs and
// takes them out again: JSON with comments, TOML and Markdown with a marked block,
// and whole files of ours.
//
// A caller says which files of a folder get what (File); Plan tells what would
// happen, Write does it for a named owner, and Undo takes it back for that owner.
// What was done is kept in a record outside of the folder.
//
// Invariants:
//
//   - Every foreign byte of a file that is edited stays: comments, order, line
//     ends, byte order mark. What cannot be parsed is not edited; the piece that
//     was to go there is handed out instead, and then no file is written at all.
//   - A second run changes nothing. Undo restores what was there to the byte
//     where nothing happened since, and else takes out exactly what was put in.
//   - A file that is wholly ours says so, and one that does not is never
//     replaced.
//   - Nothing is written outside of the folder, through links neither.
package configedit
