// Package hopcli is the command set of hop: one file for each verb, thin over
// package op.
//
// Names, flags, positionals, JSON and exit codes are those that scripts and agent
// skills for existing Hop projects use. A result is {"ok": true, "data": …}, a
// failure {"ok": false, "error": …, "exit_code": …} with code, hint, next and what
// else is known beside it, both on standard output. Flags may stand behind the
// positionals as well, and be written with one dash.
//
// It implements the command contract of the Hop protocol.
package hopcli

import (
	"bytes"
	"context"
	"runtime/debug"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// Name is the program's name.
const Name = "hop"

// The groups of the help text.
const (
	groupWork    = "work"
	groupAccept  = "acceptance"
	groupLook    = "looking"
	groupProject = "project"
)

// Main runs the program. Memory is collected late: a command is over soon, and what
// a large repository takes would be gone through again and again for nothing. Beyond
// roomy it is as usual.
func Main() int {
	const roomy = 1 << 30
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(roomy)
	return cli.Main(App())
}

// App returns the program.
func App() cli.App {
	return cli.App{
		Name:  Name,
		Short: "records what agents are asked before they act, keeps their work apart, and lands what was validated",
		First: []string{
			`hop begin "what is to be done"   record it, and get a workspace for it`,
			"hop hook install claude          have an agent's client do so by itself",
		},
		Groups: []string{groupWork, groupAccept, groupLook, groupProject},
		Verbs: []cli.Verb{
			{Name: "begin", Short: "record an instruction and get a workspace for it", Group: groupWork, New: beginCommand},
			{Name: "start", Short: "record an instruction in a new attempt, before it is delivered", Group: groupWork, New: startCommand},
			{Name: "prompt", Short: "record a follow-up instruction", Group: groupWork, New: promptCommand},
			{Name: "checkpoint", Short: "record the workspace as it is", Group: groupWork, New: checkpointCommand},
			{Name: "check", Short: "run a command on an exact checkpoint", Group: groupWork, New: checkCommand},
			{Name: "propose", Aliases: []string{"submit"}, Short: "freeze the workspace as a result", Group: groupWork, New: proposeCommand},
			{Name: "complete", Short: "record the final answer to a prompt", Group: groupWork, New: completeCommand},
			{Name: "env", Short: "print the environment of a state for a shell", Group: groupWork, New: envCommand},
			{Name: "refresh", Aliases: []string{"reconcile"}, Short: "carry an attempt onto the accepted state of now", Group: groupWork, New: refreshCommand},
			{Name: "restore", Short: "give a workspace the files of a state", Group: groupWork, New: restoreCommand},
			{Name: "resume", Short: "make a missing or parked workspace anew", Group: groupWork, New: resumeCommand},
			{Name: "cancel", Short: "end an attempt", Group: groupWork, New: cancelCommand},
			{Name: "land", Short: "validate a proposal and accept it", Group: groupAccept, New: landCommand},
			{Name: "accept", Short: "accept a proposal and leave the visible folder alone", Group: groupAccept, New: acceptCommand},
			{Name: "undo", Short: "take the last acceptance back", Group: groupAccept, New: undoCommand},
			{Name: "redo", Short: "take the last undo back", Group: groupAccept, New: redoCommand},
			{Name: "sync", Short: "write the accepted files into the visible folder", Group: groupAccept, New: syncCommand},
			{Name: "share", Short: "exchange records with other machines over a git remote", Group: groupAccept, New: shareCommand},
			{Name: "push", Short: "put the accepted line on a branch of a remote", Group: groupAccept, New: pushCommand},
			{Name: "status", Short: "show where the project stands", Group: groupLook, New: statusCommand},
			{Name: "state", Aliases: []string{"inspect"}, Short: "show a state", Group: groupLook, New: stateCommand},
			{Name: "log", Short: "draw the newest states", Group: groupLook, New: logCommand},
			{Name: "show", Short: "tell all that is known of an id", Group: groupLook, New: showCommand},
			{Name: "ops", Short: "list what was done", Group: groupLook, New: opsCommand},
			{Name: "graph", Short: "list every state with its parents", Group: groupLook, New: graphCommand},
			{Name: "history", Short: "list the accepted states", Group: groupLook, New: historyCommand},
			{Name: "diff", Short: "show what a state changes", Group: groupLook, New: diffCommand},
			{Name: "init", Short: "make a project", Group: groupProject, New: initCommand},
			{Name: "doctor", Short: "look whether all agrees, and mend it", Group: groupProject, New: doctorCommand},
			{Name: "gc", Short: "free the room of idle workspaces", Group: groupProject, New: gcCommand},
			{Name: "purge", Short: "take a credential out of what was recorded", Group: groupProject, New: purgeCommand},
			{Name: "config", Short: "show the configuration in force", Group: groupProject, New: configCommand},
			{Name: "hook", Short: "have an agent client record what it is asked and what it does", Group: groupProject, New: hookCommand},
			{Name: "skill", Short: "install the instructions for agents, or print them", Group: groupProject, Offline: true, New: skillCommand},
		},
		Words:     words,
		Layout:    layout,
		Failure:   failure,
		UsageExit: hop.ExitUsage,
	}
}

// answer is the JSON form of a result.
type answer struct {
	Data any  `json:"data"`
	OK   bool `json:"ok"`
}

func ok(data any) answer { return answer{Data: data, OK: true} }

// refusal is the JSON form of a failure.
type refusal struct {
	Error    string        `json:"error"`
	ExitCode int           `json:"exit_code"`
	OK       bool          `json:"ok"`
	Code     string        `json:"code,omitempty"`
	Hint     string        `json:"hint,omitempty"`
	Next     []string      `json:"next,omitempty"`
	Overlap  *hop.Overlap  `json:"overlap,omitempty"`
	Check    *hop.Check    `json:"check,omitempty"`
	State    string        `json:"failed_state,omitempty"`
	Paths    []string      `json:"paths,omitempty"`
	Snippet  string        `json:"snippet,omitempty"`
	Prints   []string      `json:"fingerprints,omitempty"`
	Refusals []hop.Refusal `json:"rejected,omitempty"`
}

func failure(f *fault.Error) any {
	d, exit := op.DetailsOf(f), max(f.Exit, hop.ExitInternal)
	if f.Code == cli.CodeUsage {
		exit = hop.ExitUsage
	}
	return refusal{
		Error: f.Message, ExitCode: exit, Code: f.Code, Hint: f.Hint, Next: f.Next,
		Overlap: d.Overlap, Check: d.Check, State: d.State, Paths: d.Paths, Snippet: d.Snippet, Prints: d.Fingerprints, Refusals: d.Refusals,
	}
}

// layout writes JSON as existing scripts read it: indented, with the characters
// escaped that HTML treats in its own way.
func layout(v any) ([]byte, error) {
	data, err := canon.MarshalIndent(v)
	if err != nil {
		return nil, err
	}
	for _, r := range []struct{ char, escape string }{
		{"<", `\u003c`}, {">", `\u003e`}, {"&", `\u0026`}, {"\u2028", `\u2028`}, {"\u2029", `\u2029`},
	} {
		// These characters stand nowhere in JSON but in strings.
		data = bytes.ReplaceAll(data, []byte(r.char), []byte(r.escape))
	}
	return data, nil
}

// words turns the flags that callers write with one dash into ours.
func words(args []string) []string {
	out := slices.Clone(args)
	for i, word := range out {
		if word == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		if strings.HasPrefix(word, "-") && slices.Contains(singleDash(), name) {
			out[i] = "-" + word
		}
	}
	return out
}

func singleDash() []string {
	return []string{"agent", "session", "from", "stdin", "heredoc", "summary", "repair", "path", "force", "json"}
}

// surroundings are what the operations know of this process.
func surroundings(c *cli.Call) op.Surroundings {
	return op.Surroundings{Dir: c.Dir, Environ: c.Env.List(), Home: c.Home, Clock: c.Clock}
}

// watched are surroundings that tell a person at a terminal what takes long, until
// end is called.
func watched(c *cli.Call) (s op.Surroundings, end func()) {
	s = surroundings(c)
	if !c.Terminal.Stderr || c.JSON {
		return s, func() {}
	}
	p := &progress{out: c.Stderr}
	s.Progress = p.say
	return s, p.end
}

// note writes a line to standard error.
func note(c *cli.Call, text string) {
	aside(c, func(p *cli.Page) { p.Line(p.Dim(Name+": "), text) })
}

// aside writes a page to standard error, with colour where that is a terminal.
func aside(c *cli.Call, fill func(*cli.Page)) {
	p := c.NewPlainPage()
	if c.Terminal.Stderr {
		p = c.NewPage()
	}
	fill(p)
	_, _ = c.Stderr.Write([]byte(p.String()))
}

// in runs f on the open project, and tells a person its notes.
func in[T any](ctx context.Context, c *cli.Call, f func(*op.Project) (T, error)) (T, error) {
	return within(ctx, c, func(p *op.Project) (T, error) {
		out, err := f(p)
		if err == nil && !c.JSON {
			for _, text := range p.Notes {
				note(c, text)
			}
		}
		return out, err
	})
}

// within runs f, which tells the notes itself, on the open project.
func within[T any](ctx context.Context, c *cli.Call, f func(*op.Project) (T, error)) (T, error) {
	var none T
	s, end := watched(c)
	defer end()
	p, err := op.Open(ctx, s)
	if err != nil {
		return none, err
	}
	defer p.Close()
	return f(p)
}

// short is the beginning of a tree's id.
func short(id string) string { return id[:min(len(id), 12)] }

// plain renders a page for what is no terminal.
func plain(c *cli.Call, fill func(*cli.Page)) string {
	p := c.NewPlainPage()
	fill(p)
	return p.String()
}
