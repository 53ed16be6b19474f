package cli

import (
	"errors"
	"io"
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

// RawTerminal makes an opened terminal pass on each key as it is pressed,
// without showing it, until restore is called. size tells how large the screen
// is at the moment.
func RawTerminal(opened io.ReadWriter) (size func() (width, height int), restore func() error, err error) {
	t, ok := opened.(controlling)
	if !ok {
		return nil, nil, errors.New("not a terminal of this process")
	}
	in, out := int(t.in.Fd()), int(t.out.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return nil, nil, err
	}
	size = func() (int, int) {
		width, height, err := term.GetSize(out)
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	return size, func() error { return term.Restore(in, before) }, nil
}
