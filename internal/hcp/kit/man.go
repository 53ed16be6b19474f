package kit

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

type manResult struct {
	OK    bool     `json:"ok"`
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"`
}

func manCommand(c *cli.Call) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "man --dir <directory>",
		Long:    "Writes the manual pages of hcpx, one for the program and one for each command, into an existing directory.",
		Example: "hcpx man --dir ~/.local/share/man/man1",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `directory` to write to")
	cmd.RunE = c.Run(func(context.Context, []string) (cli.Result, error) {
		if dir == "" {
			return cli.Result{}, fault.New(cli.CodeUsage, "no directory is named").
				WithHint("usage: %s", cmd.UseLine())
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Dir, dir)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return cli.Result{}, fault.Newf("no_directory", "%q is no directory", dir).WithHint("make it first")
		}
		result := manResult{OK: true, Dir: dir, Pages: []string{}}
		for _, page := range cli.ManPages(whole()) {
			if err := durable.WriteFile(filepath.Join(dir, page.Name), []byte(page.Text), 0o644); err != nil {
				return cli.Result{}, fault.Newf("cannot_write", "%q could not be written", page.Name).Because(err)
			}
			result.Pages = append(result.Pages, page.Name)
		}
		return cli.Result{Value: result}, nil
	})
	return cmd
}
