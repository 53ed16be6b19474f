// Package single makes a program run on one processor: whoever imports it does. A
// command that is over in milliseconds does one thing after the other, most of it
// waiting for a child, and on one processor the runtime starts half the threads.
//
// It imports only the runtime, so that it is initialised before all packages that do
// something. Later, the memory at hand of the processor that is given up would be
// handed back size by size, fifty pages of it, and be taken anew.
package single

import "runtime"

var _ = runtime.GOMAXPROCS(1)
