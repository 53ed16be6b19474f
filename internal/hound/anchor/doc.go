// Package anchor lets somebody who was not there check that a record is the one
// that was made at the time.
//
// A record proves that it is whole, and not who made it or when: who can rewrite
// all of it can make another that verifies. So its digest goes into a
// transparency log, whose signed checkpoints are kept where the records are not.
// Who holds a checkpoint finds out when a record that was logged before it was
// changed, or the log itself. Nobody finds out what was never logged.
//
// Invariants:
//
//   - Only records that verify are anchored. The digest of a run is that of its
//     index, which binds every file; that of a read is the id of its receipt.
//   - A digest is logged once; anchoring it again proves the same entry.
//   - A log has one name for good, which its checkpoints carry.
//   - Statements for other tools are the same bytes whenever they are made: their
//     subjects are the files that a run made or changed, sorted by path.
//
// It implements what the Hound trust model asks for where tampering must show:
// the returned record digest, anchored in an external ledger.
package anchor

// The codes of this package's faults.
const (
	CodeNotAnchored = "not_anchored"
	CodeNoSubject   = "nothing_to_attest"
)
