package hcpruntime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/command"
)

// The vectors of §14.5 and of the runtime conformance page.

func TestVectorLint(t *testing.T) {
	for _, dir := range gold("transit", "ledger", "echo") {
		if issues, err := Lint(dir); err != nil || len(issues) != 0 {
			t.Errorf("%s: %v, %v", dir, issues, err)
		}
	}
}

func TestVectorReadConfirmAndGrantDeny(t *testing.T) {
	ctx := t.Context()
	r := open(t, Options{PackDirs: gold("transit", "ledger")})
	find := r.Exec(ctx, "transit", "find", hcp.Args{"query": "Central"})
	if !find.OK || !strings.Contains(string(find.Result), "Central") || find.PackID != "transit" || find.VerbKey != "find" {
		t.Fatalf("%+v", find)
	}
	plan := r.Exec(ctx, "transit", "plan", hcp.Args{"from": "Central", "to": "Harbour"})
	if !plan.OK || !json.Valid(plan.Result) {
		t.Fatalf("%+v", plan)
	}
	if setup := r.Exec(ctx, "ledger", "setup.apply", nil); !setup.OK {
		t.Fatalf("%+v", setup)
	}
	if connect := r.Exec(ctx, "ledger", "connect", hcp.Args{"provider": "demo"}); !connect.OK {
		t.Fatalf("%+v", connect)
	}
	transfer := hcp.Args{"amount": "2.80", "payee": "demo-transit"}
	denied := r.Exec(ctx, "ledger", "transfer", transfer)
	if denied.OK || denied.Error != "confirm required" || denied.Code != "confirm_required" {
		t.Fatalf("%+v", denied)
	}
	transfer["confirm"] = true
	if paid := r.Exec(ctx, "ledger", "transfer", transfer); !paid.OK {
		t.Fatalf("%+v", paid)
	}
	transfer["mode"] = "mock"
	if mock := r.Exec(ctx, "ledger", "transfer", transfer); !mock.OK {
		t.Fatalf("%+v", mock)
	}
	r.SetGrants(nil)
	if read := r.Exec(ctx, "transit", "find", hcp.Args{"query": "Central"}); read.OK || read.Error != "denied: missing verb.exec.read for transit.find" {
		t.Fatalf("%+v", read)
	}
	r.SetGrants(grants(hcp.CapExecRead))
	if write := r.Exec(ctx, "ledger", "transfer", transfer); write.OK || write.Error != "denied: missing verb.exec.write for ledger.transfer" {
		t.Fatalf("%+v", write)
	}
}

func TestVectorBinNotAllowlisted(t *testing.T) {
	dir := t.TempDir()
	writePack(t, dir, "ghost", packOptions{bin: "no-such-tool-anywhere"}, verb{key: "x"})
	r := open(t, Options{PackDirs: []string{filepath.Join(dir, "ghost")}})
	got := r.Exec(t.Context(), "ghost", "x", nil)
	if got.OK || got.Error != `sandbox: bin "no-such-tool-anywhere" not allowlisted` || got.ExitCode == nil || *got.ExitCode != 127 {
		t.Fatalf("%+v", got)
	}
	report, err := r.Availability(t.Context(), "ghost")
	if err != nil || report.Verbs[0].Executable || report.Verbs[0].Reason != got.Error {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestVectorBrainRequiresProject(t *testing.T) {
	dir := t.TempDir()
	root := writePack(t, dir, "notes", packOptions{}, verb{key: "share", script: "echo '{}'", land: "brain"})
	member := func(s hcp.AuthzContext) bool { return s.ProjectID == "proj_7" && s.Principal.ID == "user_42" }
	for _, c := range []struct {
		project string
		member  func(hcp.AuthzContext) bool
		error   string
	}{
		{"", member, "denied: privacy.land brain requires project_id"},
		{"proj_8", member, "denied: privacy.land brain requires project membership"},
		{"proj_7", nil, "denied: privacy.land brain requires project membership"},
		{"proj_7", member, ""},
	} {
		r := open(t, Options{PackDirs: []string{root}, Principal: hcp.Principal{ID: "user_42"}, TenantID: "acme", ProjectID: c.project, Member: c.member})
		if got := r.Exec(t.Context(), "notes", "share", nil); got.Error != c.error || got.OK != (c.error == "") {
			t.Errorf("%q: %+v", c.project, got)
		}
	}
}

func TestVectorAvailabilityFlags(t *testing.T) {
	ctx := t.Context()
	r, err := Create(ctx, Options{PackDirs: gold("transit", "ledger")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	check := func(id string, status []hcp.Stage, connected, ready bool) {
		t.Helper()
		report, err := r.Availability(ctx, id)
		if err != nil || !slices.Equal(report.Status, status) || report.Connected != connected || report.Ready != ready {
			t.Errorf("%s: %+v, %v", id, report, err)
		}
	}
	check("nowhere", []hcp.Stage{hcp.StageUnavailable}, false, false)
	check("ledger", []hcp.Stage{hcp.StageInstalled}, false, false)
	if err := r.Activate(ctx, "transit", "ledger"); err != nil {
		t.Fatal(err)
	}
	check("transit", []hcp.Stage{hcp.StageInstalled, hcp.StageActivated, hcp.StageConnected, hcp.StageExecutable}, true, true)
	check("ledger", []hcp.Stage{hcp.StageInstalled, hcp.StageActivated, hcp.StageExecutable}, false, true)
	if err := r.Connect(ctx, "ledger"); err != nil {
		t.Fatal(err)
	}
	check("ledger", []hcp.Stage{hcp.StageInstalled, hcp.StageActivated, hcp.StageConnected, hcp.StageExecutable}, true, true)
	if err := r.Deactivate(ctx, "ledger"); err != nil {
		t.Fatal(err)
	}
	check("ledger", []hcp.Stage{hcp.StageInstalled}, false, false)
	if got := r.Exec(ctx, "ledger", "list", nil); got.Error != "pack ledger not activated" {
		t.Errorf("%+v", got)
	}
}

// Running the program by its command line, and the command by its envelope,
// gives the same result (§6.5.2).
func TestTwinFaces(t *testing.T) {
	ctx := t.Context()
	r := open(t, Options{PackDirs: gold("transit")})
	p, err := LoadPack(gold("transit")[0])
	if err != nil {
		t.Fatal(err)
	}
	for key, args := range map[string]hcp.Args{
		"find":   {"query": "Central"},
		"plan":   {"from": "Central", "to": "Harbour", "depart": "09:30"},
		"show":   {"optionId": "opt-1"},
		"status": nil,
	} {
		argv, err := command.Render(&p.Manifest, key, args)
		if err != nil {
			t.Fatal(err)
		}
		direct := exec.Command(filepath.Join(p.Dir, p.Manifest.Wrap.Bin), argv.Args()...)
		want, err := direct.Output()
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		got := r.Exec(ctx, "transit", key, args)
		if !got.OK || !bytes.Equal(bytes.TrimSpace(want), got.Result) {
			t.Errorf("%s\ndirect  %s\nruntime %s", key, want, got.Result)
		}
	}
}

func TestWriteThatCannotBeRecordedDoesNotRun(t *testing.T) {
	dir := t.TempDir()
	root := writePack(t, dir, "marker", packOptions{workspace: "project"},
		verb{key: "mark", script: ": > marker; echo '{}'", write: true}, verb{key: "look", script: ": > looked; echo '{\"a\":1}'"})
	project := t.TempDir()
	full := true
	r := open(t, Options{PackDirs: []string{root}, ProjectDir: project, Audit: func(context.Context, hcp.AuditEvent, bool) error {
		if full {
			return errors.New("no space left on device")
		}
		return nil
	}})
	if got := r.Exec(t.Context(), "marker", "mark", nil); got.Code != "audit_unavailable" {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(project, "marker")); !os.IsNotExist(err) {
		t.Fatal("the write ran")
	}
	if got := r.Exec(t.Context(), "marker", "look", nil); got.Code != "audit_unavailable" || got.Result != nil || got.Stdout != "" {
		t.Fatalf("%+v", got)
	}
	full = false
	if got := r.Exec(t.Context(), "marker", "mark", nil); !got.OK {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(project, "marker")); err != nil {
		t.Fatal(err)
	}
}

func TestHostileChildren(t *testing.T) {
	dir := t.TempDir()
	root := writePack(t, dir, "bad", packOptions{binding: "user"},
		verb{key: "invalid", script: `printf '{"a":"x\377y"}'`},
		verb{key: "huge", script: `echo '{"n":123456789012345678901234567890}'`},
		verb{key: "flood", script: `head -c 67108864 /dev/zero | tr '\0' x`},
		verb{key: "nothing", script: `:`},
		verb{key: "half", script: `printf '{"a":'`},
		verb{key: "echoes", script: `echo "{\"t\":\"$BAD_TOKEN\"}"; echo "$BAD_TOKEN" >&2`},
		verb{key: "fails", script: `echo "token $BAD_TOKEN was refused" >&2; exit 1`},
		verb{key: "encodes", script: `printf %s "$BAD_TOKEN" | base64`},
	)
	var events []hcp.AuditEvent
	r := open(t, Options{PackDirs: []string{root}, Hub: tokenHub{}, Audit: func(_ context.Context, e hcp.AuditEvent, _ bool) error {
		events = append(events, e)
		return nil
	}})
	ctx := t.Context()
	if err := r.Connect(ctx, "bad"); err != nil {
		t.Fatal(err)
	}
	results := map[string]hcp.ExecResult{}
	for _, key := range []string{"invalid", "huge", "flood", "nothing", "half", "echoes", "fails", "encodes"} {
		results[key] = r.Exec(ctx, "bad", key, nil)
	}
	for key, want := range map[string]string{
		"invalid": "{\"a\":\"x\uFFFDy\"}", "huge": `{"n":123456789012345678901234567890}`, "nothing": `""`, "half": `"{\"a\":"`,
	} {
		if got := results[key]; !got.OK || string(got.Result) != want {
			t.Errorf("%s: %s, want %s", key, got.Result, want)
		}
	}
	if got := results["flood"]; !got.OK || len(got.Result) > 1<<20+2 || !hasNote(got, "67108864 bytes") || got.Stdout != "" {
		t.Errorf("flood: %d bytes, %q", len(got.Result), got.Notes)
	}
	if got := results["fails"]; got.OK || !strings.Contains(got.Error, "was refused") || got.Code != "command_failed" {
		t.Errorf("%+v", got)
	}
	everything, err := json.Marshal(map[string]any{"results": results, "events": events})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{token, "dDBrM24tdmFsdWUtb2YtdGhlLXRlc3Q"} {
		if bytes.Contains(everything, []byte(form)) {
			t.Errorf("the minted secret came back as %s", form)
		}
	}
	for _, e := range events {
		if e.Action == hcp.AuditExec && (e.Binding == nil || e.Binding.Identity != "account-1") {
			t.Errorf("%+v", e.Binding)
		}
	}
}

const token = "t0k3n-value-of-the-test"

// tokenHub mints one token.
type tokenHub struct{}

func (tokenHub) Mint(_ context.Context, r BindingRequest) (Credential, error) {
	if r.Mode != hcp.BindingUser || r.PackID != "bad" || r.Provider != "bad" {
		return Credential{}, &Error{Code: "bad_binding", Message: "unexpected request"}
	}
	return Credential{Identity: "account-1", Env: map[string]string{"BAD_TOKEN": token}}, nil
}

func (tokenHub) Connect(context.Context, BindingRequest) error { return nil }
