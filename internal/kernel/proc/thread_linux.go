package proc

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// onThread runs body on a goroutine that is locked to its thread, and waits for
// it. The thread's death would kill the child (parent-death signals belong to
// the thread that forked), so body starts, waits and reaps.
func onThread(body func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		body()
	}()
	<-done
}

// onDoomedThread does the same on a thread that is not the process's main one
// and dies afterwards: the goroutine ends without unlocking it. A confined
// thread must not serve other goroutines, and the main one cannot die.
func onDoomedThread(body func()) {
	done := make(chan struct{})
	doomed := func() {
		runtime.LockOSThread()
		body()
		close(done)
	}
	go func() {
		if unix.Gettid() != unix.Getpid() {
			doomed()
			return
		}
		// While this goroutine keeps the main thread, the next one cannot get it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		go doomed()
		<-done
	}()
	<-done
}
