// Command hcpx-kit holds the heavy verbs of hcpx, which hands over to it.
package main

import (
	"os"

	"bridle/internal/hcp/kit"
	"bridle/internal/kernel/cli"
)

func main() { os.Exit(cli.Main(kit.App())) }
