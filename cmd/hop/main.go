// Command hop keeps the work of coding agents apart, records what they were
// asked, and lands what was validated.
package main

import (
	"os"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
)

func main() { os.Exit(cli.Main(hopcli.App())) }
