package cli

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// openTerminal opens the two halves of the console.
func openTerminal() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if !term.IsTerminal(int(in.Fd())) {
		return nil, errors.Join(errors.New("CONIN$ is no terminal"), in.Close(), out.Close())
	}
	return controlling{in, out}, nil
}
