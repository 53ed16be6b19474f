package hopcli

import (
	"context"
	_ "embed" // the skill is part of the program
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

//go:embed skill/SKILL.md
var skillText string

const skillFile = "SKILL.md"

type skillInstalled struct {
	Path  string   `json:"path"`
	Files []string `json:"files"`
}

type skillPrinted struct {
	Skill string `json:"skill"`
}

func skillCommand(c *cli.Call) *cobra.Command {
	var folder string
	var force bool
	cmd := &cobra.Command{
		Use:       "skill <install|print> [--path DIR] [--force]",
		Long:      "Installs the instructions that teach an agent to use Hop, or prints them. They go to the skills folder of Codex, unless a folder is named.",
		Example:   "hop skill install\nhop skill install --path ~/.claude/skills/hop",
		ValidArgs: []string{"install", "print"},
		RunE: c.Run(func(_ context.Context, args []string) (cli.Result, error) {
			switch args[0] {
			case "print":
				return cli.Result{Value: ok(skillPrinted{skillText}), Raw: skillText}, nil
			case "install":
				done, err := installSkill(c, folder, force)
				return cli.Result{Value: ok(done), Raw: "Installed the skill in " + done.Path}, err
			default:
				return cli.Result{}, fault.Newf(cli.CodeUsage, "unknown action %q", args[0]).WithHint("the actions are install and print")
			}
		}),
	}
	cmd.Flags().StringVar(&folder, "path", "", "the skill's folder")
	cmd.Flags().BoolVar(&force, "force", false, "replace a skill that is there")
	return cmd
}

// installSkill writes the skill. A link in its place is never followed: it would
// lead the write to a file of somebody's choice.
func installSkill(c *cli.Call, folder string, force bool) (skillInstalled, error) {
	folder, err := skillFolder(c, folder)
	if err != nil {
		return skillInstalled{}, err
	}
	target := filepath.Join(folder, skillFile)
	for _, path := range []string{folder, target} {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return skillInstalled{}, fault.Newf("skill_is_link", "%q is a symbolic link and is not written through", path).
				WithHint("remove it, or name another folder with --path")
		}
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) && !force {
		return skillInstalled{}, fault.Newf("skill_exists", "there is a skill in %q already", folder).
			WithHint("--force replaces it").WithNext("hop skill install --force")
	}
	if err := durable.MkdirOpen(folder); err != nil {
		return skillInstalled{}, err
	}
	return skillInstalled{Path: folder, Files: []string{skillFile}}, durable.WriteFile(target, []byte(skillText), 0o644)
}

func skillFolder(c *cli.Call, folder string) (string, error) {
	switch {
	case folder != "" && filepath.IsAbs(folder):
		return folder, nil
	case folder != "":
		return filepath.Join(c.Dir, folder), nil
	case filepath.IsAbs(c.Env.Get("CODEX_HOME")):
		return filepath.Join(c.Env.Get("CODEX_HOME"), "skills", Name), nil
	case c.Home != "":
		return filepath.Join(c.Home, ".codex", "skills", Name), nil
	}
	return "", fault.New("no_home", "there is no home folder to install the skill in").WithHint("name the folder with --path")
}
