package proc

import (
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// However often goroutines are moved between threads, work that confines its thread
// is never given the main one.
func TestADoomedThreadIsNeverTheMainOne(t *testing.T) {
	var over atomic.Bool
	defer over.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for !over.Load() {
				runtime.Gosched()
			}
		}()
	}
	for range 500 {
		thread := newDoomedThread()
		thread.do(func() {
			if unix.Gettid() == unix.Getpid() {
				t.Error("the main thread was taken")
			}
		})
	}
}
