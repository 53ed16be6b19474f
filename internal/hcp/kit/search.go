package kit

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/netguard"
)

// mostHits is how many entries one answer lists: what an agent reads has a price.
const mostHits = 30

type searchResult struct {
	OK     bool           `json:"ok"`
	Source catalog.Source `json:"source"`
	// Count is how many entries match; Packs holds the first of them.
	Count int       `json:"count"`
	Packs []packHit `json:"packs"`
	Notes []string  `json:"notes,omitempty"`
	Next  []string  `json:"next,omitempty"`
}

// packHit is an entry of the catalog with what this machine knows of the pack.
// Unlisted says that it is installed here and no entry of the catalog.
type packHit struct {
	catalog.Entry
	Installed bool `json:"installed"`
	Activated bool `json:"activated"`
	Unlisted  bool `json:"unlisted,omitzero"`
}

func searchCommand(c *cli.Call) *cobra.Command {
	var class string
	cmd := &cobra.Command{
		Use: "search [query…] [--class class]",
		Long: "Searches the community catalog, and the packs that are installed here, for entries that have every word of the query. Without a query, lists them all.\n" +
			"The catalog is asked for all its entries at most once an hour, and never for the query. source says whether the entries are the catalog's own (remote), an earlier answer (cache), or the list that comes with the program (bundled). HCP_CATALOG_URL names another catalog.",
		Example: "hcpx search transit --json\nhcpx search --class gated-write",
	}
	cmd.Flags().StringVar(&class, "class", "", "only packs of this `class`, such as public-read or gated-write")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		rt, err := hcpx.Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		result, err := search(ctx, c, rt, strings.Join(args, " "), class)
		return cli.Result{Value: result, Text: result.print}, err
	})
	return cmd
}

func search(ctx context.Context, c *cli.Call, rt *local.Runtime, query, class string) (searchResult, error) {
	listing, err := loadCatalog(ctx, c, rt)
	if err != nil {
		return searchResult{}, err
	}
	here, err := installed(rt)
	if err != nil {
		return searchResult{}, err
	}
	found := catalog.Search(append(listing.Packs, unlisted(rt, listing.Packs, here)...), query, class)
	result := searchResult{OK: true, Source: listing.Source, Count: len(found), Packs: []packHit{}, Notes: listing.Notes}
	for i := range found[:min(len(found), mostHits)] {
		hit := here.hit(found[i], listing.Packs)
		hit.Commands = nil // catalog has them
		result.Packs = append(result.Packs, hit)
	}
	switch {
	case len(found) == 0:
		result.Next = []string{"hcpx catalog --json"}
	case len(found) > mostHits:
		result.Notes = append(result.Notes, "only the first entries are shown; add a word, or --class")
		fallthrough
	default:
		result.Next = nextFor(result.Packs[0])
	}
	return result, nil
}

// nextFor is what to do with a pack that was found.
func nextFor(hit packHit) []string {
	switch {
	case hit.Activated:
		return []string{"hcpx commands " + hit.ID + " --json"}
	case hit.Installed:
		return []string{"hcpx activate " + hit.ID + " --json"}
	case hit.Install != "":
		return []string{command.Line([]string{hcpx.Name, "install", hit.Install, "--json"}), "hcpx activate " + hit.ID + " --json"}
	}
	return nil
}

func (r searchResult) print(p *cli.Page) {
	rows := [][]any{}
	for _, hit := range r.Packs {
		state := p.Dim("")
		switch {
		case hit.Activated:
			state = p.Green("activated")
		case hit.Installed:
			state = p.Green("installed")
		}
		rows = append(rows, []any{p.Bold(hit.ID), p.Dim(hit.Class), state, hit.Description})
	}
	p.Table(rows)
	if r.Count == 0 {
		p.Line("nothing matches")
	}
	p.Line(p.Dim("source: " + string(r.Source)))
	hcpx.NotesAndNext(p, r.Notes, r.Next)
}

// loadCatalog reads the catalog that the environment names.
func loadCatalog(ctx context.Context, c *cli.Call, rt *local.Runtime) (catalog.Listing, error) {
	origin := c.Env.Get("HCP_CATALOG_URL")
	opts := netguard.Options{UserAgent: hcpx.Name, Timeout: catalog.Timeout, MaxBytes: catalog.MaxBytes, Proxy: proxyOf(c.Env)}
	// A catalog on this machine is one that somebody named on purpose.
	if u, err := url.Parse(origin); err == nil && origin != "" {
		opts.AllowLoopback = u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1"
	}
	if opts.AllowLoopback {
		opts.Proxy = nil
	}
	client := netguard.New(opts)
	defer client.Close()
	return catalog.Load(ctx, catalog.Options{
		Origin: origin,
		Kept:   filepath.Join(rt.Store.Home(), "catalog.json"),
		Clock:  c.Clock,
		Fetch: func(ctx context.Context, address string) ([]byte, error) {
			answer, err := client.Do(ctx, netguard.Request{URL: address, Header: netguard.Header{"Accept": {"application/json"}}})
			if err != nil {
				return nil, err
			}
			if answer.Status != 200 {
				return nil, fault.Newf(catalog.CodeBadAnswer, "%q answered with status %d", answer.URL, answer.Status)
			}
			return answer.Body, nil
		},
	})
}

// packsHere are the installed packs, by id, and whether each is activated.
type packsHere map[string]bool

func installed(rt *local.Runtime) (packsHere, error) {
	ids, err := rt.Store.InstalledIDs()
	if err != nil {
		return nil, err
	}
	state, err := rt.Store.State()
	if err != nil {
		return nil, err
	}
	here := packsHere{}
	for _, id := range ids {
		here[id] = state.MayRun(id)
	}
	return here, nil
}

func (h packsHere) hit(e catalog.Entry, listed []catalog.Entry) packHit {
	activated, there := h[e.ID]
	return packHit{Entry: e, Installed: there, Activated: activated, Unlisted: there && !lists(listed, e.ID)}
}

func lists(entries []catalog.Entry, id string) bool {
	for i := range entries {
		if entries[i].ID == id {
			return true
		}
	}
	return false
}

// unlisted are the rows of packs that are installed here and not in the
// catalog. One that cannot be read has none.
func unlisted(rt *local.Runtime, listed []catalog.Entry, here packsHere) []catalog.Entry {
	var rows []catalog.Entry
	for id := range here {
		if lists(listed, id) {
			continue
		}
		if p, err := rt.Store.Pack(id); err == nil {
			rows = append(rows, catalog.RowOf(p, pack.Lead(p.Skill), ""))
		}
	}
	return rows
}
