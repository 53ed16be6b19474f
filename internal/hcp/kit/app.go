// Package kit is the command set of hcpx-kit, the heavy half of hcpx.
package kit

import (
	"bridle/hcp"
	"bridle/internal/kernel/cli"
)

// App returns the program. It speaks as hcpx, whose second half it is.
func App() cli.App {
	return cli.App{
		Name:     "hcpx",
		Short:    "run packs of commands under the user's rules",
		Protocol: hcp.ProtocolVersion,
	}
}
