//go:build !linux

package cli

// AncestorsBelow lists nothing here: the environment of another process is not
// to be had.
func AncestorsBelow(int) []Ancestor { return nil }

func processAncestors() []Ancestor { return nil }
