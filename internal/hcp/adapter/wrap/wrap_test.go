package wrap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/adaptertest"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/redact"
)

func TestKeepsTheContractOfAdapters(t *testing.T) {
	adaptertest.Run(t, func(t *testing.T) adaptertest.Subject {
		w := newWorld(t)
		p := w.toolPack(`case "$1" in
echo) printf '{"text":"%s"}\n' "$2" ;;
fail) echo "it broke" >&2; exit 3 ;;
digits) echo '{"n": 12345678901234567890, "p": 2.80}' ;;
esac`, nil, map[string][]string{
			adaptertest.KeyEcho: {"echo", "{{text}}"}, adaptertest.KeyFail: {"fail"}, adaptertest.KeyDigits: {"digits"},
		})
		return adaptertest.Subject{
			Adapter: New(w.options), Pack: p,
			Request: func(key string, args hcp.Args) adapter.Request { return w.request(p, key, args) },
		}
	})
}

func TestBinThatWasNotPinnedIsRefused(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`echo ran > "$HOME/ran"`, nil, map[string][]string{"x": {}})
	r := w.request(p, "x", nil)
	r.Bin = adapter.Bin{Name: "transit", Reason: `"transit" is not on PATH`}
	out := w.run(r)
	if out.Started || out.Failure.Message != `sandbox: bin "transit" not allowlisted` || out.Failure.Code != CodeBinNotAllowlisted || *out.ExitCode != 127 {
		t.Fatalf("%+v", out)
	}
	if !strings.Contains(out.Failure.Hint, "not on PATH") {
		t.Errorf("hint %q", out.Failure.Hint)
	}
	r.Bin = adapter.Bin{}
	if out := w.run(r); out.Failure.Message != `sandbox: bin "./bin/tool" not allowlisted` {
		t.Errorf("%v", out.Failure)
	}
	r.Bin = adapter.Bin{Name: "gone", Path: filepath.Join(w.dir, "gone")}
	if out := w.run(r); out.Started || out.Failure == nil || out.ExitCode == nil || *out.ExitCode != 127 {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(w.jail().Home, "ran")); err == nil {
		t.Error("it ran")
	}
}

func TestWordsReachTheProgramAsTheyAre(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`for a; do printf '%s\n' "[$a]"; done`, nil, map[string][]string{"x": {"{{a}}", "--b", "{{b}}", "--c={{c}}"}})
	hostile := "; rm -rf $HOME `id` $(id) 'q' \"d\" * | & \\"
	got := w.lines(w.request(p, "x", hcp.Args{"a": hostile, "b": "two words", "c": "é😀"}))
	want := []string{"[" + hostile + "]", "[--b]", "[two words]", "[--c=é😀]"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q\nwant %q", got, want)
	}
}

func TestFailureSaysWhatTheProgramSaid(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`case "$1" in
quiet) exit 7 ;;
blank) echo "  " >&2; exit 7 ;;
loud) printf 'first\nsecond\n' >&2; echo '{"a":1}'; exit 2 ;;
killed) kill -9 $$ ;;
grown) ulimit -f 1; exec head -c 100000 /dev/zero >"$HOME/grown" ;;
stopped) echo why >&2; kill -TERM $$ ;;
esac`, nil, map[string][]string{
		"quiet": {"quiet"}, "blank": {"blank"}, "loud": {"loud"}, "killed": {"killed"}, "grown": {"grown"}, "stopped": {"stopped"},
	})
	for _, c := range []struct {
		key, message, signal string
		exit                 int
	}{
		{"quiet", "exit 7", "", 7},
		{"blank", "exit 7", "", 7},
		{"loud", "first\nsecond", "", 2},
		{"killed", "exit 137", "SIGKILL", 137},
		{"grown", "exit 153", "SIGXFSZ", 153},
		{"stopped", "why", "SIGTERM", 143},
	} {
		out := w.run(w.request(p, c.key, nil))
		if signal, _, _ := strings.Cut(out.Failure.Hint, " "); signal != c.signal {
			t.Errorf("%s: hint %q", c.key, out.Failure.Hint)
		}
		if out.Failure == nil || out.Failure.Message != c.message || *out.ExitCode != c.exit || !out.Started || out.Failure.Code != adapter.CodeCommandFailed {
			t.Errorf("%s: %+v, exit %v", c.key, out.Failure, *out.ExitCode)
		}
	}
}

func TestCommandThatDoesNotEndIsEnded(t *testing.T) {
	w := newWorld(t)
	w.options.Timeout = 200 * time.Millisecond
	p := w.toolPack(`echo before; exec sleep 60`, nil, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure == nil || out.Failure.Code != adapter.CodeTimeout || out.Failure.Message != "timed out after 200ms" || string(out.Stdout.Head) != "before\n" {
		t.Fatalf("%+v", out)
	}
	w.options.Timeout = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	ready := filepath.Join(w.jail().Home, "ready")
	q := w.toolPack(`: > "$HOME/ready"; exec sleep 60`, nil, map[string][]string{"x": {}})
	go func() {
		for {
			if _, err := os.Stat(ready); err == nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	out = New(w.options).Run(ctx, w.request(q, "x", nil))
	if out.Failure == nil || out.Failure.Code != adapter.CodeCanceled || !out.Started {
		t.Fatalf("%+v", out)
	}
}

// environmentOf runs env and returns the variables that the program saw.
func environmentOf(t *testing.T, w *world, r adapter.Request) map[string]string {
	t.Helper()
	vars := map[string]string{}
	for _, line := range w.lines(r) {
		name, value, _ := strings.Cut(line, "=")
		vars[name] = value
	}
	for _, shells := range []string{"PWD", "_", "SHLVL", "OLDPWD"} {
		delete(vars, shells)
	}
	return vars
}

func TestEnvironmentIsMadeFromNothing(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "ambient")
	t.Setenv("TOOL_TOKEN", "ambient")
	t.Setenv("TOOL_MOCK", "1")
	w := newWorld(t)
	w.options.Host = Host{
		Zone: "Europe/Zurich", Path: "/host/path", Home: "/host/home", MCP: true,
		Certificates: []string{"SSL_CERT_FILE=/etc/ssl/cert.pem", "HTTPS_PROXY=http://user:pw@proxy", "TOKEN=x"},
	}
	p := w.toolPack(`env`, nil, map[string][]string{"x": {}})
	jail := w.jail()
	got := environmentOf(t, w, w.request(p, "x", nil))
	want := map[string]string{
		"PATH": "/usr/local/bin:/usr/bin:/bin:" + filepath.Join(p.Dir, "bin"), "HOME": jail.Home, "TMPDIR": jail.Tmp,
		"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "TZ": "Europe/Zurich", "SSL_CERT_FILE": "/etc/ssl/cert.pem",
		"TOOL_OUTPUT": "json", "HCP_SANDBOX": "sandbox", "HCP_AGENT": "1", "HCP_MCP": "1", "HCP_BINDING_MODE": "public",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func TestCredentialReachesTheProgramAndNothingElse(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`printf '%s\n' "$TOOL_TOKEN" "$HCP_BINDING_MODE" "$(cat "$TOOL_KEY")" "$TOOL_KEY"`, nil, map[string][]string{"x": {}})
	r := w.request(p, "x", nil)
	r.Credential = binding.Credential{
		Mode:  hcp.BindingUser,
		Env:   map[string]redact.Secret{"TOOL_TOKEN": redact.NewSecret("t0ken"), "HCP_SANDBOX": redact.NewSecret("off"), "bad name": redact.NewSecret("x")},
		Files: []binding.File{{Name: "keys/id", Var: "TOOL_KEY", Content: redact.NewSecret("k3y")}},
	}
	got := w.lines(r)
	if got[0] != "t0ken" || got[1] != "user" || got[2] != "k3y" {
		t.Fatalf("%q", got)
	}
	if _, err := os.Stat(got[3]); !os.IsNotExist(err) {
		t.Errorf("the credential file %s is still there: %v", got[3], err)
	}
	for _, f := range []binding.File{{Name: "../id", Var: "K"}, {Name: "id", Var: "BAD NAME"}, {Name: "/etc/x", Var: "K"}} {
		r.Credential.Files = []binding.File{f}
		if out := w.run(r); out.Started || out.Failure.Code != binding.CodeBadBinding {
			t.Errorf("%+v: %+v", f, out)
		}
	}
}

func TestPackCannotRedirectItsProgram(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`env`, nil, map[string][]string{"x": {}})
	p.Manifest.Wrap.AgentEnv = map[string]string{
		"TOOL_OUTPUT": "json", "PATH": "/evil", "HOME": "/evil", "LD_PRELOAD": "/evil.so", "hcp_agent": "", "HCP_SANDBOX": "off",
		"TMPDIR": "/evil", "BASH_ENV": "/evil", "SSL_CERT_FILE": "/evil", "https_proxy": "http://evil", "LEDGER_MOCK": "1", "MOCK": "1",
		"NUL": "a\x00b", "BAD NAME": "x", "1X": "x",
	}
	out := w.run(w.request(p, "x", nil))
	vars := string(out.Stdout.Head)
	if strings.Contains(vars, "evil") || strings.Contains(vars, "MOCK") || !strings.Contains(vars, "TOOL_OUTPUT=json\n") || !strings.Contains(vars, "HCP_SANDBOX=sandbox\n") {
		t.Fatalf("%s", vars)
	}
	if len(out.Notes) != len(p.Manifest.Wrap.AgentEnv)-1 {
		t.Errorf("notes %q", out.Notes)
	}
}

func TestHomeVariablesAreNoWayAroundTheReservedNames(t *testing.T) {
	w := newWorld(t)
	reserved := []string{"PATH", "LD_PRELOAD", "hcp_agent", "BASH_ENV", "SSL_CERT_FILE", "BAD-NAME"}
	p := w.toolPack(`env`, &hcp.Workspace{Mode: hcp.WorkspacePrivate, HomeEnv: append([]string{"HOME", "TOOL_HOME"}, reserved...)}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	home := w.jail().Work
	for _, line := range strings.Split(string(out.Stdout.Head), "\n") {
		name, value, _ := strings.Cut(line, "=")
		if named := name == "HOME" || name == "TOOL_HOME"; value == home && !named && name != "PWD" || named && value != home {
			t.Errorf("%s", line)
		}
	}
	if len(out.Notes) != len(reserved) {
		t.Errorf("notes %q", out.Notes)
	}
}

func TestNativeLocalIsMarkedAndUsesTheHost(t *testing.T) {
	w := newWorld(t)
	w.options.Host = Host{Path: "/usr/bin:/bin:/opt/x", Home: w.home}
	p := w.toolPack(`env; pwd`, nil, map[string][]string{"x": {"{{a}}"}})
	r := w.request(p, "x", hcp.Args{"a": "/etc/hosts"})
	r.Sandbox = hcp.NativeLocal
	got := environmentOf(t, w, r)
	if got["HCP_SANDBOX"] != "native-local" || got["PATH"] != "/usr/bin:/bin:/opt/x" || got["HOME"] != w.home || got["HCP_AGENT"] != "1" {
		t.Fatalf("%v", got)
	}
	if os.Getenv("USER") != "" && got["USER"] != "" {
		t.Error("the host's environment was passed on")
	}
}

func TestInterpretersOutsideTheFixedPathComeFirst(t *testing.T) {
	r := adapter.Request{Bin: adapter.Bin{Path: "/opt/tool/bin/tool", Interpreters: []string{"/usr/bin/env", "/opt/node/bin/node"}}}
	if got := searchPath(r, Host{}); got != "/opt/node/bin:/usr/local/bin:/usr/bin:/bin:/opt/tool/bin" {
		t.Error(got)
	}
	r.Bin = adapter.Bin{Path: "/usr/bin/git"}
	if got := searchPath(r, Host{Path: "/evil"}); got != plainPath {
		t.Error(got)
	}
	r.Bin = adapter.Bin{Path: "/opt/a:b/tool"}
	if got := searchPath(r, Host{}); got != plainPath {
		t.Error(got)
	}
}

func TestProcessesLeftBehindAreEndedAndReported(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`( setsid sleep 60 >/dev/null 2>&1 & ) ; sleep 60 & echo done`, nil, map[string][]string{"x": {}})
	for _, mode := range []hcp.SandboxMode{hcp.Sandboxed, hcp.NativeLocal} {
		r := w.request(p, "x", nil)
		r.Sandbox = mode
		out := w.run(r)
		if out.Failure != nil || string(out.Stdout.Head) != "done\n" {
			t.Fatalf("%s: %+v", mode, out)
		}
		if !slices.ContainsFunc(out.Notes, func(n string) bool { return strings.Contains(n, "left behind were ended") }) {
			t.Errorf("%s: notes %q", mode, out.Notes)
		}
	}
}
