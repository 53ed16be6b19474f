// Package hcp is the public vocabulary of the Harness Context Protocol: what a
// pack, a Policy, a call, its result, a grant and an availability report are.
// It does no I/O and decides nothing; the rules live in the packages that use
// these types. Field names in JSON are the wire names of HCP/1.1 (§1 to §4, §6,
// §9, §11 of the specification and the published schemas).
package hcp

// Protocol constants, HCP/1.1 §2.6 and §13.1.
const (
	// ProtocolID is the protocol's name on the wire.
	ProtocolID = "hcp"
	// Version is the protocol major that a pack declares as "hcp".
	Version = 1
	// ProtocolVersion is the version these types implement.
	ProtocolVersion = "HCP/1.1"
	// BootstrapPack is the id of the pack that every store contains (§11.4).
	BootstrapPack = "hcp-cli"
)
