// Package ledger keeps a project's history: as canonical records in git, which
// is the truth, and as an index in SQLite, which answers questions quickly and
// can be made anew from git alone at any time.
//
// # In git
//
// A transaction is what one operation records. It is one commit whose tree holds
// one file, records.jsonl: the operation on the first line, then each state,
// task, attempt, piece of evidence and session binding that it wrote, one
// canonical JSON object per line (schema in spec/hop). Transactions about one
// attempt are chained in refs/hop/ledger/attempts/<attempt>, those about the
// accepted line in refs/hop/ledger/project. Beside the transaction before it, a
// ledger commit has the project commits of its states as parents, so nothing
// that was recorded is ever unreachable; no ledger commit is reachable from a
// user's branch or from the accepted commit.
//
// Transactions carry a number. Sorted by it they give the project's history,
// whichever ref they are in.
//
// # Writing
//
// Under the ledger's lock: objects, durably; an intent row; the refs, in one
// transaction by compare and swap; then the index, which takes the intent row
// away. A crash leaves an intent: where its refs moved, the transaction happened
// and the index takes it in; where not, nothing happened.
//
// # Invariants
//
//   - What Write reported is in git, durably, before it returns.
//   - Every state was admitted by package graph and has the digest it claims.
//   - The index equals what Rebuild makes of the refs.
//   - Records are never changed; tasks, attempts and sessions change by a newer
//     record.
//
// It implements the state graph and the failure handling of the Hop protocol.
package ledger
