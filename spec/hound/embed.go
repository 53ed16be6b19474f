// Package houndspec holds the JSON Schemas of the Hound documents and the
// vectors that another implementation can be checked with: how times, paths,
// names and credentials are read, and a manifest, plan, approval, receipt and
// run record that verify, made here and elsewhere.
package houndspec

import "embed"

// Interop holds the vectors.
//
//go:embed interop
var Interop embed.FS

// Schemas holds the JSON Schemas, draft 2020-12. They state the form of
// documents; hashes and relations between documents are a verifier's business.
//
//go:embed schemas/*.json
var Schemas embed.FS
