// Package store is $HCP_HOME: the installed packs, what is activated and
// connected, and what was seen when it was (§11 of the specification, the
// store section of the CLI reference).
//
//	$HCP_HOME/                  default ~/.hcp, mode 0700, owned by its user
//	  packs/<id>/               installed packs, exact copies
//	  skills/<id>/SKILL.md      the packs' HARNESS.md
//	  state.json                {"activated": [], "connected": [], "grants"?}
//	  store.json                the format number of our own files
//	  activations/<id>.json     what was installed and what a person accepted
//	  jails/<id>/<owner>/       private home, tmp and work folders
//	  ephemeral/<call>/         the same for one call
//	  outputs/<ref>             long outputs, kept an hour
//	  locks/, tmp/              locks, and copies that are not finished yet
//
// Invariants:
//
//   - The store belongs to its user alone. A store that is a link, has another
//     owner, or can be written by others is refused, never repaired.
//   - state.json is read strictly and changed only under the store's lock, by a
//     durable replacement. A file that cannot be read is reported, never reset;
//     members that this version does not know are kept.
//   - A pack is linted as it stands in the store, on the copy that is then
//     moved into place in one step. Nothing of a pack is ever run here.
//   - What runs is what was accepted: an activation records the content of
//     every file of the pack and the executable that wrap.bin meant, and Verify
//     refuses anything else. A first activation is free; one that accepts a
//     change needs the consent of whoever calls, given for exactly that change.
//   - Verify reads state.json, the record and the files of one pack; it does
//     not depend on how many packs are installed.
package store
