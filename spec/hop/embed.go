// Package hopspec holds the schema of Hop's ledger records, as data that another
// implementation can use.
//
// It documents the records of package internal/hop/ledger; the state graph is that
// of the Hop protocol.
package hopspec

import "embed"

// Schemas are the JSON Schemas.
//
//go:embed schemas
var Schemas embed.FS
