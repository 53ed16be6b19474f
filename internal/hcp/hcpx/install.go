package hcpx

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/command"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type installResult struct {
	OK        bool     `json:"ok"`
	Installed string   `json:"installed"`
	Dest      string   `json:"dest"`
	Verbs     []string `json:"verbs"`
	Unchanged bool     `json:"unchanged,omitzero"`
	Replaced  bool     `json:"replaced,omitzero"`
	Note      string   `json:"note,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Next      []string `json:"next"`
}

// remoteSource reports whether the pack is something else than a folder of this
// machine: fetching and unpacking are hcpx-kit's work.
func remoteSource(c *cli.Call) bool {
	for _, word := range c.Args[1:] {
		if !strings.HasPrefix(word, "-") {
			return isRemote(c, word)
		}
	}
	return false
}

func isRemote(c *cli.Call, source string) bool {
	if strings.HasPrefix(source, "npm:") || strings.HasPrefix(source, "github:") || strings.Contains(source, "://") {
		return true
	}
	info, err := os.Stat(inDir(c, source))
	return err == nil && !info.IsDir()
}

func installCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use: "install <pack_dir|github:…|npm:…|archive>",
		Long: "Checks a pack and copies it into the store. Nothing of the pack is run. Other content than before deactivates the pack until it is activated again.\n" +
			"hcpx-kit fetches what is no folder of this machine: an archive, github:owner/repo[@ref][//path], npm:name[@version], or an https address.",
		Example: "hcpx install ./packs/transit --json",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			return Install(ctx, c, rt, inDir(c, args[0]), args[0], "")
		}),
	}
}

// Started is the name by which the program was started: where that was hcp, hcp
// is this program on this machine, and the lines to go on with use it.
func Started(c *cli.Call) string {
	if c.Program == "hcp" {
		return c.Program
	}
	return Name
}

// aboutSource makes a refusal speak of what was typed: the store saw a copy, and
// what was fetched lay in a folder that is gone when somebody reads this.
func aboutSource(c *cli.Call, err error, dir, source string) error {
	f, typed := fault.From(err), dir == inDir(c, source)
	switch f.Code {
	case store.CodeLintFailed, pack.CodeUnsafePack:
		f.Next = nil
		if typed {
			f.Next = []string{command.Line([]string{Started(c), "lint", source})}
		}
	case store.CodeNoPack:
		if !typed {
			f.Message = fmt.Sprintf("no pack in %q: it has no surface.json", source)
		}
		f.Next = []string{Started(c) + " search --json"}
	default:
		return err
	}
	return f
}

// Install installs the pack in dir, which came from source, as an act of the
// Principal. The note, where there is one, says what the person should know of
// how it was obtained.
func Install(ctx context.Context, c *cli.Call, rt *local.Runtime, dir, source, note string) (cli.Result, error) {
	// The id is wanted for the record; what is wrong with the pack is the
	// store's to say, about the copy that it made.
	report, _ := lint.Dir(dir)
	var done store.InstallResult
	err := rt.Attribute(ctx, report.PackID, func() (err error) {
		done, err = rt.Store.Install(ctx, dir, store.InstallOptions{Source: source})
		return err
	})
	if err != nil {
		return cli.Result{}, aboutSource(c, err, dir, source)
	}
	result := installResult{
		OK: true, Installed: done.Installed, Dest: done.Dest, Verbs: done.Verbs,
		Unchanged: done.Unchanged, Replaced: done.Replaced, Note: note, Notes: done.Notes,
	}
	for _, line := range done.Next {
		result.Next = append(result.Next, Started(c)+strings.TrimPrefix(line, Name))
	}
	return cli.Result{Value: result, Text: result.print}, nil
}

func (r installResult) print(p *cli.Page) {
	p.Line(p.Green("installed"), " ", p.Bold(r.Installed), ": ", strings.Join(r.Verbs, ", "))
	p.Line(p.Dim("in "), r.Dest)
	if r.Note != "" {
		p.Line(p.Yellow("note: "), r.Note)
	}
	NotesAndNext(p, r.Notes, r.Next)
}

// NotesAndNext ends a page with what a person should know and may do now.
func NotesAndNext(p *cli.Page, notes, next []string) {
	for _, note := range notes {
		p.Flow(p.Yellow("note: "), note)
	}
	for _, line := range next {
		p.Line(p.Dim("next: "), line)
	}
}
