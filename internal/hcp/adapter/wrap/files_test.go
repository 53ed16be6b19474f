package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// show prints where the program runs and the words it got.
const show = `pwd; printf '%s\n' "$HOME"; for a; do printf '%s\n' "$a"; done`

func TestWorkingDirectoryAndHomeOfEachMode(t *testing.T) {
	for _, mode := range []hcp.WorkspaceMode{"", hcp.WorkspaceNone, hcp.WorkspaceProject, hcp.WorkspacePrivate, hcp.WorkspaceEphemeral} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t)
			w.open()
			var ws *hcp.Workspace
			if mode != "" {
				ws = &hcp.Workspace{Mode: mode}
			}
			p := w.toolPack(show, ws, map[string][]string{"x": {}})
			got, jail := w.lines(w.request(p, "x", nil)), w.jail()
			want := map[hcp.WorkspaceMode][]string{
				"": {p.Dir, jail.Home}, hcp.WorkspaceNone: {p.Dir, jail.Home},
				hcp.WorkspaceProject: {w.project, jail.Home}, hcp.WorkspacePrivate: {jail.Work, jail.Work},
			}[mode]
			if mode == hcp.WorkspaceEphemeral {
				again := w.lines(w.request(p, "x", nil))
				if got[0] == again[0] || got[1] != jail.Home || !strings.Contains(got[0], "call-") {
					t.Fatalf("%q, then %q", got, again)
				}
				if _, err := os.Stat(got[0]); !os.IsNotExist(err) {
					t.Error("the directory of the call is still there")
				}
				return
			}
			if !slices.Equal(got, want) {
				t.Fatalf("got %q, want %q", got, want)
			}
		})
	}
}

func TestHomeVariablesNameTheHomeOfTheMode(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`printf '%s\n' "$HOME" "$TOOL_HOME"`, &hcp.Workspace{Mode: hcp.WorkspacePrivate, HomeEnv: []string{"TOOL_HOME"}}, map[string][]string{"x": {}})
	if got, jail := w.lines(w.request(p, "x", nil)), w.jail(); !slices.Equal(got, []string{jail.Work, jail.Work}) {
		t.Fatalf("%q", got)
	}
}

func TestPrincipalsHaveHomesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`echo "$HOME"`, nil, map[string][]string{"x": {}})
	homes := map[string]bool{}
	for _, scope := range []hcp.AuthzContext{
		{Principal: hcp.Principal{ID: "ann"}, TenantID: hcp.LocalTenant},
		{Principal: hcp.Principal{ID: "bob"}, TenantID: hcp.LocalTenant},
		{Principal: hcp.Principal{ID: "ann"}, TenantID: "acme"},
		{Principal: hcp.Principal{ID: `acme" "ann`}, TenantID: "x"},
		{Principal: hcp.Principal{ID: "ann"}, TenantID: `x" "acme`},
	} {
		r := w.request(p, "x", nil)
		r.Scope = scope
		homes[w.lines(r)[0]] = true
	}
	if len(homes) != 5 {
		t.Fatalf("%v", homes)
	}
}

func TestProjectModeNeedsAProject(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`: > ran`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Started || out.Failure.Code != "no_project" || out.Failure.Hint == "" {
		t.Fatalf("%+v", out)
	}
}

// rewriting is one word in one mode. P stands for the project, J for the lasting
// work directory.
type rewriting struct {
	mode  hcp.WorkspaceMode
	words []string // of cli[], with one {{a}}
	value string
	want  []string // nil: refused
}

func TestFileWordsLeadIntoThePlace(t *testing.T) {
	const none, project, private, ephemeral = hcp.WorkspaceNone, hcp.WorkspaceProject, hcp.WorkspacePrivate, hcp.WorkspaceEphemeral
	bare, out, file, long := []string{"{{a}}"}, []string{"-o", "{{a}}"}, []string{"--file", "{{a}}"}, []string{"--output={{a}}"}
	for _, c := range []rewriting{
		{none, bare, "workspace:in.md", []string{"J/in.md"}},
		{none, bare, "workspace:sub/../in.md", []string{"J/in.md"}},
		{private, bare, "workspace:sub/in.md", []string{"sub/in.md"}},
		{ephemeral, bare, "workspace:in.md", []string{"in.md"}},
		{project, bare, "workspace:docs/in.md", []string{"docs/in.md"}},
		{private, []string{"--in={{a}}"}, "workspace:in.md", []string{"--in=in.md"}},
		{none, bare, "workspace:../x", nil},
		{private, bare, "workspace:/etc/passwd", nil},
		{project, bare, "workspace:..", nil},
		{ephemeral, bare, "workspace:", nil},

		{none, file, "bin/tool", []string{"--file", "bin/tool"}},
		{none, file, "other", []string{"--file", "J/other"}},
		{none, out, "bin/tool", []string{"-o", "J/bin/tool"}},
		{private, out, "r.json", []string{"-o", "r.json"}},
		{private, long, "sub/r.json", []string{"--output=sub/r.json"}},
		{project, file, "docs/in.md", []string{"--file", "docs/in.md"}},
		{project, file, "../elsewhere", nil},
		{private, file, "../elsewhere", nil},
		{ephemeral, file, "a/../../b", nil},
		{project, file, "P/docs/in.md", []string{"--file", "docs/in.md"}},
		{private, file, "P/docs/in.md", nil},
		{private, file, "/tmp/x", nil},
		{private, file, "/dev/null", []string{"--file", "/dev/null"}},
		{private, file, "-", []string{"--file", "-"}},
		{private, file, "file:///tmp/x", nil},
		{private, []string{"-o", "json", "{{a}}"}, "x", []string{"-o", "json", "x"}},

		{private, bare, "/etc/passwd", nil},
		{private, bare, "/home/ann/.ssh/id", nil},
		{private, bare, "/root", nil},
		{private, bare, "/Users/ann/x", nil},
		{private, bare, "//etc//passwd", nil},
		{private, bare, "/usr/../etc/passwd", nil},
		{private, bare, "file:///etc/passwd", nil},
		{private, []string{"--in={{a}}"}, "/etc/passwd", nil},
		{private, bare, "name=/etc/passwd", nil},
		{private, bare, "@/etc/passwd", nil},
		{private, bare, "../../../../../../../../../../etc/passwd", nil},
		{private, bare, "x/../../y", nil},
		{private, bare, "..", nil},
		{private, bare, "..main", []string{"..main"}},
		{private, bare, "look at /etc/passwd", []string{"look at /etc/passwd"}},
		{private, bare, "/etcetera", []string{"/etcetera"}},
		{private, bare, "/usr/share/dict", []string{"/usr/share/dict"}},
		{project, bare, "P/docs/in.md", []string{"docs/in.md"}},
		{project, bare, "P//docs/./in.md", []string{"docs/in.md"}},
		{project, []string{"--in={{a}}"}, "P/docs/in.md", []string{"--in=docs/in.md"}},
		{project, bare, "P", []string{"."}},
		{project, bare, "P/../../.ssh/id", nil},
		{project, bare, "P-other/x", nil},
		{project, bare, "../../.ssh/id", nil},
		{project, bare, "docs/../docs/in.md", []string{"docs/../docs/in.md"}},
	} {
		t.Run(string(c.mode)+" "+strings.Join(c.words, " ")+" "+c.value, func(t *testing.T) { c.check(t) })
	}
}

// check rewrites the words for a project that need not exist, below one of the
// host's own directories.
func (c rewriting) check(t *testing.T) {
	const dir, work = "/home/nobody.example/project", "/home/nobody.example/.hcp/jails/tool/work"
	w := newWorld(t)
	p := w.toolPack("", &hcp.Workspace{Mode: c.mode}, map[string][]string{"x": c.words})
	s := &stay{mode: c.mode, pack: p.Dir, confined: true, files: work, place: Place{Dir: work}}
	if c.mode == hcp.WorkspaceProject {
		s.project = &Project{Dir: dir, Root: dir}
		s.place.Dir, s.files = dir, dir
	}
	value := strings.Replace(c.value, "P", dir, 1)
	got, err := s.Rewrite(w.request(p, "x", hcp.Args{"a": value}).Argv.Tokens)
	if c.want == nil {
		if fault.CodeOf(err) != CodeHostPath || err.Error() != "sandbox: host path not allowed" {
			t.Fatalf("got %q, %v", got, err)
		}
		return
	}
	want := make([]string, len(c.want))
	for i, word := range c.want {
		want[i] = strings.ReplaceAll(word, "J/", work+"/")
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

func TestLinkOfTheProjectDoesNotWidenIt(t *testing.T) {
	w := newWorld(t)
	project := w.open()
	w.write(filepath.Join(w.home, "secret"), "s", 0o600)
	if err := os.Symlink(w.home, filepath.Join(w.project, "out")); err != nil {
		t.Fatal(err)
	}
	p := w.toolPack(`cat "$2"`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"flag": {"--file", "{{a}}"}, "bare": {"x", "{{a}}"}})
	for _, c := range []struct{ key, value string }{
		{"flag", filepath.Join(project.Dir, "out", "secret")},
		{"bare", filepath.Join(project.Dir, "out", "secret")},
		{"flag", "out/secret"},
		{"bare", "out/secret"},
		{"bare", "./out/secret"},
		{"flag", "workspace:out/secret"},
		{"bare", "workspace:out/secret"},
	} {
		out := w.run(w.request(p, c.key, hcp.Args{"a": c.value}))
		if out.Started || out.Failure == nil || out.Failure.Code != CodeHostPath {
			t.Errorf("%s %s: %+v", c.key, c.value, out)
		}
	}
	// What the words do not show, the sandbox refuses.
	p = w.toolPack(`cat "$2/secret"`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"bare": {"x", "{{a}}"}})
	out := w.run(w.request(p, "bare", hcp.Args{"a": "out"}))
	if out.Failure == nil || !out.Started || len(out.Stdout.Head) != 0 {
		t.Errorf("the secret was read: %+v", out)
	}
}

func TestOutsideTheSandboxPathsAreTheUsersOwn(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`for a; do printf '%s\n' "$a"; done`, nil, map[string][]string{"x": {"{{a}}", "--file", "{{b}}"}})
	r := w.request(p, "x", hcp.Args{"a": "/etc/hosts", "b": "/etc/hosts"})
	r.Sandbox = hcp.NativeLocal
	if got := w.lines(r); !slices.Equal(got, []string{"/etc/hosts", "--file", "/etc/hosts"}) {
		t.Fatalf("%q", got)
	}
}

// However a path of the host is spelled, the answer is the same.
func TestEverySpellingOfAHostPathIsRefused(t *testing.T) {
	w := newWorld(t)
	w.open()
	if err := os.Symlink("/etc", filepath.Join(w.project, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/usr/bin", filepath.Join(w.project, "tools")); err != nil {
		t.Fatal(err)
	}
	for _, flag := range [][]string{{"{{file}}"}, {"--file", "{{file}}"}, {"--file={{file}}"}, {"-o", "{{file}}"}} {
		p := w.toolPack(`: > ran`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": flag})
		for _, path := range []string{
			"/etc/hostname", "//etc/hostname", "out/hostname", "./out/hostname", "workspace:out/hostname", "workspace:./out/hostname",
			filepath.Join(w.project, "out/hostname"), "/proc/self/root/etc/hostname", "/proc/self/../self/root/etc/hostname",
			"file:///proc/self/root/etc/hostname", "/proc/thread-self/root/etc/hostname",
		} {
			out := w.run(w.request(p, "x", hcp.Args{"file": path}))
			if out.Started || out.Failure == nil || out.Failure.Code != CodeHostPath {
				t.Errorf("%q, %s: %+v", flag, path, out.Failure)
			}
		}
	}
	p := w.toolPack(`true`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {"{{text}}"}})
	for _, text := range []string{"a word", "tools", "sub/new", "/proc/self/status", strings.Repeat("a/", 40_000)} {
		if out := w.run(w.request(p, "x", hcp.Args{"text": text})); out.Failure != nil {
			t.Errorf("%.40s: %v", text, out.Failure)
		}
	}
}
