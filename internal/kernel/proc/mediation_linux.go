package proc

import "bridle/internal/kernel/sandbox"

// mediation answers calls of a confined program that need a decision of ours. The
// thread of the run is confined itself and cannot; so the first call makes a
// thread that does. A program that makes none costs one more descriptor to wait
// for.
type mediation struct {
	mediator *sandbox.Mediator
	thread   *thread
	stop     *bell
	over     bool
}

// pollable is the descriptor to wait for until somebody asks.
func (m *mediation) pollable() int {
	if m.mediator == nil || m.thread != nil || m.over {
		return -1
	}
	return m.mediator.Descriptor()
}

// begin starts answering. Where that fails nobody is answered, and the calls fail
// when the mediator is closed.
func (m *mediation) begin() {
	stop, err := newBell()
	if err != nil {
		m.close()
		return
	}
	m.stop, m.thread = stop, newDoomedThread()
	mediator, done := m.mediator, m.thread
	done.work <- func() {
		if mediator.Serve(stop.fd) != nil {
			mediator.Close()
		}
	}
}

// end takes the answering back, once everything that could ask has ended.
func (m *mediation) end() {
	if m.thread != nil {
		m.stop.ring()
		<-m.thread.done
		m.stop.close()
	}
	m.close()
}

func (m *mediation) close() {
	m.mediator.Close()
	m.over = true
}
