//go:build !windows

package cli

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// openTerminal opens the terminal by the name that only a process with a
// controlling terminal can open.
func openTerminal() (io.ReadWriteCloser, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !term.IsTerminal(int(f.Fd())) {
		return nil, errors.Join(errors.New("/dev/tty is no terminal"), f.Close())
	}
	return controlling{f, f}, nil
}
