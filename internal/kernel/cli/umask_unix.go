//go:build unix

package cli

import "syscall"

// keepOwnersRights lets the umask take away only what others would have. Under one
// that takes rights from the user too, neither this program nor any that it starts
// could read what it has just written.
func keepOwnersRights() {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask &^ 0o700)
}
