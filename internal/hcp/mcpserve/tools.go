package mcpserve

import (
	"context"
	"slices"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// The names of the tools.
const (
	toolName  = "hcp"
	readName  = "hcp_read"
	writeName = "hcp_write"
)

const (
	describeAll = "Run the user's installed packs: `commands` lists every command with its arguments, `exec <pack> <command> -- name=value` runs one, `skill <pack>` teaches one, `search <words>` finds more. Give the words that follow hcpx on a command line; there is no shell. On confirm_required ask the user, and repeat with confirm=true only after they agreed to exactly these values."
	describeOf  = "Give the words that follow hcpx on a command line; there is no shell."
)

// tools lists the tools: one, or, for hosts that ask about every tool that may
// write, one that only reads and one for the rest.
func (s *server) tools() []any {
	if !s.opts.Split {
		return []any{tool(toolName, "HCP", describeAll, false)}
	}
	return []any{
		tool(readName, "HCP, reading", "Look up and read: commands, skill, search, availability, and exec of commands that only read. Anything else is refused. "+describeOf, true),
		tool(writeName, "HCP, writing", describeAll, false),
	}
}

func tool(name, title, description string, readOnly bool) object {
	return object{
		"name": name, "title": title, "description": description,
		"inputSchema": object{
			"type": "object",
			"properties": object{
				"argv": object{"type": "array", "items": object{"type": "string"}, "description": `The words, for example ["exec","transit","plan","--","from=A","to=B"]`},
				"args": object{"type": "string", "description": "The same as one line, for hosts that pass no lists; quotes hold a word together"},
			},
			"additionalProperties": false,
		},
		"annotations": object{"title": title, "readOnlyHint": readOnly, "destructiveHint": !readOnly, "idempotentHint": readOnly, "openWorldHint": true},
	}
}

type callParams struct {
	Name      string         `json:"name"`
	Arguments *callArguments `json:"arguments"`
}

type callArguments struct {
	Args *string  `json:"args"`
	Argv []string `json:"argv"`
}

// words are the words of a call.
func (a *callArguments) words() ([]string, error) {
	switch {
	case a == nil || a.Args == nil && len(a.Argv) == 0:
		return nil, fault.New("usage", "the call has neither argv nor args").
			WithHint(`pass argv, for example ["commands"]`)
	case a.Args != nil && len(a.Argv) > 0:
		return nil, fault.New("usage", "the call has both argv and args").WithHint("pass one of them")
	}
	words := a.Argv
	if a.Args != nil {
		var err error
		if words, err = Split(*a.Args); err != nil {
			return nil, err
		}
	} else if err := checkWords(words); err != nil {
		return nil, err
	}
	if len(words) > 0 && (words[0] == "hcpx" || words[0] == "hcp") {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{"help"}
	}
	return words, nil
}

// CodeReadOnly is a call of the reading tool that would do more.
const CodeReadOnly = "read_only_tool"

// call starts a call and comes back: its answer is sent when it has one.
func (s *server) call(ctx context.Context, m message) error {
	var params callParams
	if _, err := canon.DecodeOpen(m.Params, &params, canon.Limits{MaxBytes: mostBytes}); err != nil {
		return s.refuse(m.ID, codeBadParams, "the call cannot be read: "+err.Error())
	}
	names := []string{toolName}
	if s.opts.Split {
		names = []string{readName, writeName}
	}
	if !slices.Contains(names, params.Name) {
		return s.refuse(m.ID, codeBadParams, "there is no tool "+params.Name)
	}
	words, err := params.Arguments.words()
	if err == nil && params.Name == readName && !s.opts.Reads(words) {
		err = fault.New(CodeReadOnly, "this tool only reads").WithHint("use the tool %q for it", writeName)
	}
	if err != nil {
		return s.answer(m.ID, failed(err))
	}
	id := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	if s.running[id] != nil {
		s.mu.Unlock()
		cancel()
		return s.refuse(m.ID, codeInvalid, "a request with this id is still running")
	}
	s.running[id] = cancel
	s.mu.Unlock()
	s.calls.Go(func() {
		defer cancel()
		text, bad := s.inRoom(ctx, words)
		s.mu.Lock()
		delete(s.running, id)
		cancelled := ctx.Err() != nil // nobody can cancel it any more
		s.mu.Unlock()
		switch {
		case !cancelled:
			// A host that went away is noticed by the reader.
			_ = s.answer(m.ID, content(text, bad))
		case text != "" && s.opts.Withdraw != nil:
			s.opts.Withdraw(text)
		}
	})
	return nil
}

// inRoom runs a call when there is room for one more, and never one that was
// cancelled before.
func (s *server) inRoom(ctx context.Context, words []string) (text string, bad bool) {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return "", true
	}
	defer func() { <-s.room }()
	if ctx.Err() != nil {
		return "", true
	}
	return s.opts.Run(ctx, words)
}

func content(text string, bad bool) object {
	return object{"content": []any{object{"type": "text", "text": text}}, "isError": bad}
}

// failed is a refused call in the layout of every failure.
func failed(err error) object {
	f := fault.From(err)
	data, encodeErr := canon.Marshal(struct {
		OK    bool     `json:"ok"`
		Error string   `json:"error"`
		Code  string   `json:"code"`
		Hint  string   `json:"hint,omitempty"`
		Next  []string `json:"next,omitempty"`
	}{Error: f.Message, Code: f.Code, Hint: f.Hint, Next: f.Next})
	if encodeErr != nil {
		data = []byte(f.Message)
	}
	return content(string(data), true)
}
