// Command hcp is hcpx under its other name, for machines where no unrelated
// program is called hcp.
package main

import (
	"os"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/kernel/cli"
)

func main() { os.Exit(cli.Main(hcpx.App())) }
