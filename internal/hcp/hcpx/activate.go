package hcpx

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bridle/internal/hcp/local"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// CodeHumanOnly is an act that only a person may do.
const CodeHumanOnly = "human_only"

type activateResult struct {
	OK        bool     `json:"ok"`
	Activated []string `json:"activated"`
	Skills    []string `json:"skills"`
	// Changes are what a person's act accepted.
	Changes []store.Change `json:"changes,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
	Next    []string       `json:"next,omitempty"`
}

// changesResult is a refused activation with what it would have accepted.
type changesResult struct {
	OK      bool           `json:"ok"`
	Error   string         `json:"error"`
	Code    string         `json:"code"`
	Hint    string         `json:"hint,omitempty"`
	Next    []string       `json:"next,omitempty"`
	Changes []store.Change `json:"changes"`
}

func activateCommand(c *cli.Call) *cobra.Command {
	var accept []string
	cmd := &cobra.Command{
		Use:     "activate <pack_id> [pack_id…]",
		Long:    "Puts installed packs on the session, all of them or none, and copies their Skills. The files and the executable are pinned: later calls run exactly those. Where they differ from what was activated before, a person looks at the change and accepts it.",
		Example: "hcpx activate transit ledger",
	}
	cmd.Flags().StringArrayVar(&accept, "accept", nil, "accept the change that this `token` stands for (people only)")
	cmd.ValidArgsFunction = completeInstalled(c)
	cmd.RunE = c.Run(func(ctx context.Context, ids []string) (cli.Result, error) {
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		if len(accept) > 0 {
			if err := RequirePerson(c, "accepts a changed pack or executable"); err != nil {
				return cli.Result{}, err
			}
		}
		a := activation{c: c, rt: rt, ids: ids, tokens: accept}
		return a.run(ctx)
	})
	return cmd
}

// activation is one run of the verb.
type activation struct {
	c      *cli.Call
	rt     *local.Runtime
	ids    []string
	tokens []string
}

func (a *activation) run(ctx context.Context) (cli.Result, error) {
	opts := store.ActivateOptions{
		Search: store.Search{Path: a.c.Env.Get("PATH"), Avoid: a.rt.WorkFolders()},
		Accept: map[string]string{},
		// A person at a terminal who installed other content has decided about
		// it, and is shown what changed. Everybody else needs their consent.
		AcceptInstalled: personPresent(a.c),
	}
	if len(a.tokens) > 0 {
		if err := a.match(ctx, opts); err != nil {
			return cli.Result{}, err
		}
	}
	done, err := a.rt.Store.Activate(ctx, a.ids, opts)
	if err != nil && len(done.Changes) > 0 && a.mayAsk() && a.agree(done.Changes) {
		for _, change := range done.Changes {
			opts.Accept[change.PackID] = change.Token
		}
		done, err = a.rt.Store.Activate(ctx, a.ids, opts)
	}
	if err != nil {
		return a.refused(done, err)
	}
	result := activateResult{OK: true, Activated: done.Activated, Skills: done.Skills, Changes: done.Changes, Notes: done.Notes}
	for _, id := range a.ids {
		result.Next = append(result.Next, "hcpx commands "+id)
	}
	return cli.Result{Value: result, Text: result.print}, nil
}

// match finds out which pack each token is about.
func (a *activation) match(ctx context.Context, opts store.ActivateOptions) error {
	changes, err := a.rt.Store.Review(ctx, a.ids, opts)
	if err != nil {
		return err
	}
	for _, token := range a.tokens {
		found := false
		for _, change := range changes {
			if change.Token == token {
				opts.Accept[change.PackID], found = token, true
			}
		}
		if !found {
			return fault.Newf("stale_change", "no change of these packs has the token %q", token).
				WithHint("the packs changed since it was shown; look at the change again").
				WithNext("hcpx activate " + strings.Join(a.ids, " "))
		}
	}
	return nil
}

// mayAsk reports whether a question can reach a person who can answer it.
func (a *activation) mayAsk() bool { return personPresent(a.c) && !a.c.JSON }

// agree shows the changes and asks, on the terminal itself: what stands in for
// standard input or catches standard error is not the person.
func (a *activation) agree(changes []store.Change) bool {
	terminal, err := a.c.Terminal.Open()
	if err != nil {
		return false
	}
	page := a.c.NewPage()
	for _, change := range changes {
		printChange(page, change)
	}
	_, err = io.WriteString(terminal, page.String()+"Accept this? [y/N] ")
	answer := ""
	if err == nil {
		answer, err = bufio.NewReader(io.LimitReader(terminal, 64)).ReadString('\n')
	}
	answer = strings.TrimSpace(answer)
	return errors.Join(err, terminal.Close()) == nil && (answer == "y" || answer == "yes")
}

// refused returns the refusal, with the changes where there are any.
func (a *activation) refused(done store.ActivateResult, err error) (cli.Result, error) {
	if len(done.Changes) == 0 {
		return cli.Result{}, err
	}
	f := fault.From(err)
	result := changesResult{Error: f.Message, Code: f.Code, Hint: f.Hint, Changes: done.Changes}
	line := "hcpx activate " + strings.Join(a.ids, " ")
	for _, change := range done.Changes {
		line += " --accept " + change.Token
	}
	result.Next = []string{line}
	return cli.Result{Value: result, Text: result.print, Exit: 1}, nil
}

func (r activateResult) print(p *cli.Page) {
	p.Line(p.Green("activated"), " ", strings.Join(r.Activated, ", "))
	for _, change := range r.Changes {
		printChange(p, change)
	}
	NotesAndNext(p, r.Notes, r.Next)
}

func (r changesResult) print(p *cli.Page) {
	p.Line(p.Red("refused: "), r.Error)
	for _, change := range r.Changes {
		printChange(p, change)
	}
	p.Line(p.Dim("hint: "), r.Hint)
	NotesAndNext(p, nil, r.Next)
}

// printChange shows what a person is asked to accept.
func printChange(p *cli.Page, change store.Change) {
	what := map[store.Origin]string{
		store.OriginInstalled: "other content was installed",
		store.OriginModified:  "files were changed behind the store's back",
		store.OriginBinary:    "the executable is another one",
	}[change.Origin]
	p.Line(p.Bold(change.PackID), ": ", what)
	if change.Bin != nil {
		p.Line("  executable was ", change.Bin.FromPath, " ", p.Dim(change.Bin.FromSHA256))
		p.Line("  executable is  ", change.Bin.ToPath, " ", p.Dim(change.Bin.ToSHA256))
	}
	for _, key := range change.Added {
		p.Line("  ", p.Green("+ "), key)
	}
	for _, key := range change.Removed {
		p.Line("  ", p.Red("- "), key)
	}
	for _, field := range change.Fields {
		name := field.Field
		if field.Key != "" {
			name = field.Key + " " + name
		}
		p.Line("  ", p.Yellow("~ "), name, ": ", field.From, " → ", field.To)
	}
	for _, file := range change.Files {
		p.Line("  file ", file)
	}
	if change.HasData {
		p.Line("  the pack's program has data of its own, perhaps a login, that the new one will use")
	}
}
