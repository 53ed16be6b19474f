package hcpx

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
)

type accessResult struct {
	OK            bool                       `json:"ok"`
	Mode          access.Mode                `json:"mode"`
	ModeFrom      access.Origin              `json:"mode_from"`
	Approvals     access.Approvals           `json:"approvals"`
	ApprovalsFrom access.Origin              `json:"approvals_from"`
	Packs         map[string]access.PackMode `json:"packs"`
	Rules         []ruleRow                  `json:"rules"`
	Ignored       []access.Ignored           `json:"ignored"`
	Files         accessFiles                `json:"files"`
	Agent         string                     `json:"agent,omitempty"`
}

type accessFiles struct {
	User    string `json:"user"`
	Project string `json:"project,omitempty"`
	// Outer are further projects around, which tighten as well.
	Outer []string `json:"outer,omitempty"`
}

// ruleRow is a rule with where it stands.
type ruleRow struct {
	Scope access.Origin `json:"scope"`
	Index int           `json:"index"`
	hcp.AccessRule
}

func accessCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "access",
		Long:    "Prints the settings that decide what runs without asking: the mode, the modes of single packs, who may approve, and the rules; where each comes from; and what is ignored because it would loosen access, and why.",
		Example: "hcpx access --json",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := showAccess(rt)
			result.Agent = agentSign(c)
			return cli.Result{Value: result, Text: result.print}, err
		}),
	}
}

func showAccess(rt *local.Runtime) (accessResult, error) {
	e, err := rt.Access()
	if err != nil {
		return accessResult{}, err
	}
	r := accessResult{
		OK: true, Mode: e.Mode, ModeFrom: e.ModeFrom, Approvals: e.Approvals, ApprovalsFrom: e.ApprovalsFrom,
		Packs: e.Packs, Rules: ruleRows(e.Rules), Ignored: append([]access.Ignored{}, e.Ignored...),
	}
	r.Files.User, r.Files.Project = rt.AccessFiles()
	r.Files.Outer = rt.OuterAccessFiles()
	return r, nil
}

func ruleRows(rules []access.Rule) []ruleRow {
	rows := make([]ruleRow, len(rules))
	for i := range rules {
		rows[i] = ruleRow{rules[i].Origin, rules[i].Index, rules[i].AccessRule}
	}
	return rows
}

func (r accessResult) print(p *cli.Page) {
	table := [][]any{
		{p.Dim("mode"), p.Bold(string(r.Mode)), p.Dim(string(r.ModeFrom))},
		{p.Dim("approvals"), p.Bold(string(r.Approvals)), p.Dim(string(r.ApprovalsFrom))},
	}
	for _, id := range slices.Sorted(maps.Keys(r.Packs)) {
		table = append(table, []any{p.Dim("mode of " + id), p.Bold(string(r.Packs[id].Mode)), p.Dim(string(r.Packs[id].Origin))})
	}
	p.Table(table)
	if len(r.Rules) > 0 {
		p.Line()
		printRules(p, r.Rules)
	}
	for i, ignored := range r.Ignored {
		if i == 0 {
			p.Line()
		}
		p.Flow(p.Yellow("ignored: "), ignored.Setting, p.Dim(" ("+string(ignored.Origin)+")"), ": ", ignored.Reason)
	}
	if r.Agent != "" {
		p.Line()
		p.Flow(p.Dim("an agent is at work (" + r.Agent + "): the environment can only tighten, and only the user changes settings"))
	}
}

func printRules(p *cli.Page, rules []ruleRow) {
	table := make([][]any, len(rules))
	for i, r := range rules {
		table[i] = []any{p.Dim(string(r.Scope) + " " + strconv.Itoa(r.Index)), decisionWord(p, r.Decision), p.Bold(r.Match), conditionText(r.When), p.Dim(r.Note)}
	}
	if p.Fits(table) {
		p.Table(table)
		return
	}
	for i, r := range rules {
		row := table[i]
		p.Flow(row[1], " ", row[2])
		if when := conditionText(r.When); when != "" {
			p.Flow("  ", when)
		}
		if r.Note != "" {
			row[0] = p.Dim(string(r.Scope) + " " + strconv.Itoa(r.Index) + " · " + r.Note)
		}
		p.Flow("  ", row[0])
	}
}

func decisionWord(p *cli.Page, decision string) cli.Styled {
	switch access.Decision(decision) {
	case access.Allow:
		return p.Green(decision)
	case access.Ask:
		return p.Yellow(decision)
	case access.Deny:
	}
	return p.Red(decision)
}
