package hcpx

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/card"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

type approvalsResult struct {
	OK        bool         `json:"ok"`
	Approvals []waitingRow `json:"approvals"`
	Next      []string     `json:"next,omitempty"`
	now       time.Time
}

// waitingRow is a request that waits for a person.
type waitingRow struct {
	ID        string              `json:"id"`
	State     approval.State      `json:"state"`
	CreatedAt string              `json:"created_at"`
	ExpiresAt string              `json:"expires_at"`
	Dir       string              `json:"dir,omitempty"`
	Principal string              `json:"principal"`
	Request   hcp.ApprovalRequest `json:"request"`
	expires   time.Time
}

func rowOf(r *approval.Record) waitingRow {
	return waitingRow{
		ID: r.ID, State: r.State, CreatedAt: clock.Stamp(r.Created), ExpiresAt: clock.Stamp(r.Expires),
		Dir: r.Subject.Dir, Principal: r.Subject.Principal, Request: r.Request, expires: r.Expires,
	}
}

func approvalsCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "approvals",
		Long:    "Lists the requests that wait for a person, the oldest first. A request waits for fifteen minutes.",
		Example: "hcpx approvals --json",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			waiting, err := rt.Approvals().Waiting(ctx)
			if err != nil {
				return cli.Result{}, err
			}
			result := approvalsResult{OK: true, Approvals: []waitingRow{}, now: c.Clock.Now()}
			for i := range waiting {
				result.Approvals = append(result.Approvals, rowOf(&waiting[i]))
				result.Next = append(result.Next, "hcpx approve "+waiting[i].ID)
			}
			return cli.Result{Value: result, Text: result.print}, nil
		}),
	}
}

func (r approvalsResult) print(p *cli.Page) {
	if len(r.Approvals) == 0 {
		p.Line(p.Dim("nothing waits for you"))
		return
	}
	for i, row := range r.Approvals {
		if i > 0 {
			p.Line()
		}
		p.Flow(row.ID, p.Dim("  "+row.Request.PackID+" "+row.Request.Command+", "+left(row.expires, r.now)))
		printCard(p, &row.Request)
	}
	p.Line()
	p.Flow(p.Dim("hcpx approve <id> or hcpx reject <id>; hcpx approve lets you choose"))
}

// left says how long a request still waits.
func left(expires, now time.Time) string {
	d := max(0, expires.Sub(now))
	if d < time.Minute {
		return d.Truncate(time.Second).String() + " left"
	}
	return d.Truncate(time.Minute).String()[:len(d.Truncate(time.Minute).String())-2] + " left"
}

// printCard draws the card of a request. On a terminal the lines are broken here,
// with a mark, so that what a value has behind the edge cannot pass for a row of
// its own. The command line is left whole, to be copied: no spaces in a row are
// in it.
func printCard(p *cli.Page, r *hcp.ApprovalRequest) {
	view := r.View
	if view == nil {
		view = &hcp.ApprovalView{Kind: card.Fields, Title: r.Command}
	}
	for _, line := range card.Format(view, r.CLI) {
		if line.Part == card.PartCommand {
			cardLine(p, line)
			continue
		}
		fittedLine(p, line)
	}
}

// fittedLine draws a line of a card, broken where the screen has a known width.
func fittedLine(p *cli.Page, line card.Line) {
	if p.Width <= 0 {
		cardLine(p, line)
		return
	}
	for _, piece := range breakLine(line, max(p.Width, cli.MinWidth)) {
		cardLine(p, piece)
	}
}

func cardLine(p *cli.Page, line card.Line) {
	switch line.Part {
	case card.PartTitle:
		p.Line(p.Bold(line.Text))
	case card.PartSignal:
		p.Line(p.Yellow(line.Text))
	case card.PartCommand:
		p.Line(line.Text) // what will run is no small print
	case card.PartRow, card.PartBlank:
		p.Line(p.Dim(line.Label), line.Text)
	}
}

type decidedResult struct {
	OK      bool                `json:"ok"`
	ID      string              `json:"id"`
	State   approval.State      `json:"state"`
	Expires string              `json:"expires_at"`
	Request hcp.ApprovalRequest `json:"request"`
	left    string
}

// decide answers one request for the person at the terminal.
func decide(ctx context.Context, c *cli.Call, id string, yes bool) (cli.Result, error) {
	rt, err := Open(ctx, c)
	if err != nil {
		return cli.Result{}, err
	}
	record, err := rt.Approvals().Decide(ctx, id, yes)
	if err != nil {
		return cli.Result{}, err
	}
	result := decidedResult{OK: true, ID: id, State: record.State, Expires: clock.Stamp(record.Expires), Request: record.Request, left: left(record.Expires, c.Clock.Now())}
	return cli.Result{Value: result, Text: result.print}, nil
}

func (r decidedResult) print(p *cli.Page) {
	if r.State == approval.Approved {
		p.Flow(p.Green("approved"), " ", p.Bold(r.ID), p.Dim("  once, exactly this call, "+r.left))
	} else {
		p.Line(p.Red("rejected"), " ", p.Bold(r.ID))
	}
	printCard(p, &r.Request)
}

func rejectCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "reject <id>",
		Long:    "Refuses one request (people only). Until the request would have expired, the same call is refused, also when an agent confirms it.",
		Example: "hcpx reject 5ea7eb29",
		RunE: c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			if err := RequirePerson(c, "decides a request"); err != nil {
				return cli.Result{}, err
			}
			return decide(ctx, c, args[0], false)
		}),
	}
}

func approveCommand(c *cli.Call) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use: "approve [id] [--watch]",
		Long: "Approves one request (people only): one run of exactly that command with exactly those arguments, within fifteen minutes of the question.\n" +
			"Without an id, lets you choose among the requests that wait, with the card of each in view; with --watch it stays and shows each request as it comes.",
		Example: "hcpx approve 5ea7eb29\nhcpx approve --watch",
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "wait for requests and answer each as it comes")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if err := RequirePerson(c, "decides a request"); err != nil {
			return cli.Result{}, err
		}
		if len(args) == 1 {
			if watch {
				return cli.Result{}, fault.New(cli.CodeUsage, "--watch takes no id").WithHint("usage: %s", cmd.UseLine())
			}
			return decide(ctx, c, args[0], true)
		}
		if c.JSON {
			return cli.Result{}, fault.New(cli.CodeUsage, "the list to choose from has no JSON form").
				WithHint("name the request: hcpx approve <id>").WithNext("hcpx approvals --json")
		}
		return choose(ctx, c, watch)
	})
	return cmd
}
