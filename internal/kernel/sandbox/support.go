package sandbox

import (
	"errors"

	"bridle/internal/kernel/fault"
)

// Fault codes of this package.
const (
	// CodeUnavailable: this system cannot do what the profile needs.
	CodeUnavailable = "sandbox_unavailable"
	// CodePathMissing: a path that the profile requires is not there.
	CodePathMissing = "sandbox_path_missing"
	// CodeTooWide: a grant would contain a path that must stay out of reach.
	CodeTooWide = "sandbox_too_wide"
	// CodeFailed: the kernel refused a step that it should be able to do.
	CodeFailed = "sandbox_failed"
)

// minimumABI is the Landlock version below which a rename or link could not be
// confined and allowed at once.
const minimumABI = 2

// Support is what this system can do. The zero value can do nothing.
type Support struct {
	// ABI is the kernel's Landlock version, 0 where there is none.
	ABI int
	// Seccomp says that a filter can be installed on this architecture.
	Seccomp bool
	// Reason says what is missing when there is no Landlock or no filter.
	Reason string
}

// Require returns nil when the system can enforce p, else a fault that says what
// is missing.
func (s Support) Require(p Profile) error {
	switch {
	case s.ABI == 0 || !s.Seccomp:
		reason := s.Reason
		if reason == "" {
			reason = "the kernel has no Landlock"
		}
		return unavailable(reason)
	case s.ABI < minimumABI:
		return unavailable("the kernel's Landlock is too old (version 1, from Linux 5.13)")
	}
	return nil
}

// Gaps lists, in sentences for people, what a newer kernel would contain and
// this one does not.
func (s Support) Gaps(p Profile) []string {
	var gaps []string
	if s.ABI >= minimumABI && s.ABI < 6 {
		gaps = append(gaps, "a confined program can send signals to other processes of the same user (Linux 6.12 prevents it)")
		if p.Unix {
			gaps = append(gaps, "a confined program with unix sockets can reach abstract ones (Linux 6.12 prevents it)")
		}
	}
	return gaps
}

func unavailable(reason string) error {
	return fault.Newf(CodeUnavailable, "programs cannot be confined on this system: %s", reason).
		WithHint("confined runs need Linux 5.19 or newer with Landlock and seccomp enabled (amd64 or arm64)").
		Because(errors.ErrUnsupported)
}
