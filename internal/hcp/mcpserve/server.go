package mcpserve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"bridle/internal/kernel/canon"
)

// Options are what a server serves.
type Options struct {
	// Name and Version are how it introduces itself; Instructions are for the
	// agent.
	Name, Version, Instructions string
	// Run runs one command line and returns what it printed, and whether it
	// failed.
	Run func(ctx context.Context, words []string) (text string, failed bool)
	// Withdraw is told what a call printed that was cancelled, since nobody else
	// is: what it asked of a person is not wanted any more. May be nil.
	Withdraw func(text string)
	// Split offers a tool that only reads beside one for the rest. Reads then
	// says of a command line whether it only reads.
	Split bool
	Reads func(words []string) bool
	// Resources lists what can be read, and Read reads one; ok is false for an
	// address that is none.
	Resources func(ctx context.Context) []Resource
	Read      func(ctx context.Context, uri string) (text string, ok bool)
}

// Resource is something to read.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType"`
}

// The bounds of a conversation.
const (
	mostBytes = 4 << 20 // of one message
	mostCalls = 8       // that run at a time
)

// Serve answers messages until the input ends or the context does.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{opts: o, out: out, running: map[string]context.CancelFunc{}, room: make(chan struct{}, mostCalls)}
	defer s.finish(cancel)
	lines := make(chan line)
	go read(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return nil
		case l, open := <-lines:
			if !open {
				s.settle(ctx)
				return nil
			}
			if err := s.receive(ctx, l); err != nil {
				return err
			}
		}
	}
}

// grace is how long calls may go on when the input has ended: a host that wrote
// its last requests and closed its end gets their answers, one that is gone
// leaves nothing behind.
const grace = 2 * time.Second

// settle waits for the running calls, for a while.
func (s *server) settle(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(done)
	}()
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// finish ends the calls that still run.
func (s *server) finish(cancel context.CancelFunc) {
	cancel()
	s.calls.Wait()
}

// line is one message, or one that is too long to be kept.
type line struct {
	text    []byte
	tooLong bool
}

// read passes lines on. It ends with the input; where that never ends, as a
// terminal's, it ends with the process.
func read(ctx context.Context, in io.Reader, lines chan<- line) {
	defer close(lines)
	buffered := bufio.NewReaderSize(in, 64<<10)
	for {
		var l line
		for {
			part, err := buffered.ReadSlice('\n')
			if len(l.text)+len(part) > mostBytes {
				l.text, l.tooLong = nil, true
			} else if !l.tooLong {
				l.text = append(l.text, part...)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				if len(l.text) > 0 || l.tooLong {
					pass(ctx, lines, l)
				}
				return
			}
		}
		if !pass(ctx, lines, l) {
			return
		}
	}
}

func pass(ctx context.Context, lines chan<- line, l line) bool {
	select {
	case lines <- l:
		return true
	case <-ctx.Done():
		return false
	}
}

type server struct {
	opts  Options
	calls sync.WaitGroup
	room  chan struct{}

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	running map[string]context.CancelFunc // by the id of the request, as text
}

// send writes one message on one line.
func (s *server) send(message any) error {
	data, err := canon.Marshal(message)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err = s.out.Write(append(data, '\n'))
	return err
}
