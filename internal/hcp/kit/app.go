// Package kit is the command set of hcpx-kit, the heavy half of hcpx: verbs
// that link what the hot path must not pay for.
//
// hcpx hands over to it by replacing its own process, with every word as it
// was typed; the program therefore speaks as hcpx. A verb stands in exactly one
// of the two programs.
package kit

import (
	"bridle/hcp"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/kernel/cli"
)

// App returns the program.
func App() cli.App {
	light := hcpx.App()
	return cli.App{
		Name:     light.Name,
		Short:    light.Short,
		Protocol: hcp.ProtocolVersion,
		Groups:   light.Groups,
		Verbs:    verbs(),
		Before:   light.Before,
		Advise:   light.Advise,
	}
}

func verbs() []cli.Verb {
	return []cli.Verb{
		{Name: "adopt", Short: "configure a coding agent in this directory", New: adoptCommand},
		{Name: "catalog", Short: "show the catalog, or one pack of it", New: catalogCommand},
		{Name: "check", Short: "grade a pack and say what to mend", New: checkCommand},
		{Name: "conformance", Short: "run the protocol's vectors against a runtime", New: conformanceCommand},
		{Name: "eval", Short: "run the eval cases of a pack", New: evalCommand},
		{Name: "exec", Short: "run one command of a pack", New: hcpx.ExecCommand(open)},
		{Name: "generate", Short: "print what a host can use of the activated packs", New: generateCommand},
		{Name: "init", Short: "begin a new pack", New: initCommand},
		{Name: "install", Short: "fetch a pack and copy it into the store", New: installCommand},
		{Name: "man", Short: "write the manual pages", Offline: true, New: manCommand},
		{Name: "mcp", Short: "serve one tool to a host that only takes MCP servers", New: mcpCommand},
		{Name: "search", Short: "search the catalog for packs", New: searchCommand},
		{Name: "share", Short: "print the catalog row of a pack", New: shareCommand},
		{Name: "wrap", Short: "draft a pack for a program that is installed", New: wrapCommand},
	}
}
