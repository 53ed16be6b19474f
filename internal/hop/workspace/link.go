package workspace

import "os"

// makeLink makes a symbolic link in a working copy.
func makeLink(text, at string) error { return os.Symlink(text, at) }
