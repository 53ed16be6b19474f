package cli

import (
	"errors"
	"os"

	"golang.org/x/term"
)

func processTerminal() Terminal {
	t := Terminal{
		Stdin:  term.IsTerminal(int(os.Stdin.Fd())),
		Stdout: term.IsTerminal(int(os.Stdout.Fd())),
		Stderr: term.IsTerminal(int(os.Stderr.Fd())),
		Open:   openTerminal,
	}
	if t.Stdout {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			t.Width = width
		}
	}
	return t
}

// controlling is an opened terminal: one file, or two where the system has one
// for each direction.
type controlling struct{ in, out *os.File }

func (c controlling) Read(p []byte) (int, error)  { return c.in.Read(p) }
func (c controlling) Write(p []byte) (int, error) { return c.out.Write(p) }

func (c controlling) Close() error {
	err := c.in.Close()
	if c.out != c.in {
		err = errors.Join(err, c.out.Close())
	}
	return err
}
