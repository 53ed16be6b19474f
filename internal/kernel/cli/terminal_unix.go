//go:build !windows

package cli

const terminalDevice = "/dev/tty"
