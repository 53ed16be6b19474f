package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

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
	// UserID names the operating system's user, or is empty.
	UserID string
	// Home is the user's home directory as the environment names it, or empty.
	Home string
	// AccountHome is the home directory that the system's user database has
	// for the user: what the environment says of it is anybody's to set.
	AccountHome    func() (string, error)
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Clock          clock.Clock
	Terminal       Terminal
	// Ancestors lists the processes above this one, the nearest first. Nil means
	// that nothing is known of them.
	Ancestors func() []Ancestor
}

// Terminal says which streams are terminals and how wide the screen is.
type Terminal struct {
	Stdin, Stdout, Stderr bool
	// Width is the number of columns of Stdout, 0 when unknown.
	Width int
	// Open opens the controlling terminal, the one thing that a process which
	// another program started in the background does not have. Nil means that
	// there is none.
	Open func() (io.ReadWriteCloser, error)
}

// HasControlling reports whether a person can be at the keyboard.
func (t Terminal) HasControlling() bool {
	if t.Open == nil {
		return false
	}
	terminal, err := t.Open()
	if err != nil {
		return false
	}
	return terminal.Close() == nil
}

// Process returns the invocation of this process. It is the only place where
// the environment, the working directory and the standard streams are read, and
// where the umask is set right.
func Process() Invocation {
	keepOwnersRights()
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
		UserID:      userID(),
		AccountHome: sync.OnceValues(accountHome),
		Program:     strings.TrimSuffix(program, ".exe"),
		Executable:  executable,
		Args:        args,
		Env:         NewEnv(os.Environ()),
		Dir:         dir,
		Home:        home,
		Stdin:       os.Stdin,
		Stdout:      os.Stdout,
		Stderr:      os.Stderr,
		Clock:       clock.System(),
		Terminal:    processTerminal(),
		Ancestors:   processAncestors,
	}
}

// Main runs the app in this process and returns its exit code. Who asks for the
// version alone is told without a look around.
func Main(app App) int {
	if len(os.Args) == 2 && os.Args[1] == versionFlag {
		return app.run(context.Background(), Invocation{Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr})
	}
	// The signals are not given back, each by a message to another thread: the process
	// ends.
	ctx, _ := untilEnded(context.Background())
	return app.run(ctx, Process())
}
