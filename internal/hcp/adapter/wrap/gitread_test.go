package wrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
)

// read is a call of a command whose Policy says that it reads.
func (w *world) readCall(script string, words ...string) adapter.Outcome {
	w.t.Helper()
	p := w.toolPack(script, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": words})
	r := w.request(p, "x", nil)
	r.Operation = hcp.OperationRead
	return w.run(r)
}

func TestReadCannotChangeTheProject(t *testing.T) {
	w, _ := guarded(t, "")
	before := w.state(w.project)
	for name, script := range map[string]string{
		"new file":    `echo x > new`,
		"hook":        `echo evil > .git/hooks/post-checkout`,
		"setting":     `echo evil >> .git/config`,
		"removal":     `rm .git/hooks/pre-commit`,
		"new folder":  `mkdir -p n/.git`,
		"exchange":    `mv .git g`,
		"hard link":   `ln .git/config other`,
		"truncation":  `true > .git/config`,
		"in the tree": `cd .git && echo x > y`,
	} {
		out := w.readCall(script + " || exit 9")
		if out.Failure == nil || *out.ExitCode != 9 || !strings.Contains(strings.Join(out.Notes, ""), "the project was read-only") {
			t.Errorf("%s: %v, %q", name, out.Failure, out.Notes)
		}
	}
	if after := w.state(w.project); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func TestReadSeesTheProjectAndMayKeepThingsInItsHome(t *testing.T) {
	w, _ := guarded(t, "")
	w.write(filepath.Join(w.project, "run"), "#!/bin/sh\necho ran\n", 0o755)
	out := w.readCall(`cat .git/config > "$HOME/copy" && ./run && test -s "$HOME/copy" && : > "$TMPDIR/x"`)
	if out.Failure != nil || string(out.Stdout.Head) != "ran\n" {
		t.Fatalf("%v, %s", out.Failure, out.Stderr.Head)
	}
}

// What a read costs does not grow with the project: nothing of it is looked at.
func TestReadLooksAtNothingOfTheProject(t *testing.T) {
	w, _ := guarded(t, "")
	w.write(filepath.Join(w.project, ".git", "config"), plainConfig+strings.Repeat("#", maxGuarded), 0o644)
	if out := w.readCall(`true`); out.Failure != nil {
		t.Fatal("a read was refused for what only a write has to be guarded against:", out.Failure)
	}
	left, err := filepath.Glob(filepath.Join(w.local.Guard.Dir, "*"+baselineSuffix))
	if err != nil || len(left) != 0 {
		t.Fatalf("a read left %q", left)
	}
}

// A word that names a file may name one to write, so that such a read is watched
// like a write instead.
func TestReadThatNamesAFileMayWriteAndIsWatched(t *testing.T) {
	w, _ := guarded(t, "")
	if out := w.readCall(`echo x > "$2"`, "--output", "report"); out.Failure != nil || w.read(filepath.Join(w.project, "report")) != "x\n" {
		t.Fatalf("%v, %s", out.Failure, out.Stderr.Head)
	}
	out := w.readCall(`echo evil > .git/hooks/post-checkout`, "--output", "report")
	if out.Failure == nil || out.Failure.Code != CodeGitConfigChanged {
		t.Fatalf("%+v", out)
	}
	if _, err := os.Lstat(filepath.Join(w.project, ".git", "hooks", "post-checkout")); !os.IsNotExist(err) {
		t.Fatal("the hook is there")
	}
}

func BenchmarkReadInAProjectOfTenThousandFiles(b *testing.B) {
	w := tenThousandFiles(b)
	r := adapter.Request{Operation: hcp.OperationRead, Sandbox: hcp.Sandboxed}
	for b.Loop() {
		s := &stay{mode: hcp.WorkspaceProject, confined: true, reads: readsOnly(r)}
		if err := w.local.watch(b.Context(), s); err != nil {
			b.Fatal(err)
		}
		s.Cleanup()
	}
}
