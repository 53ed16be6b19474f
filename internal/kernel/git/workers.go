package git

import "runtime"

// workers is how many things are done at once.
func workers() int { return min(runtime.GOMAXPROCS(0), 16) }
