package guard

import (
	"context"

	"bridle/hound"
)

// Check asks a driver whether it is there and speaks the protocol, and returns
// its answer.
func (g *Guard) Check(ctx context.Context, manifestPath string) (*hound.Response, error) {
	s, err := g.open(manifestPath, "")
	if err != nil {
		return nil, err
	}
	w, err := s.ask(ctx, hound.Request{Mode: hound.ModeCheck})
	return w.Response, err
}
