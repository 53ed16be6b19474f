// Package manifest reads driver manifests (Hound protocol, "Driver manifest").
//
// Invariants:
//
//   - A manifest is a closed document: every member is known, of the right
//     kind, and within the grammar of its names and paths.
//   - Nothing of a manifest is looked up in a shell, an environment or a
//     registry: exec is literal, paths are relative, PATH cannot be allow-listed.
//   - The hash of a manifest is that of its canonical form as it was written,
//     extensions included, so that formatting and the order of members do not
//     count.
//   - Whoever writes a file may name it in two ways; the rules about paths here
//     are the one place that decides what a path of a document means.
package manifest
