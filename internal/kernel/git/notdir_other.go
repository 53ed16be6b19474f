//go:build !unix

package git

// isNotDir says that a part of a path is no folder; here that is "not found".
func isNotDir(error) bool { return false }
