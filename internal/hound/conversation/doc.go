// Package conversation talks to drivers (Hound protocol, "Driver request" and
// "Driver response").
//
// Invariants:
//
//   - A driver is started once per request, in the root of the owner's
//     repository, by the literal words of its manifest, with a fixed PATH and
//     the allow-listed variables that are set, and nothing else.
//   - It reads one request, canonical JSON and a line feed, and then the end of
//     its input. It has a deadline and 16 MiB for both outputs together.
//   - An answer counts only when no secret is in it, it is whole, the program
//     ended well, and it is exactly one response that keeps its contract; the
//     first rule broken, in that order, is the failure.
//   - A response is kept as it was given. Nothing is filled in.
package conversation
