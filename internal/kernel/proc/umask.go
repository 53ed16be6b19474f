package proc

import "io/fs"

// Umask returns the rights that files lack which this process makes. ok is false
// where the system does not tell without changing it.
func Umask() (mask fs.FileMode, ok bool) { return umask() }
