package kit

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/command"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/scaffold"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
)

type wrapResult struct {
	OK     bool     `json:"ok"`
	Dir    string   `json:"dir"`
	PackID string   `json:"pack_id"`
	Class  string   `json:"class"`
	Bin    string   `json:"bin"`
	Files  []string `json:"files"`
	// Drafted names the commands; Commands says how each is called and why its
	// Policy row is what it is.
	Drafted     []string           `json:"drafted"`
	Commands    []scaffold.Drafted `json:"commands"`
	Candidates  []string           `json:"candidates"`
	JSONSupport bool               `json:"json_support"`
	Warnings    []string           `json:"warnings"`
	CLIBin      string             `json:"cli_bin"`
	Next        []string           `json:"next"`
}

func wrapCommand(c *cli.Call) *cobra.Command {
	var id, class, dir string
	cmd := &cobra.Command{
		Use: "wrap <bin> [--id pack_id] [--class " + strings.Join(scaffold.Classes, "|") + "] [--dir path]",
		Long: "Drafts a pack for a program that is installed: asks it for its help, and writes the three files, a README and a package.json into a new folder. The program runs in the sandbox, without a network and over empty folders, for --help and nothing else.\n" +
			"Each row of the Policy is a guess on the safe side: what is not known to read is a write that asks. Review the draft before you install it. Nothing is installed, and nothing is written over.",
		Example: "hcpx wrap mycli --class gated-write --dir ./mycli-pack --json\nhcpx wrap git --id my-git",
	}
	cmd.Flags().StringVar(&id, "id", "", "the `id` of the pack; the program's name when nothing is named")
	cmd.Flags().StringVar(&class, "class", scaffold.Classes[0], "the `class`: gated-write for a program that keeps a login, public-read for one without")
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` to write, packs/<id> when nothing is named")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if id == "" {
			id = scaffold.IDOf(args[0])
		}
		shown := dir
		if shown == "" {
			shown = "packs/" + id
		}
		full, err := newFolder(c, shown)
		if err != nil {
			return cli.Result{}, err
		}
		machine, err := wrapMachine(c)
		if err != nil {
			return cli.Result{}, err
		}
		w, err := scaffold.Wrap(ctx, machine, args[0], id, class, full)
		if err != nil {
			return cli.Result{}, err
		}
		name, notes := cliName(c)
		result := wrapResult{
			OK: true, Dir: shown, PackID: w.PackID, Class: w.Class, Bin: w.Bin, Files: w.Files, Commands: w.Commands,
			Drafted: []string{}, Candidates: append([]string{}, w.Candidates...), JSONSupport: w.JSON,
			Warnings: append(append([]string{}, w.Warnings...), notes...), CLIBin: name,
		}
		for _, drafted := range w.Commands {
			result.Drafted = append(result.Drafted, drafted.Command)
		}
		result.Next = []string{
			"review surface.json against " + command.Line(w.Review) + ", and the help of each other command",
			"check each row of policy.json: operation, land and confirm",
			command.Line([]string{hcpx.Name, "check", shown, "--init-evals"}),
			command.Line([]string{hcpx.Name, "check", shown, "--probe", "--agent"}),
		}
		return cli.Result{Value: result, Text: result.print}, nil
	})
	return cmd
}

// wrapMachine is this machine for a program that is asked for its help. Nothing
// is taken from the folder that the caller works in unless it is named by path.
func wrapMachine(c *cli.Call) (scaffold.Machine, error) {
	home, err := store.Home(c.Env.Get("HCP_HOME"), c.Home)
	if err != nil {
		return scaffold.Machine{}, err
	}
	m := scaffold.Machine{
		Search: store.Search{Path: c.Env.Get("PATH"), Avoid: []string{c.Dir, home}}, Dir: c.Dir, Home: c.Home, Temp: c.Env.Get("TMPDIR"),
		Protected: []string{home},
	}
	if account, err := c.AccountHome(); err == nil && account != c.Home {
		m.Protected = append(m.Protected, account)
	}
	return m, nil
}

func (r wrapResult) print(p *cli.Page) {
	p.Line(p.Green("written"), " ", p.Bold(r.Dir), ": ", strings.Join(r.Files, ", "))
	if len(r.Commands) > 0 {
		p.Line()
	}
	for _, c := range r.Commands {
		policy := string(c.Operation)
		if c.Confirm != "" {
			policy += ", asks"
		}
		p.Line(p.Bold(c.Command), "  ", p.Dim(command.Line(c.CLI)))
		p.Line("  ", policy, ": ", c.Why)
		if len(c.LeftOut) > 0 {
			p.Line("  ", p.Dim("without "), strings.Join(c.LeftOut, " "))
		}
	}
	if len(r.Candidates) > 0 {
		p.Line()
		p.Line("left out: ", strings.Join(r.Candidates, ", "))
	}
	if len(r.Commands) > 0 {
		p.Line()
	}
	hcpx.NotesAndNext(p, r.Warnings, r.Next)
}
