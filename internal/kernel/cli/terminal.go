package cli

import (
	"os"

	"golang.org/x/term"
)

func processTerminal() Terminal {
	t := Terminal{
		Stdin:       term.IsTerminal(int(os.Stdin.Fd())),
		Stdout:      term.IsTerminal(int(os.Stdout.Fd())),
		Stderr:      term.IsTerminal(int(os.Stderr.Fd())),
		Controlling: hasControllingTerminal,
	}
	if t.Stdout {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			t.Width = width
		}
	}
	return t
}

// hasControllingTerminal tries to open the terminal by the name that only a
// process with a controlling terminal can open.
func hasControllingTerminal() bool {
	f, err := os.OpenFile(terminalDevice, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return term.IsTerminal(int(f.Fd()))
}
