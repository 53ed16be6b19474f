// Command hop keeps the work of coding agents apart, records what they were
// asked, and lands what was validated.
package main

import (
	"os"

	"bridle/internal/hop/hopcli"
)

func main() { os.Exit(hopcli.Main()) }
