// Package houndspec holds the JSON Schemas of the Hound documents and the
// vectors that another implementation can be checked with: how times, paths,
// names and credentials are read, and a manifest, plan, approval, receipt and
// run record that verify.
package houndspec

import "embed"

// Interop holds the vectors.
//
//go:embed interop
var Interop embed.FS
