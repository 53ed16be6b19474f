package proc

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// thread is a locked thread on which one run takes place: it starts the child,
// waits and reaps, since its death would kill the child (parent-death signals
// belong to the thread that forked).
type thread struct {
	work chan func()
	done chan struct{}
}

// newThread readies an ordinary thread. It goes back to serving other goroutines
// after its work.
func newThread() *thread {
	t := &thread{make(chan func(), 1), make(chan struct{})}
	go func() {
		defer close(t.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		t.perform()
	}()
	return t
}

// newDoomedThread readies a thread that dies after its work, because the work
// confines it: it must never serve another goroutine. The main thread cannot die
// and stands for the whole process, so it is not taken. Readying takes as long
// as opening a profile's paths; the caller does that meanwhile.
func newDoomedThread() *thread {
	t := &thread{make(chan func(), 1), make(chan struct{})}
	doomed := func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		t.perform()
		close(t.done)
	}
	go func() {
		runtime.LockOSThread() // before asking: a goroutine may move between two statements
		if unix.Gettid() != unix.Getpid() {
			doomed()
			return
		}
		// While this goroutine keeps the main thread, the next one cannot get it.
		defer runtime.UnlockOSThread()
		go doomed()
		<-t.done
	}()
	return t
}

func (t *thread) perform() {
	if body := <-t.work; body != nil {
		body()
	}
}

// do has the thread do the work and waits for it. Without work it only lets the
// thread go.
func (t *thread) do(body func()) {
	t.work <- body
	if body != nil {
		<-t.done
	}
}
