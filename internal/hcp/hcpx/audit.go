package hcpx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
)

// auditLimit is how many lines an answer has by default.
const auditLimit = 20

type auditResult struct {
	OK     bool              `json:"ok"`
	Path   string            `json:"path"`
	Events []json.RawMessage `json:"events"`
	// Gaps are where lines of the log cannot be read.
	Gaps  []journal.Gap `json:"gaps,omitempty"`
	Notes []string      `json:"notes,omitempty"`
	Next  []string      `json:"next,omitempty"`
}

// verifyResult says what the check of the log found. Line and File name the
// first bad line.
type verifyResult struct {
	OK     bool         `json:"ok"`
	Lines  uint64       `json:"lines"`
	Head   journal.Head `json:"head"`
	Files  []string     `json:"files"`
	Error  string       `json:"error,omitempty"`
	Code   string       `json:"code,omitempty"`
	Hint   string       `json:"hint,omitempty"`
	Kind   journal.Kind `json:"kind,omitempty"`
	File   string       `json:"file,omitempty"`
	Line   int          `json:"line,omitempty"`
	Seq    uint64       `json:"seq,omitempty"`
	Healed int          `json:"healed,omitempty"`
	// Torn is how many bytes at the end are no whole line yet, or will never be.
	Torn int64 `json:"torn,omitempty"`
}

// auditFilter says which lines are shown.
type auditFilter struct {
	pack, command, decision, approvedBy, call string
	writes                                    bool
	limit                                     int
	follow                                    bool
	kept                                      []string
}

func auditCommand(c *cli.Call) *cobra.Command {
	var f auditFilter
	cmd := &cobra.Command{
		Use: "audit [verify] [flags]",
		Long: "Shows the newest lines of the audit log, the oldest of them first. A write has two: the decision, on disk before anything ran, and the outcome. Names of arguments are kept, and a keyed digest; values never.\n" +
			"audit verify checks the chain of hashes and names the first line that is not as it was written. A head that was noted elsewhere (--head) also shows a cut or wholly rewritten log.",
		Example: "hcpx audit --pack ledger --limit 5 --json\nhcpx audit --follow\nhcpx audit verify",
		Args:    cobra.ArbitraryArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.pack, "pack", "", "only of the pack with this `id`")
	flags.StringVar(&f.command, "command", "", "only of the command with this `key`")
	flags.StringVar(&f.decision, "decision", "", "only with this `decision`: allow, ask or deny")
	flags.StringVar(&f.approvedBy, "by", "", "only approved by `whom`: mode, rule, agent or human")
	flags.StringVar(&f.call, "call", "", "only of the call with this `id`")
	flags.BoolVar(&f.writes, "writes", false, "only of writes")
	flags.IntVar(&f.limit, "limit", auditLimit, "how many lines at most; 0 is all")
	flags.BoolVar(&f.follow, "follow", false, "go on with new lines as they come; with --json one object per line")
	flags.StringArrayVar(&f.kept, "head", nil, "with verify: a head noted earlier, as `seq:hash`")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if len(args) > 1 || len(args) == 1 && args[0] != "verify" {
			return cli.Result{}, fault.Newf(cli.CodeUsage, "audit takes nothing or verify, not %q", strings.Join(args, " ")).WithHint("usage: %s", cmd.UseLine())
		}
		if f.follow && c.Env.Get("HCP_MCP") != "" {
			return cli.Result{}, fault.New(cli.CodeUsage, "--follow never ends, and the call of a tool has to").
				WithHint("ask for the newest lines, and once more later").WithNext("hcpx audit --limit 5 --json")
		}
		if f.limit < 0 {
			return cli.Result{}, fault.New(cli.CodeUsage, "--limit takes a number that is not negative")
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		switch {
		case len(args) == 1:
			return verifyAudit(rt.AuditPath(), f.kept)
		case f.follow:
			return cli.Result{}, followAudit(ctx, c, rt.AuditPath(), &f)
		}
		return showAudit(rt.AuditPath(), &f)
	})
	return cmd
}

// lets reports whether a line is one of those asked for.
func (f *auditFilter) lets(line journal.Line) bool {
	if f.pack == "" && f.command == "" && f.decision == "" && f.approvedBy == "" && f.call == "" && !f.writes {
		return true
	}
	var e hcp.AuditEvent
	if line.Decode(&e) != nil {
		return false
	}
	is := func(want, got string) bool { return want == "" || want == got }
	return is(f.pack, e.PackID) && is(f.command, e.VerbKey) && is(f.decision, string(e.Decision)) &&
		is(f.approvedBy, e.ApprovedBy) && is(f.call, e.CallID) && (!f.writes || e.Operation == hcp.OperationWrite)
}

func showAudit(path string, f *auditFilter) (cli.Result, error) {
	lines, gaps, err := journal.ReadGaps(path, f.lets, f.limit)
	if err != nil {
		return cli.Result{}, err
	}
	result := auditResult{OK: true, Path: path, Events: []json.RawMessage{}, Gaps: gaps}
	for _, gap := range gaps {
		result.Notes = append(result.Notes, gapNote(gap))
		result.Next = []string{"hcpx audit verify"}
	}
	for _, line := range lines {
		result.Events = append(result.Events, line.Raw)
	}
	return cli.Result{Value: result, Text: func(p *cli.Page) {
		printAudit(p, lines)
		NotesAndNext(p, result.Notes, result.Next)
	}}, nil
}

// gapNote says which lines are hidden because they cannot be read.
func gapNote(g journal.Gap) string {
	what := fault.Count(int64(g.Lines), "line", "lines")
	where := "at the beginning"
	switch {
	case g.After != 0 && g.Before != 0:
		where = fmt.Sprintf("between %d and %d", g.After, g.Before)
	case g.After != 0:
		where = fmt.Sprintf("after %d", g.After)
	}
	return fmt.Sprintf("%s %s of %q cannot be read: the log was changed or damaged there", what, where, g.File)
}

func printAudit(p *cli.Page, lines []journal.Line) {
	if len(lines) == 0 {
		p.Line(p.Dim("nothing is recorded"))
	}
	table := make([][]any, len(lines))
	for i, line := range lines {
		table[i] = auditRow(p, line)
	}
	if p.Fits(table) {
		p.Table(table)
		return
	}
	for _, row := range table {
		stackEvent(p, row)
	}
}

func auditRow(p *cli.Page, line journal.Line) []any {
	var e hcp.AuditEvent
	if err := line.Decode(&e); err != nil {
		return []any{p.Dim(strconv.FormatUint(line.Seq, 10)), p.Red("not an event of this log")}
	}
	by := e.ApprovedBy
	if e.ApprovalID != "" {
		by = strings.TrimSpace(by + " " + e.ApprovalID)
	}
	what := e.PackID
	if e.VerbKey != "" {
		what += " " + e.VerbKey
	}
	if e.Action != hcp.AuditExec {
		what = string(e.Action) + " " + what
	}
	return []any{
		p.Dim(e.Time), p.Bold(what), string(e.Operation), decisionWord(p, string(e.Decision)), by, outcomeText(p, &e), p.Dim(e.Reason),
	}
}

// stackEvent prints a line of the log over several where the terminal is too
// narrow: what and when, and below it the rest as far as there is something.
func stackEvent(p *cli.Page, row []any) {
	if len(row) == 2 { // no event
		p.Flow(row[0], "  ", row[1])
		return
	}
	p.Flow(row[1])
	p.Line("  ", row[0])
	by, _ := row[4].(string)
	if by != "" {
		by = " by " + by
	}
	p.Flow("  ", row[3], by, ", ", row[2], ", ", row[5])
	p.Flow("  ", row[6])
}

// outcomeText says what came of the call, as far as this line knows.
func outcomeText(p *cli.Page, e *hcp.AuditEvent) cli.Styled {
	switch {
	case e.Stage == hcp.AuditDecided:
		return p.Dim("begins")
	case !e.Ran && e.Code != "":
		return p.Yellow("did not run: " + e.Code)
	case !e.Ran:
		return p.Yellow("did not run")
	case e.OK:
		return p.Green("ran")
	}
	return p.Red("failed: " + e.Code)
}

// followAudit writes the newest lines and then each new one as it comes.
func followAudit(ctx context.Context, c *cli.Call, path string, f *auditFilter) error {
	lines, err := journal.Read(path, nil, max(f.limit, 1)*50)
	if err != nil {
		return err
	}
	after := uint64(0)
	if len(lines) > 0 {
		after = lines[len(lines)-1].Seq
	}
	shown := lines[:0:0]
	for _, line := range lines {
		if f.lets(line) {
			shown = append(shown, line)
		}
	}
	if f.limit > 0 && len(shown) > f.limit {
		shown = shown[len(shown)-f.limit:]
	}
	for _, line := range shown {
		if err := writeAudit(c, line); err != nil {
			return err
		}
	}
	return journal.TailFrom(ctx, path, after, func(line journal.Line) error {
		if !f.lets(line) {
			return nil
		}
		return writeAudit(c, line)
	})
}

func writeAudit(c *cli.Call, line journal.Line) error {
	if c.JSON || !c.Terminal.Stdout {
		_, err := fmt.Fprintf(c.Stdout, "%s\n", line.Raw)
		return err
	}
	p := c.NewPage()
	p.Width = c.Terminal.Width
	printAudit(p, []journal.Line{line})
	_, err := io.WriteString(c.Stdout, p.String())
	return err
}

func verifyAudit(path string, kept []string) (cli.Result, error) {
	var heads []journal.Head
	for _, word := range kept {
		digits, hash, ok := strings.Cut(word, ":")
		seq, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil || len(hash) != 64 {
			return cli.Result{}, fault.Newf(cli.CodeUsage, "--head %q is no place in the log", word).WithHint("write it as seq:hash, as audit verify --json gives it")
		}
		heads = append(heads, journal.Head{Seq: seq, Hash: hash})
	}
	report, err := journal.Verify(path, heads...)
	if err != nil {
		return cli.Result{}, err
	}
	r := verifyResult{OK: report.Problem == nil, Lines: report.Lines, Head: report.Head, Files: report.Files, Healed: report.Healed, Torn: report.Torn}
	out := cli.Result{}
	if bad := report.Problem; bad != nil {
		f := fault.From(report.Err())
		r.Error, r.Code, r.Hint = f.Message, f.Code, f.Hint
		r.Kind, r.File, r.Line, r.Seq = bad.Kind, bad.File, bad.Line, bad.Seq
		out.Exit = fault.ExitFailure
	}
	out.Value, out.Text = r, r.print
	return out, nil
}

func (r verifyResult) print(p *cli.Page) {
	if !r.OK {
		p.Line(p.Red("changed: "), r.Error)
		p.Line(p.Dim("hint: "), r.Hint)
		return
	}
	word := " lines"
	if r.Lines == 1 {
		word = " line"
	}
	p.Line(p.Green("ok"), "  ", strconv.FormatUint(r.Lines, 10), word, ", each as it was written")
	if r.Healed > 0 {
		p.Line(p.Yellow("note: "), fault.Count(int64(r.Healed), "line was", "lines were"), " torn, as a crash or a cut leaves it, and the log went on behind; what was torn stands in it")
	}
	if r.Torn > 0 {
		p.Line(p.Yellow("note: "), "the last line is torn (", fault.Count(r.Torn, "byte", "bytes"), "), as a crash or a cut leaves it, or is just being written; the next event takes it in")
	}
	p.Line(p.Dim("head "), strconv.FormatUint(r.Head.Seq, 10), ":", r.Head.Hash)
}
