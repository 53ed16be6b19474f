// Package hcpvectors carries the conformance vectors as data: the files *.json
// hold dialogues with a runtime, and packs the packs they need besides the gold
// ones. README.md is their description for other implementations.
package hcpvectors

import "embed"

//go:embed *.json all:packs
var files embed.FS

// FS returns the vectors and their packs.
func FS() embed.FS { return files }
