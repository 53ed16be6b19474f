package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
)

// Evals are the results of the eval cases.
type Evals struct {
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	P50MS  int64        `json:"p50_ms"`
	P95MS  int64        `json:"p95_ms"`
	Cases  []CaseResult `json:"cases"`
}

// CaseResult is the result of one case.
type CaseResult struct {
	Name   string   `json:"name"`
	Verb   string   `json:"verb"`
	OK     bool     `json:"ok"`
	MS     int64    `json:"ms"`
	Tokens int      `json:"tokens"`
	Why    []string `json:"why,omitempty"`
}

// tokens is about how many tokens a text has.
func tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// runCases runs the cases one after the other, over one store.
func runCases(ctx context.Context, o Options, p *pack.Pack, cases []Case) (*Evals, error) {
	l, err := newLab(ctx, o, p, o.Dir)
	if err != nil {
		return nil, err
	}
	defer l.close()
	evals := &Evals{Cases: []CaseResult{}}
	var times []int64
	for i := range cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result, ran := l.runCase(ctx, p, &cases[i])
		if ran {
			times = append(times, result.MS)
		}
		if result.OK {
			evals.Passed++
		} else {
			evals.Failed++
		}
		evals.Cases = append(evals.Cases, result)
	}
	slices.Sort(times)
	evals.P50MS, evals.P95MS = percentile(times, 50), percentile(times, 95)
	return evals, nil
}

// percentile is that of a sorted list, by nearest rank.
func percentile(sorted []int64, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

func (l *lab) runCase(ctx context.Context, p *pack.Pack, c *Case) (result CaseResult, ran bool) {
	result = CaseResult{Name: c.Name, Verb: c.Verb}
	if _, found := p.Command(c.Verb); !found {
		result.Why = []string{fmt.Sprintf("the pack has no command %q", c.Verb)}
		return result, false
	}
	for name, value := range c.Args {
		if isTODO(value) {
			result.Why = append(result.Why, fmt.Sprintf("the argument %q still is a TODO", name))
		}
	}
	if result.Why != nil {
		slices.Sort(result.Why)
		return result, false
	}
	got := l.exec(ctx, c.Verb, c.Args)
	output := outputOf(got.ExecResult)
	result.MS, result.Tokens = got.took.Milliseconds(), tokens(output)
	result.Why = judge(c.Expect, got, output, l.limit)
	result.OK = len(result.Why) == 0
	return result, true
}

// outputOf is what a command wrote, or its result where it wrote nothing.
func outputOf(r hcp.ExecResult) string {
	if r.Stdout != "" {
		return r.Stdout
	}
	return string(r.Result)
}

// judge holds a result against what a case expects.
func judge(want *Expect, got ran, output string, limit time.Duration) (why []string) {
	if want == nil {
		yes := true
		want = &Expect{OK: &yes}
	}
	if got.Code == CodeNotRun {
		return []string{"it was not run: " + got.Error}
	}
	miss := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if got.timedOut || got.took > limit {
		miss("it ran past the limit of %s", limit)
	}
	if want.OK != nil && *want.OK != got.OK {
		if got.OK {
			miss("it succeeded")
		} else {
			miss("it failed: %s", firstLine(got.Error))
		}
	}
	if want.Error != "" && !strings.Contains(got.Error, want.Error) {
		miss("the error is %q and should contain %q", firstLine(got.Error), want.Error)
	}
	for _, text := range want.Contains {
		if !strings.Contains(output, text) {
			miss("the output lacks %q", text)
		}
	}
	for _, text := range want.NotContains {
		if strings.Contains(output, text) {
			miss("the output contains %q", text)
		}
	}
	if want.JSON != nil && got.OK && *want.JSON != isJSON(output) {
		miss("the output is JSON: %v", !*want.JSON)
	}
	if want.MaxMS != nil && float64(got.took.Milliseconds()) > *want.MaxMS {
		miss("it took %d ms, more than %v", got.took.Milliseconds(), *want.MaxMS)
	}
	if want.MaxTokens != nil && float64(tokens(output)) > *want.MaxTokens {
		miss("the output has about %d tokens, more than %v", tokens(output), *want.MaxTokens)
	}
	return why
}

func isJSON(text string) bool {
	return canon.Check([]byte(strings.TrimSpace(text)), canon.Limits{MaxBytes: 32 << 20}) == nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const longest = 200
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return line
}

// evaluated applies the rule E005.
func (f *finder) evaluated(p *pack.Pack, cases []Case, evals *Evals) {
	for i, result := range evals.Cases {
		if result.OK {
			continue
		}
		if _, found := p.Command(result.Verb); !found {
			continue // that is E002
		}
		f.add("E005", Error, evalPlace(fmt.Sprintf("/cases/%d", i)), fmt.Sprintf("case %q fails: %s", cases[i].Name, strings.Join(result.Why, "; ")),
			"Mend the command, or the case where what it expects is wrong. Never weaken it so that it passes.")
	}
}
