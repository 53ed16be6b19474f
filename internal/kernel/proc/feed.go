package proc

import (
	"io"
	"os"
	"time"
)

// feed writes an input to a child from a goroutine of its own, so that nothing
// waits for a child that does not read.
type feed struct {
	pipe *os.File
	done chan struct{}
}

// settle is how long a feed that was cut off may take to let go of the caller's
// reader. Only a reader that blocks takes it all.
const settle = 50 * time.Millisecond

func startFeed(pipe *os.File, from io.Reader) *feed {
	f := &feed{pipe: pipe, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		// A child that stops reading is no failure of the run.
		_, _ = io.Copy(pipe, from)
		_ = pipe.Close()
	}()
	return f
}

// stop cuts the feed off. A nil feed is fine.
func (f *feed) stop() {
	if f == nil {
		return
	}
	_ = f.pipe.Close()
	timer := time.NewTimer(settle)
	defer timer.Stop()
	select {
	case <-f.done:
	case <-timer.C:
	}
}
