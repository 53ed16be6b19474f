package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bridle/hcp"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/packs"
)

// base is a pack that no rule has anything to say about. Tests take it apart.
func base() map[string]string {
	return map[string]string{
		"surface.json": `{
  "id": "demo", "name": "Demo", "kind": "wrap", "cliBin": "demo",
  "binding": { "mode": "local", "hub": "local-credential" },
  "wrap": { "bin": "./bin/demo" },
  "verbs": {
    "find": { "description": "Find entries by a word and return their ids.", "cli": ["demo", "find", "{{query}}"],
      "args": { "type": "object", "properties": { "query": { "type": "string", "description": "A word of the entry, as the user says it", "examples": ["tea"] } }, "required": ["query"] } },
    "show": { "description": "Everything about the first entry, as one object.", "cli": ["demo", "show"],
      "title": { "live": "Looking", "done": ["Looked at {{result.id}}", "Looked"] } },
    "status": { "description": "Whether the store is reachable, with its size.", "cli": ["demo", "status"] },
    "add": { "description": "Add an entry by its text and return its id.", "cli": ["demo", "add", "{{text}}"],
      "args": { "type": "object", "properties": { "text": { "type": "string", "description": "What the entry says, in the user's words", "examples": ["tea at five"] } }, "required": ["text"] } },
    "send": { "description": "Send an entry to a person and return the receipt.", "cli": ["demo", "send", "{{entry_id}}", "--confirm"],
      "args": { "type": "object", "properties": { "entry_id": { "type": "string", "description": "Entry id as find returns it", "examples": ["e1"] } }, "required": ["entry_id"] },
      "preview": { "kind": "message", "title": "Send {{entry_id}}", "fields": { "body": "{{entry_id}}" } } }
  }
}`,
		"policy.json": `{
  "surface_id": "demo", "version": 1,
  "verbs": {
    "find": { "operation": "read", "privacy": { "land": "local" } },
    "show": { "operation": "read", "privacy": { "land": "local" } },
    "status": { "operation": "read", "privacy": { "land": "local" } },
    "add": { "operation": "write", "privacy": { "land": "local" } },
    "send": { "operation": "write", "privacy": { "land": "local" }, "confirm": true }
  },
  "stimuli": {}
}`,
		"HARNESS.md": "# HCP — Demo\n\nKeeps entries. Needs a login; run `demo status --json` first.\n\n## Hot path\n\n" +
			"| Command | CLI |\n|---|---|\n| `find` | x |\n| `show` | x |\n| `status` | x |\n| `add` | x |\n| `send` | x |\n\n" +
			"## Examples\n\n```bash\ndemo find tea --json\n```\n\n## Setup\n\nConnect it.\n\n## Anti-patterns\n\n- One.\n- Two.\n- Three.\n",
		"hcp.eval.json": `{"cases":[
  {"name":"find finds","verb":"find","args":{"query":"tea"},"expect":{"ok":true,"json":true,"contains":["e1"],"not_contains":["e2"],"max_tokens":50}},
  {"name":"send is refused","verb":"send","args":{"entry_id":"e1"},"expect":{"ok":false,"error":"confirm required"}},
  {"name":"send sends","verb":"send","args":{"entry_id":"e1","confirm":true}}
]}`,
		"bin/demo": `#!/bin/sh
case "$1" in
--help) echo "demo find|show|status|add|send" ;;
find) [ "$2" = --help ] && exec echo usage; echo '{"ids":["e1"]}' ;;
show) [ "$2" = --help ] && exec echo usage; echo '{"id":"e1"}' ;;
status) [ "$2" = --help ] && exec echo usage; echo '{"ok":true}' ;;
add|send) [ "$2" = --help ] && exec echo usage; echo '{"id":"e1"}' ;;
*) echo "demo: unknown command \"$1\"" >&2; exit 2 ;;
esac
`,
	}
}

func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// steady is a clock that goes on by a step each time it is looked at.
type steady struct {
	at   *time.Time
	step time.Duration
}

func (s steady) Now() time.Time {
	*s.at = s.at.Add(s.step)
	return *s.at
}

func options(t *testing.T, dir string) Options {
	t.Helper()
	return Options{
		Dir: dir, Shown: "demo", Temp: t.TempDir(), Clock: clock.System(), Timeout: time.Minute,
		Search: store.Search{Path: "/usr/bin:/bin"},
		Open: func(ctx context.Context, home string) (*local.Runtime, error) {
			return local.Open(ctx, local.Options{
				Home: home, UserHome: filepath.Dir(home), UserID: "uid-test", Agent: "HCP_AGENT", Dir: t.TempDir(), Path: "/usr/bin:/bin",
				AccountHome: func() (string, error) { return filepath.Dir(home), nil },
				Bundled:     packs.FS(), Clock: clock.System(), Program: "test",
			})
		},
	}
}

func rulesOf(r *Report) []string {
	found := []string{}
	for i := range r.Findings {
		if id := r.Findings[i].ID; !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}

func run(t *testing.T, o Options) *Report {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Fix == "" || f.Message == "" || f.Where.File == "" || f.Docs == "" {
			t.Errorf("%+v lacks something", f)
		}
	}
	return r
}

func TestGoodPackHasNothingToMend(t *testing.T) {
	o := options(t, lay(t, base()))
	o.Probe = true
	r := run(t, o)
	if len(r.Findings) != 0 || r.Score != 100 || r.Grade != "A" || !r.OK || !r.Ready {
		t.Fatalf("%s", r.Text())
	}
	if diff := cmp.Diff([]string{"structure", "static", "probe", "eval"}, r.Layers); diff != "" {
		t.Error(diff)
	}
	if r.Evals.Passed != 3 || r.Evals.Failed != 0 || len(r.Probes) != 10 {
		t.Errorf("%+v %+v", r.Evals, r.Probes)
	}
}

// change replaces a piece of one of the files.
type change struct{ file, old, new string }

// static lists, for each rule about the files, a change of the good pack that
// it is about, and its severity.
var static = map[string]struct {
	severity Severity
	changes  []change
}{
	"M001": {Warn, []change{{"surface.json", `    "status": { "description": "Whether the store is reachable, with its size.", "cli": ["demo", "status"] },`, ""}, {"policy.json", `    "status": { "operation": "read", "privacy": { "land": "local" } },`, ""}, {"HARNESS.md", "| `status` | x |\n", ""}}},
	"M002": {Error, []change{{"surface.json", `"show": {`, `"show_it": {`}, {"policy.json", `"show": {`, `"show_it": {`}, {"HARNESS.md", "`show`", "`show_it`"}}},
	"M003": {Error, []change{{"surface.json", `"show": {`, `"run": {`}, {"policy.json", `"show": {`, `"run": {`}, {"HARNESS.md", "`show`", "`run`"}}},
	"M004": {Error, []change{{"surface.json", "Everything about the first entry, as one object.", ""}}},
	"M005": {Warn, []change{{"surface.json", "Everything about the first entry, as one object.", "Run."}}},
	"M006": {Info, []change{{"surface.json", "as one object.", "as one object. It is long."}}},
	"M007": {Warn, []change{{"surface.json", `"Whether the store is reachable, with its size.", "cli": ["demo", "status"]`, `"Whether the store is reachable, with its size."`}}},
	"M008": {Warn, []change{{"surface.json", `["demo", "status"]`, `["other", "status"]`}}},
	"M010": {Error, []change{{"surface.json", `["demo", "status"]`, `["demo", "status", "{{argv}}"]`}}},
	"M011": {Warn, []change{{"surface.json", `"query"`, `"x"`}, {"surface.json", `"query"`, `"x"`}, {"surface.json", `{{query}}`, `{{x}}`}}},
	"M012": {Error, []change{{"surface.json", `"wrap": {`, `"pass_through": { "allowedSubcommands": ["x"] }, "wrap": {`}}},
	"M013": {Error, []change{{"surface.json", `"binding": { "mode": "local", "hub": "local-credential" },`, ""}}},
	"M014": {Warn, []change{{"surface.json", `{ "mode": "local", "hub": "local-credential" }`, `{ "mode": "public", "hub": "keyring" }`}}},
	"M015": {Error, []change{{"surface.json", `"Demo"`, `"ghp_0123456789abcdefghijABCDEFGHIJ012345"`}}},
	"M016": {Warn, []change{{"surface.json", `./bin/demo`, `/usr/bin/demo`}}},
	"M018": {Error, []change{{"surface.json", "Everything about the first entry", "Scaffold template: everything"}}},
	"M019": {Error, []change{{"surface.json", `./bin/demo`, `../bin/demo`}}},
	"M020": {Info, []change{{"surface.json", `, "examples": ["tea"]`, ""}}},
	"M021": {Warn, []change{{"surface.json", `["tea"]`, `["TODO query"]`}}},
	"M022": {Info, []change{{"surface.json", "Entry id as find returns it", "The entry id"}}},
	"M023": {Warn, []change{{"surface.json", `./bin/demo`, `demo-tool`}}},
	"M024": {Warn, []change{{"surface.json", `"kind": "message"`, `"kind": "massage"`}}},
	"M025": {Info, []change{{"policy.json", `"add": { "operation": "write", "privacy": { "land": "local" } }`, `"add": { "operation": "write", "privacy": { "land": "local" }, "confirm": true }`}}},
	"M026": {Warn, []change{{"surface.json", `"live": "Looking"`, `"live": "Looking at {{result.id}}"`}}},

	"P001": {Error, []change{{"surface.json", `"show": {`, `"delete": {`}, {"policy.json", `"show": {`, `"delete": {`}, {"HARNESS.md", "`show`", "`delete`"}}},
	"P002": {Error, []change{{"policy.json", `, "confirm": true`, ""}}},
	"P003": {Error, []change{{"policy.json", `"show": { "operation": "read", "privacy": { "land": "local" } }`, `"show": { "operation": "read", "privacy": { "land": "local" }, "confirm": true }`}}},
	"P004": {Warn, []change{{"surface.json", `, "--confirm"`, ""}}},
	"P005": {Warn, []change{{"surface.json", `"show": {`, `"connect": {`}, {"policy.json", `"show": {`, `"connect": {`}, {"HARNESS.md", "`show`", "`connect`"}}},
	"P006": {Warn, []change{{"surface.json", `"status": {`, `"size": {`}, {"policy.json", `"status": {`, `"size": {`}, {"HARNESS.md", "`status`", "`size`"}}},
	"P007": {Info, []change{{"surface.json", `"send": {`, `"pay": {`}, {"policy.json", `"send": {`, `"pay": {`}, {"HARNESS.md", "`send`", "`pay`"}, {"hcp.eval.json", `"verb":"send"`, `"verb":"pay"`}, {"hcp.eval.json", `"verb":"send"`, `"verb":"pay"`}}},

	"S001": {Warn, []change{{"HARNESS.md", "# HCP — Demo", "# Demo"}}},
	"S002": {Error, []change{{"HARNESS.md", "Keeps entries. Needs a login; run `demo status --json` first.", ""}}},
	"S003": {Warn, []change{{"HARNESS.md", "Keeps entries.", "Keeps entries" + strings.Repeat(" and more", 60) + "."}}},
	"S004": {Warn, []change{{"HARNESS.md", "Needs a login; run", "Run"}}},
	"S005": {Error, []change{{"HARNESS.md", "| `add` | x |\n", "\nAlso `add`.\n"}}},
	"S006": {Warn, []change{{"HARNESS.md", "demo find tea --json", "demo find tea"}}},
	"S007": {Warn, []change{{"HARNESS.md", "## Anti-patterns", "## Mistakes"}}},
	"S008": {Info, []change{{"HARNESS.md", "- Two.\n- Three.\n", ""}}},
	"S009": {Warn, []change{{"HARNESS.md", "Connect it.", "Connect it." + strings.Repeat("\n", screenLines)}}},
	"S010": {Warn, []change{{"HARNESS.md", "## Setup", "## Before"}}},
	"S011": {Info, []change{{"HARNESS.md", "## Setup\n\nConnect it.", "## Setup\n\nConnect it.\n\n## Triggers\n\nSoon."}}},

	"E001": {Warn, []change{{"hcp.eval.json", "", ""}}},
	"E002": {Error, []change{{"hcp.eval.json", `"verb":"find"`, `"verb":"fnd"`}}},
	"E003": {Warn, []change{{"hcp.eval.json", `{"entry_id":"e1"}`, `{"entry_id":"e1","confirm":true}`}}},
	"E004": {Warn, []change{{"hcp.eval.json", `"expect":{"ok":true,`, `"expect":{`}}},
	"E005": {Error, []change{{"hcp.eval.json", `{"cases"`, `{"cases":[],"cases"`}}},
}

func changed(t *testing.T, changes []change) map[string]string {
	t.Helper()
	files := base()
	for _, c := range changes {
		if c.old == "" && c.new == "" {
			delete(files, c.file)
			continue
		}
		if !strings.Contains(files[c.file], c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
	}
	return files
}

func TestEveryRuleAboutTheFilesFindsWhatItIsAbout(t *testing.T) {
	for _, id := range slices.Sorted(maps.Keys(static)) {
		c := static[id]
		o := options(t, lay(t, changed(t, c.changes)))
		o.SkipEval = true
		r := run(t, o)
		at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
		if at < 0 {
			t.Errorf("%s is not found:\n%s", id, r.Text())
			continue
		}
		if r.Findings[at].Severity != c.severity {
			t.Errorf("%s is %s, want %s", id, r.Findings[at].Severity, c.severity)
		}
	}
}

func TestOneCommandIsCountedInWords(t *testing.T) {
	for verbs, want := range map[string]string{
		`{"a":{}}`:               "1 command; 5 to 12 are the rule",
		`{"a":{},"b":{},"c":{}}`: "3 commands; 5 to 12 are the rule",
	} {
		var m hcp.Manifest
		if err := json.Unmarshal([]byte(`{"id":"x","kind":"wrap","verbs":`+verbs+`}`), &m); err != nil {
			t.Fatal(err)
		}
		f := &finder{}
		f.numberOfCommands(&m)
		if len(f.findings) != 1 || f.findings[0].Message != want {
			t.Errorf("%s: %+v", verbs, f.findings)
		}
	}
}

func TestMoreThanTwelveCommandsAreAnError(t *testing.T) {
	f := &finder{}
	files := base()
	more, rows := "", ""
	for _, key := range strings.Split("a1 a2 a3 a4 a5 a6 a7 a8", " ") {
		more += `"` + key + `": { "description": "Some words about it here.", "cli": ["demo", "show"] },`
		rows += `"` + key + `": { "operation": "read", "privacy": { "land": "local" } },`
	}
	files["surface.json"] = strings.Replace(files["surface.json"], `"find": {`, more+`"find": {`, 1)
	files["policy.json"] = strings.Replace(files["policy.json"], `"find": {`, rows+`"find": {`, 1)
	o := options(t, lay(t, files))
	o.SkipEval = true
	r := run(t, o)
	if at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "M001" }); at < 0 || r.Findings[at].Severity != Error {
		t.Error(r.Text())
	}
	if len(f.findings) != 0 {
		t.Error("findings are shared")
	}
}

// probes lists, for each rule about the program, a program that it is about.
func TestEveryRuleAboutTheProgramFindsWhatItIsAbout(t *testing.T) {
	good := base()["bin/demo"]
	for id, c := range map[string]struct {
		severity Severity
		old, new string
	}{
		"R002": {Warn, `--help) echo "demo find|show|status|add|send" ;;`, `--help) exit 3 ;;`},
		"R003": {Error, `exit 2 ;;`, `exit 0 ;;`},
		"R004": {Warn, `*) echo "demo: unknown command \"$1\"" >&2; exit 2 ;;`, `*) exit 2 ;;`},
		"R005": {Error, `echo '{"id":"e1"}' ;;` + "\nstatus", `exec tail -f /dev/null ;;` + "\nstatus"},
		"R006": {Error, `echo '{"ok":true}'`, `echo 'all is well'; echo '{"ok":true}'`},
		"R007": {Warn, `echo '{"ok":true}'`, `printf '\033[31mred\033[0m' >&2; echo '{"ok":true}'`},
		"R008": {Warn, `echo '{"ok":true}'`, `printf '["'; head -c 120000 /dev/zero | tr '\0' a; echo '"]'`},
		"R009": {Info, `echo '{"ok":true}'`, `printf '["'; head -c 40000 /dev/zero | tr '\0' a; echo '"]'`},
		"R011": {Warn, `echo '{"ok":true}'`, `echo '{"ok":true}'; exit 3`},
		"R013": {Error, `echo '{"id":"e1"}' ;;` + "\nstatus", `echo "no entry" >&2; exit 1 ;;` + "\nstatus"},
		"R014": {Error, "show) [", "shew) ["},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s: the program has no %q", id, c.old)
		}
		files := base()
		files["bin/demo"] = strings.Replace(good, c.old, c.new, 1)
		o := options(t, lay(t, files))
		o.Probe, o.SkipEval = true, true
		if id == "R005" {
			o.Timeout = 300 * time.Millisecond
		}
		r := run(t, o)
		at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == id })
		if at < 0 || r.Findings[at].Severity != c.severity {
			t.Errorf("%s:\n%s\n%+v", id, r.Text(), r.Probes)
		}
	}
}

func TestProgramThatIsNotThereIsFound(t *testing.T) {
	files := changed(t, []change{{"surface.json", `./bin/demo`, `no-such-program-anywhere`}})
	o := options(t, lay(t, files))
	o.Probe, o.SkipEval = true, true
	if r := run(t, o); !slices.Contains(rulesOf(r), "R001") || len(r.Probes) != 0 {
		t.Error(r.Text())
	}
}

// A place where the pack's program may not run tells nothing about the program.
func TestRefusalOfTheRuntimeIsNoFaultOfTheProgram(t *testing.T) {
	files := changed(t, []change{{"surface.json", `"./bin/demo"`, `"./bin/demo", "workspace": { "mode": "project" }`}})
	o := options(t, lay(t, files))
	o.Probe, o.SkipEval = true, true
	o.Open = func(ctx context.Context, home string) (*local.Runtime, error) {
		own := filepath.Dir(home) // the whole home folder is no project
		return local.Open(ctx, local.Options{
			Home: home, UserHome: own, UserID: "uid-test", Dir: own, Path: "/usr/bin:/bin",
			AccountHome: func() (string, error) { return own, nil },
			Bundled:     packs.FS(), Clock: clock.System(), Program: "test",
		})
	}
	r := run(t, o)
	if found := rulesOf(r); !slices.Equal(found, []string{"R012"}) || !strings.Contains(r.Findings[0].Message, "cannot be a project") || len(r.Probes) != 0 {
		t.Error(r.Text())
	}
}

func TestSlowReadIsMentionedAndReadsWithoutValuesAreLeftOut(t *testing.T) {
	files := changed(t, []change{{"surface.json", `, "examples": ["tea"]`, ""}})
	delete(files, "hcp.eval.json")
	o := options(t, lay(t, files))
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o.Probe, o.Clock = true, steady{&at, 4 * time.Second}
	r := run(t, o)
	skipped := slices.IndexFunc(r.Probes, func(p Probe) bool { return p.Name == "find" && p.Skipped == "no value for query" })
	if !slices.Contains(rulesOf(r), "R010") || skipped < 0 {
		t.Errorf("%s\n%+v", r.Text(), r.Probes)
	}
	// With no read left that could be called, that is mentioned.
	for _, key := range []string{"show", "status"} {
		files["policy.json"] = strings.Replace(files["policy.json"], `"`+key+`": { "operation": "read"`, `"`+key+`": { "operation": "write"`, 1)
	}
	o.Dir = lay(t, files)
	if r = run(t, o); !slices.Contains(rulesOf(r), "R012") {
		t.Error(r.Text())
	}
}

// Probes run no write.
func TestProbesRunNoWrite(t *testing.T) {
	files := base()
	files["bin/demo"] = strings.Replace(files["bin/demo"], "add|send) [ \"$2\" = --help ] && exec echo usage;", "add|send) [ \"$2\" = --help ] && exec echo usage; echo WROTE >&2;", 1)
	o := options(t, lay(t, files))
	o.Probe, o.SkipEval = true, true
	r := run(t, o)
	for _, p := range r.Probes {
		if strings.Contains(p.stderr, "WROTE") || p.key == "add" || p.key == "send" {
			t.Errorf("%+v", p)
		}
	}
}

// dialing is the variable by which this test's own program is a tool that tries
// to reach the address in it.
const dialing = "CHECK_TEST_DIAL"

func TestMain(m *testing.M) {
	if address := os.Getenv(dialing); address != "" {
		os.Exit(dial(address))
	}
	os.Exit(m.Run())
}

// dial says for help and for reads whether the address could be reached.
func dial(address string) int {
	reached := "reached"
	conn, err := net.Dial("tcp", address)
	if err != nil {
		reached = "closed"
	} else {
		_ = conn.Close()
	}
	fmt.Printf(`{"network":%q}`, reached)
	return 0
}

// Help is asked for without a network, a read has it where the caller says so,
// and a case has what any call has.
func TestOnlyReadsThatAreAllowedToUseTheNetwork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	tools := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(tools, "dialer"))
	}
	if err != nil {
		t.Fatal(err)
	}
	files := changed(t, []change{{"surface.json", `"./bin/demo"`, fmt.Sprintf(`"dialer", "agent_env": { %q: %q }`, dialing, listener.Addr())}})
	files["hcp.eval.json"] = `{"cases":[{"name":"a case","verb":"show","args":{},"expect":{"contains":["reached"]}}]}`
	for _, network := range []bool{false, true} {
		o := options(t, lay(t, files))
		o.Probe, o.Network, o.Search.Path = true, network, tools
		r := run(t, o)
		for _, p := range r.Probes {
			_, read := map[string]bool{"find": true, "show": true, "status": true}[p.key]
			want := "closed"
			if read && network {
				want = "reached"
			}
			if p.Skipped == "" && !strings.Contains(p.stdout, want) {
				t.Errorf("network %v: %s prints %q, want %q: %s", network, p.Name, p.stdout, want, p.stderr)
			}
		}
		if len(r.Probes) < 8 || r.Evals == nil || r.Evals.Passed != 1 {
			t.Errorf("network %v: %d probes, cases %+v\n%s", network, len(r.Probes), r.Evals, r.Text())
		}
	}
}

func TestIssuesOfLintAreErrorsAndKeepTheRestFromRunning(t *testing.T) {
	files := base()
	delete(files, "policy.json")
	o := options(t, lay(t, files))
	o.Probe = true
	r := run(t, o)
	if !slices.Contains(rulesOf(r), "L-missing_policy") || slices.Contains(r.Layers, "probe") || r.Evals != nil || r.OK {
		t.Error(r.Text())
	}
	if _, err := Run(t.Context(), options(t, filepath.Join(t.TempDir(), "none"))); err == nil {
		t.Error("a folder that is not there was checked")
	}
}

func TestScoreFollowsFromTheFindings(t *testing.T) {
	for _, c := range []struct {
		errors, warnings int
		score            int
		grade            string
		ready            bool
	}{{0, 0, 100, "A", true}, {0, 2, 92, "A", true}, {0, 3, 88, "B", false}, {1, 0, 88, "D", false}, {7, 2, 8, "F", false}, {3, 1, 60, "D", false}, {9, 9, 0, "F", false}, {0, 7, 72, "C", false}, {0, 9, 64, "D", false}} {
		r := &Report{Layers: []string{"static"}}
		f := &finder{}
		for range c.errors {
			f.add("M004", Error, surface(""), "m", "f")
		}
		for range c.warnings {
			f.add("S001", Warn, heading(""), "m", "f")
		}
		f.add("M006", Info, surface(""), "m", "f")
		r.Findings = f.findings
		r.close()
		if r.Score != c.score || r.Grade != c.grade || r.Ready != c.ready || r.OK != (c.errors == 0) || r.Summary.Info != 1 {
			t.Errorf("%+v: %+v", c, r)
		}
		if r.Categories["manifest"].Errors != c.errors || r.Categories["skill"].Warnings != c.warnings {
			t.Errorf("%+v", r.Categories)
		}
	}
}

func TestCasesAreJudgedByWhatTheyExpect(t *testing.T) {
	files := base()
	files["hcp.eval.json"] = `{"cases":[
{"name":"ok","verb":"show"},
{"name":"ok is false","verb":"show","expect":{"ok":false}},
{"name":"error","verb":"show","expect":{"error":"x"}},
{"name":"contains","verb":"show","expect":{"contains":["e9"]}},
{"name":"not contains","verb":"show","expect":{"not_contains":["e1"]}},
{"name":"json","verb":"show","expect":{"json":false}},
{"name":"tokens","verb":"show","expect":{"max_tokens":1}},
{"name":"ms","verb":"show","expect":{"max_ms":-1}},
{"name":"todo","verb":"find","args":{"query":"TODO query"}},
{"name":"no command","verb":"none"},
{"name":"refusal without confirm","verb":"send","args":{"entry_id":"x"},"expect":{"ok":false,"error":"confirm required"}}
]}`
	id, evals, issues, err := Evaluate(t.Context(), options(t, lay(t, files)))
	if err != nil || id != "demo" || issues != nil {
		t.Fatal(err, id, issues)
	}
	var passed []string
	for _, c := range evals.Cases {
		if c.OK {
			passed = append(passed, c.Name)
		} else if len(c.Why) == 0 {
			t.Errorf("%s fails without a reason", c.Name)
		}
	}
	if diff := cmp.Diff([]string{"ok", "refusal without confirm"}, passed); diff != "" || evals.Passed != 2 || evals.Failed != 9 {
		t.Error(diff)
	}
	delete(files, "hcp.eval.json")
	if _, _, _, err := Evaluate(t.Context(), options(t, lay(t, files))); !fault.Is(err, CodeNoEvals) {
		t.Error(err)
	}
	delete(files, "HARNESS.md")
	if _, evals, issues, err := Evaluate(t.Context(), options(t, lay(t, files))); err != nil || evals != nil || len(issues) == 0 {
		t.Error(evals, issues, err)
	}
}

func TestCaseThatRunsPastTheLimitFails(t *testing.T) {
	files := base()
	files["bin/demo"] = "#!/bin/sh\nexec tail -f /dev/null\n"
	files["hcp.eval.json"] = `{"cases":[{"name":"hangs","verb":"show","expect":{"ok":false}}]}`
	o := options(t, lay(t, files))
	o.Timeout = 300 * time.Millisecond
	_, evals, _, err := Evaluate(t.Context(), o)
	if err != nil || evals.Failed != 1 || !strings.Contains(evals.Cases[0].Why[0], "past the limit") {
		t.Errorf("%+v %v", evals, err)
	}
}

func TestStarterIsWrittenOnceAndFitsThePack(t *testing.T) {
	files := base()
	delete(files, "hcp.eval.json")
	files["surface.json"] = strings.Replace(files["surface.json"], `, "examples": ["tea"]`, "", 1)
	dir := lay(t, files)
	written, n, err := InitEvals(dir)
	if err != nil || !written || n != 4 {
		t.Fatal(written, n, err)
	}
	cases, err := ReadCases(dir)
	if err != nil || len(cases) != 4 {
		t.Fatal(cases, err)
	}
	if cases[0].Args["query"] != "TODO query" || *cases[0].Expect.MaxMS != 3000 || *cases[0].Expect.MaxTokens != 5000 || !*cases[0].Expect.JSON || !cases[0].succeeds() {
		t.Errorf("%+v", cases[0])
	}
	if last := cases[3]; last.Verb != "send" || last.Args["entry_id"] != "e1" || !last.refuses() || last.Expect.Error != "confirm required" {
		t.Errorf("%+v", last)
	}
	if written, _, err := InitEvals(dir); err != nil || written {
		t.Error("a file that was there was written over", err)
	}
}

func TestPercentilesAreThoseOfTheNearestRank(t *testing.T) {
	list := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if percentile(list, 50) != 5 || percentile(list, 95) != 10 || percentile(list[:1], 50) != 1 || percentile(nil, 95) != 0 {
		t.Error(percentile(list, 50), percentile(list, 95))
	}
}

func TestAgentGetsErrorsFirstAndALoop(t *testing.T) {
	files := changed(t, []change{{"policy.json", `, "confirm": true`, ""}, {"HARNESS.md", "# HCP — Demo", "# Demo"}})
	r := run(t, options(t, lay(t, files)))
	text := r.Markdown()
	e, w := strings.Index(text, "## Fix now (errors)"), strings.Index(text, "## Then fix (warnings)")
	if e < 0 || w < e || !strings.Contains(text, "2. **policy.json `/verbs/send`** (P002): ") || !strings.Contains(text, "   Do: Add \"confirm\": true.") ||
		!strings.Contains(text, "| Case | Result |") || !strings.Contains(text, "run `hcpx check demo --probe --agent` again") {
		t.Error(text)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"where":{"file":"policy.json","pointer":"/verbs/send"}`) {
		t.Error(string(data), err)
	}
}

func TestGoldPacksPassTheStaticRules(t *testing.T) {
	known := map[string][]string{"echo": {"M001"}, "hcp-cli": {"M001"}}
	for _, id := range packs.IDs() {
		o := options(t, filepath.Join("../../../packs", id))
		o.SkipEval = true
		r := run(t, o)
		got := slices.DeleteFunc(rulesOf(r), func(rule string) bool {
			return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == rule && f.Severity == Info })
		})
		if diff := cmp.Diff(append([]string{}, known[id]...), got); diff != "" {
			t.Errorf("%s:\n%s", id, r.Text())
		}
	}
}

// A cancelled check is no report.
func TestCancelledCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := options(t, lay(t, base()))
	o.Probe = true
	if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", r, err)
	}
}

func FuzzReadCases(f *testing.F) {
	f.Add([]byte(base()["hcp.eval.json"]))
	f.Add([]byte(`{"cases":[{"name":"a","verb":"b","args":{"c":null}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, EvalFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := ReadCases(dir)
		if err != nil {
			return
		}
		for i := range cases {
			if cases[i].Name == "" || cases[i].Verb == "" {
				t.Fatalf("%+v", cases[i])
			}
			_, _ = cases[i].succeeds(), cases[i].refuses()
		}
	})
}
