// Package plan makes and reads plans (Hound protocol, "Plan and approval").
//
// Invariants:
//
//   - A plan's id is the hash of everything else in it. Whoever changes a plan
//     has another plan.
//   - A plan names every file that may change, with the exact bytes and modes in
//     the form of new drivers, and each of them lies in a write scope, outside
//     git's own data, and behind no link.
//   - Two plans are the same when their canonical bytes are. What differs is
//     named input by input, so that a refused plan can be explained.
package plan
