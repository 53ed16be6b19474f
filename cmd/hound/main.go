// Command hound guards repository operations: drivers propose exact bytes, a
// person approves them, and records of what happened can be checked later.
package main

import (
	"os"

	"bridle/internal/hound/houndcli"
)

func main() { os.Exit(houndcli.Main()) }
