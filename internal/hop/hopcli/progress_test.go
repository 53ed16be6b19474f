package hopcli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
)

// screen keeps what is written, and tells when something was.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	seen chan struct{}
}

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.text.Write(data)
	select {
	case s.seen <- struct{}{}:
	default:
	}
	return n, err
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestWhatIsDoneSoonIsNotTold(t *testing.T) {
	out := &screen{seen: make(chan struct{}, 1)}
	p := &progress{out: out}
	p.say("making the workspace")
	p.end()
	p.show() // as a timer does that fired meanwhile
	if out.String() != "" {
		t.Errorf("%q", out)
	}
}

func TestWhatTakesLongIsToldInOneLineThatGoesAway(t *testing.T) {
	out := &screen{seen: make(chan struct{}, 1)}
	p := &progress{out: out}
	p.say("making the workspace")
	<-out.seen
	p.say("running \x1b[31mthe setup command")
	p.end()
	text := out.String()
	if strings.Contains(text, "\n") || strings.Contains(text, "\x1b[31m") || !strings.HasSuffix(text, "\r\x1b[K") ||
		!strings.Contains(text, "hop: making the workspace …") || !strings.Contains(text, "the setup command …") {
		t.Errorf("%q", text)
	}
}
