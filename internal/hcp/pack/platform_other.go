//go:build !linux && !darwin

package pack

import (
	"io/fs"
	"os"
)

const openPlain = os.O_RDONLY

// identify knows no time here that a program cannot set, so every check reads
// the files.
func identify(fs.FileInfo) Identity { return Identity{} }
