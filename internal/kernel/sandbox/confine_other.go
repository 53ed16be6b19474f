//go:build !linux || !(amd64 || arm64)

package sandbox

import "runtime"

// Detect says what this system can do: nothing.
func Detect() Support {
	return Support{Reason: "there is no sandbox for " + runtime.GOOS + "/" + runtime.GOARCH}
}

// Prepared is a profile made ready to be entered.
type Prepared struct{}

// Prepare refuses: this system cannot confine.
func (p Profile) Prepare() (*Prepared, error) { return nil, Detect().Require(p) }

// Enter refuses: this system cannot confine.
func (*Prepared) Enter() error { return Detect().Require(Profile{}) }

// EnterMediated refuses: this system cannot confine.
func (*Prepared) EnterMediated() (*Mediator, error) { return nil, Detect().Require(Profile{}) }

// Mediator answers for a confinement; there is none here.
type Mediator struct{}

// Descriptor is none.
func (*Mediator) Descriptor() int { return -1 }

// Serve has nobody to answer.
func (*Mediator) Serve(int) error { return nil }

// Close gives back nothing.
func (*Mediator) Close() {}

// Scoped says whether signals end at the confinement.
func (*Prepared) Scoped() bool { return false }

// Close gives back what Prepare took.
func (*Prepared) Close() {}

// Confine refuses: this system cannot confine.
func (p Profile) Confine() error { return Detect().Require(p) }

// Inside says whether the calling process is confined by this package.
func Inside() bool { return false }

// Kept is a profile for many runs.
type Kept struct{ profile Profile }

// Keep returns the profile for many runs.
func (p Profile) Keep() *Kept { return &Kept{p.Clone()} }

// Profile returns the profile, which must not be changed.
func (k *Kept) Profile() *Profile { return &k.profile }

// Prepare refuses: this system cannot confine.
func (k *Kept) Prepare() (*Prepared, error) { return k.profile.Prepare() }

// Close gives back what Prepare took.
func (*Kept) Close() {}
