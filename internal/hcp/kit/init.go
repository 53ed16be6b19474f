package kit

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/command"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/scaffold"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type initResult struct {
	OK       bool     `json:"ok"`
	Dir      string   `json:"dir"`
	PackID   string   `json:"pack_id"`
	Template string   `json:"template"`
	Files    []string `json:"files"`
	CLIBin   string   `json:"cli_bin"`
	Notes    []string `json:"notes,omitempty"`
	Next     []string `json:"next"`
}

func initCommand(c *cli.Call) *cobra.Command {
	var class, template, dir string
	cmd := &cobra.Command{
		Use: "init <id> [--class " + strings.Join(scaffold.Classes, "|") + "] [--template " + strings.Join(scaffold.Golds, "|") + "] [--dir path]",
		Long: "Writes a pack to begin with into a new folder: the three files, a demonstration program, a README and a package.json. A template of a class has commands to be replaced, and hcpx check says so until they are; a gold template is a copy of a pack that comes with the program and keeps its id.\n" +
			"Nothing is installed.",
		Example: "hcpx init weather --class public-read\nhcpx init transit --template transit",
	}
	cmd.Flags().StringVar(&class, "class", "", "the `class` of the pack; public-read when nothing is named")
	cmd.Flags().StringVar(&template, "template", "", "a gold `pack` to copy")
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` to write, ./<id> when nothing is named")
	cmd.RunE = c.Run(func(_ context.Context, args []string) (cli.Result, error) {
		if class != "" && template != "" {
			return cli.Result{}, fault.New(cli.CodeUsage, "--class and --template exclude each other")
		}
		what := class + template
		if what == "" {
			what = scaffold.Classes[0]
		}
		shown := dir
		if shown == "" {
			shown = "./" + args[0]
		}
		full, err := newFolder(c, shown)
		if err != nil {
			return cli.Result{}, err
		}
		begun, err := scaffold.Init(full, args[0], what)
		if err != nil {
			return cli.Result{}, err
		}
		name, notes := cliName(c)
		result := initResult{OK: true, Dir: shown, PackID: begun.PackID, Template: begun.Template, Files: begun.Files, CLIBin: name, Notes: notes}
		for _, words := range [][]string{{"check", shown, "--probe", "--agent"}, {"install", shown, "--json"}, {"activate", begun.PackID, "--json"}} {
			result.Next = append(result.Next, command.Line(append([]string{hcpx.Name}, words...)))
		}
		return cli.Result{Value: result, Text: result.print}, nil
	})
	return cmd
}

func (r initResult) print(p *cli.Page) {
	p.Line(p.Green("written"), " ", p.Bold(r.Dir), ": ", strings.Join(r.Files, ", "))
	hcpx.NotesAndNext(p, r.Notes, r.Next)
}
