package hcpx

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridle/hcp"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
	"bridle/internal/kernel/sandbox"
)

// exitWarning is doctor's exit code when something needs a look (§12.1).
const exitWarning = 2

type doctorResult struct {
	OK             bool      `json:"ok"`
	CLI            string    `json:"cli"`
	Protocol       string    `json:"protocol"`
	Version        int       `json:"version"`
	Home           string    `json:"home"`
	SandboxDefault bool      `json:"sandbox_default"`
	InstalledCount int       `json:"installed_count"`
	Activated      []string  `json:"activated"`
	Connected      []string  `json:"connected"`
	Bootstrap      string    `json:"bootstrap"`
	CLIVersion     string    `json:"cli_version"`
	Principal      principal `json:"principal"`
	ProjectID      string    `json:"project_id,omitempty"`
	Grants         string    `json:"grants"`
	Sandbox        string    `json:"sandbox"`
	Findings       []finding `json:"findings"`
}

type principal struct {
	ID   string            `json:"id"`
	Kind hcp.PrincipalKind `json:"kind"`
	// Agent is the variable that marks an agent, where there is one.
	Agent string `json:"agent,omitempty"`
}

// The severities. An error keeps commands from running, a warning does not, and
// an information is nothing that could be mended here.
const (
	severityError   = "error"
	severityWarning = "warning"
	severityInfo    = "info"
)

// finding is something that a person should know.
type finding struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"`
}

func doctorCommand(c *cli.Call) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Long:    "Reports the store, the sandbox, who acts, and what is not as it should be. The exit code is 0 when all is well, 2 when something needs a look, and 1 when commands cannot run or the audit log was changed.",
		Example: "hcpx doctor --json",
		RunE: c.Run(func(ctx context.Context, _ []string) (cli.Result, error) {
			rt, err := Open(ctx, c)
			if err != nil {
				return cli.Result{}, err
			}
			result, err := doctor(ctx, c, rt)
			return cli.Result{Value: result, Text: result.print, Exit: result.exit()}, err
		}),
	}
}

func doctor(ctx context.Context, c *cli.Call, rt *local.Runtime) (doctorResult, error) {
	facts, err := rt.Store.Facts()
	if err != nil {
		return doctorResult{}, err
	}
	scope, err := rt.Scope(ctx)
	if err != nil {
		return doctorResult{}, err
	}
	r := doctorResult{
		OK: true, CLI: Name, Protocol: hcp.ProtocolID, Version: hcp.Version, Home: facts.Home, SandboxDefault: true,
		InstalledCount: len(facts.Installed), Activated: facts.Activated, Connected: facts.Connected,
		Bootstrap: hcp.BootstrapPack, CLIVersion: cli.Version(), ProjectID: scope.ProjectID,
		Principal: principal{ID: scope.Principal.ID, Kind: scope.Principal.Kind, Agent: agentSign(c)},
		Findings:  []finding{},
	}
	r.checkSandbox()
	if err := r.checkGrants(rt, facts.Grants); err != nil {
		return r, err
	}
	if !facts.Writable {
		r.fail("the store cannot be written", "free some space, or make "+facts.Home+" writable for you")
	}
	if err := rt.CheckAudit(ctx); err != nil {
		f := fault.From(err)
		r.fail("the audit log takes no entries, so no command runs: "+f.Message, f.Hint)
	}
	r.checkLog(rt)
	if f := rt.Unsettled(""); f != nil {
		r.fail("no command runs: "+f.Message, f.Hint)
	}
	for _, id := range append([]string{hcp.BootstrapPack}, facts.Activated...) {
		r.checkPack(ctx, rt, id)
	}
	for _, id := range facts.Unresolved {
		r.warn("pack "+id+" has no executable on this machine", "install its program, then hcpx activate "+id)
	}
	for _, name := range facts.Unknown {
		r.warn("state.json of the store has the member "+strconv.Quote(name)+", which means nothing here", "take it out, if no other program put it there")
	}
	if id := rt.IgnoredProjectID(); id != "" {
		r.warn("HCP_PROJECT_ID "+strconv.Quote(id)+" is ignored: the user's settings do not list it", `unset it, or let the user list it under "projects" in access.json of the store`)
	}
	if path, found := kitPath(c.Executable); !found {
		r.warn("hcpx-kit is missing, which has the heavy commands", "install it as "+path)
	}
	return r, nil
}

func (r *doctorResult) checkSandbox() {
	support := sandbox.Detect()
	r.Sandbox = "Landlock version " + strconv.Itoa(support.ABI) + ", seccomp"
	if err := support.Require(sandbox.Base()); err != nil {
		f := fault.From(err)
		r.Sandbox = "unavailable"
		r.fail(f.Message, f.Hint)
	}
	for _, gap := range support.Gaps(sandbox.Base()) {
		r.Findings = append(r.Findings, finding{Severity: severityInfo, Message: gap})
	}
}

// checkPack says of an activated pack why a call of it would be refused.
func (r *doctorResult) checkPack(ctx context.Context, rt *local.Runtime, id string) {
	_, err := rt.Store.Verify(ctx, id)
	if err == nil {
		return
	}
	f := fault.From(err)
	switch {
	case !rt.Store.Installed(id):
		r.warn("pack "+id+" is activated, but its folder is gone", "install it again, or hcpx deactivate "+id)
	case fault.Is(err, store.CodeNotActivated):
		r.warn("pack "+id+" was activated by another program, which recorded nothing about it", "hcpx activate "+id)
	default:
		r.warn("pack "+id+" does not run: "+f.Message, f.Hint)
	}
}

// checkLog says whether a line of the audit log is not as it was written.
func (r *doctorResult) checkLog(rt *local.Runtime) {
	report, err := journal.Verify(rt.AuditPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		f := fault.From(err)
		r.fail("the audit log cannot be checked: "+f.Message, f.Hint)
	case report.Problem != nil:
		r.fail("the audit log was changed: "+fault.From(report.Err()).Message, "keep the file as it is and look into it: hcpx audit verify")
	}
}

func (r *doctorResult) checkGrants(rt *local.Runtime, listed bool) error {
	trusted, err := rt.TrustedStore()
	if err != nil {
		return err
	}
	switch {
	case !trusted:
		r.Grants = "none"
		r.warn("an agent is at work in a store that the user did not choose, so nothing is granted",
			`use the user's own store, or let the user list this one under "stores" in ~/.hcp/access.json`)
	case listed:
		r.Grants = "listed"
	default:
		r.Grants = "permissive"
	}
	return nil
}

func (r *doctorResult) warn(message, fix string) {
	r.Findings = append(r.Findings, finding{severityWarning, message, fix})
}

func (r *doctorResult) fail(message, fix string) {
	r.OK = false
	r.Findings = append(r.Findings, finding{severityError, message, fix})
}

func (r doctorResult) exit() int {
	switch {
	case !r.OK:
		return fault.ExitFailure
	case slices.ContainsFunc(r.Findings, func(f finding) bool { return f.Severity == severityWarning }):
		return exitWarning
	}
	return 0
}

func (r doctorResult) print(p *cli.Page) {
	p.Table([][]any{
		{p.Dim("program"), r.CLI + " " + r.CLIVersion + ", " + hcp.ProtocolVersion},
		{p.Dim("store"), r.Home + ", " + strconv.Itoa(r.InstalledCount) + " packs installed"},
		{p.Dim("activated"), strings.Join(r.Activated, ", ")},
		{p.Dim("connected"), strings.Join(r.Connected, ", ")},
		{p.Dim("acting as"), r.Principal.ID + ", " + string(r.Principal.Kind)},
		{p.Dim("project"), r.ProjectID},
		{p.Dim("grants"), r.Grants},
		{p.Dim("sandbox"), r.Sandbox},
	})
	for _, f := range r.Findings {
		label := p.Yellow(f.Severity)
		switch f.Severity {
		case severityError:
			label = p.Red(f.Severity)
		case severityInfo:
			label = p.Dim(f.Severity)
		}
		p.Line(label, ": ", f.Message)
		if f.Fix != "" {
			p.Line(p.Dim("  fix: "), f.Fix)
		}
	}
	if r.exit() == 0 {
		p.Line(p.Green("all is well"))
	}
}
