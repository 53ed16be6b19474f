package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/binding"
)

// tries is a script that attempts things and says which of them worked. Each
// line is a name and a command.
func tries(lines ...string) string {
	var script strings.Builder
	for i := 0; i < len(lines); i += 2 {
		script.WriteString("if ( " + lines[i+1] + " ) >/dev/null 2>&1; then echo '" + lines[i] + "'; fi\n")
	}
	return script.String()
}

func TestProgramReachesItsPlaceAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		mode hcp.WorkspaceMode
		want []string
	}{
		{hcp.WorkspaceNone, []string{"read pack", "write home", "write tmp"}},
		{hcp.WorkspaceProject, []string{"read pack", "write home", "write tmp", "read project", "write project"}},
		{hcp.WorkspacePrivate, []string{"read pack", "write home", "write tmp"}},
		{hcp.WorkspaceEphemeral, []string{"read pack", "write home", "write tmp"}},
	} {
		t.Run(string(c.mode), func(t *testing.T) {
			w := newWorld(t)
			w.open()
			w.write(filepath.Join(w.home, ".ssh", "id"), "key", 0o600)
			w.write(filepath.Join(w.store, "packs", "other", "surface.json"), "{}", 0o644)
			w.write(filepath.Join(w.store, "state.json"), "{}", 0o600)
			w.write(filepath.Join(w.store, "jails", "other", "ann", "home", "token"), "t", 0o600)
			w.write(filepath.Join(w.project, "file"), "x", 0o644)
			pack := filepath.Join(w.store, "packs", "tool")
			p := w.toolPack(tries(
				"read pack", "cat "+pack+"/surface.json",
				"write pack", "echo x >> "+pack+"/policy.json",
				"add to pack", "echo x > "+pack+"/new",
				"write own script", "echo x >> "+pack+"/bin/tool",
				"write home", `echo x > "$HOME/f"`,
				"write tmp", `echo x > "$TMPDIR/f"`,
				"read project", "cat "+w.project+"/file",
				"write project", "echo x > "+w.project+"/new",
				"read ssh", "cat "+w.home+"/.ssh/id",
				"list home", "ls "+w.home,
				"read other pack", "cat "+w.store+"/packs/other/surface.json",
				"read state", "cat "+w.store+"/state.json",
				"write state", "echo x > "+w.store+"/state.json",
				"read other jail", "cat "+w.store+"/jails/other/ann/home/token",
				"write anywhere", "echo x > "+w.dir+"/f",
				"read shadow", "cat /etc/shadow",
				"read environment of the parent", "cat /proc/$PPID/environ",
			), &hcp.Workspace{Mode: c.mode}, map[string][]string{"x": {}})
			if got := w.lines(w.request(p, "x", nil)); !slices.Equal(got, c.want) {
				t.Errorf("worked: %q\nwant    %q", got, c.want)
			}
		})
	}
}

func TestOnlyDeclaredPlacesOfTheMachineAreReached(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.home, ".config", "tool", "login"), "token", 0o600)
	w.write(filepath.Join(w.home, ".config", "other", "login"), "token", 0o600)
	p := w.toolPack(tries(
		"read login", `cat "$HOME/.config/tool/login"`,
		"write login", `echo new > "$HOME/.config/tool/login"`,
		"read other login", "cat "+w.home+"/.config/other/login",
		"read missing", `cat "$HOME/.missing/login"`,
	), nil, map[string][]string{"x": {}})
	r := w.request(p, "x", nil)
	reach := binding.Reach{Path: filepath.Join(w.home, ".config", "tool"), Home: ".config/tool"}
	r.Credential = binding.Credential{Mode: hcp.BindingLocal, Reach: []binding.Reach{reach, {Path: filepath.Join(w.home, ".missing"), Home: ".missing"}}}
	if got := w.lines(r); !slices.Equal(got, []string{"read login"}) {
		t.Errorf("read-only: %q", got)
	}
	r.Credential.Reach[0].Write = true
	if got := w.lines(r); !slices.Equal(got, []string{"read login", "write login"}) {
		t.Errorf("writable: %q", got)
	}
	if got := w.read(filepath.Join(w.home, ".config", "tool", "login")); got != "new\n" {
		t.Errorf("login %q", got)
	}
	r.Credential.Reach = nil
	if got := w.lines(r); len(got) != 1 || got[0] != "" {
		t.Errorf("without reach: %q", got)
	}
}

func TestWholeHomeOrStoreIsNeverReached(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`cat "$HOME/x/state.json"`, nil, map[string][]string{"x": {}})
	link := filepath.Join(w.dir, "link")
	if err := os.Symlink(w.store, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", w.dir, w.home, w.store, filepath.Join(w.store, "packs"), link} {
		r := w.request(p, "x", nil)
		r.Credential.Reach = []binding.Reach{{Path: path, Home: "x"}}
		if out := w.run(r); out.Started || out.Failure.Code != binding.CodeBadBinding {
			t.Errorf("%s: %+v", path, out)
		}
	}
	r := w.request(p, "x", nil)
	r.Credential.Reach = []binding.Reach{{Path: w.project, Home: "../x"}}
	if out := w.run(r); out.Started || out.Failure.Code != binding.CodeBadBinding {
		t.Errorf("%+v", out)
	}
}

// What the program leaves in its private home does not lead the next call
// anywhere.
func TestPlantedLinksInTheHomeLeadNowhere(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.home, ".config", "tool", "login"), "token", 0o600)
	w.write(filepath.Join(w.home, "secret", "login"), "secret", 0o600)
	p := w.toolPack(`rm -rf "$HOME/.config"; ln -s `+w.home+`/secret "$HOME/.config"; cat "$HOME/.config/login" 2>/dev/null; true`, nil, map[string][]string{"x": {}})
	r := w.request(p, "x", nil)
	r.Credential.Reach = []binding.Reach{{Path: filepath.Join(w.home, ".config", "tool"), Home: ".config/tool", Write: true}}
	if got := w.lines(r); got[0] != "" {
		t.Fatalf("%q", got)
	}
	if out := w.run(r); out.Started || out.Failure == nil {
		t.Fatalf("a link was followed out of the home: %+v", out)
	}
	if entries, err := os.ReadDir(filepath.Join(w.home, "secret")); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestHostileOutputIsCountedAndBounded(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`case "$1" in
flood) yes 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde | head -c 67108864 ;;
invalid) printf 'a\377\376b' ;;
nothing) : ;;
esac`, nil, map[string][]string{"flood": {"flood"}, "invalid": {"invalid"}, "nothing": {"nothing"}})
	out := w.run(w.request(p, "flood", nil))
	if out.Failure != nil || out.Stdout.Size != 64<<20 || len(out.Stdout.Head) != 16<<20 || !out.Stdout.Truncated() {
		t.Fatalf("%v, %d of %d", out.Failure, len(out.Stdout.Head), out.Stdout.Size)
	}
	if out := w.run(w.request(p, "invalid", nil)); out.Failure != nil || string(out.Stdout.Head) != "a\xff\xfeb" {
		t.Fatalf("%+v", out)
	}
	if out := w.run(w.request(p, "nothing", nil)); out.Failure != nil || out.Stdout.Size != 0 {
		t.Fatalf("%+v", out)
	}
}
