//go:build unix

package proc

import "syscall"

// Exec replaces the calling process with the program: same process, same
// descriptors, same terminal. It returns only when that fails.
func Exec(path string, argv, env []string) error {
	return startFault(path, "", syscall.Exec(path, argv, env), false)
}
