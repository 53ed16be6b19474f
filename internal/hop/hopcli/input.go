package hopcli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// source says where a text comes from: one argument, or standard input.
type source struct{ stdin, heredoc bool }

func (s *source) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.stdin, "stdin", false, "read the text from standard input, every byte of it")
	cmd.Flags().BoolVar(&s.heredoc, "heredoc", false, "read the text from standard input, without the line end that a here-document adds")
}

// read returns the text.
func (s source) read(c *cli.Call, args []string) (string, error) {
	given := len(args)
	if s.stdin {
		given++
	}
	if s.heredoc {
		given++
	}
	if given != 1 {
		return "", fault.New(cli.CodeUsage, "the text is given in exactly one way: as one argument, with --stdin or with --heredoc").
			WithHint("for example: hop start \"Add password reset emails\"")
	}
	if len(args) == 1 {
		return args[0], nil
	}
	data, err := io.ReadAll(io.LimitReader(c.Stdin, op.MaxPrompt+2))
	if err != nil {
		return "", fault.New("input", "standard input cannot be read").Because(err)
	}
	text := string(data)
	if s.heredoc {
		if cut, found := strings.CutSuffix(text, "\r\n"); found {
			return cut, nil
		}
		text = strings.TrimSuffix(text, "\n")
	}
	return text, nil
}

// client is an agent's client that names the conversation in a variable.
type client struct{ agent, session string }

func clients() []client {
	return []client{
		{"codex", "CODEX_THREAD_ID"},
		{"claude", "CLAUDE_CODE_SESSION_ID"},
		{"gemini", "GEMINI_SESSION_ID"},
		{"opencode", "OPENCODE_SESSION_ID"},
	}
}

// identity returns the agent's name and the session's id: what was said, else
// what the environment says.
func identity(env cli.Env, agent, session string) (string, string) {
	found := client{agent: "agent"}
	for _, known := range clients() {
		if id := env.Get(known.session); id != "" {
			found = client{known.agent, id}
			break
		}
	}
	if session == "" {
		session = found.session
	}
	switch {
	case agent != "":
	case env.Get("HOP_AGENT") != "":
		agent = env.Get("HOP_AGENT")
	default:
		agent = found.agent
	}
	return agent, session
}

// afterDash splits the positionals of "[STATE…] -- CMD…".
func afterDash(cmd *cobra.Command, args []string, most int, commandNeeded bool) (states, command []string, err error) {
	at := cmd.ArgsLenAtDash()
	states = args
	if at >= 0 {
		states, command = args[:at], args[at:]
	}
	usage := func(format string, values ...any) error {
		return fault.Newf(cli.CodeUsage, format, values...).WithHint("usage: %s", cmd.UseLine())
	}
	switch {
	case slices.Contains(states, ""):
		return nil, nil, usage("missing <state>")
	case most > 0 && len(states) > most:
		return nil, nil, usage("unexpected argument %q in front of the \"--\"", states[most])
	case at >= 0 && len(command) == 0:
		return nil, nil, usage("there is no command behind the \"--\"")
	case at < 0 && commandNeeded:
		return nil, nil, usage("missing \"--\" and a command")
	}
	return states, command, nil
}
