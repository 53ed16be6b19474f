package hcpx_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/kit"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
	"bridle/packs"
)

// The scripts run the real programs: each command is a process of its own, the
// store is on the disk, and wrapped programs run in the sandbox. Three variables
// stand for what a test cannot have otherwise: TEST_CLOCK sets the time,
// TEST_ACCOUNT is the home folder in the user database, and TEST_ROOT is the
// process of the tests, above which nobody looks.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hcpx":     func() { run(hcpx.App()) },
		"hcp":      func() { run(hcpx.App()) },
		"hcpx-kit": func() { run(kit.App()) },
	})
}

func run(app cli.App) {
	inv := cli.Process()
	if value, set := inv.Env.Lookup("TEST_CLOCK"); set {
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			panic(err)
		}
		inv.Clock = clock.Fixed(at)
	}
	inv.AccountHome = func() (string, error) {
		home := inv.Env.Get("TEST_ACCOUNT")
		if home == "" {
			return "", errors.New("no such user")
		}
		return home, nil
	}
	// Who runs the tests may be an agent; what a script does below them counts.
	if root, err := strconv.Atoi(inv.Env.Get("TEST_ROOT")); err == nil {
		inv.Ancestors = func() []cli.Ancestor { return cli.AncestorsBelow(root) }
	}
	os.Exit(app.Run(context.Background(), inv))
}

func TestScripts(t *testing.T) {
	folder, err := filepath.Abs("../../../packs")
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
			env.Setenv("PACKS", folder)
			env.Setenv("TEST_ROOT", strconv.Itoa(os.Getpid()))
			// Nothing listens there, so that no test depends on the network.
			env.Setenv("HCP_CATALOG_URL", "http://127.0.0.1:1/api/v1/packs")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"sameresult": sameResult, "member": member},
	})
}

func TestEveryPackHasAProofAmongTheScripts(t *testing.T) {
	for _, id := range packs.IDs() {
		if _, err := os.Stat(filepath.Join("testdata", "script", "proof_"+id+".txtar")); err != nil {
			t.Error(err)
		}
	}
}

// member keeps a text of the last command's JSON answer in a variable.
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

// sameResult compares the result of an envelope with a program's own output,
// as JSON values.
func sameResult(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameresult envelope output")
	}
	var envelope struct {
		Result any `json:"result"`
	}
	var output any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &envelope))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &output))
	if !reflect.DeepEqual(envelope.Result, output) {
		ts.Fatalf("the result %v is not the output %v", envelope.Result, output)
	}
}
