//go:build unix

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that ask a program to end: from the keyboard, from
// whoever manages it, and when its terminal goes.
func endings() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
}
