package kit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/mcpserve"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// CodeNestedMCP is a server that would run inside another.
const CodeNestedMCP = "nested_mcp"

// mostAnswer is how many bytes one answer carries: hosts refuse more than about
// 25,000 tokens.
const mostAnswer = 90_000

func mcpCommand(c *cli.Call) *cobra.Command {
	var split bool
	cmd := &cobra.Command{
		Use: "mcp [--split]",
		Long: "Serves one tool, hcp, over the Model Context Protocol on standard input and output. A call takes the words that follow hcpx on a command line and runs them inside this process, under the same rules; commands that belong to a person refuse.\n" +
			"--split offers hcp_read, which only reads and says so, beside hcp_write, for hosts that ask about every tool that may write.",
		Example: "hcpx mcp\nclaude mcp add hcp -- hcpx mcp",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&split, "split", false, "offer a tool that only reads beside one for the rest")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		if c.Env.Get("HCP_MCP") != "" {
			return cli.Result{}, fault.New(CodeNestedMCP, "a server is running already, and this call came through it").
				WithHint("call the tool once more instead")
		}
		e := export{call: c}
		return cli.Result{}, mcpserve.Serve(ctx, c.Stdin, c.Stdout, mcpserve.Options{
			Name: "hcp", Version: cli.Version(),
			Instructions: "One tool runs the user's capability packs. Begin with the words \"commands\", and read a pack's Skill before its first use.",
			Run:          e.run, Withdraw: e.withdraw, Split: split, Reads: e.reads, Resources: e.resources, Read: e.read,
		})
	})
	return cmd
}

// export runs command lines for a server.
type export struct{ call *cli.Call }

// invocation is that of a call: no terminal, nothing to read, and the mark by
// which what belongs to a person refuses.
func (e export) invocation(words []string, out, errOut io.Writer) cli.Invocation {
	inv := e.call.Invocation
	inv.Args, inv.Env = words, e.call.Env.With("HCP_MCP", "1")
	inv.Stdin, inv.Stdout, inv.Stderr = strings.NewReader(""), out, errOut
	inv.Terminal = cli.Terminal{}
	return inv
}

// plain are the verbs whose text serves an agent better than the same text in
// JSON.
var plain = []string{"help", "skill", "schema", "version"}

// run runs one command line.
func (e export) run(ctx context.Context, words []string) (text string, failed bool) {
	words = asJSON(words)
	var out, errOut bytes.Buffer
	code := whole().Run(ctx, e.invocation(words, &out, &errOut))
	text = out.String()
	if text == "" {
		text = errOut.String()
	}
	return e.bounded(ctx, strings.ToValidUTF8(strings.TrimRight(text, "\n"), "\uFFFD")), code != 0
}

// withdraw answers the question of a cancelled call as cancelled. The pipeline
// does so itself for a call that it ends; this is for one that had just asked.
func (e export) withdraw(text string) {
	var printed struct {
		ApprovalID string `json:"approval_id"`
	}
	if _, err := canon.DecodeOpen([]byte(text), &printed, canon.Limits{}); err != nil || printed.ApprovalID == "" {
		return
	}
	ctx := context.Background()
	rt, err := e.open(ctx)
	if err != nil {
		return // it expires by itself
	}
	_ = rt.Approvals().Cancel(ctx, printed.ApprovalID) // so it does then
}

// asJSON asks for JSON where that is of use.
func asJSON(words []string) []string {
	end := len(words)
	if at := slices.Index(words, "--"); at >= 0 {
		end = at
	}
	if len(words) == 0 || slices.Contains(plain, words[0]) || slices.ContainsFunc(words[:end], func(w string) bool { return strings.HasPrefix(w, "--json") }) {
		return words
	}
	return slices.Concat(words[:end], []string{"--json"}, words[end:])
}

// bounded cuts an answer that a host would refuse, and keeps the whole for
// reading on.
func (e export) bounded(ctx context.Context, text string) string {
	if len(text) <= mostAnswer {
		return text
	}
	cut := mostAnswer
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	note := fmt.Sprintf("\n\n[cut: this is the beginning of %d bytes; ask for less", len(text))
	if rt, err := e.open(ctx); err == nil {
		if ref, _, err := rt.Store.SaveOutput(ctx, strings.NewReader(text)); err == nil {
			note += fmt.Sprintf(", or read on with: output %s --offset %d", ref, cut)
		}
	}
	return text[:cut] + note + "]"
}

// open opens the store as the calls do.
func (e export) open(ctx context.Context) (*local.Runtime, error) {
	c := *e.call
	c.Invocation = e.invocation(nil, io.Discard, io.Discard)
	return hcpx.Open(ctx, &c)
}

// readingVerbs are the verbs that change nothing of the user's.
var readingVerbs = []string{
	"access", "approvals", "audit", "availability", "avail", "catalog", "commands", "completion", "doctor", "generate", "help",
	"lint", "list", "output", "preview", "schema", "search", "skill", "version",
}

// reads reports whether a command line only reads: by its verb, and for exec by
// the Policy of the command. What cannot be told does not.
func (e export) reads(words []string) bool {
	if slices.ContainsFunc(words, func(w string) bool { return w == "--write" || w == "--undo" }) {
		return false
	}
	verb, rest := words[0], words[1:]
	if strings.HasPrefix(verb, "-") {
		return verb == "--version" || verb == "--help"
	}
	if verb != "exec" {
		return slices.Contains(readingVerbs, verb)
	}
	var names []string
	for i := 0; i < len(rest) && rest[i] != "--"; i++ {
		switch word := rest[i]; {
		case word == "--args":
			i++
		case !strings.HasPrefix(word, "-"):
			names = append(names, word)
		}
	}
	if len(names) != 2 {
		return len(names) < 2 // which lists commands
	}
	rt, err := e.open(context.Background())
	if err != nil {
		return false
	}
	p, err := rt.Store.Pack(names[0])
	if err != nil {
		return false
	}
	entry, found := p.Entry(names[1])
	return found && entry.Operation == hcp.OperationRead
}

const (
	catalogURI  = "hcp://catalog"
	helpURI     = "hcp://help"
	skillPrefix = "hcp://skill/"
)

// resources lists the catalog, the help and the Skills of installed packs.
func (e export) resources(ctx context.Context) []mcpserve.Resource {
	list := []mcpserve.Resource{
		{URI: catalogURI, Name: "catalog", Description: "The packs that can be installed", MIMEType: "application/json"},
		{URI: helpURI, Name: "help", Description: "The commands of hcpx", MIMEType: "text/plain"},
	}
	rt, err := e.open(ctx)
	if err != nil {
		return list
	}
	ids, err := rt.Store.InstalledIDs()
	if err != nil {
		return list
	}
	for _, id := range ids {
		list = append(list, mcpserve.Resource{URI: skillPrefix + id, Name: id, Description: "The Skill of " + id, MIMEType: "text/markdown"})
	}
	return list
}

// read reads a resource. A Skill can be read before its pack is activated.
func (e export) read(ctx context.Context, uri string) (string, bool) {
	switch id, isSkill := strings.CutPrefix(uri, skillPrefix); {
	case uri == catalogURI:
		text, failed := e.run(ctx, []string{"catalog"})
		return text, !failed
	case uri == helpURI:
		text, failed := e.run(ctx, []string{"help"})
		return text, !failed
	case isSkill:
		rt, err := e.open(ctx)
		if err != nil {
			return "", false
		}
		p, err := rt.Store.Pack(id)
		if err != nil {
			return "", false
		}
		return e.bounded(ctx, p.Skill), true
	}
	return "", false
}

// whole is the program with every verb in it.
func whole() cli.App {
	app := hcpx.App()
	for i, v := range app.Verbs {
		for _, mine := range verbs() {
			if v.Name == mine.Name {
				mine.Group = v.Group
				app.Verbs[i] = mine
			}
		}
	}
	app.Elsewhere = nil
	return app
}
