// Command hcp is hcpx under its other name, for machines where no unrelated
// program is called hcp.
package main

import (
	"os"

	"bridle/internal/hcp/hcpx"
)

func main() { os.Exit(hcpx.Main()) }
