// Package pack turns the three files of a pack into one value, or says exactly
// why it cannot.
//
// A pack is a directory with surface.json (the manifest), policy.json and
// HARNESS.md (the Skill). Load reads all three, LoadForExec leaves the Skill's
// text aside, Examine goes on after a fault and reports everything, for lint.
// Hash and Content pin the whole directory.
//
// What holds of every Pack that Load returns:
//
//   - The files were regular files within the pack, of bounded size, strict
//     JSON (package canon) and UTF-8.
//   - Every field has the type and the bounds of the published schemas. A name
//     that differs from a field only in case is refused, never ignored: another
//     reader might take it for the field.
//   - binding, wrap, workspace, openapi, pass_through, triggers, the hcp block
//     and the whole Policy are closed. Elsewhere unknown fields are ignored and
//     noted (§3.1, §13.2).
//   - The manifest declares nothing twice with two values: kind and
//     adapter_kind, or a field and its copy in the hcp block. What only the hcp
//     block declares is taken over into the manifest, so nobody has to look in
//     two places. Meta is that block, or what follows from the manifest.
//   - The conditions of §3.7 hold, and the Policy's surface_id is the id.
//   - wrap.bin and openapi.path do not lead out of the pack.
//
// That Policy covers every command, and what the Skill says, is the business of
// package lint.
//
// A Pack is not to be changed after it was loaded: it is shared.
//
// Sections: §2, §3, §4.1, §5.1, §13.1 to §13.3; the path rule that §2.1 expects
// of HCP/1.2.
package pack
