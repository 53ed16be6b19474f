package kit

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/scaffold"
	"bridle/internal/hcp/source"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/netguard"
	"bridle/internal/kernel/redact"
)

type shareResult struct {
	OK      bool            `json:"ok"`
	PackID  string          `json:"pack_id"`
	Row     *catalog.Entry  `json:"row,omitempty"`
	File    string          `json:"file,omitempty"`
	Issues  []hcp.LintIssue `json:"issues"`
	Missing []string        `json:"missing,omitempty"`
	Notes   []string        `json:"notes,omitempty"`
	Next    []string        `json:"next,omitempty"`
}

// catalogFile is where the rows of the community catalog are kept.
const catalogFile = "hcp-docs/content/catalog/packs.json"

func shareCommand(c *cli.Call) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "share [pack_dir|github:owner/repo] [--path subdir]",
		Long: "Lints a pack, the one in the current directory unless another is named, and prints its row for the catalog, to be pasted into " + catalogFile + " in a pull request. A github: reference reads the pack from the public repository; --path names the folder of it. Any issue makes the exit code 1, and then there is no row.\n" +
			"Nothing is published and nothing of the pack is run.",
		Example: "hcpx share ./weather --json\nhcpx share github:owner/repo --path packs/weather",
	}
	cmd.Flags().StringVar(&path, "path", "", "the `folder` of the pack below the root")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		what := "."
		if len(args) > 0 {
			what = args[0]
		}
		result, err := share(ctx, c, what, path)
		out := cli.Result{Value: result, Text: result.print}
		if !result.OK {
			out.Exit = fault.ExitFailure
		}
		return out, err
	})
	return cmd
}

func share(ctx context.Context, c *cli.Call, what, path string) (shareResult, error) {
	shared, err := shareFrom(ctx, c, what, path)
	if err != nil {
		return shareResult{}, err
	}
	result := shareResult{
		OK: len(shared.Issues) == 0, PackID: shared.PackID, Row: shared.Row, Issues: shared.Issues, Missing: shared.Missing, Notes: shared.Notes,
	}
	if result.Issues == nil {
		result.Issues = []hcp.LintIssue{}
	}
	if result.OK {
		result.File = catalogFile
		if len(result.Missing) > 0 {
			result.Notes = append(result.Notes, "a repository of its own also needs "+strings.Join(result.Missing, " and "))
		}
	}
	return result, nil
}

// shareFrom finds the pack and shares it. A folder is named as it was typed, a
// repository is fetched and looked at.
func shareFrom(ctx context.Context, c *cli.Call, what, path string) (scaffold.Shared, error) {
	if !strings.HasPrefix(what, "github:") {
		dir := what
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(c.Dir, dir)
		}
		if path != "" {
			if !filepath.IsLocal(path) {
				return scaffold.Shared{}, fault.Newf(cli.CodeUsage, "--path %q leads out of the folder", path)
			}
			dir = filepath.Join(dir, path)
		}
		return scaffold.Share(dir, scaffold.Origin{})
	}
	repository, folder, both := strings.Cut(what, "//")
	if both && path != "" {
		return scaffold.Shared{}, fault.New(cli.CodeUsage, "the folder is named twice").WithHint("use // or --path")
	}
	if path != "" {
		folder = path
		what = repository + "//" + path
	}
	opts := source.Options{
		Dir: c.Dir, Temp: c.Env.Get("TMPDIR"), Path: c.Env.Get("PATH"), UserHome: c.Home, Lookup: c.Env.Lookup,
		GitHubToken: redact.NewSecret(c.Env.Get("GITHUB_TOKEN")), NoFallback: true,
	}
	if proxy := proxyOf(c.Env); proxy != nil {
		opts.HTTP = netguard.New(netguard.Options{UserAgent: hcpx.Name, Proxy: proxy})
		defer opts.HTTP.Close()
	}
	fetched, err := source.Fetch(ctx, what, opts)
	if err != nil {
		return scaffold.Shared{}, err
	}
	defer fetched.Close()
	name, _, _ := strings.Cut(strings.TrimPrefix(repository, "github:"), "@")
	address := "https://github.com/" + strings.TrimSuffix(name, ".git")
	if folder != "" {
		address += "/tree/HEAD/" + folder
	}
	return scaffold.Share(fetched.Dir, scaffold.Origin{Install: what, Repository: address})
}

func (r shareResult) print(p *cli.Page) {
	for _, issue := range r.Issues {
		p.Line(p.Red(string(issue.Kind)), " ", p.Bold(issue.Key), ": ", issue.Message)
	}
	if r.Row != nil {
		p.Line("the row for ", p.Bold(r.File), ":")
		p.Lines(indentedRow(r.Row))
	}
	hcpx.NotesAndNext(p, r.Notes, r.Next)
}

func indentedRow(row *catalog.Entry) string {
	text, err := canon.MarshalIndent(row)
	if err != nil {
		return row.ID
	}
	return string(text)
}
