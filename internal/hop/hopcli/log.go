package hopcli

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

func logCommand(c *cli.Call) *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:     "log [-n N|--limit N]",
		Long:    "Draws the newest states, newest first. The accepted line and each attempt are lanes; a landing joins them.",
		Example: "hop log --limit 50",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			if limit < 1 {
				return cli.Result{}, fault.New(cli.CodeUsage, "--limit is a number above 0")
			}
			nodes, err := in(ctx, c, func(p *op.Project) ([]hop.Node, error) { return p.Log(ctx, limit) })
			if err != nil {
				return cli.Result{}, err
			}
			return cli.Result{
				Value: ok(nodes),
				Text:  func(p *cli.Page) { drawGraph(p, nodes, c.Clock.Now()) },
				Raw:   plain(c, func(p *cli.Page) { drawGraph(p, nodes, time.Time{}) }),
			}, nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "how many states")
	cmd.Flags().IntVarP(&limit, "number", "n", limit, "how many states")
	cmd.Flags().Lookup("number").Hidden = true
	return cmd
}

// lanes are the states that are expected further down, from left to right.
type lanes []string

// drawGraph draws states, newest first. At a time that is not zero each state is
// drawn with its age.
func drawGraph(p *cli.Page, nodes []hop.Node, now time.Time) {
	var open lanes
	for _, n := range nodes {
		at := open.take(n.State.ID)
		if at < 0 {
			open = append(open, n.State.ID)
			at = len(open) - 1
		}
		p.Line(append(open.row(p, at, glyph(p, n.State.Kind)), caption(p, n.State, now, 2*len(open)+1)...)...)
		if n.Answer != "" {
			p.Line(append(open.row(p, at, p.Dim("│")), p.Dim("answered: "+fitting(p, n.Answer, 2*len(open)+1+len("answered: "))))...)
		}
		for _, r := range n.Runs {
			p.Line(append(open.row(p, at, p.Dim("│")), runLine(p, r)...)...)
		}
		open = open.follow(p, at, n)
	}
}

// caption says what a state is, in the line that has so many columns taken.
func caption(p *cli.Page, s hop.State, now time.Time, taken int) []any {
	end := ""
	if !now.IsZero() {
		if s.Kind == hop.KindPrompt && s.Agent != "" {
			end = " · " + s.Agent
		}
		end += " · " + ago(now, s.CreatedAt)
	}
	line := []any{p.Bold(s.ID), "  ", p.Dim(string(s.Kind))}
	if about := text(s); about != "" {
		taken += len(s.ID) + 2 + len(s.Kind) + 2 + utf8.RuneCountInString(end)
		line = append(line, "  ", fitting(p, about, taken))
	}
	if end == "" {
		return line
	}
	return append(line, p.Dim(end))
}

// leastShown is how much of a text is shown however narrow the terminal is.
const leastShown = 24

// fitting cuts a text to the columns that the line has left, so that no line runs
// over into the next, through a drawing. Where no width is known it stays whole.
func fitting(p *cli.Page, text string, taken int) string {
	room := max(p.Width-taken, leastShown)
	if p.Width == 0 || utf8.RuneCountInString(text) <= room {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:room-1]), " ") + "…"
}

func (l lanes) take(id string) int {
	for i, expected := range l {
		if expected == id {
			return i
		}
	}
	return -1
}

// row draws the lanes with a sign in one of them, and the gap to what follows.
func (l lanes) row(p *cli.Page, at int, sign cli.Styled) []any {
	var cells []any
	for i := range l {
		if i == at {
			cells = append(cells, sign)
		} else {
			cells = append(cells, p.Dim("│"))
		}
		cells = append(cells, " ")
	}
	return append(cells, " ")
}

// follow puts the parents of a state in the place of it: the one that it goes on
// from in its own lane, the proposals that it took in to the right.
func (l lanes) follow(p *cli.Page, at int, n hop.Node) lanes {
	var own string
	var taken []string
	for _, parent := range n.Parents {
		switch parent.Role {
		case hop.RoleCanonicalParent, hop.RoleRunParent:
			own = parent.StateID
		case hop.RoleProposalParent:
			if l.take(parent.StateID) < 0 {
				taken = append(taken, parent.StateID)
			}
		case hop.RoleCanonicalAnchor, hop.RoleReverts, hop.RoleRestores, hop.RoleIntegrationParent:
			// They lie on the accepted line, which has its lane.
		}
	}
	other := l.take(own)
	switch {
	case own == "", other >= 0 && other != at:
		if own != "" {
			p.Line(p.Dim(l.join(at, other)))
		}
		l = append(append(lanes{}, l[:at]...), l[at+1:]...)
	default:
		l[at] = own
	}
	for _, id := range taken {
		l = append(l, id)
		p.Line(p.Dim(l.join(len(l)-1, min(at, len(l)-2))))
	}
	return l
}

// join draws a line between two lanes; the one that it comes from ends or begins
// there.
func (l lanes) join(from, to int) string {
	left, right := min(from, to), max(from, to)
	var b strings.Builder
	for i := range l {
		fill := " "
		if i >= left && i < right {
			fill = "─"
		}
		switch {
		case i == left:
			b.WriteString("├")
		case i == right:
			b.WriteString("╯")
		case i > left && i < right:
			b.WriteString("┼")
		default:
			b.WriteString("│")
		}
		b.WriteString(fill)
	}
	return strings.TrimRight(b.String(), " ")
}
