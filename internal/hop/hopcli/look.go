package hopcli

import (
	"strconv"
	"time"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/cli"
)

// glyph is the sign of a kind of state, in the colour that it has on every screen.
func glyph(p *cli.Page, kind hop.Kind) cli.Styled {
	switch kind {
	case hop.KindAccepted:
		return p.Green("●")
	case hop.KindProposal:
		return p.Yellow("◆")
	case hop.KindFailed, hop.KindCancelled:
		return p.Red("×")
	default:
		return p.Bold("○")
	}
}

// runLine says in one line what ran and how it ended.
func runLine(p *cli.Page, r hop.Run) []any {
	if r.ExitCode == 0 {
		return []any{p.Green("✓"), " ", op.QuoteAll(r.Command)}
	}
	return []any{p.Red("✗"), " ", op.QuoteAll(r.Command), p.Dim(" · exit " + strconv.Itoa(r.ExitCode))}
}

// ago says how long something is past, as people say it.
func ago(now, at time.Time) string {
	passed := now.Sub(at)
	switch {
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return strconv.Itoa(int(passed/time.Minute)) + " min ago"
	case passed < 24*time.Hour:
		return strconv.Itoa(int(passed/time.Hour)) + " h ago"
	case passed < 60*24*time.Hour:
		return plural(int(passed/(24*time.Hour)), "day", "days") + " ago"
	default:
		return at.Format("2006-01-02")
	}
}
