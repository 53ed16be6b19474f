package houndcli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The example of a driver in Go works as its comment says: it passes every probe,
// and its plans can be approved, executed and verified.
func TestExampleDriverInGoWorks(t *testing.T) {
	root := filepath.Join(t.TempDir(), "owner")
	driver := filepath.Join(root, "drivers", "notes")
	if err := os.MkdirAll(driver, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(driver, "driver"), "bridle/hound/driverkit/example")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	manifest, err := os.ReadFile("../../../hound/driverkit/example/hound-driver.json")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{"drivers/notes/hound-driver.json": string(manifest), ".gitignore": ".hound/\n/drivers/notes/driver\n"} {
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, root)
	deep := succeed(t, root, "driver", "check", "--driver", "drivers/notes/hound-driver.json", "--deep")
	for _, probe := range []string{"plan notes.write again", "artifacts of notes.write", "read notes.list", "plan notes.remove"} {
		if !strings.Contains(deep, `"name":"`+probe+`","ok":true`) {
			t.Errorf("%q is not among the probes that pass: %s", probe, deep)
		}
	}
	carryOut(t, root, "notes.write", `{"name":"milk","text":"buy some"}`)
	if text, err := os.ReadFile(filepath.Join(root, "notes/milk.txt")); err != nil || string(text) != "buy some\n\nas of 2026-01-31\n" {
		t.Errorf("%q, %v", text, err)
	}
	if out := succeed(t, root, "invoke", "--driver", "drivers/notes/hound-driver.json", "--operation", "notes.list"); !strings.Contains(out, `"names":["milk"]`) {
		t.Error(out)
	}
	carryOut(t, root, "notes.remove", `{"name":"milk"}`)
	if _, err := os.Stat(filepath.Join(root, "notes/milk.txt")); err == nil {
		t.Error("the note is still there")
	}
	for name, input := range map[string]string{"a path": `{"name":"../x"}`, "a member of another name": `{"title":"x"}`} {
		cmd := houndCommand(root, "plan", "--driver", "drivers/notes/hound-driver.json", "--operation", "notes.write", "--json", input, "--as-of", "x", "--output", filepath.Join(t.TempDir(), "p"))
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%s is planned: %s", name, out)
		}
	}
}

func succeed(t *testing.T, root string, words ...string) string {
	t.Helper()
	out, err := houndCommand(root, words...).CombinedOutput()
	if err != nil {
		t.Fatalf("hound %v: %v\n%s", words, err, out)
	}
	return string(out)
}

// carryOut plans, approves, executes and verifies.
func carryOut(t *testing.T, root, operation, input string) {
	t.Helper()
	dir := t.TempDir()
	plan, approval := filepath.Join(dir, "plan.json"), filepath.Join(dir, "approval.json")
	driver := []string{"--driver", "drivers/notes/hound-driver.json"}
	succeed(t, root, append([]string{"plan", "--operation", operation, "--json", input, "--as-of", "2026-01-31", "--output", plan}, driver...)...)
	succeed(t, root, "approve", "--plan", plan, "--reviewer", "R", "--output", approval)
	var done struct {
		RunDir string `json:"run_dir"`
	}
	out := succeed(t, root, append([]string{"execute", "--plan", plan, "--approval", approval}, driver...)...)
	if err := json.Unmarshal([]byte(out), &done); err != nil {
		t.Fatal(err)
	}
	succeed(t, root, "verify", done.RunDir)
}
