package hopcli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
)

// The scripts run the real program: each command is a process of its own, with
// real git and real files.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hop": func() { os.Exit(hopcli.App().Run(context.Background(), cli.Process())) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			for _, name := range []string{"HOP_ROOT", "HOP_AGENT", "CODEX_THREAD_ID", "CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
				env.Setenv(name, "")
			}
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return os.MkdirAll(home, 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"member": member, "want": want, "code": code, "project": project,
		},
	})
}

// project makes a git repository with one commit of everything in the folder.
func project(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: project DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, words := range [][]string{
		{"init", "-q", "-b", "main", dir},
		{"-C", dir, "add", "-A"},
		{"-C", dir, "-c", "user.name=User", "-c", "user.email=user@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		ts.Check(ts.Exec("git", words...))
	}
}

// answerOf returns the last command's JSON answer, or that of a file.
func answerOf(ts *testscript.TestScript, file string) any {
	var answer any
	if err := json.Unmarshal([]byte(ts.ReadFile(file)), &answer); err != nil {
		ts.Fatalf("no JSON in %s: %v", file, err)
	}
	return answer
}

// at follows a path such as data.attempts.0.id; len is the length of a list.
func at(value any, path string) (any, bool) {
	for _, step := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[step]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			if step == "len" {
				return len(v), true
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// member keeps a value of the last answer in a variable: member VAR path.
func member(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: member VARIABLE path")
	}
	value, ok := at(answerOf(ts, "stdout"), args[1])
	if !ok {
		ts.Fatalf("the answer has no %s", args[1])
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

// want compares a value of the last answer: want path value, or ! want path for
// one that must not be there.
func want(ts *testscript.TestScript, neg bool, args []string) {
	value, found := at(answerOf(ts, "stdout"), args[0])
	switch {
	case neg && len(args) == 1 && found:
		ts.Fatalf("%s is there: %v", args[0], value)
	case neg:
	case len(args) != 2:
		ts.Fatalf("usage: want path value")
	case !found:
		ts.Fatalf("the answer has no %s", args[0])
	case fmt.Sprint(value) != args[1]:
		ts.Fatalf("%s is %q, not %q", args[0], fmt.Sprint(value), args[1])
	}
}

// code runs a command that must end with an exact exit code: code 22 hop ….
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var exit interface{ ExitCode() int }
		if !asExit(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, not %s", got, args[0])
	}
}
