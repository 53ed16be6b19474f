//go:build !linux

package proc

// EndLeftovers finds nobody here: this system does not show what a process of
// someone else carries. A group or job ends its processes with their parent.
func EndLeftovers(...string) (ended, left int) { return 0, 0 }
