package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// DefaultTimeout limits each probe and each eval case.
const DefaultTimeout = 10 * time.Second

// Options are what a check needs.
type Options struct {
	// Dir is the pack, Shown how to name it in what is printed.
	Dir, Shown string
	// Probe starts the program; SkipEval leaves the eval cases out. Network lets
	// the reads that are probed have the network, as cases do.
	Probe, SkipEval, Network bool
	Timeout                  time.Duration
	// Open opens a runtime over a new store in a folder, which is all that it
	// knows of the user's packs and settings.
	Open func(ctx context.Context, home string) (*local.Runtime, error)
	// Refuse returns why the caller may not have a command of the pack run, or
	// "". Nil refuses nothing.
	Refuse func(p *pack.Pack, key string, confirmed bool) string
	// Search says where programs of the PATH are found.
	Search store.Search
	// Temp is the folder for what is thrown away afterwards.
	Temp  string
	Clock clock.Clock
}

// Run checks a pack.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Shown == "" {
		o.Shown = o.Dir
	}
	linted, err := lint.Dir(o.Dir)
	if err != nil {
		return nil, err
	}
	draft, err := pack.Examine(o.Dir)
	if err != nil {
		return nil, err
	}
	r := &Report{PackID: linted.PackID, Dir: o.Shown, Probes: []Probe{}, Layers: []string{"structure"}}
	f := &finder{}
	f.structure(linted.Issues)
	var cases []Case
	var found bool
	if draft.HasManifest {
		r.Layers = append(r.Layers, "static")
		f.manifest(&draft.Pack)
		f.policy(&draft.Pack)
		f.skill(&draft.Pack)
		cases, found = f.cases(&draft.Pack, o.Dir)
	}
	if linted.OK() {
		if err := r.dynamic(ctx, o, f, &draft.Pack, cases, found); err != nil {
			return nil, err
		}
	}
	r.Findings = f.findings
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	r.close()
	r.Next = next(r, o)
	return r, nil
}

// dynamic runs the layers that start something.
func (r *Report) dynamic(ctx context.Context, o Options, f *finder, p *pack.Pack, cases []Case, found bool) error {
	if o.Probe && p.Kind == hcp.KindWrap {
		r.Layers = append(r.Layers, "probe")
		probes, err := f.probe(ctx, o, p, cases)
		if err != nil {
			return err
		}
		r.Probes = probes
	}
	if !found || o.SkipEval {
		return nil
	}
	r.Layers = append(r.Layers, "eval")
	evals, err := runCases(ctx, o, p, cases)
	if err != nil && ctx.Err() == nil {
		f.add("E005", Error, evalPlace(""), "no case could be run: "+fault.From(err).Message, "Mend that first; "+fault.From(err).Hint)
		return nil
	}
	if err != nil {
		return err
	}
	r.Evals = evals
	f.evaluated(p, cases, evals)
	return nil
}

// Evaluate runs the eval cases alone. Issues keep all of them from running.
func Evaluate(ctx context.Context, o Options) (packID string, evals *Evals, issues []hcp.LintIssue, err error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	linted, err := lint.Dir(o.Dir)
	if err != nil || !linted.OK() {
		return linted.PackID, nil, linted.Issues, err
	}
	p, err := pack.Load(o.Dir)
	if err != nil {
		return "", nil, nil, err
	}
	cases, err := ReadCases(o.Dir)
	if err != nil {
		return p.ID, nil, nil, err
	}
	evals, err = runCases(ctx, o, p, cases)
	return p.ID, evals, nil, err
}

// structure turns lint's issues into findings. A credential in the manifest is
// the rule M015.
func (f *finder) structure(issues []hcp.LintIssue) {
	for _, issue := range issues {
		where := Where{File: issueFile(issue)}
		if issue.Kind == hcp.LintBinding && issue.Key == "secret" && strings.HasPrefix(issue.Message, pack.SurfaceFile) {
			f.add("M015", Error, where, issue.Message, "Remove the credential, revoke it, and declare a Binding by which the runtime gives one.")
			continue
		}
		f.add("L-"+string(issue.Kind), Error, where, issue.Message, "Mend what the message says; "+issue.Key+" is what it is about.")
	}
}

func issueFile(issue hcp.LintIssue) string {
	switch issue.Kind {
	case hcp.LintMissingHarness, hcp.LintSkill:
		return pack.SkillFile
	case hcp.LintMissingPolicy, hcp.LintMissingVerb, hcp.LintExtraVerb, hcp.LintMissingStimulus, hcp.LintExtraStimulus, hcp.LintWriteStimulus, hcp.LintInvalidPolicy:
		return pack.PolicyFile
	case hcp.LintMissingSurface, hcp.LintInvalidMeta, hcp.LintBinding, hcp.LintWrap:
	}
	return pack.SurfaceFile
}

// next is what to run after the findings were looked at.
func next(r *Report, o Options) []string {
	line := func(words ...string) []string { return []string{command.Line(append([]string{"hcpx"}, words...))} }
	switch {
	case !r.OK || r.Summary.Warnings > 0:
		return line("check", o.Shown, "--probe", "--agent")
	case !o.Probe:
		return line("check", o.Shown, "--probe")
	}
	return line("share", o.Shown, "--json")
}

// lab is a runtime over a store of its own, with one pack in it.
type lab struct {
	rt     *local.Runtime
	clock  clock.Clock
	limit  time.Duration
	refuse func(key string, args hcp.Args) string
	pack   string
	dir    string
}

// newLab makes a store, installs the pack in dir and activates it. What the
// caller may not have run of p is refused.
func newLab(ctx context.Context, o Options, p *pack.Pack, dir string) (*lab, error) {
	temp, err := os.MkdirTemp(o.Temp, "hcpx-check-")
	if err != nil {
		return nil, err
	}
	l := &lab{clock: o.Clock, limit: o.Timeout, dir: temp, refuse: func(string, hcp.Args) string { return "" }}
	if l.rt, err = o.Open(ctx, filepath.Join(temp, ".hcp")); err == nil {
		var done store.InstallResult
		if done, err = l.rt.Store.Install(ctx, dir, store.InstallOptions{Source: dir}); err == nil {
			l.pack = done.Installed
			_, err = l.rt.Store.Activate(ctx, []string{l.pack}, store.ActivateOptions{Search: o.Search})
		}
	}
	if p != nil && o.Refuse != nil {
		l.refuse = func(key string, args hcp.Args) string {
			_, control, err := command.SplitControl(args)
			return o.Refuse(p, key, err == nil && control.Confirmed)
		}
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() { _ = os.RemoveAll(l.dir) }

// CodeNotRun is a command that the caller may not have run.
const CodeNotRun = "not_run"

// ran is what came of one command: its result, how long it took, and whether
// it was still running at the limit.
type ran struct {
	hcp.ExecResult
	took     time.Duration
	timedOut bool
}

// exec runs one command.
func (l *lab) exec(ctx context.Context, key string, args hcp.Args) ran {
	if why := l.refuse(key, args); why != "" {
		return ran{ExecResult: hcp.ExecResult{PackID: l.pack, VerbKey: key, Error: why, Code: CodeNotRun}}
	}
	ctx, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	began := l.clock.Now()
	result := l.rt.Exec(ctx, l.pack, key, args)
	return ran{result, max(0, l.clock.Now().Sub(began)), errors.Is(ctx.Err(), context.DeadlineExceeded) && !result.OK}
}
