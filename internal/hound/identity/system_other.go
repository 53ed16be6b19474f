//go:build !linux

package identity

import (
	"runtime"

	"bridle/internal/kernel/fault"
)

// newSystem refuses: what a change goes through exists on Linux only.
func newSystem() (system, error) {
	return nil, fault.Newf(CodeUnavailable, "a service identity cannot be kept on %s", runtime.GOOS).
		WithHint("keep it on a Linux machine, on ext4, xfs or btrfs; records verify here without it")
}
