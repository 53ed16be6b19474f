package hook

import (
	"errors"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/configedit"
	"bridle/internal/kernel/fault"
)

// Kind is what an event means to Hop.
type Kind int

// The kinds of events.
const (
	// Other events are none of ours.
	Other Kind = iota
	// Start is a conversation that begins or goes on.
	Start
	// Prompt is a message of the user's, before the model has it.
	Prompt
	// Work is a tool that ran.
	Work
	// Done is the end of a turn, with the answer where the client tells it.
	Done
)

// Event is one event of a client.
type Event struct {
	Kind    Kind
	Name    string // as the client calls it
	Session string
	// Dir is the absolute folder that the client works in, or empty.
	Dir string
	// Text is the message of a Prompt, or the answer of a Done.
	Text string
}

// Reply is what a client is told.
type Reply struct {
	// Context is for the model, Message for the person.
	Context, Message string
	// Env are the variables of the environment contract, as name=value.
	Env []string
}

// Client is one agent client.
type Client struct {
	Name string
	// read decodes an event, answer encodes what the client is told about it.
	read   func(data []byte) (Event, error)
	answer func(Event, Reply) any
	// briefed says that the client adds a context to each message.
	briefed bool
	// envFiles names the variables in which the client passes a file that its
	// shells evaluate.
	envFiles []string
	// config says where the client looks for hooks, and what goes there: a file
	// below a folder, which is empty where there is none.
	config func(Place) (dir string, f configedit.File)
	// advice is what a person has to do beside the installation.
	advice string
}

// MaxPayload is the size of the largest event that is read.
const MaxPayload = 32 << 20

// CodeBadPayload marks an event that cannot be read.
const CodeBadPayload = "bad_payload"

// Clients lists the clients.
func Clients() []Client {
	return []Client{claude(), codex(), cursor(), gemini(), opencode()}
}

// Find returns a client by its name.
func Find(name string) (Client, error) {
	var names []string
	for _, c := range Clients() {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	f := fault.Newf("unknown_client", "no client is called %q", name)
	if near := fault.Closest(name, names); near != "" {
		return Client{}, f.WithHint("did you mean %q?", near)
	}
	return Client{}, f.WithHint("the clients are %s", strings.Join(names, ", "))
}

// Read decodes an event of the client.
func (c Client) Read(data []byte) (Event, error) {
	e, err := c.read(data)
	if err != nil {
		return Event{}, fault.Newf(CodeBadPayload, "the event of %s cannot be read: %s", c.Name, err).Because(err).
			WithHint("hop hook is started by the client, with one JSON object on standard input")
	}
	if !filepath.IsAbs(e.Dir) {
		e.Dir = ""
	}
	return e, nil
}

// Answer encodes a reply as the client reads it.
func (c Client) Answer(e Event, r Reply) ([]byte, error) {
	return canon.Marshal(c.answer(e, r))
}

// GoOn is what the client takes as "go on" about an event that could not be read.
func (c Client) GoOn(message string) ([]byte, error) {
	return c.Answer(Event{}, Reply{Message: message})
}

// decode reads a payload into v. Clients add members as they like.
func decode(data []byte, v any) error {
	_, err := canon.DecodeOpen(data, v, canon.Limits{MaxBytes: MaxPayload})
	return err
}

// kinds says what the events of a client mean.
type kinds map[string]Kind

// event makes an event of what all payloads have.
func (k kinds) event(name, session, dir string) (Event, error) {
	e := Event{Kind: k[name], Name: name, Session: session, Dir: dir}
	if name == "" {
		return e, errors.New("it does not say which event it is")
	}
	if e.Kind != Other && session == "" {
		return e, errors.New("it does not say which conversation it belongs to")
	}
	return e, nil
}

// lines is the reply that several clients read in the same form.
type lines struct {
	Specific *specific `json:"hookSpecificOutput,omitempty"`
	Message  string    `json:"systemMessage,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// answerLines gives the context where the client takes one: when a conversation
// starts and with a message.
func answerLines(e Event, r Reply) any {
	out := lines{Message: r.Message}
	if r.Context != "" && (e.Kind == Start || e.Kind == Prompt) {
		out.Specific = &specific{Event: e.Name, Context: r.Context}
	}
	return out
}
