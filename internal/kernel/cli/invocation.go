package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/clock"
)

// Invocation is everything a program knows of how it was started.
type Invocation struct {
	// Program is the name it was invoked by, without folder or extension.
	Program string
	// Executable is the absolute path of the program's own file, or empty.
	Executable string
	// Args are the words after the program's name.
	Args []string
	Env  Env
	// Dir is the working directory.
	Dir string
	// Home is the user's home directory, or empty.
	Home           string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Clock          clock.Clock
	Terminal       Terminal
}

// Terminal says which streams are terminals and how wide the screen is.
type Terminal struct {
	Stdin, Stdout, Stderr bool
	// Width is the number of columns of Stdout, 0 when unknown.
	Width int
	// Controlling reports whether the process has a controlling terminal, the
	// one thing that a program started by another program in the background
	// does not have. Nil means no.
	Controlling func() bool
}

// HasControlling reports whether a person can be at the keyboard.
func (t Terminal) HasControlling() bool { return t.Controlling != nil && t.Controlling() }

// Process returns the invocation of this process. It is the only place where
// the environment, the working directory and the standard streams are read.
func Process() Invocation {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	executable, err := os.Executable()
	if err != nil {
		executable = ""
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		home = ""
	}
	program := filepath.Base(executable)
	var args []string
	if len(os.Args) > 0 {
		program, args = filepath.Base(os.Args[0]), os.Args[1:]
	}
	return Invocation{
		Program:    strings.TrimSuffix(program, ".exe"),
		Executable: executable,
		Args:       args,
		Env:        NewEnv(os.Environ()),
		Dir:        dir,
		Home:       home,
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		Clock:      clock.System(),
		Terminal:   processTerminal(),
	}
}

// Main runs the app in this process and returns its exit code.
func Main(app App) int { return app.Run(context.Background(), Process()) }
