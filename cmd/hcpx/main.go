// Command hcpx is the HCP command line: it installs, activates and runs packs.
package main

import (
	"os"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/kernel/cli"
)

func main() { os.Exit(cli.Main(hcpx.App())) }
