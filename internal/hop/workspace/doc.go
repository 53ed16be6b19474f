// Package workspace makes, fills, reads and removes the working copies of a
// project: one for each attempt, and a pool of clean ones for checks and for attempts
// to come.
//
// # Places
//
// Everything is below the project's own folder, .hop, which is mode 0700, is
// kept out of git by the repository's info/exclude, and out of other tools'
// sight by an ignore file of its own:
//
//	.hop/hop.db            the index; see package ledger
//	.hop/config.toml       the project's configuration
//	.hop/workspaces/AT_…   the working copy of an attempt
//	.hop/checks/N          a clean checkout of the pool, with N.lock beside it; in the
//	                       last places are those that were workspaces
//	.hop/cache/            the private git indexes of workspaces
//	.hop/locks/            one lock for each workspace
//
// With workspaces = "outside" in the configuration, the working copies are in
// the user's data folder instead.
//
// # Invariants
//
//   - Working copies are detached: no branch is made or moved, and nothing of the
//     user's folder, index or configuration is touched but info/exclude.
//   - A workspace is removed, or parked in the pool, only when everything in it is
//     recorded. Of what an attempt had there, the next one finds nothing.
//   - A check runs in a checkout that was proven equal to the tree it is about,
//     apart from what the configuration put beside it, which is reported.
package workspace
