package op

import (
	"context"
	"errors"

	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// CodeIndexGone marks an index that could not be made anew in the time there is.
const CodeIndexGone = "index_gone"

// OpenAgain is Open for who was not asked to make a project: where the index of one
// is gone, it is made anew from git.
func OpenAgain(ctx context.Context, s Surroundings) (*Project, error) {
	p, err := Open(ctx, s)
	if !fault.Is(err, CodeNoProject) || s.env(hop.EnvRoot) != "" {
		return p, err
	}
	p, err = openLost(ctx, s, err)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fault.New(CodeIndexGone, "the index of this project is gone, and making it anew takes longer than there is time").Because(err).
			WithHint("run hop init, which takes as long as it must, and give the message again").WithNext("hop init")
	}
	return p, err
}

// openLost makes the index anew where git has records. Where nothing tells of a
// project, there is none, for the reason that is given.
func openLost(ctx context.Context, s Surroundings, none error) (*Project, error) {
	bare, err := openBare(ctx, s)
	if err != nil {
		home, found := homeOf(s.Dir)
		if !found || !hasFolder(home.root) || fault.Is(err, CodeNoProject) {
			return nil, none
		}
		return nil, err
	}
	if err := bare.Close(); err != nil {
		return nil, err
	}
	p, _, err := Init(ctx, s, s.Dir)
	return p, err
}
