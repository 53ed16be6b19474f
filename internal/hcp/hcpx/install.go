package hcpx

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
)

type installResult struct {
	OK        bool     `json:"ok"`
	Installed string   `json:"installed"`
	Dest      string   `json:"dest"`
	Verbs     []string `json:"verbs"`
	Unchanged bool     `json:"unchanged,omitzero"`
	Replaced  bool     `json:"replaced,omitzero"`
	Notes     []string `json:"notes,omitempty"`
	Next      []string `json:"next"`
}

// remoteSource reports whether the pack comes from somewhere else than a folder
// of this machine: fetching and unpacking are hcpx-kit's work.
func remoteSource(c *cli.Call) bool {
	for _, word := range c.Args[1:] {
		if word == "--" {
			return false
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		return isRemote(word)
	}
	return false
}

func isRemote(source string) bool {
	for _, prefix := range []string{"npm:", "github:", "https://", "http://", "git@", "ssh://"} {
		if strings.HasPrefix(source, prefix) {
			return true
		}
	}
	for _, suffix := range []string{".tgz", ".tar.gz", ".tar", ".zip"} {
		if strings.HasSuffix(source, suffix) {
			return true
		}
	}
	return false
}

func installCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "install <pack_dir>",
		Long:    "Checks a pack and copies it into the store. Nothing of the pack is run. Other content than before deactivates the pack until it is activated again. Packs that have to be fetched (npm:name, github:owner/repo, an address or an archive) are handed to hcpx-kit.",
		Example: "hcpx install ./packs/transit --json",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			dir := inDir(c, args[0])
			// The id is wanted for the record; what is wrong with the pack is
			// the store's to say, about the copy that it made.
			report, _ := lint.Dir(dir)
			var done store.InstallResult
			err = rt.Attribute(ctx, report.PackID, func() error {
				done, err = rt.Store.Install(ctx, dir, store.InstallOptions{Source: args[0]})
				return err
			})
			if err != nil {
				return cli.Result{}, err
			}
			result := installResult{
				OK: true, Installed: done.Installed, Dest: done.Dest, Verbs: done.Verbs,
				Unchanged: done.Unchanged, Replaced: done.Replaced, Notes: done.Notes, Next: done.Next,
			}
			return cli.Result{Value: result, Text: result.print}, nil
		}),
	}
}

func (r installResult) print(p *cli.Page) {
	p.Line(p.Green("installed"), " ", p.Bold(r.Installed), ": ", strings.Join(r.Verbs, ", "))
	p.Line(p.Dim("in "), r.Dest)
	notesAndNext(p, r.Notes, r.Next)
}

// notesAndNext ends a page with what a person should know and may do now.
func notesAndNext(p *cli.Page, notes, next []string) {
	for _, note := range notes {
		p.Line(p.Yellow("note: "), note)
	}
	for _, line := range next {
		p.Line(p.Dim("next: "), line)
	}
}
