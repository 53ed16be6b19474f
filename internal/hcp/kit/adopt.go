package kit

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/host"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type adoptResult struct {
	OK     bool          `json:"ok"`
	Error  string        `json:"error,omitempty"`
	Code   string        `json:"code,omitempty"`
	Hint   string        `json:"hint,omitempty"`
	Host   string        `json:"host"`
	Dir    string        `json:"dir"`
	Write  bool          `json:"write"`
	Undo   bool          `json:"undo,omitzero"`
	Files  []host.Change `json:"files"`
	Manual []host.Manual `json:"manual,omitempty"`
	Notes  []string      `json:"notes,omitempty"`
	Next   []string      `json:"next,omitempty"`
}

func adoptCommand(c *cli.Call) *cobra.Command {
	var write, undo bool
	cmd := &cobra.Command{
		Use: "adopt <" + strings.Join(host.Names(), "|") + "> [--write|--undo]",
		Long: "Shows what would be written into the current directory so that a host's agent can use the activated packs, and writes it with --write. Packs that are activated later need no second run.\n" +
			"Files that hold other things are edited in place: everything else in them stays as it is, a second run changes nothing, and --undo (people only) takes back what was written here. A file that cannot be edited safely is left alone together with all others, and the part to add by hand is printed. A file .hcp/no-adopt keeps a workspace out of it.\n" +
			"HCP_HOME is written only where it is set now.",
		Example:   "hcpx adopt claude --json\nhcpx adopt claude --write\nhcpx adopt claude --undo",
		ValidArgs: host.Names(),
	}
	cmd.Flags().BoolVar(&write, "write", false, "write the files")
	cmd.Flags().BoolVar(&undo, "undo", false, "take back what was written here (people only)")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		target, err := host.Find(args[0])
		if err != nil {
			return cli.Result{}, err
		}
		if write && undo {
			return cli.Result{}, fault.New(cli.CodeUsage, "--write and --undo exclude each other")
		}
		if undo {
			// What marks an agent's shell is among the things that go.
			if err := hcpx.RequirePerson(c, "takes a host's configuration back"); err != nil {
				return cli.Result{}, err
			}
		}
		rt, err := hcpx.Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		if undo {
			return undoAdopt(ctx, c, rt, target)
		}
		return adopt(ctx, c, rt, target, write)
	})
	return cmd
}

func workspace(c *cli.Call, rt *local.Runtime) (host.Workspace, error) {
	repository, err := rt.ProjectID()
	if !filepath.IsAbs(repository) {
		repository = ""
	}
	return host.Workspace{Dir: c.Dir, Repository: repository, Records: filepath.Join(rt.Store.Home(), "adopt"), Holder: hcpx.Name}, err
}

func adopt(ctx context.Context, c *cli.Call, rt *local.Runtime, t host.Target, write bool) (cli.Result, error) {
	w, err := workspace(c, rt)
	if err != nil {
		return cli.Result{}, err
	}
	in, notes, err := hostInput(ctx, c, rt)
	if err != nil {
		return cli.Result{}, err
	}
	if trusted, err := rt.TrustedStore(); err != nil || write && !trusted {
		return cli.Result{}, fault.New("denied", "denied: an agent cannot point a host at a store that the user did not choose").
			WithHint("unset HCP_HOME, or let the user run this").Because(err)
	}
	changes, err := host.Plan(w, t, in)
	if err != nil {
		return cli.Result{}, err
	}
	result := adoptResult{OK: true, Host: t.Name, Dir: c.Dir, Write: write, Files: changes, Manual: t.Manual(in), Notes: notes}
	if len(in.Packs) == 0 {
		result.Notes = append(result.Notes, "no pack is activated yet; activate one whenever you like, the host needs no second run")
	}
	if !host.OK(changes) {
		return result.refused(), nil
	}
	if write {
		if err := host.Write(ctx, w, t, changes); err != nil {
			return cli.Result{}, err
		}
		result.Next = []string{"hcpx commands --json"}
	} else {
		result.Next = []string{"hcpx adopt " + t.Name + " --write"}
	}
	return cli.Result{Value: result, Text: result.print}, nil
}

// refused is the answer where a file cannot be edited.
func (r adoptResult) refused() cli.Result {
	r.OK, r.Code, r.Write = false, host.CodeCannotEdit, false
	for i := range r.Files {
		if f := &r.Files[i]; f.Action == host.Refused {
			r.Error = `"` + f.Path + `" cannot be edited: ` + f.Reason
			break
		}
	}
	r.Hint = "nothing was written; add the snippet to the file by hand, or mend the file and adopt again"
	return cli.Result{Value: r, Text: r.print, Exit: fault.ExitFailure}
}

func undoAdopt(ctx context.Context, c *cli.Call, rt *local.Runtime, t host.Target) (cli.Result, error) {
	w, err := workspace(c, rt)
	if err != nil {
		return cli.Result{}, err
	}
	changes, err := host.Undo(ctx, w, t)
	if err != nil {
		return cli.Result{}, err
	}
	result := adoptResult{OK: true, Host: t.Name, Dir: c.Dir, Undo: true, Files: changes}
	return cli.Result{Value: result, Text: result.print}, nil
}

func (r adoptResult) print(p *cli.Page) {
	if r.Error != "" {
		p.Line(p.Red("refused: "), r.Error)
		p.Line(p.Dim("hint: "), r.Hint)
	}
	rows := [][]any{}
	for _, f := range r.Files {
		action := p.Green(string(f.Action))
		switch f.Action {
		case host.Same, host.Kept:
			action = p.Dim(string(f.Action))
		case host.Refused:
			action = p.Red(string(f.Action))
		case host.Create, host.Modify, host.Restore, host.Remove:
		}
		rows = append(rows, []any{action, p.Bold(f.Path), f.Reason})
	}
	p.Table(rows)
	for _, f := range r.Files {
		if f.Snippet != "" {
			p.Line()
			p.Line(p.Bold(f.Path))
			p.Lines(f.Snippet)
		}
	}
	for _, m := range r.Manual {
		p.Line()
		p.Line("add this to ", p.Bold(m.Path), ":")
		p.Lines(m.Text)
	}
	hcpx.NotesAndNext(p, r.Notes, r.Next)
}
