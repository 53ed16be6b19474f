package kit

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type catalogResult struct {
	OK     bool           `json:"ok"`
	Source catalog.Source `json:"source"`
	Count  int            `json:"count"`
	Packs  []packHit      `json:"packs"`
	Notes  []string       `json:"notes,omitempty"`
	Next   []string       `json:"next,omitempty"`
}

func catalogCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "catalog [pack_id]",
		Long:    "Lists the entries of the catalog, or shows the entry of one pack with its commands. It reads the same catalog as search.",
		Example: "hcpx catalog transit --json",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rt, err := hcpx.Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			result, err := showCatalog(ctx, c, rt, id)
			return cli.Result{Value: result, Text: result.print}, err
		}),
	}
}

func showCatalog(ctx context.Context, c *cli.Call, rt *local.Runtime, id string) (catalogResult, error) {
	listing, err := loadCatalog(ctx, c, rt)
	if err != nil {
		return catalogResult{}, err
	}
	here, err := installed(rt)
	if err != nil {
		return catalogResult{}, err
	}
	result := catalogResult{OK: true, Source: listing.Source, Packs: []packHit{}, Notes: listing.Notes}
	for i := range listing.Packs {
		hit := here.hit(listing.Packs[i], listing.Packs)
		if id == "" {
			hit.Commands = nil
		}
		if id == "" || hit.ID == id {
			result.Packs = append(result.Packs, hit)
		}
	}
	result.Count = len(result.Packs)
	switch {
	case id == "":
		result.Next = []string{"hcpx search --json"}
	case result.Count == 0:
		return catalogResult{}, notListed(id, listing.Packs)
	default:
		result.Next = nextFor(result.Packs[0])
	}
	return result, nil
}

func notListed(id string, packs []catalog.Entry) error {
	var ids []string
	for i := range packs {
		ids = append(ids, packs[i].ID)
	}
	slices.Sort(ids)
	f := fault.Newf("unknown_pack", "the catalog has no pack %q", id)
	if near := fault.Closest(id, ids); near != "" {
		return f.WithHint("did you mean %q?", near).WithNext("hcpx catalog " + near + " --json")
	}
	return f.WithHint("search for what it does").WithNext("hcpx catalog --json")
}

func (r catalogResult) print(p *cli.Page) {
	if len(r.Packs) != 1 || r.Packs[0].Commands == nil {
		searchResult{Source: r.Source, Count: r.Count, Packs: r.Packs, Notes: r.Notes, Next: r.Next}.print(p)
		return
	}
	hit := r.Packs[0]
	p.Line(p.Bold(hit.ID), "  ", p.Dim(hit.Class), "  ", hit.Name)
	p.Line(hit.Description)
	rows := [][]any{}
	for _, cmd := range hit.Commands {
		asks := string(cmd.Operation)
		if cmd.Confirm != "" {
			asks += ", asks"
		}
		rows = append(rows, []any{"  " + cmd.Command, p.Dim(asks), cmd.Description})
	}
	p.Table(rows)
	p.Line(p.Dim("source: " + string(r.Source)))
	hcpx.NotesAndNext(p, r.Notes, r.Next)
}
