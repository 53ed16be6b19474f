package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Limits of the time that a client is made to wait, below those that it is told.
const (
	promptLimit = (long - 10) * time.Second
	otherLimit  = (short - 5) * time.Second
)

// Around is what is known of the process that a client started.
type Around struct {
	op.Surroundings
	// Env returns a variable, empty when it is not set.
	Env func(name string) string
}

// Handle acts on one event and returns what to print: always what the client takes
// as "go on", whatever the error.
func (c Client) Handle(ctx context.Context, s Around, data []byte) ([]byte, error) {
	e, err := c.Read(data)
	if err != nil {
		out, _ := c.GoOn("")
		return out, err
	}
	limit := otherLimit
	if e.Kind == Prompt {
		limit = promptLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := c.act(ctx, s, e)
	if err != nil && e.Kind == Prompt {
		// Nobody sees what a hook that says "go on" writes to standard error.
		reply.Message = "hop: the message was not recorded as it should be: " + fault.From(err).Message
	}
	out, encoding := c.Answer(e, reply)
	return out, errors.Join(err, encoding)
}

// act does what an event means. Outside of a project it means nothing.
func (c Client) act(ctx context.Context, s Around, e Event) (reply Reply, err error) {
	if e.Kind == Other {
		return Reply{}, nil
	}
	if info, err := os.Stat(e.Dir); e.Dir != "" && err == nil && info.IsDir() {
		s.Dir = e.Dir
	}
	p, err := op.OpenAgain(ctx, s.Surroundings)
	if fault.Is(err, op.CodeNoProject) {
		return Reply{}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	agent := c.Name
	if name := s.Env("HOP_AGENT"); name != "" {
		agent = name
	}
	switch e.Kind {
	case Start:
		return c.start(ctx, p, s, agent, e)
	case Prompt:
		begun, err := p.Submit(ctx, op.PromptRequest{Text: e.Text, Agent: agent, Session: e.Session})
		if err != nil {
			return Reply{}, err
		}
		return Reply{Context: briefing(begun, p.Layout.Root), Env: begun.Deliver}, nil
	case Work, Done:
		return Reply{}, keep(ctx, p, agent, e)
	case Other:
	}
	return Reply{}, nil
}

// keep records what the workspace of the conversation holds, with the answer where
// there is one. A conversation that recorded no prompt has none.
func keep(ctx context.Context, p *op.Project, agent string, e Event) error {
	state, err := p.OfSession(ctx, agent, e.Session)
	if err != nil || state == "" {
		return err
	}
	if e.Kind == Done && strings.TrimSpace(e.Text) != "" {
		_, err = p.Complete(ctx, op.CompleteRequest{State: state, Response: e.Text})
		return err
	}
	_, _, err = p.Keep(ctx, state)
	if fault.Is(err, op.CodeNoWorkspace) {
		return nil
	}
	return err
}

// start tells a conversation that goes on where its workspace is, and one that
// begins where it will be.
func (c Client) start(ctx context.Context, p *op.Project, s Around, agent string, e Event) (Reply, error) {
	if err := c.rememberVariables(s, agent, e.Session); err != nil {
		return Reply{}, err
	}
	state, err := p.OfSession(ctx, agent, e.Session)
	if err != nil {
		return Reply{}, err
	}
	if state == "" {
		return Reply{Context: c.welcome(p, agent, e.Session)}, nil
	}
	resumed, err := p.Resume(ctx, state)
	if fault.Is(err, op.CodeClosed) {
		return Reply{}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	return Reply{
		Context: "Hop: this conversation works in " + resumed.Workspace + " (state " + resumed.State.ID + "). " + rules(p.Layout.Root),
		Env:     resumed.Deliver,
	}, nil
}

// welcome is what a new conversation is told in a project.
func (c Client) welcome(p *op.Project, agent, session string) string {
	text := "Hop: this project records each message of the user before you act on it, and gives you a workspace of your own."
	if c.briefed {
		return text + " The note with the message names it; do not run hop begin yourself."
	}
	return text + " Do not run hop begin yourself. Before you look at or change anything, run\n" +
		`eval "$(` + sessionCommand(agent, session) + `)"` + "\nwhich sets HOP_STATE_ID and changes to the workspace. " + rules(p.Layout.Root)
}

func rules(root string) string {
	return "Read and change files only there, never in " + root + ". Prove your work with hop check -- COMMAND and hand it over with hop propose --summary TEXT."
}

// briefing is what a model is told with a message.
func briefing(s hop.Started, root string) string {
	var b strings.Builder
	b.WriteString("Hop recorded this message as " + s.Prompt.ID + ". Do not run hop begin for it.\n")
	b.WriteString("Your workspace: " + s.Workspace + "\n" + rules(root) + "\n")
	b.WriteString(`In a shell: eval "$(hop env ` + s.Prompt.ID + ")\"\n")
	total := 0
	for _, r := range s.Redactions {
		total += r.Count
	}
	if total > 0 {
		b.WriteString("Credentials in the message were left out of the record (" + strconv.Itoa(total) + "). Never repeat them in a command, a summary or a file.\n")
	}
	for _, problem := range s.Incomplete {
		b.WriteString("Not recorded of the workspace: " + problem.Path + " (" + problem.Reason + ")\n")
	}
	for _, w := range s.Warnings {
		b.WriteString("Note: " + w + "\n")
	}
	return b.String()
}

func sessionCommand(agent, session string) string {
	return "hop env --agent " + op.Quote(agent) + " --session " + op.Quote(session)
}

// rememberVariables gives the shells of the client the environment contract. The
// state changes with each message, so each shell asks for it.
func (c Client) rememberVariables(s Around, agent, session string) error {
	for _, name := range c.envFiles {
		file := s.Env(name)
		if !filepath.IsAbs(file) {
			continue
		}
		line := `eval "$(` + sessionCommand(agent, session) + ` --no-cd 2>/dev/null)"` + "\n"
		have, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return durable.Explain("read", file, err)
		}
		if strings.Contains(string(have), line) {
			return nil
		}
		if len(have) > 0 && !strings.HasSuffix(string(have), "\n") {
			have = append(have, '\n')
		}
		return durable.WriteFile(file, append(have, line...), 0o600)
	}
	return nil
}
