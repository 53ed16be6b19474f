package houndcli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/scaffold"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

func driverCommand(c *cli.Call) *cobra.Command {
	cmd := &cobra.Command{
		Use: "driver <check|init>",
		Long: "driver check --driver <manifest> [--deep] asks the driver whether it is there and speaks the protocol.\n" +
			"driver init [folder] --id <id> [--language sh|python] writes a manifest and a driver that works.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd, "missing <check|init>")
			}
			f := fault.From(usage(cmd, "unknown command %q", "driver "+args[0]))
			if near := fault.Closest(args[0], []string{"check", "init"}); near != "" {
				return f.WithHint("did you mean %q?", "driver "+near)
			}
			return f
		},
	}
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) { return cli.Result{}, nil })
	cmd.AddCommand(driverCheckCommand(c), driverInitCommand(c))
	return cmd
}

type deepResult struct {
	SchemaVersion string        `json:"schema_version"`
	OK            bool          `json:"ok"`
	Probes        []guard.Probe `json:"probes"`
}

func driverCheckCommand(c *cli.Call) *cobra.Command {
	var manifest string
	var deep bool
	cmd := &cobra.Command{
		Use:   "check --driver <manifest> [--deep]",
		Short: "ask a driver whether it speaks the protocol",
		Long: "Sends the driver a check and prints its answer. With --deep it is tried with everything short of an execution: " +
			"it must say no to what it does not know, read without changing anything, plan the same twice, and show the bytes that it would write.",
		Example: "hound driver check --driver hound-driver.json --deep",

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringVar(&manifest, "driver", "", "the driver's manifest, a `file`")
	cmd.Flags().BoolVar(&deep, "deep", false, "try everything short of an execution")
	open := guardFlags(c, cmd)
	required(cmd, "driver")
	cmd.RunE = c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
		path := resolve(c, manifest)
		if deep {
			probes, err := open().CheckDeep(ctx, path)
			return deepAnswer(probes), err
		}
		response, err := open().Check(ctx, path)
		if err != nil {
			return cli.Result{}, err
		}
		return cli.Result{Value: response.Raw, Exit: exitOf(response.Outcome)}, nil
	})
	return cmd
}

func deepAnswer(probes []guard.Probe) cli.Result {
	r := deepResult{SchemaVersion: "hound.driver.deep-check.v1", OK: true, Probes: probes}
	for _, probe := range probes {
		r.OK = r.OK && probe.OK
	}
	out := cli.Result{Value: r, Text: r.print}
	if !r.OK {
		out.Exit = hound.ExitFailed
	}
	return out
}

func (r deepResult) print(p *cli.Page) {
	rows := make([][]any, len(r.Probes))
	for i, probe := range r.Probes {
		mark := p.Green("ok")
		if !probe.OK {
			mark = p.Red("fails")
		}
		rows[i] = []any{mark, probe.Name, probe.Detail}
	}
	p.Table(rows)
}

type initResult struct {
	SchemaVersion string   `json:"schema_version"`
	Driver        string   `json:"driver"`
	Files         []string `json:"files"`
	Next          []string `json:"next"`
}

func driverInitCommand(c *cli.Call) *cobra.Command {
	var id, language string
	cmd := &cobra.Command{
		Use:   "init [folder] --id <id> [--language sh|python]",
		Short: "write a manifest and a driver that works",
		Long: "Writes hound-driver.json and a program into a folder of the repository, the working directory unless another is named. " +
			"Both work as they are; make them your own from there. Nothing is overwritten.",
		Example: "hound driver init drivers/notes --id notes\nhound driver check --driver drivers/notes/hound-driver.json --deep",
		Args:    cobra.MaximumNArgs(1),

		DisableFlagsInUseLine: true,
	}
	cmd.Flags().StringVar(&id, "id", "", "the driver's `id`")
	cmd.Flags().StringVar(&language, "language", scaffold.Languages[0], "which `language`: "+strings.Join(scaffold.Languages, ", "))
	required(cmd, "id")
	cmd.RunE = c.Run(func(_ context.Context, args []string) (cli.Result, error) {
		folder := c.Dir
		if len(args) == 1 {
			folder = resolve(c, args[0])
		}
		written, err := writeDriver(c, folder, id, language)
		if err != nil {
			return cli.Result{}, err
		}
		r := initResult{SchemaVersion: "hound.driver.init.v1", Driver: written[0], Files: written, Next: afterInit(c, written)}
		return cli.Result{Value: r, Text: func(p *cli.Page) {
			for _, path := range written {
				p.Line(p.Green("wrote"), " ", nearby(c, path))
			}
			for _, next := range r.Next {
				p.Line(p.Dim("next: "), next)
			}
		}}, nil
	})
	return cmd
}

// afterInit is what to do with a driver that was just written. Run records that
// git does not ignore would make every plan out of date that was made before them.
func afterInit(c *cli.Call, written []string) []string {
	short := make([]string, len(written))
	for i, path := range written {
		short[i] = nearby(c, path)
	}
	next := []string{"hound driver check --driver " + short[0] + " --deep", "git add " + strings.Join(short, " ")}
	if root, err := git.Root(c.Dir); err == nil && !ignoresRecords(root) {
		next = append(next, "echo .hound/ >> "+nearby(c, filepath.Join(root, ".gitignore")))
	}
	return next
}

// ignoresRecords reports whether a repository's first ignore file names the folder
// of run records.
func ignoresRecords(root string) bool {
	text, _, err := readWithMode(filepath.Join(root, ".gitignore"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if strings.Trim(strings.TrimSpace(line), "/") == ".hound" {
			return true
		}
	}
	return false
}

// writeDriver finds the repository around the folder, which may not be there yet.
func writeDriver(c *cli.Call, folder, id, language string) ([]string, error) {
	root, err := git.Root(c.Dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		return nil, err
	}
	if below, err := filepath.Rel(c.Dir, folder); err == nil && filepath.IsLocal(below) {
		folder = filepath.Join(real, below)
	}
	relative, err := filepath.Rel(root, folder)
	if err != nil || !filepath.IsLocal(relative) {
		return nil, fault.Newf(hound.CodeBadOwner, "the folder %q does not lie in the repository %q", folder, root).WithExit(hound.ExitRefused)
	}
	return scaffold.Write(scaffold.Order{Root: root, Folder: filepath.ToSlash(relative), ID: id, Language: language})
}
