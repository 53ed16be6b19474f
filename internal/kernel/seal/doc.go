// Package seal makes statements that can be checked by someone who was not
// there: signed notes, and a transparency log whose checkpoints are kept
// elsewhere.
//
// A Key signs text as a note (an Ed25519 signature under a name, in the format
// that Go's checksum database and C2SP's signed-note describe) or any bytes as
// a DSSE envelope. A Log holds digests in the order in which they came, as the
// leaves of an RFC 6962 Merkle tree. Its Checkpoint (C2SP tlog-checkpoint) says
// how many there are and what the tree's root is; a Proof (C2SP tlog-proof)
// shows that a digest is below a root, and a consistency proof that a later
// tree still begins with an earlier one. Who holds an old checkpoint can tell
// when anything that was logged before it was changed, removed or put in
// another order. Nobody can tell what was never logged.
//
// The leaves are the truth and are synced before an append is acknowledged.
// The tree's inner hashes are kept beside them only for speed and are made anew
// from the leaves where they do not fit.
package seal

// Codes of the faults of this package.
const (
	// CodeBadKey is a key that is none, or not the one that signed.
	CodeBadKey = "bad_key"
	// CodeBadSeal is a signature, checkpoint or proof that does not hold.
	CodeBadSeal = "bad_seal"
	// CodeBadLog is a log whose files are not what Append wrote.
	CodeBadLog = "bad_log"
)
