//go:build unix

package git

import (
	"errors"
	"syscall"
)

// isNotDir says that a part of a path is no folder.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
