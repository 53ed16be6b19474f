package wrap

import (
	"context"

	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/command"
)

// Driver supplies the places where calls run (§10.6). Local is the driver for
// this machine; others implement the same stages, and no pack changes for them.
type Driver interface {
	// Prepare makes the place of one call ready.
	Prepare(ctx context.Context, r adapter.Request) (Stay, error)
}

// Stay is one call's use of a place.
type Stay interface {
	Place() Place
	// Rewrite turns the words of a command into those that name files of the
	// place, and refuses paths of the host.
	Rewrite(words []command.Token) ([]string, error)
	// WriteBack delivers what the command made, once it has ended, and says
	// what it did. It also runs when the command failed or was killed.
	WriteBack(ctx context.Context, succeeded bool) (notes []string, err error)
	// Cleanup ends the stay. It is always called.
	Cleanup()
}

// Place is where a command runs and what it may reach there.
type Place struct {
	// Dir is the working directory, Home and Tmp the private directories that
	// the environment names.
	Dir, Home, Tmp string
	// HomeEnv are the variables that name Home.
	HomeEnv []string
	// Env are further variables that the place brings, such as the paths of
	// credential files.
	Env []string
	// ReadExec may be read and run, ReadOnly read, ReadWrite also changed.
	ReadExec, ReadOnly, ReadWrite []string
	// ReadOnlyProject says that the project is among ReadExec, since the command
	// only reads.
	ReadOnlyProject bool
	// Mark is carried by the program and its descendants; "" carries none.
	Mark string
	// Notes are what preparing the place has to say, Found the code of what was
	// put right meanwhile.
	Notes []string
	Found string
	// Fleeting says that the place has directories of this call alone.
	Fleeting bool
}
