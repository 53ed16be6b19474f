// Package hcpspec carries the published data of the Harness Context Protocol
// that programs and other implementations use: the JSON Schemas of its
// documents (draft 2020-12), each under the $id at which it is published.
//
// The schemas state what a document may look like. What they cannot say (that
// a manifest and a Policy agree, that a path stays inside its pack) is the
// business of the packages that read packs. testdata/schema-cases holds
// documents with their verdicts, for any implementation to run.
package hcpspec

import (
	"embed"
	"strings"
)

//go:embed schemas/*.json
var files embed.FS

// Names lists the schemas: the three files of a pack's author first, then what
// goes over the wire.
func Names() []string {
	return []string{"surface", "policy", "hcp.eval", "exec", "result", "grant", "availability"}
}

// Schema returns the text of a schema by its name, with or without ".json",
// and whether there is one.
func Schema(name string) ([]byte, bool) {
	text, err := files.ReadFile("schemas/" + strings.TrimSuffix(name, ".json") + ".json")
	return text, err == nil
}
