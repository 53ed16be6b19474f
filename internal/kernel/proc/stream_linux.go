package proc

import (
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// stream is the reading end of one output.
type stream struct {
	fd   int // -1 once it has ended
	keep int64
	head []byte
	size int64
	tee  *relay
}

// turns bounds how often a stream is read in one turn, so that a flood on one
// side delays neither the other nor the deadline.
const turns = 16

// read takes what is there. It returns when there is nothing more for now.
func (s *stream) read(buf []byte) {
	for range turns {
		if s.fd < 0 || !s.tee.ready() {
			return
		}
		n, err := unix.Read(s.fd, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil || n == 0:
			s.close()
			return
		}
		s.take(buf[:n])
		if n < len(buf) {
			return
		}
	}
}

func (s *stream) take(chunk []byte) {
	s.size += int64(len(chunk))
	if room := s.keep - int64(len(s.head)); room > 0 {
		s.head = append(s.head, chunk[:min(room, int64(len(chunk)))]...)
	}
	s.tee.pass(chunk)
}

func (s *stream) close() {
	if s.fd >= 0 {
		unix.Close(s.fd)
		s.fd = -1
	}
}

func (s *stream) capture() Capture { return Capture{Head: s.head, Size: s.size} }

// relay hands an output on to a writer that may be slow or may block, from a
// goroutine of its own. A nil relay takes everything and does nothing.
type relay struct {
	chunks chan []byte
	done   chan struct{}
	wake   *bell
}

// backlog is how many chunks a relay holds before the stream has to wait.
const backlog = 16

func newRelay(w io.Writer, wake *bell) *relay {
	if w == nil {
		return nil
	}
	r := &relay{chunks: make(chan []byte, backlog), done: make(chan struct{}), wake: wake}
	go func() {
		defer close(r.done)
		failed := false
		for chunk := range r.chunks {
			if len(r.chunks) == cap(r.chunks)-1 {
				r.wake.ring() // it was full, so the stream may be waiting
			}
			if !failed {
				_, err := w.Write(chunk)
				failed = err != nil // the rest is taken and dropped
			}
		}
	}()
	return r
}

// ready says whether pass would not have to wait.
func (r *relay) ready() bool { return r == nil || len(r.chunks) < cap(r.chunks) }

// pass hands on a copy. The polling thread is the only one that sends, so a
// relay that was ready still is.
func (r *relay) pass(chunk []byte) {
	if r != nil {
		r.chunks <- append([]byte(nil), chunk...)
	}
}

// finish waits until everything has been handed on, but not for ever.
func (r *relay) finish(limit time.Duration) {
	if r == nil {
		return
	}
	close(r.chunks)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.done:
	case <-timer.C:
	}
}

// pollable is the descriptor to poll, or -1 while nothing could be done with
// what it has.
func (s *stream) pollable() int {
	if !s.tee.ready() {
		return -1
	}
	return s.fd
}
