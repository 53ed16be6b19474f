// Package hcpx is the command set of hcpx, the HCP command line.
package hcpx

import (
	"bridle/hcp"
	"bridle/internal/kernel/cli"
)

// App returns the program.
func App() cli.App {
	return cli.App{
		Name:     "hcpx",
		Short:    "run packs of commands under the user's rules",
		Protocol: hcp.ProtocolVersion,
	}
}
