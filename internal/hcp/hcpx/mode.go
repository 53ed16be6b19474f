package hcpx

import (
	"context"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

type modeResult struct {
	OK    bool          `json:"ok"`
	Mode  access.Mode   `json:"mode"`
	From  access.Origin `json:"from"`
	Pack  string        `json:"pack_id,omitempty"`
	Notes []string      `json:"notes,omitempty"`
}

func modeCommand(c *cli.Call) *cobra.Command {
	var pack string
	var project bool
	cmd := &cobra.Command{
		Use: "mode [manual|auto|run] [--pack id] [--project]",
		Long: "Shows the access mode and where it comes from, or sets it (people only), for everything or for one pack.\n" +
			"manual asks for every command, auto runs what its Policy does not mark, run asks only for what is marked \"always\". A project can only make the mode stricter.",
		Example:   "hcpx mode manual --pack transit",
		ValidArgs: []string{string(access.ModeManual), string(access.ModeAuto), string(access.ModeRun)},
		Args:      atMostOne,
	}
	cmd.Flags().StringVar(&pack, "pack", "", "the mode of one pack, by its `id`")
	cmd.Flags().BoolVar(&project, "project", false, "the settings of the project, which can only tighten")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if cmd.Flags().Changed("pack") && !ids.IsLoosePackID(pack) {
			return cli.Result{}, access.BadPattern(pack)
		}
		if len(args) == 1 {
			if err := RequirePerson(c, "changes what runs without asking"); err != nil {
				return cli.Result{}, err
			}
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		if len(args) == 1 {
			if err := setMode(ctx, rt, args[0], pack, project); err != nil {
				return cli.Result{}, err
			}
		}
		result, err := showMode(rt, pack)
		if len(args) == 1 && err == nil && string(result.Mode) != args[0] {
			result.Notes = append(result.Notes, "the mode "+args[0]+" was written, and "+string(result.Mode)+" from the "+string(result.From)+" counts; hcpx access shows why")
		}
		return cli.Result{Value: result, Text: result.print}, err
	})
	return cmd
}

// atMostOne takes none or one word: the usage line shows the choice as such.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fault.Newf(cli.CodeUsage, "unexpected argument %q", args[1]).WithHint("usage: %s", cmd.UseLine())
	}
	return nil
}

func setMode(ctx context.Context, rt *local.Runtime, mode, pack string, project bool) error {
	if !access.IsMode(mode) {
		return access.BadMode(mode)
	}
	kind := accessfile.User
	if project {
		if access.Mode(mode) == access.ModeRun {
			return fault.New(access.CodeProjectCannotAllow, "a project cannot set the mode run, which is the loosest").
				WithHint("set it for yourself without --project, or set manual or auto for the project")
		}
		if err := requireProject(rt); err != nil {
			return err
		}
		kind = accessfile.Project
	}
	return rt.UpdateAccess(ctx, kind, func(cfg *hcp.AccessConfig) error {
		if pack == "" {
			cfg.Mode = mode
			return nil
		}
		if cfg.Packs == nil {
			cfg.Packs = map[string]hcp.AccessPack{}
		}
		cfg.Packs[pack] = hcp.AccessPack{Mode: mode}
		return nil
	})
}

func requireProject(rt *local.Runtime) error {
	if _, project := rt.AccessFiles(); project != "" {
		return nil
	}
	return fault.New(codeNoProject, "there is no project around the working directory").
		WithHint("run it inside a git repository of yours, or leave --project out")
}

// codeNoProject is a setting for a project where there is none.
const codeNoProject = "no_project"

func showMode(rt *local.Runtime, pack string) (modeResult, error) {
	e, err := rt.Access()
	if err != nil {
		return modeResult{}, err
	}
	r := modeResult{OK: true, Mode: e.Mode, From: e.ModeFrom, Pack: pack}
	if pack != "" {
		own := e.ModeOf(pack)
		r.Mode, r.From = own.Mode, own.Origin
		if !rt.Store.Installed(pack) {
			r.Notes = append(r.Notes, "no pack "+pack+" is installed")
		}
	}
	return r, nil
}

func (r modeResult) print(p *cli.Page) {
	line := []any{p.Bold(string(r.Mode)), p.Dim("  from the " + string(r.From))}
	if r.Pack != "" {
		line = append(line, p.Dim(", for pack "+r.Pack))
	}
	p.Line(line...)
	NotesAndNext(p, r.Notes, nil)
}
