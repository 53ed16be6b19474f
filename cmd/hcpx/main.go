// Command hcpx is the HCP command line: it installs, activates and runs packs.
package main

import (
	"os"

	"bridle/internal/hcp/hcpx"
	_ "bridle/internal/kernel/single" // what works for longer is in hcpx-kit
)

func main() { os.Exit(hcpx.Main()) }
