package repo

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/clock"
)

// Options say where a project is and what operations on it may see.
type Options struct {
	// Dir is an absolute folder in the project, or in a workspace of it.
	Dir string
	// Environ is the environment of checks, as name=value; its PATH also leads to
	// git, and its HOP_ROOT to the project.
	Environ []string
	// Home is the user's home folder, whose git settings for line ends and ignored
	// files hold; empty means none.
	Home string
	// Progress hears what takes long; nil hears nothing.
	Progress func(text string)
}

func (o Options) surroundings() op.Surroundings {
	return op.Surroundings{Dir: o.Dir, Environ: o.Environ, Home: o.Home, Clock: clock.System(), Progress: o.Progress}
}

// Project is an open project. Close it when done.
type Project struct{ p *op.Project }

// Open opens the project that Options.Dir is in.
func Open(ctx context.Context, o Options) (*Project, error) {
	p, err := op.Open(ctx, o.surroundings())
	if err != nil {
		return nil, public(err)
	}
	return &Project{p}, nil
}

// Init makes a project of the repository that Options.Dir is in, and a repository
// where there is none. It returns the accepted head. An existing project is left
// as it is.
func Init(ctx context.Context, o Options) (*Project, hop.State, error) {
	p, done, err := op.Init(ctx, o.surroundings(), o.Dir)
	if err != nil {
		return nil, hop.State{}, public(err)
	}
	return &Project{p}, done.State, nil
}

// Doctor looks whether index, records, refs and working copies of the project
// agree, and with repair brings them to agree.
func Doctor(ctx context.Context, o Options, repair bool) (hop.Diagnosis, error) {
	d, err := op.Doctor(ctx, o.surroundings(), repair)
	return d, public(err)
}

// Close closes the project.
func (p *Project) Close() error { return public(p.p.Close()) }

// Root is the project's root.
func (p *Project) Root() string { return p.p.Layout.Root }

// Status tells where the project stands.
func (p *Project) Status(ctx context.Context) (hop.Overview, error) {
	return result(p.p.Status(ctx))
}

// State returns a state by its full id.
func (p *Project) State(ctx context.Context, id string) (hop.State, error) {
	e, err := p.p.State(ctx, id)
	return e.State, public(err)
}

// Show tells all that is known of a state, a task, an attempt, a piece of
// evidence or an operation.
func (p *Project) Show(ctx context.Context, id string) (hop.Shown, error) {
	return result(p.p.Show(ctx, id))
}

// Log returns the newest states, newest first.
func (p *Project) Log(ctx context.Context, limit int) ([]hop.Node, error) {
	return result(p.p.Log(ctx, limit))
}

// History returns the accepted states, newest first.
func (p *Project) History(ctx context.Context) ([]hop.State, error) {
	return result(p.p.History(ctx))
}

// Operations returns what was done, newest first.
func (p *Project) Operations(ctx context.Context, limit int) ([]hop.Operation, error) {
	return result(p.p.Operations(ctx, limit))
}

// Diff returns what a state changes, or what differs between two states.
func (p *Project) Diff(ctx context.Context, state, other string) (hop.Difference, error) {
	return result(p.p.Diff(ctx, state, other))
}

// Environment returns the environment contract of a state.
func (p *Project) Environment(ctx context.Context, state string) (hop.Environment, error) {
	return result(p.p.Environment(ctx, state))
}

// result makes the error of an answer public.
func result[T any](v T, err error) (T, error) { return v, public(err) }
