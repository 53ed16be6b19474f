package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/hound"
	"bridle/internal/hound/archive"
	"bridle/internal/kernel/fault"
)

// Whatever the write scopes hold, a plan is not the way to the records of runs.
func TestRunRecordsAreOutOfReachOfPlans(t *testing.T) {
	const id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, c := range []struct {
		root, path string
		ok         bool
	}{
		{".hound/runs", ".hound/runs/" + id + "/result.json", false},
		{".hound/runs", ".hound/runs/pruned.jsonl", false},
		{".hound/runs", ".hound/runs/anything", false},
		{".hound/runs", ".hound/runs", false},
		{".hound/runs", ".hound", false},
		{".hound/runs", ".hound/runs2/x", true},
		{"records", "records/x", false},
		{"records", ".hound/runs/x", true},
		{".", id + "/x", false},
		{".", "pruned.jsonl", false},
		{".", "notes/x", true},
	} {
		p := newProject(t, script{
			proposal: effects(c.path, "0644", "", "x"),
			manifest: map[string]any{"write_scopes": []string{"."}, "run_root": c.root},
		}).commit()
		_, err := newGuard(t, nil).Plan(context.Background(), p.call("w"))
		if (err == nil) != c.ok || err != nil && !fault.Is(err, hound.CodeBadEffects) {
			t.Errorf("%s below %s: %v", c.path, c.root, err)
		}
	}
}

func TestExcludesCannotHideRunRecords(t *testing.T) {
	for exclude, ok := range map[string]bool{
		".hound": false, ".hound/runs": false, ".hound/runs/": false, ".hound/runs/x": false, `.hound\runs`: false, ".hound/web": true, "build": true,
	} {
		p := newProject(t, script{manifest: map[string]any{"ignored_snapshot_excludes": []string{exclude}}}).commit()
		_, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false)
		if (err == nil) != ok || err != nil && !fault.Is(err, hound.CodeBadManifest) {
			t.Errorf("%s: %v", exclude, err)
		}
	}
}

// A record that was removed was a record: its plan is not executed again, though
// the repository is as it was before.
func TestPlanIsExecutedOnceThoughItsRecordIsRemoved(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"})
	p.put(".gitignore", ".hound\n")
	p.commit()
	plan := p.plan("w")
	if _, err := p.execute(plan); err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(p.root, ".hound", "runs")
	list, err := archive.List(runs)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := archive.Remove(context.Background(), runs, list, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(p.root, "notes/new.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.execute(plan); !fault.Is(err, hound.CodeRunExists) {
		t.Errorf("a second time: %v", err)
	}
	pruned := filepath.Join(runs, archive.Journal)
	if err := os.Remove(pruned); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(pruned, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := p.execute(plan); !fault.Is(err, hound.CodeUnreadable) {
		t.Errorf("with a list that nobody can read: %v", err)
	}
}

// Whoever removes a record and the list of removed ones takes away what says that
// the plan was executed. What it did says so as well, as long as it stands: the
// repository is not the one that the plan is bound to, ignored files included.
func TestWhatAPlanDidKeepsItFromBeingExecutedAgain(t *testing.T) {
	for name, c := range map[string]struct{ path, before, after, execute string }{
		"creation":        {"notes/new.txt", "", "new\n", "echo new >notes/new.txt"},
		"update":          {"notes/keep.txt", "kept\n", "new\n", "echo new >notes/keep.txt"},
		"deletion":        {"notes/keep.txt", "kept\n", "", "rm notes/keep.txt"},
		"ignored file":    {"build/out.txt", "", "new\n", "mkdir -p build; echo new >build/out.txt"},
		"ignored updated": {"build/old.txt", "old\n", "new\n", "echo new >build/old.txt"},
	} {
		p := newProject(t, script{
			proposal: effects(c.path, "0644", c.before, c.after), execute: c.execute, manifest: map[string]any{"write_scopes": []string{"notes", "build"}},
		}).commit()
		p.put("build/old.txt", "old\n")
		plan := p.plan("w")
		if _, err := p.execute(plan); err != nil {
			t.Fatal(name, err)
		}
		if err := os.RemoveAll(filepath.Join(p.root, ".hound")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.execute(plan); fault.From(err) == nil || fault.From(err).Exit != hound.ExitRefused {
			t.Errorf("%s: a second time: %v", name, err)
		}
		if _, err := os.Lstat(filepath.Join(p.root, ".hound")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a record of a second run: %v", name, err)
		}
	}
}

// The proof of cleanup is the kernel's to give: what a driver says of its own is
// left out of the record.
func TestDriverCannotSayThatItWasCleanedUpAfter(t *testing.T) {
	p := newProject(t, script{
		proposal: effects("notes/new.txt", "0644", "", "new\n"),
		execute: `echo new >notes/new.txt
echo '{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed","diagnostics":["mine",{"schema_version":"hound.cleanup.v1","proven":true,"method":"trust_me","killed":7}]}'
exit 0`,
	}).commit()
	plan := p.plan("w")
	if _, err := p.execute(plan); err != nil {
		t.Fatal(err)
	}
	var response hound.Response
	if err := json.Unmarshal(p.recorded(plan).DriverResponse, &response); err != nil {
		t.Fatal(err)
	}
	if len(response.Diagnostics) != 2 || string(response.Diagnostics[0]) != `"mine"` || strings.Contains(string(response.Diagnostics[1]), "trust_me") {
		t.Errorf("%s", response.Diagnostics)
	}
}
