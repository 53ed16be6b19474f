// Command hcpx is the HCP command line: it installs, activates and runs packs.
package main

import (
	"os"

	"bridle/internal/hcp/hcpx"
)

func main() { os.Exit(hcpx.Main()) }
