// Package op holds what can be done with a project, one file for each operation.
//
// Every operation has the same shape: it reads what it needs, does the slow part
// (a snapshot, a merge, a command) without a lock on the ledger, and then records
// everything in one transaction, which checks that what it rests on still holds.
// A new operation is a new file with a method of Project that ends in
// Project.record; its undo is the graph's, since nothing is ever removed.
//
// # Invariants
//
//   - A prompt is recorded before anything else happens because of it.
//   - Texts are redacted before the first durable byte: prompts, summaries,
//     recorded commands and their output.
//   - The user's branch, HEAD, index and files are touched by Sync alone, and only
//     where that is provably safe.
//   - The accepted state moves by compare and swap, and only to what was composed
//     with, and validated on, the state it replaces.
//   - A failed or refused landing leaves the accepted state as it was.
//
// It implements the command contract, the exit codes and the failure handling of
// the Hop protocol.
package op
