package hopcli

import (
	"io"
	"sync"
	"time"

	"bridle/internal/kernel/redact"
)

// patience is how long a person waits before being told what takes so long.
const patience = 300 * time.Millisecond

// progress tells on a terminal what is being done, in one line that goes away. What
// is done soon is not told at all.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	timer *time.Timer
	text  string
	shown bool
	ended bool
}

// say changes what is told.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	if p.shown {
		p.draw()
		return
	}
	if p.timer == nil {
		p.timer = time.AfterFunc(patience, p.show)
	}
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.shown = true
		p.draw()
	}
}

func (p *progress) draw() {
	_, _ = io.WriteString(p.out, "\r\x1b[K"+Name+": "+redact.Visible(p.text)+" …")
}

// end takes the line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.shown {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
	p.shown, p.ended = false, true
}
