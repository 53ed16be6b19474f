package hcpruntime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/adaptertest"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
)

func TestConstructionSaysWhatIsMissing(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		o       Options
		message string
	}{
		{Options{}, "local runtime requires packDirs"},
		{Options{Runtime: Local, Packs: []*Pack{{}}}, "local runtime requires packDirs"},
		{Options{Runtime: ProprietaryStub, PackDirs: gold("echo")}, "proprietary-stub requires packs[]"},
		{Options{Runtime: "cloud"}, `unknown runtime "cloud"`},
		{Options{PackDirs: append(gold("echo"), gold("echo")...)}, `pack "echo" is given twice`},
	} {
		_, err := Create(ctx, c.o)
		wantCode(t, err, "usage", c.message)
	}
	if _, err := Create(ctx, Options{PackDirs: []string{t.TempDir()}}); err == nil {
		t.Error("an empty directory is a pack")
	}
	bad := writePack(t, t.TempDir(), "bad", packOptions{}, verb{key: "x"})
	writeFile(t, filepath.Join(bad, "policy.json"), `{"surface_id":"bad","verbs":{}}`, 0o644)
	_, err := Create(ctx, Options{PackDirs: []string{bad}})
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != "lint_failed" || !strings.HasPrefix(e.Message, "lint failed: ") {
		t.Errorf("%v", err)
	}
}

func TestDefaults(t *testing.T) {
	r := open(t, Options{PackDirs: gold("echo")})
	want := hcp.AuthzContext{Principal: hcp.Principal{ID: "local-principal", Kind: "human"}, TenantID: "local-tenant", Grants: hcp.PermissiveGrants()}
	if got := r.Authz(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}
	if r.SandboxMode() != hcp.Sandboxed || r.DriverID() != "reference-local" || r.DriverKind() != "reference-local" {
		t.Error(r.SandboxMode(), r.DriverID(), r.DriverKind())
	}
	r.Authz().Grants[0].Capability = "changed"
	if r.Authz().Grants[0].Capability != hcp.CapInstall {
		t.Error("the grants can be changed from outside")
	}
}

func TestNativeLocalNeedsBothFlags(t *testing.T) {
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: `printf %s "$HCP_SANDBOX"`})
	for _, c := range []struct {
		no, native bool
		want       hcp.SandboxMode
	}{{false, false, "sandbox"}, {true, false, "sandbox"}, {false, true, "sandbox"}, {true, true, "native-local"}} {
		r := open(t, Options{PackDirs: []string{root}, NoSandbox: c.no, NativeLocal: c.native})
		got := r.Exec(t.Context(), "tool", "x", nil)
		if r.SandboxMode() != c.want || string(got.Result) != `"`+string(c.want)+`"` {
			t.Errorf("%+v: %s, %s", c, r.SandboxMode(), got.Result)
		}
		mock := r.Exec(t.Context(), "tool", "x", hcp.Args{"mode": "mock"})
		if mock.OK != (c.want == hcp.Sandboxed) {
			t.Errorf("mock in %s: %+v", c.want, mock)
		}
	}
}

func TestActivationIsAllOrNothing(t *testing.T) {
	ctx := t.Context()
	r, err := Create(ctx, Options{PackDirs: gold("transit", "echo")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wantCode(t, r.Activate(ctx, "transit", "nowhere"), "unknown_pack", "cannot activate unknown pack: nowhere")
	if got := r.ActivatedPacks(); len(got) != 0 {
		t.Fatalf("%v", got)
	}
	for _, ids := range [][]string{{"echo"}, {"transit"}, {"echo"}} {
		if err := r.Activate(ctx, ids...); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.ActivatedPacks(); !slices.Equal(got, []string{"echo", "transit"}) {
		t.Errorf("%v", got)
	}
	if got := r.Exec(ctx, "trnsit", "find", nil); got.Error != "unknown pack trnsit" || !strings.Contains(got.Hint, "transit") {
		t.Errorf("%+v", got)
	}
}

func TestSkillsAndCommandsCanBeListed(t *testing.T) {
	ctx := t.Context()
	r := open(t, Options{PackDirs: gold("echo")})
	if verbs, err := r.ListVerbs(ctx, "echo"); err != nil || !slices.Equal(verbs, []string{"echo.ping", "echo.say"}) {
		t.Errorf("%v, %v", verbs, err)
	}
	_, err := r.ListVerbs(ctx, "nowhere")
	wantCode(t, err, "unknown_pack", "unknown pack nowhere")
	if skill, err := r.Skill(ctx, "echo"); err != nil || !strings.Contains(skill, "echo.say") {
		t.Errorf("%q, %v", skill, err)
	}
	if skill, err := r.Skill(ctx, "nowhere"); err != nil || skill != "" {
		t.Errorf("%q, %v", skill, err)
	}
	if packs, err := r.ListPacks(ctx); err != nil || len(packs) != 1 || packs[0].ID != "echo" || packs[0].Kind != hcp.KindComposite {
		t.Errorf("%v, %v", packs, err)
	}
}

func TestWhatWasActivatedIsWhatRuns(t *testing.T) {
	ctx := t.Context()
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: "echo 1"})
	bins := t.TempDir()
	writeFile(t, filepath.Join(bins, "outer"), "#!/bin/sh\necho 1\n", 0o755)
	named := writePack(t, t.TempDir(), "named", packOptions{bin: "outer"}, verb{key: "x"})
	r := open(t, Options{PackDirs: []string{root, named}, SearchPath: bins})
	for _, id := range []string{"tool", "named"} {
		if got := r.Exec(ctx, id, "x", nil); string(got.Result) != "1" {
			t.Fatalf("%+v", got)
		}
	}
	script := filepath.Join(root, "bin", "tool")
	writeFile(t, script, "#!/bin/sh\necho 2\n", 0o755)
	if got := r.Exec(ctx, "tool", "x", nil); got.Code != "pack_changed" || !strings.Contains(got.Error, "bin/tool") {
		t.Errorf("%+v", got)
	}
	writeFile(t, filepath.Join(bins, "outer"), "#!/bin/sh\necho 2\n", 0o755)
	if got := r.Exec(ctx, "named", "x", nil); got.Code != "bin_changed" {
		t.Errorf("%+v", got)
	}
	if err := r.Activate(ctx, "tool", "named"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"tool", "named"} {
		if got := r.Exec(ctx, id, "x", nil); string(got.Result) != "2" {
			t.Errorf("%+v", got)
		}
	}
}

// A bare name means one file: the one on the search path, or the one that the
// operator names. A file of the same name elsewhere never matches.
func TestNameOfAnExecutableHasNoLookAlikes(t *testing.T) {
	ctx := t.Context()
	project, good, other := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{project: "planted", good: "good", other: "other"} {
		writeFile(t, filepath.Join(dir, "outer"), "#!/bin/sh\necho '\""+text+"\"'\n", 0o755)
	}
	named := writePack(t, t.TempDir(), "named", packOptions{bin: "outer", workspace: "project"}, verb{key: "x"})
	path := project + ":" + good
	r := open(t, Options{PackDirs: []string{named}, ProjectDir: project, SearchPath: path})
	if got := r.Exec(ctx, "named", "x", nil); string(got.Result) != `"good"` {
		t.Errorf("%+v", got)
	}
	r = open(t, Options{PackDirs: []string{named}, ProjectDir: project, SearchPath: path, AllowBins: []string{filepath.Join(other, "outer"), filepath.Join(good, "something-else")}})
	if got := r.Exec(ctx, "named", "x", nil); string(got.Result) != `"other"` {
		t.Errorf("%+v", got)
	}
	r = open(t, Options{PackDirs: []string{named}, ProjectDir: project, SearchPath: project, AllowBins: []string{"outer"}})
	if got := r.Exec(ctx, "named", "x", nil); got.Error != `sandbox: bin "outer" not allowlisted` {
		t.Errorf("%+v", got)
	}
}

func TestControlPackNeedsElevation(t *testing.T) {
	ctx := t.Context()
	root := writePack(t, t.TempDir(), "fleet", packOptions{binding: "mothership", plane: "control"}, verb{key: "x", script: "echo 1"})
	r, err := Create(ctx, Options{PackDirs: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Activate(ctx, "fleet"); err == nil || !strings.HasPrefix(err.Error(), "denied: ") || len(r.ActivatedPacks()) != 0 {
		t.Errorf("%v", err)
	}
	r = open(t, Options{PackDirs: []string{root}, Principal: hcp.Principal{ID: "op", Kind: hcp.PrincipalMothership, Elevated: true}})
	if got := r.Exec(ctx, "fleet", "x", nil); got.Code != "not_connected" || !slices.Contains(got.Next, "hcpx connect fleet") {
		t.Errorf("%+v", got)
	}
	wantCode(t, r.Connect(ctx, "fleet"), "connect_failed", `connect failed: no provider "fleet" for pack "fleet"`)
}

func TestConnectErrors(t *testing.T) {
	ctx := t.Context()
	r, err := Create(ctx, Options{PackDirs: gold("transit", "ledger")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wantCode(t, r.Connect(ctx, "nowhere"), "unknown_pack", "unknown pack nowhere")
	wantCode(t, r.Connect(ctx, "ledger"), "not_activated", "pack ledger not activated")
	if err := r.Activate(ctx, "transit", "ledger"); err != nil {
		t.Fatal(err)
	}
	r.SetGrants(grants(hcp.CapExecWrite))
	wantCode(t, r.Connect(ctx, "ledger"), "denied", "denied: missing pack.connect")
	wantCode(t, r.Connect(ctx, "transit"), "denied", "denied: missing pack.connect")
	r.SetGrants(grants(hcp.CapConnect))
	if err := r.Connect(ctx, "transit"); err != nil {
		t.Errorf("a public pack is not connected with the grant: %v", err)
	}
}

func TestProjectModeWorksInTheProject(t *testing.T) {
	project := t.TempDir()
	writeFile(t, filepath.Join(project, "file"), "text", 0o644)
	root := writePack(t, t.TempDir(), "tool", packOptions{workspace: "project"}, verb{key: "x", script: `cat "$1"`, args: []string{"name"}})
	r := open(t, Options{PackDirs: []string{root}, ProjectDir: project})
	if got := r.Exec(t.Context(), "tool", "x", hcp.Args{"name": "file"}); string(got.Result) != `"text"` {
		t.Errorf("%+v", got)
	}
	r = open(t, Options{PackDirs: []string{root}})
	if got := r.Exec(t.Context(), "tool", "x", hcp.Args{"name": "file"}); got.Code != "no_project" {
		t.Errorf("%+v", got)
	}
	if _, err := Create(t.Context(), Options{PackDirs: []string{root}, ProjectDir: project, Home: filepath.Join(project, "home")}); err == nil {
		t.Error("a project that holds the home was opened")
	}
}

func TestStateLastsInTheStateDir(t *testing.T) {
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: `cat "$HOME/n" 2>/dev/null; echo 7 > "$HOME/n"`})
	state := t.TempDir()
	for i, want := range []string{`""`, "7"} {
		r := open(t, Options{PackDirs: []string{root}, StateDir: state})
		if got := r.Exec(t.Context(), "tool", "x", nil); string(got.Result) != want {
			t.Errorf("run %d: %s, want %s", i, got.Result, want)
		}
	}
	r := open(t, Options{PackDirs: []string{root}})
	r.Exec(t.Context(), "tool", "x", nil)
	dir := r.engine.(*local).jails.dir
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dir)
	}
}

func TestHandlersAnswerForTheProgram(t *testing.T) {
	ctx := t.Context()
	r := open(t, Options{PackDirs: gold("echo", "transit"), Handlers: map[string]map[string]Handler{"echo": {
		"echo.ping": func(ctx context.Context, c HandlerCall) (any, error) {
			inner := c.Exec(ctx, "transit", "find", hcp.Args{"query": "Central"})
			return map[string]any{"principal": c.Scope.Principal.ID, "inner": inner.OK}, nil
		},
		"echo.say": func(context.Context, HandlerCall) (any, error) {
			return nil, &Error{Code: "quiet", Message: "not today", Hint: "try tomorrow", Next: []string{"echo later"}}
		},
	}}})
	if got := r.Exec(ctx, "echo", "echo.ping", nil); string(got.Result) != `{"inner":true,"principal":"local-principal"}` {
		t.Errorf("%+v", got)
	}
	if got := r.Exec(ctx, "echo", "echo.say", hcp.Args{"message": "hi"}); got.Code != "quiet" || got.Error != "not today" || got.Hint != "try tomorrow" || !slices.Equal(got.Next, []string{"echo later"}) {
		t.Errorf("%+v", got)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: `printf '{"n":"%s"}' "$1"`, args: []string{"n"}})
	var mu sync.Mutex
	lines := 0
	r := open(t, Options{PackDirs: []string{root}, Audit: func(context.Context, hcp.AuditEvent, bool) error {
		mu.Lock()
		defer mu.Unlock()
		lines++
		return nil
	}})
	var wait sync.WaitGroup
	for i := range 24 {
		wait.Go(func() {
			n := fmt.Sprint(i)
			if got := r.Exec(t.Context(), "tool", "x", hcp.Args{"n": n}); string(got.Result) != `{"n":"`+n+`"}` {
				t.Errorf("%d: %+v", i, got)
			}
			r.SetGrants(hcp.PermissiveGrants())
			r.ActivatedPacks()
			if err := r.Activate(t.Context(), "tool"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if lines != 24 {
		t.Errorf("%d lines", lines)
	}
}

func TestStubKeepsTheContractOfAdapters(t *testing.T) {
	adaptertest.Run(t, func(*testing.T) adaptertest.Subject {
		p := &pack.Pack{ID: "desk"}
		return adaptertest.Subject{
			Adapter: adapter.Func(stubbed), Pack: p, Stubbed: true,
			Request: func(key string, args hcp.Args) adapter.Request { return adapter.Request{Pack: p, Key: key, Args: args} },
		}
	})
}

func TestDriverKeepsTheContractOfAdapters(t *testing.T) {
	adaptertest.Run(t, func(*testing.T) adaptertest.Subject {
		p := &pack.Pack{ID: "desk"}
		f := &foreign{driver: &acme{}}
		return adaptertest.Subject{
			Adapter: f.adapters()[hcp.KindWrap], Pack: p,
			Request: func(key string, args hcp.Args) adapter.Request { return adapter.Request{Pack: p, Key: key, Args: args} },
		}
	})
}

func TestStubTakesThePipelineAndRunsNothing(t *testing.T) {
	ctx := t.Context()
	p, err := LoadPack(gold("ledger")[0])
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, Options{Runtime: ProprietaryStub, Packs: []*Pack{p}})
	if r.DriverKind() != "proprietary-stub" {
		t.Error(r.DriverKind())
	}
	args := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	if got := r.Exec(ctx, "ledger", "transfer", args); got.Error != "confirm required" {
		t.Errorf("%+v", got)
	}
	args["confirm"] = true
	if got := r.Exec(ctx, "ledger", "transfer", args); string(got.Result) != `{"ok":true,"stub":true,"verb":"transfer","args":{"amount":"2.80","payee":"demo-transit"}}` {
		t.Errorf("%s %+v", got.Result, got)
	}
	if got := r.Exec(ctx, "ledger", "transfr", args); got.Code != "unknown_command" {
		t.Errorf("%+v", got)
	}
}

func TestOwnDriverIsGoverned(t *testing.T) {
	ctx := t.Context()
	p, err := LoadPack(gold("ledger")[0])
	if err != nil {
		t.Fatal(err)
	}
	driver := &acme{packs: []*Pack{p}}
	r := open(t, Options{Driver: driver, Grants: grants(hcp.CapExecRead, hcp.CapExecWrite), Access: Access{Approvals: "human"}})
	if r.DriverID() != "acme" || r.DriverKind() != "proprietary" {
		t.Error(r.DriverID(), r.DriverKind())
	}
	args := hcp.Args{"amount": json.Number("2.80"), "payee": "demo-transit", "confirm": true}
	for _, c := range []struct {
		key  string
		args hcp.Args
		code string
	}{
		{"transfer", hcp.Args{"amount": "2.80"}, "missing_argument"},
		{"transfer", args, "confirm_required"},
		{"connect", hcp.Args{"provider": "demo"}, "denied"},
		{"nothing", nil, "unknown_command"},
	} {
		if got := r.Exec(ctx, "ledger", c.key, c.args); got.Code != c.code || len(driver.calls) != 0 {
			t.Errorf("%s: %+v, %d calls", c.key, got, len(driver.calls))
		}
	}
	if got := r.ExecApproved(ctx, "ledger", "transfer", args, hcp.HostApproval{By: "human"}); !got.OK {
		t.Fatalf("%+v", got)
	}
	call := driver.calls[0]
	if !call.Confirmed || call.Mock || call.Args["confirm"] != nil || call.Args["amount"] != "2.80" || call.Scope.Principal.ID != "local-principal" || call.Sandbox != hcp.Sandboxed {
		t.Errorf("%+v", call)
	}
	wantCode(t, r.Activate(ctx, "nowhere"), "unknown_pack", "cannot activate unknown pack: nowhere")
}

func TestOwnDriverConnects(t *testing.T) {
	ctx := t.Context()
	p, err := LoadPack(gold("ledger")[0])
	if err != nil {
		t.Fatal(err)
	}
	driver := &connecting{acme: acme{packs: []*Pack{p}}}
	r := open(t, Options{Driver: driver})
	for _, c := range []struct {
		err           error
		code, message string
	}{
		{errors.New(""), "connect_failed", "connect failed"},
		{errors.New("the bank is closed"), "connect_failed", "the bank is closed"},
		{&Error{Code: "needs_reauth", Message: "log in again"}, "needs_reauth", "log in again"},
	} {
		driver.err = c.err
		wantCode(t, r.Connect(ctx, "ledger"), c.code, c.message)
	}
	driver.err = nil
	if report, err := r.Availability(ctx, "ledger"); err != nil || report.Connected {
		t.Errorf("%+v, %v", report, err)
	}
	if err := r.Connect(ctx, "ledger"); err != nil {
		t.Fatal(err)
	}
	if report, err := r.Availability(ctx, "ledger"); err != nil || !report.Connected {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestDriverFailureIsNeverSilent(t *testing.T) {
	for _, c := range []struct {
		in            hcp.ExecResult
		code, message string
	}{
		{hcp.ExecResult{}, "command_failed", "the driver refused without a reason"},
		{hcp.ExecResult{Error: "no", Code: "quota"}, "quota", "no"},
	} {
		if f := driverFailure(c.in); f.Code != c.code || f.Message != c.message {
			t.Errorf("%+v", f)
		}
	}
	if h := (driverHub{&acme{}, &binding.Memory{}}); h.Disconnect(t.Context(), binding.Request{}) != nil {
		t.Error("disconnect")
	}
}

func TestBuildAvailabilityForAnOwnCatalog(t *testing.T) {
	p, err := LoadPack(gold("ledger")[0])
	if err != nil {
		t.Fatal(err)
	}
	scope := hcp.AuthzContext{Principal: hcp.Principal{ID: "u"}, TenantID: "t", Grants: grants(hcp.CapExecRead)}
	got := BuildAvailability(AvailabilityInput{Pack: p, Installed: true, Activated: true, Scope: scope})
	if got.PackID != "ledger" || !got.Ready || got.Verbs[6].Reason != "missing verb.exec.write" {
		t.Errorf("%+v", got)
	}
	if got := BuildAvailability(AvailabilityInput{Pack: p, SourceAvailable: true, Scope: scope}); got.Installed || got.Status[0] != hcp.StageAvailable || got.Reason != "not installed" {
		t.Errorf("%+v", got)
	}
}

// acme is a driver as a company would write one.
type acme struct {
	packs []*Pack
	mu    sync.Mutex
	calls []DriverCall
}

func (a *acme) ID() string                                 { return "acme" }
func (a *acme) Kind() string                               { return "proprietary" }
func (a *acme) ListPacks(context.Context) ([]*Pack, error) { return a.packs, nil }
func (a *acme) GetPack(_ context.Context, id string) (*Pack, error) {
	for _, p := range a.packs {
		if p.ID == id {
			return p, nil
		}
	}
	return nil, nil
}

func (a *acme) Exec(_ context.Context, c DriverCall) hcp.ExecResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, c)
	switch c.VerbKey {
	case adaptertest.KeyFail:
		return hcp.ExecResult{Error: "it broke"}
	case adaptertest.KeyDigits:
		return hcp.ExecResult{OK: true, Result: json.RawMessage(`{"n":12345678901234567890,"p":2.80}`)}
	}
	text, err := json.Marshal(map[string]any{"text": c.Args["text"]})
	return hcp.ExecResult{OK: err == nil, Result: text}
}

type connecting struct {
	acme
	err error
}

func (c *connecting) Connect(context.Context, string, hcp.AuthzContext) error { return c.err }

func TestRunIsCancelledAsAWhole(t *testing.T) {
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: `: > "$HOME/began"; sleep 60`}, verb{key: "y", script: "echo 1"})
	state := t.TempDir()
	began := make(chan struct{})
	var statuses []hcp.CallStatus
	r := open(t, Options{PackDirs: []string{root}, StateDir: state, Calls: func(c hcp.CallRecord) {
		statuses = append(statuses, c.Status)
		if c.Status == hcp.CallRunning && c.VerbKey == "x" {
			close(began)
		}
	}})
	run := r.StartRun(t.Context())
	if got := run.Exec("tool", "y", nil); string(got.Result) != "1" {
		t.Fatalf("%+v", got)
	}
	go func() {
		<-began
		if err := run.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if got := run.Exec("tool", "x", nil); got.OK || got.Code != "canceled" {
		t.Errorf("%+v", got)
	}
	if got := run.Exec("tool", "y", nil); got.OK || got.Code != "canceled" {
		t.Errorf("%+v", got)
	}
	if got := run.ExecApproved("tool", "y", nil, hcp.HostApproval{By: "human"}); got.OK {
		t.Errorf("%+v", got)
	}
	want := []hcp.CallStatus{hcp.CallRunning, hcp.CallCompleted, hcp.CallRunning, hcp.CallCancelled, hcp.CallCancelled, hcp.CallCancelled}
	if !slices.Equal(statuses, want) {
		t.Errorf("%v", statuses)
	}
	if got := r.Exec(t.Context(), "tool", "y", nil); !got.OK {
		t.Errorf("a run's end ended the runtime: %+v", got)
	}
}

func TestModeOfTheSessionCanBePicked(t *testing.T) {
	ctx := t.Context()
	r := open(t, Options{PackDirs: gold("echo")})
	if got := r.Exec(ctx, "echo", "echo.ping", nil); !got.OK {
		t.Fatalf("%+v", got)
	}
	r.SetAccess(Access{Mode: "manual"})
	if got := r.Exec(ctx, "echo", "echo.say", hcp.Args{"message": "two words"}); got.Code != "confirm_required" || got.Access.Mode != "manual" || got.Preview.CLI != "echo-hcp say 'two words'" {
		t.Errorf("%+v", got)
	}
	r.SetAccess(Access{Mode: "sometimes"})
	if got := r.Exec(ctx, "echo", "echo.ping", nil); got.Code != "bad_mode" {
		t.Errorf("%+v", got)
	}
}

func TestPassThroughRunsOnlyUnderItsPolicy(t *testing.T) {
	root := filepath.Join(t.TempDir(), "boot")
	writeFile(t, filepath.Join(root, "bin", "tool"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n", 0o755)
	writeFile(t, filepath.Join(root, "surface.json"), `{"id":"boot","kind":"wrap","cliBin":"boot","binding":{"mode":"public"},
		"wrap":{"bin":"./bin/tool","json_flag":[]},"pass_through":{"allowedSubcommands":["status","remote show","push"],"maxArgv":4},"verbs":{}}`, 0o644)
	writeFile(t, filepath.Join(root, "policy.json"), `{"surface_id":"boot","version":1,"verbs":{
		"status":{"operation":"read","privacy":{"land":"personal"}},"remote.show":{"operation":"read","privacy":{"land":"personal"}}}}`, 0o644)
	writeFile(t, filepath.Join(root, "HARNESS.md"), "# boot\n\nA bootstrap.\n", 0o644)
	r := open(t, Options{PackDirs: []string{root}})
	for _, c := range []struct {
		key, code, result string
		argv              []any
	}{
		{"status", "", `"status\n--short\nx y\n"`, []any{"--short", "x y"}},
		{"remote.show", "", `"remote\nshow\norigin\n"`, []any{"origin"}},
		{"status", "bad_argument", "", []any{"1", "2", "3", "4"}}, // with the subcommand more than maxArgv
		{"push", "no_policy", "", nil},                            // allowed, but without a row
		{"clone", "unknown_command", "", nil},
	} {
		got := r.Exec(t.Context(), "boot", c.key, hcp.Args{"argv": c.argv})
		if got.Code != c.code || string(got.Result) != c.result || c.code == "no_policy" && got.Error != "no policy for push" {
			t.Errorf("%s %v: %+v", c.key, c.argv, got)
		}
	}
}

func TestEveryDriverActivatesSuggestsAndDeactivates(t *testing.T) {
	ctx := t.Context()
	ledger, err := LoadPack(gold("ledger")[0])
	if err != nil {
		t.Fatal(err)
	}
	broken := &Pack{ID: "broken", Kind: hcp.KindWrap, Policy: hcp.Policy{SurfaceID: "broken"}}
	for name, o := range map[string]Options{
		"local": {PackDirs: gold("ledger")},
		"stub":  {Runtime: ProprietaryStub, Packs: []*Pack{ledger, broken}},
		"own":   {Driver: &acme{packs: []*Pack{ledger, broken}}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Create(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if got := r.Exec(ctx, "ledgr", "list", nil); got.Code != "unknown_pack" || !strings.Contains(got.Hint, `"ledger"`) {
				t.Errorf("%+v", got)
			}
			if got := r.Exec(ctx, "ledger", "list", nil); got.Code != "not_activated" {
				t.Errorf("%+v", got)
			}
			if name != "local" {
				err := r.Activate(ctx, "ledger", "broken")
				if e, ok := errors.AsType[*Error](err); !ok || e.Code != "lint_failed" || len(r.ActivatedPacks()) != 0 {
					t.Errorf("a pack with issues was activated: %v, %v", err, r.ActivatedPacks())
				}
			}
			if err := r.Activate(ctx, "ledger"); err != nil {
				t.Fatal(err)
			}
			if err := r.Connect(ctx, "ledger"); err != nil {
				t.Fatal(err)
			}
			if report, err := r.Availability(ctx, "ledger"); err != nil || !report.Ready || !report.Connected {
				t.Errorf("%+v, %v", report, err)
			}
			if err := r.Deactivate(ctx, "ledger", "nowhere"); err != nil {
				t.Fatal(err)
			}
			if err := r.Activate(ctx, "ledger"); err != nil {
				t.Fatal(err)
			}
			report, err := r.Availability(ctx, "ledger")
			// A driver of one's own that has no Connect has nothing to lose.
			if err != nil || report.Connected != (name == "own") {
				t.Errorf("connected after deactivation: %+v, %v", report, err)
			}
		})
	}
}

func TestHubHandsOverAndRefuses(t *testing.T) {
	ctx := t.Context()
	root := writePack(t, t.TempDir(), "tool", packOptions{binding: "user"}, verb{key: "x", script: `cat "$KEY_FILE"; printf ' %s' "$TOKEN" | wc -c; echo "$KEY_FILE" > "$HOME/where"`}, verb{key: "where", script: `cat "$HOME/where"`})
	hub := &scriptedHub{credential: Credential{Env: map[string]string{"TOKEN": "t0ken-of-some-length"}, Files: []CredentialFile{{Name: "key", Var: "KEY_FILE", Content: "k3y-of-some-length"}}}}
	var events []hcp.AuditEvent
	r := open(t, Options{PackDirs: []string{root}, Hub: hub, Audit: func(_ context.Context, e hcp.AuditEvent, _ bool) error {
		events = append(events, e)
		return nil
	}})
	if report, err := r.Availability(ctx, "tool"); err != nil || report.Ready || !report.ConnectNeeded || report.Verbs[0].Reason != "not connected" {
		t.Errorf("%+v, %v", report, err)
	}
	if err := r.Connect(ctx, "tool"); err != nil {
		t.Fatal(err)
	}
	got := r.Exec(ctx, "tool", "x", nil)
	if !got.OK || strings.Contains(string(got.Result), "k3y") || !strings.Contains(string(got.Result), "21") || !hasNote(got, "minted secret") {
		t.Errorf("%+v", got)
	}
	where := r.Exec(ctx, "tool", "where", nil)
	var path string
	if err := json.Unmarshal(where.Result, &path); err != nil || !strings.HasSuffix(path, "key\n") {
		t.Fatalf("%s, %v", where.Result, err)
	}
	if _, err := os.Stat(strings.TrimSpace(path)); !os.IsNotExist(err) {
		t.Errorf("the credential file is still there: %v", err)
	}
	if e := events[len(events)-1]; e.Binding == nil || e.Binding.Identity != "hub:tool" {
		t.Errorf("%+v", e.Binding)
	}
	hub.err = &Error{Code: "needs_reauth", Message: "the login has expired", Next: []string{"hcpx connect tool"}}
	if got := r.Exec(ctx, "tool", "x", nil); got.OK || got.Code != "needs_reauth" || got.Error != "the login has expired" || len(got.Next) != 1 {
		t.Errorf("%+v", got)
	}
	wantCode(t, r.Connect(ctx, "tool"), "needs_reauth", "the login has expired")
	hub.err = errors.New("no route to the hub")
	if got := r.Exec(ctx, "tool", "x", nil); got.OK || got.Error != "no route to the hub" {
		t.Errorf("%+v", got)
	}
}

func TestErrorsReachTheirCause(t *testing.T) {
	cause := errors.New("cause")
	inner := private(&Error{Code: "c", Message: "m", Hint: "h", Next: []string{"n"}, cause: cause})
	outer := public(inner)
	if !errors.Is(outer, cause) || public(nil) != nil || private(cause) != cause {
		t.Error("the cause was lost")
	}
	if e, ok := errors.AsType[*Error](outer); !ok || e.Code != "c" || e.Hint != "h" || e.Error() != "m" || !slices.Equal(e.Next, []string{"n"}) {
		t.Errorf("%#v", outer)
	}
	if err := public(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// scriptedHub returns what the test says.
type scriptedHub struct {
	credential Credential
	err        error
}

func (h *scriptedHub) Mint(context.Context, BindingRequest) (Credential, error) {
	return h.credential, h.err
}

func (h *scriptedHub) Connect(context.Context, BindingRequest) error { return h.err }
