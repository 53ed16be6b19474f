package houndcli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridle/internal/hound/document"
	"bridle/internal/hound/houndcli"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/proc"
)

// The scripts run the real program: each command is a process of its own, with a
// supervisor that is this test program once more. TEST_CLOCK sets the time,
// TEST_ACCOUNT is the home folder in the user database, and TEST_ROOT is the
// process of the tests, above which nobody looks.
func TestMain(m *testing.M) {
	if code, handled := proc.SupervisorMain(os.Args); handled {
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){"hound": run})
}

func run() {
	inv := cli.Process()
	if value, set := inv.Env.Lookup("TEST_CLOCK"); set {
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			panic(err)
		}
		inv.Clock = clock.Fixed(at)
	}
	inv.AccountHome = func() (string, error) { return inv.Env.Get("TEST_ACCOUNT"), nil }
	// Who runs the tests may be an agent; what a script does below them counts.
	if root, err := strconv.Atoi(inv.Env.Get("TEST_ROOT")); err == nil {
		inv.Ancestors = func() []cli.Ancestor { return cli.AncestorsBelow(root) }
	}
	houndcli.AlsoOn("tmpfs", "overlay")
	answers, failures := &canonical{to: inv.Stdout}, &canonical{to: inv.Stderr}
	inv.Stdout, inv.Stderr = answers, failures
	code := houndcli.App().Run(context.Background(), inv)
	for _, stream := range []*canonical{answers, failures} {
		if bad := stream.bad(); bad != "" {
			panic("an answer is not in canonical form: " + bad)
		}
	}
	os.Exit(code)
}

// canonical passes on what a command prints, and keeps it: each line that is an
// object must be in canonical form, whichever command it is of.
type canonical struct {
	to   io.Writer
	kept bytes.Buffer
}

func (c *canonical) Write(p []byte) (int, error) {
	c.kept.Write(p)
	return c.to.Write(p)
}

func (c *canonical) bad() string {
	for line := range strings.Lines(c.kept.String()) {
		text := strings.TrimSuffix(line, "\n")
		if json.Valid([]byte(text)) && strings.HasPrefix(text, "{") && !canon.IsCanonical([]byte(text), document.Limits()) {
			return text
		}
	}
	return ""
}

func TestScripts(t *testing.T) {
	driver, err := filepath.Abs("testdata/notes")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("TEST_ACCOUNT", home)
			env.Setenv("NOTES", driver)
			env.Setenv("TEST_ROOT", strconv.Itoa(os.Getpid()))
			env.Setenv("TEST_CLOCK", "2026-01-02T03:04:05Z")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"forge": forge, "nosecrets": nosecrets, "payload": payload, "member": member, "project": project, "runs": runs},
	})
}

// project makes a repository with the notes driver in a folder and goes there.
func project(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: project FOLDER")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.CopyFS(dir, os.DirFS(ts.Getenv("NOTES"))))
	ts.Check(os.Chmod(filepath.Join(dir, "tools", "notes"), 0o755))
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "A. Author"},
		{"config", "user.email", "author@example.org"},
		{"add", "-A"},
		{"commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command("git", words...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("git %v: %v\n%s", words, err, out)
		}
	}
	ts.Check(ts.Chdir(args[0]))
}

// member keeps a text of the last command's answer in a variable.
func member(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: member VARIABLE name")
	}
	var answer map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	text, ok := answer[args[1]].(string)
	if !ok {
		ts.Fatalf("the answer has no text %q", args[1])
	}
	ts.Setenv(args[0], text)
}

// runs starts a command and compares its exit code.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: runs CODE command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = "?"
		if exit, ok := err.(*exec.ExitError); ok {
			got = exit.String()
		}
	}
	if want := "exit status " + args[0]; got != want && !(args[0] == "0" && err == nil) {
		ts.Fatalf("%v: %s, not %s", args[1:], got, want)
	}
}
