// Package identity keeps the persistent service identity: Ed25519 keys in one
// file that is either the old one or the new one, whatever happens while it
// changes.
//
// The store is a folder:
//
//	root/                    0700
//	root/service/            0700
//	root/service/lock        0600, empty; locked as long as a Store is open
//	root/service/identity.json  0600, one link, canonical JSON without a line feed
//
// Invariants:
//
//   - Every component is opened below the one before and never through a link;
//     folders and files belong to the caller, with exactly these modes.
//   - Only identity.json is canonical, and only on a local file system that is
//     named in Certified, on Linux. What the system cannot do is refused as
//     unavailable; there is no weaker way.
//   - New bytes start in a file that has no name (O_TMPFILE without O_EXCL), are
//     read back and synced there, and get their names from the held descriptor.
//     After each step the name must lead to exactly that inode, with its bytes,
//     mode and number of links; each step is synced before the next.
//   - A marker comes before a change and goes after it. It binds the inodes of
//     both files, so that what a change left half done is finished or taken back
//     by the next who opens the store, before anything is loaded. A store can be
//     copied only while there is none.
//   - What somebody else put in the place of a file is never taken for the
//     identity and never removed: it moves aside, under a name that keeps the
//     store closed until a person has looked at it.
//   - After a change of which it is not certain how it ended, the Store answers
//     nothing until it is opened anew; nor does it in another process than the
//     one that opened it.
//
// The claim covers processes of one user that cooperate. A process of the same
// user that swaps files and puts them back, forges them in place, or wins the
// moment between the last look and a removal is outside of it; against that
// only a user of its own helps.
//
// It implements the persistent service identity of the Hound trust model.
package identity

// The codes of this package's faults.
const (
	CodeMissing     = "identity_missing"     // there is none
	CodeExists      = "identity_exists"      // there is one already
	CodeLocked      = "identity_locked"      // another process has it open
	CodeUnavailable = "identity_unavailable" // the system lacks what the store needs
	CodeUncertified = "identity_uncertified" // the file system is none that the claim covers
	CodeInsecure    = "identity_insecure"    // owner, mode, links or kind of a component
	CodeBad         = "identity_bad"         // identity.json is not what the store writes
	CodeTampered    = "identity_tampered"    // something else changed the store
	CodeQuarantined = "identity_quarantined" // something was put aside for a person
	CodePending     = "identity_pending"     // a change was cut off and waits for recovery
	CodeUncertain   = "identity_uncertain"   // how a change ended is not known
	CodeClosed      = "identity_closed"      // the handle cannot be used any more
	CodeKey         = "identity_key"         // there is no such key, or it is in use
)
