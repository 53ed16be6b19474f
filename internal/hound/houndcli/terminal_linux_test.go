package houndcli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/hound/houndcli"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

// atTerminal runs a command whose output is a terminal, and returns what a
// person sees.
func atTerminal(t *testing.T, root string, words ...string) (out, errOut string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code = houndcli.App().Run(context.Background(), cli.Invocation{
		Program: "hound", Executable: self, Args: words, Env: cli.NewEnv([]string{"NO_COLOR=1"}), Dir: root,
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Clock:    clock.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		Terminal: cli.Terminal{Stdout: true, Stderr: true, Width: 100},
	})
	return stdout.String(), stderr.String(), code
}

func TestPeopleReadSentencesAndDiffs(t *testing.T) {
	root := notesProject(t)
	commit(t, root)
	dir := t.TempDir()
	plan, approval := filepath.Join(dir, "plan.json"), filepath.Join(dir, "approval.json")
	const manifest = "hound-driver.json"
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"plan", "--driver", manifest, "--operation", "notes.write", "--json", `{"text":"x"}`, "--as-of", "2026-01-02", "--output", plan}, []string{"planned  "}},
		{[]string{"invoke", "--driver", manifest, "--operation", "notes.read"}, []string{"completed  nothing was changed\n", "data\n{\n  \"keep\": \"", "receipt ", "cleanup nothing of the driver is left, proven by "}},
		{[]string{"show", plan}, []string{"notes notes.write  as of 2026-01-02, outcome planned", "gate       human", "create notes/today.txt  0644", "@@ -0,0 +1 @@\n+good day\n"}},
		{[]string{"explain", plan, "--driver", manifest}, []string{"holds  "}},
		{[]string{"approve", "--plan", plan, "--reviewer", "A\x1b[31m", "--output", approval}, []string{`approved  `, `by A\x1b[31m`, "next: hound execute "}},
		{[]string{"execute", "--driver", manifest, "--plan", plan, "--approval", approval}, []string{"completed  1 file changed, exactly as planned", "  notes/today.txt", "record ", "next: hound verify .hound/runs/"}},
		{[]string{"runs"}, []string{"ok", "notes notes.write, approved by A\\x1b[31m", "1 file"}},
		{[]string{"gc", "--keep", "0", "--dry-run"}, []string{"would remove 1 record"}},
		{[]string{"driver", "check", "--driver", manifest}, []string{"\"outcome\": \"completed\""}},
		{[]string{"doctor"}, []string{"ok  supervisor", "ok  snapshot"}},
		{[]string{"help"}, []string{"guarded writes", "carry out a plan that still holds"}},
	} {
		out, errOut, code := atTerminal(t, root, c.words...)
		if code != 0 || errOut != "" {
			t.Fatalf("%v: %d %s", c.words, code, errOut)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v lacks %q:\n%s", c.words, want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%v shows an escape: %q", c.words, out)
		}
	}
	out, _, code := atTerminal(t, root, "explain", plan, "--driver", manifest)
	if code != 2 || !strings.Contains(out, "executed  ") || !strings.Contains(out, "next: hound verify .hound/runs/") || !strings.Contains(out, "out of date  ") ||
		!strings.Contains(out, `repo_fingerprint.untracked`) {
		t.Errorf("%d\n%s", code, out)
	}
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := atTerminal(t, root, "explain", plan, "--driver", manifest); !strings.Contains(out, "6 files, which git does not ignore") || strings.Contains(out, "request.json") {
		t.Errorf("a record is listed file by file:\n%s", out)
	}
	_, errOut, code := atTerminal(t, root, "execute", "--driver", manifest, "--plan", plan)
	if code != 2 || !strings.HasPrefix(errOut, "hound: the plan was executed before") || !strings.Contains(errOut, "next: hound verify ") {
		t.Errorf("%d\n%s", code, errOut)
	}
	if out, _, _ := atTerminal(t, root, "runs", "--json"); !strings.HasPrefix(out, `{"root":`) || !strings.Contains(out, `"schema_version":"hound.runs.v1"`) {
		t.Errorf("--json prints %s", out)
	}
}

// Also where --json is the input of an operation and no wish for JSON.
func TestPeopleReadSentencesOfFailures(t *testing.T) {
	root := notesProject(t)
	commit(t, root)
	const manifest = "hound-driver.json"
	for _, words := range [][]string{
		{"invoke", "--driver", manifest, "--operation", "notes.write", "--json", `{"text":"x"}`},
		{"invoke", "--driver", manifest, "--operation", "notes.read", "--json", `[]`},
		{"invoke", "--driver", manifest, "--operation", "notes.read", "--json={}", "extra"},
		{"plan", "--json", `{}`, "--driver", "none", "--operation", "notes.write", "--as-of", "x", "--output", filepath.Join(t.TempDir(), "p")},
		{"explain", "none", "--driver", manifest},
	} {
		out, errOut, code := atTerminal(t, root, words...)
		if code != 2 || out != "" || !strings.HasPrefix(errOut, "hound: ") {
			t.Errorf("%v: %d %q %q", words, code, out, errOut)
		}
	}
}
