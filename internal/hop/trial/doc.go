// Package trial puts the real hop through what must not hurt it: processes that
// are killed at each of their writes, disks that are full or fail, crowds on one
// repository, and projects that somebody damaged. It holds tests only.
//
// The test program is hop itself where it is started under that name, so every
// trial is of whole processes with real git and real files.
//
// # Invariants that every trial asks for
//
//   - What was acknowledged, on standard output with ok, is there afterwards.
//   - What was recorded before is unchanged, and nothing is there that the
//     operation would not have made.
//   - The next command works, whatever was left behind.
//   - A file of the user's is as it was, or as the operation would have left it.
//
// It tests the failure handling of the Hop protocol.
package trial
