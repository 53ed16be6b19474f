// Package conformance runs the protocol's vectors (§14.5 and the checklist of
// the Runtime conformance page) against a runtime: this project's own, or any
// other that speaks the protocol of spec/hcp/vectors/README.md on its standard
// input and output.
//
// A vector is a dialogue: requests, and what must stand in the answers. The
// vectors know no Go; this package reads them, lays their packs out in a
// directory, sends the requests to a Driver and compares.
//
// Invariants:
//
//   - A vector passes only when every step was answered and every expectation
//     of it held. An answer that cannot be read fails it.
//   - Each vector meets a driver that knows nothing of the others, and packs
//     that no other vector has touched.
//   - A driver may say that it lacks a part only where the vector names that
//     part as an optional one.
package conformance
