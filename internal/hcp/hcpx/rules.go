package hcpx

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/local"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

type rulesResult struct {
	OK      bool             `json:"ok"`
	Rules   []ruleRow        `json:"rules"`
	Removed *ruleRow         `json:"removed,omitempty"`
	Ignored []access.Ignored `json:"ignored,omitempty"`
}

func rulesCommand(c *cli.Call) *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:     "rules [rm <n>] [--project]",
		Long:    "Lists the rules with their scope and index, or removes one (people only): the n-th of your own, or with --project of the project's.",
		Example: "hcpx rules rm 0",
		Args:    cobra.ArbitraryArgs,
	}
	cmd.Flags().BoolVar(&project, "project", false, "the rules of the project")
	cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
		if len(args) > 0 && (args[0] != "rm" || len(args) != 2) {
			return cli.Result{}, fault.New(cli.CodeUsage, "rules takes nothing, or rm and the index of a rule").
				WithHint("usage: hcpx rules [rm <n>] [--project]")
		}
		if len(args) > 0 {
			if err := RequirePerson(c, "changes what runs without asking"); err != nil {
				return cli.Result{}, err
			}
		}
		rt, err := Open(ctx, c)
		if err != nil {
			return cli.Result{}, err
		}
		result := rulesResult{OK: true}
		if len(args) > 0 {
			if result.Removed, err = removeRule(ctx, rt, args[1], project); err != nil {
				return cli.Result{}, err
			}
		}
		e, err := rt.Access()
		if err != nil {
			return cli.Result{}, err
		}
		result.Rules, result.Ignored = ruleRows(e.Rules), e.Ignored
		if project {
			result.Rules = slices.DeleteFunc(result.Rules, func(r ruleRow) bool { return r.Scope != access.Project })
		}
		return cli.Result{Value: result, Text: result.print}, nil
	})
	return cmd
}

func removeRule(ctx context.Context, rt *local.Runtime, word string, project bool) (*ruleRow, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return nil, fault.Newf(cli.CodeUsage, "%q is no index of a rule", word).WithHint("the index stands in hcpx rules").WithNext("hcpx rules")
	}
	kind, scope := accessfile.User, access.User
	if project {
		kind, scope = accessfile.Project, access.Project
		if err := requireProject(rt); err != nil {
			return nil, err
		}
	}
	removed := &ruleRow{Scope: scope, Index: n}
	err = rt.UpdateAccess(ctx, kind, func(cfg *hcp.AccessConfig) error {
		if n >= len(cfg.Rules) {
			return fault.Newf(cli.CodeUsage, "there is no %s rule %d", scope, n).WithHint("there are %d", len(cfg.Rules)).WithNext("hcpx rules")
		}
		removed.AccessRule = cfg.Rules[n]
		cfg.Rules = slices.Delete(cfg.Rules, n, n+1)
		return nil
	})
	return removed, err
}

func (r rulesResult) print(p *cli.Page) {
	if r.Removed != nil {
		p.Line(p.Green("removed"), " ", string(r.Removed.Scope), " rule ", r.Removed.Index, ": ", r.Removed.Decision, " ", p.Bold(r.Removed.Match))
	}
	if len(r.Rules) == 0 {
		p.Line(p.Dim("no rules: the mode decides"))
	}
	printRules(p, r.Rules)
	for _, ignored := range r.Ignored {
		p.Flow(p.Yellow("ignored: "), ignored.Setting, p.Dim(" ("+string(ignored.Origin)+")"), ": ", ignored.Reason)
	}
}

// conditionText words the conditions of a rule.
func conditionText(w *hcp.AccessWhen) string {
	if w == nil {
		return ""
	}
	var parts []string
	if w.Op != "" {
		parts = append(parts, "op="+string(w.Op))
	}
	for _, name := range slices.Sorted(maps.Keys(w.Args)) {
		if w.Args[name] == nil {
			parts = append(parts, "without "+name)
			continue
		}
		parts = append(parts, name+"="+command.Text(w.Args[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(w.Max)) {
		parts = append(parts, name+"≤"+string(w.Max[name]))
	}
	return strings.Join(parts, " ")
}

type ruleResult struct {
	OK    bool     `json:"ok"`
	Rule  ruleRow  `json:"rule"`
	File  string   `json:"file"`
	Notes []string `json:"notes,omitempty"`
}

// ruleFlags are the conditions on a command line.
type ruleFlags struct {
	op, note  string
	when, max []string
	project   bool
}

// ruleCommand builds allow, ask and deny.
func ruleCommand(decision access.Decision, long, example string) func(c *cli.Call) *cobra.Command {
	return func(c *cli.Call) *cobra.Command {
		var f ruleFlags
		cmd := &cobra.Command{
			Use:     string(decision) + " <pack.command|pack.*|*> [--op read|write] [--when k=v]… [--max k=n]… [--note text] [--project]",
			Long:    long + " (people only). A rule whose conditions fail does not apply. A deny rule that matches is the last word; else the most specific rule decides, and ask wins a tie.",
			Example: example,
			Args:    onePattern,
		}
		cmd.Flags().StringVar(&f.op, "op", "", "only for a `read` or a write")
		cmd.Flags().StringArrayVar(&f.when, "when", nil, "only when an argument has a value, as `key=value`")
		cmd.Flags().StringArrayVar(&f.max, "max", nil, "only when a numeric argument is at most a number, as `key=n`")
		cmd.Flags().StringVar(&f.note, "note", "", "why, as `text`")
		cmd.Flags().BoolVar(&f.project, "project", false, "write it to the project's .hcp/access.json, which cannot allow")
		cmd.RunE = c.Run(func(ctx context.Context, args []string) (cli.Result, error) {
			rule, err := f.rule(args[0], decision)
			if err != nil {
				return cli.Result{}, err
			}
			if f.project && decision == access.Allow {
				return cli.Result{}, fault.New(access.CodeProjectCannotAllow, "a project cannot allow anything, only ask or deny").
					WithHint("its file comes with the repository, and anyone can propose a change of that; leave --project out to allow it for yourself")
			}
			if err := RequirePerson(c, "changes what runs without asking"); err != nil {
				return cli.Result{}, err
			}
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := addRule(ctx, rt, rule, f.project)
			return cli.Result{Value: result, Text: result.print}, err
		})
		return cmd
	}
}

func onePattern(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fault.New(cli.CodeUsage, "missing <pack.command|pack.*|*>").WithHint("usage: %s", cmd.UseLine())
	}
	if len(args) > 1 {
		return fault.Newf(cli.CodeUsage, "unexpected argument %q", args[1]).
			WithHint("quote a * against the shell, which puts file names in its place: '*'")
	}
	return nil
}

// rule reads the words of the command line.
func (f *ruleFlags) rule(match string, decision access.Decision) (hcp.AccessRule, error) {
	r := hcp.AccessRule{Match: match, Decision: string(decision), Note: f.note}
	if !access.IsPattern(match) {
		return r, access.BadPattern(match)
	}
	w := &hcp.AccessWhen{Op: hcp.Operation(f.op)}
	switch w.Op {
	case "", hcp.OperationRead, hcp.OperationWrite:
	default:
		return r, fault.Newf(command.CodeBadArgument, "--op takes read or write, not %q", f.op)
	}
	for _, pair := range f.when {
		name, value, err := splitPair("--when", pair)
		if err != nil {
			return r, err
		}
		if _, twice := w.Args[name]; twice {
			return r, fault.Newf(command.CodeBadArgument, "--when names %q twice", name).WithHint("an argument has one value; write two rules")
		}
		if w.Args == nil {
			w.Args = map[string]any{}
		}
		w.Args[name] = value
	}
	for _, pair := range f.max {
		name, value, err := splitPair("--max", pair)
		if err != nil {
			return r, err
		}
		if !access.IsDecimal(value) {
			return r, fault.Newf(command.CodeBadArgument, "--max %q is no plain number", name+"="+value).
				WithHint("write digits, with a point before decimals: --max %s=5.00", name)
		}
		if w.Max == nil {
			w.Max = map[string]json.Number{}
		}
		if _, twice := w.Max[name]; twice {
			return r, fault.Newf(command.CodeBadArgument, "--max names %q twice", name)
		}
		w.Max[name] = json.Number(value)
	}
	if w.Op != "" || w.Args != nil || w.Max != nil {
		r.When = w
	}
	if err := access.CheckRule(&r, ""); err != nil {
		return r, fault.New(command.CodeBadArgument, "the rule cannot be used: "+err.Error())
	}
	return r, nil
}

func splitPair(flag, pair string) (name, value string, err error) {
	name, value, ok := strings.Cut(pair, "=")
	if !ok || name == "" || value == "" {
		return "", "", fault.Newf(command.CodeBadArgument, "%s takes key=value, not %q", flag, pair)
	}
	if command.IsReserved(name) {
		return "", "", fault.Newf(command.CodeBadArgument, "%s names %q, which is no argument of a command", flag, name)
	}
	return name, value, nil
}

func addRule(ctx context.Context, rt *local.Runtime, rule hcp.AccessRule, project bool) (ruleResult, error) {
	notes, err := fitRule(rt, &rule)
	if err != nil {
		return ruleResult{}, err
	}
	kind, scope := accessfile.User, access.User
	user, file := rt.AccessFiles()
	if project {
		kind, scope = accessfile.Project, access.Project
		if err := requireProject(rt); err != nil {
			return ruleResult{}, err
		}
	} else {
		file = user
	}
	result := ruleResult{OK: true, Rule: ruleRow{Scope: scope, AccessRule: rule}, File: file, Notes: notes}
	err = rt.UpdateAccess(ctx, kind, func(cfg *hcp.AccessConfig) error {
		result.Rule.Index = len(cfg.Rules)
		cfg.Rules = append(cfg.Rules, rule)
		return nil
	})
	return result, err
}

// fitRule holds a rule against the installed packs. A command that its pack
// does not have and an argument that the command does not take are refused,
// since such a rule would never apply; a pack that is not installed may come.
// The name of a command is completed where its key repeats the pack's id.
func fitRule(rt *local.Runtime, rule *hcp.AccessRule) (notes []string, err error) {
	id, key, named := strings.Cut(rule.Match, ".")
	if rule.Match == "*" || key == "*" {
		if rule.Decision == string(access.Allow) {
			notes = append(notes, `commands whose Policy says confirm "always" ask all the same; only a rule that names one exactly allows it`)
		}
		if rule.Match == "*" {
			return notes, nil
		}
	}
	if !named || !rt.Store.Installed(id) {
		return append(notes, fmt.Sprintf("no pack %s is installed yet", id)), nil
	}
	if key == "*" {
		return notes, nil
	}
	p, err := rt.Store.Pack(id)
	if err != nil {
		return nil, err
	}
	if _, ok := p.Command(key); !ok {
		if _, ok := p.Command(rule.Match); ok {
			key, rule.Match = rule.Match, id+"."+rule.Match
		}
	}
	known, err := command.Declared(&p.Manifest, key)
	if err != nil || rule.When == nil {
		return notes, err
	}
	names := make([]string, len(known))
	for i, a := range known {
		names[i] = a.Name
	}
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(rule.When.Args)), slices.Sorted(maps.Keys(rule.When.Max))) {
		if slices.Contains(names, name) {
			continue
		}
		f := fault.Newf(command.CodeUnknownArgument, "%s takes no argument %q, so the rule would never apply", rule.Match, name)
		if near := fault.Closest(name, names); near != "" {
			return nil, f.WithHint("did you mean %q?", near)
		}
		return nil, f.WithHint("it takes: %s", strings.Join(names, ", "))
	}
	return notes, nil
}

func (r ruleResult) print(p *cli.Page) {
	p.Line(decisionWord(p, r.Rule.Decision), " ", p.Bold(r.Rule.Match), "  ", conditionText(r.Rule.When), p.Dim("  "+string(r.Rule.Scope)+" rule "+strconv.Itoa(r.Rule.Index)))
	NotesAndNext(p, r.Notes, nil)
}
