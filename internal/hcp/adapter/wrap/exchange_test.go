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

// converter copies its input to its result, in upper case.
const converter = `tr a-z A-Z < "$1" > "$3"; echo done`

func ephemeral() *hcp.Workspace { return &hcp.Workspace{Mode: hcp.WorkspaceEphemeral} }

func TestConverterReadsAndWritesTheCallersWorkspace(t *testing.T) {
	for _, withProject := range []bool{true, false} {
		w := newWorld(t)
		p := w.toolPack(converter, ephemeral(), map[string][]string{"x": {"{{in}}", "-o", "{{out}}"}})
		source := w.jail().Work
		if withProject {
			w.open()
			source = w.project
		}
		w.write(filepath.Join(source, "docs", "in.md"), "text", 0o644)
		w.write(filepath.Join(source, "other"), "untouched", 0o644)
		w.write(filepath.Join(source, "out", "r.txt"), "old", 0o640)
		out := w.run(w.request(p, "x", hcp.Args{"in": "workspace:docs/in.md", "out": "out/r.txt"}))
		if out.Failure != nil {
			t.Fatalf("%v, %s", out.Failure, out.Stderr.Head)
		}
		if got := w.read(filepath.Join(source, "out", "r.txt")); got != "TEXT" {
			t.Errorf("result %q", got)
		}
		if info, err := os.Stat(filepath.Join(source, "out", "r.txt")); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if !slices.Contains(out.Notes, `wrote "out/r.txt"`) {
			t.Errorf("notes %q", out.Notes)
		}
		leftovers, err := filepath.Glob(filepath.Join(source, "out", "*"))
		if err != nil || len(leftovers) != 1 {
			t.Errorf("%q, %v", leftovers, err)
		}
	}
}

func TestOnlyNamedFilesAreSeenByTheCall(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.write(filepath.Join(w.project, "in.md"), "text", 0o644)
	w.write(filepath.Join(w.project, "secret"), "s", 0o644)
	p := w.toolPack(`ls; cat "$HOME/../../../../../project/secret" 2>/dev/null; cat `+filepath.Join(w.project, "secret")+` 2>/dev/null; true`,
		ephemeral(), map[string][]string{"x": {"{{in}}"}})
	if got := w.lines(w.request(p, "x", hcp.Args{"in": "workspace:in.md"})); !slices.Equal(got, []string{"in.md"}) {
		t.Fatalf("%q", got)
	}
}

func TestDirectoriesAreCarriedWhole(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.write(filepath.Join(w.project, "src", "a", "1"), "one", 0o644)
	w.write(filepath.Join(w.project, "src", "2"), "two", 0o644)
	w.write(filepath.Join(w.project, "src", ".git", "config"), "x", 0o644)
	if err := os.Symlink("/etc/passwd", filepath.Join(w.project, "src", "link")); err != nil {
		t.Fatal(err)
	}
	p := w.toolPack(`cp -R "$1" "$3"; rm -f "$3/2"; echo new > "$3/3"; ln -s /etc/passwd "$3/evil"; mkdir "$3/.git"; echo x > "$3/.git/config"`,
		ephemeral(), map[string][]string{"x": {"{{in}}", "--output", "{{out}}"}})
	out := w.run(w.request(p, "x", hcp.Args{"in": "workspace:src", "out": "site"}))
	if out.Failure != nil {
		t.Fatalf("%v %s", out.Failure, out.Stderr.Head)
	}
	var got []string
	err := filepath.WalkDir(filepath.Join(w.project, "site"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.project, path)
			got = append(got, rel)
		}
		return err
	})
	if err != nil || !slices.Equal(got, []string{"site/3", "site/a/1"}) {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestFailedCommandReplacesNothing(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.write(filepath.Join(w.project, "r.txt"), "old", 0o644)
	p := w.toolPack(`echo half > "$2"; exit 1`, ephemeral(), map[string][]string{"x": {"-o", "{{out}}"}})
	out := w.run(w.request(p, "x", hcp.Args{"out": "r.txt"}))
	if out.Failure == nil || w.read(filepath.Join(w.project, "r.txt")) != "old" || len(out.Notes) != 1 {
		t.Fatalf("%+v", out)
	}
}

func TestResultsNeverReachOwnDataOrLeaveTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.mkdir(filepath.Join(w.project, ".git", "hooks"))
	if err := os.Symlink(w.home, filepath.Join(w.project, "out")); err != nil {
		t.Fatal(err)
	}
	p := w.toolPack(`echo evil > "$2"`, ephemeral(), map[string][]string{"x": {"-o", "{{out}}"}})
	for _, c := range []struct {
		out     string
		started bool
	}{
		{".git/hooks/pre-commit", false},
		{".GIT/hooks/pre-commit", false},
		{"sub/.git/config", false},
		{".git./hooks/x", false},
		{".hcp/access.json", false},
		{"workspace:.git/config", false},
		{"out/evil", true},
	} {
		out := w.run(w.request(p, "x", hcp.Args{"out": c.out}))
		if out.Started != c.started || out.Failure == nil || out.Failure.Code != CodeBadFile {
			t.Errorf("%s: started %v, %v", c.out, out.Started, out.Failure)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "evil")); err == nil {
		t.Error("a result left the workspace")
	}
	if entries, err := os.ReadDir(filepath.Join(w.project, ".git", "hooks")); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestInputThatLeavesTheWorkspaceIsRefused(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.write(filepath.Join(w.home, "secret"), "s", 0o600)
	if err := os.Symlink(filepath.Join(w.home, "secret"), filepath.Join(w.project, "in.md")); err != nil {
		t.Fatal(err)
	}
	p := w.toolPack(`cat "$1"`, ephemeral(), map[string][]string{"x": {"{{in}}"}})
	if out := w.run(w.request(p, "x", hcp.Args{"in": "workspace:in.md"})); out.Started || out.Failure.Code != CodeBadFile {
		t.Fatalf("%+v", out)
	}
}

func TestMissingInputIsTheProgramsComplaint(t *testing.T) {
	w := newWorld(t)
	p := w.toolPack(`cat "$1"`, ephemeral(), map[string][]string{"x": {"{{in}}"}})
	out := w.run(w.request(p, "x", hcp.Args{"in": "workspace:nothing.md"}))
	if !out.Started || out.Failure == nil || !strings.Contains(out.Failure.Message, "nothing.md") {
		t.Fatalf("%+v", out)
	}
}

func TestExchangeIsBounded(t *testing.T) {
	w := newWorld(t)
	file := w.write(filepath.Join(w.dir, "big"), strings.Repeat("x", 100), 0o644)
	from, err := os.OpenRoot(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenRoot(w.project)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	budget := int64(99)
	err = copyFile(to, from, filepath.Base(file), &budget)
	if got := (&exchange{}).problem("write", "big", err); fault.CodeOf(got) != CodeBadFile || !strings.Contains(got.Error(), "more than") {
		t.Fatal(got)
	}
	if entries, _ := os.ReadDir(w.project); len(entries) != 0 {
		t.Errorf("half a file was left: %v", entries)
	}
}
