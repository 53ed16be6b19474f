package proc_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// keptShell is a shell that may read and write the directories, by one profile
// for many runs.
func keptShell(t *testing.T, dirs ...string) (*sandbox.Kept, func(script string) proc.Result) {
	t.Helper()
	p := sandbox.Base()
	p.ReadWrite = append(p.ReadWrite, dirs...)
	p.Required = append(p.Required, dirs...)
	kept := p.Keep()
	t.Cleanup(kept.Close)
	return kept, func(script string) proc.Result {
		spec := shell(script)
		spec.Kept = kept
		return mustRun(t, spec)
	}
}

func TestKeptProfileConfinesEveryRun(t *testing.T) {
	s := newScene(t)
	_, run := keptShell(t, s.work)
	for range 3 {
		if r := run("cat " + s.work + "/own && ! cat " + s.secret + " 2>/dev/null"); r.ExitCode != 0 {
			t.Fatalf("exit %d: %s", r.ExitCode, r.Stderr.Head)
		}
	}
}

// A rule is about a file, and the profile about a name: what is put in the
// place of a granted path is granted from then on, and what was there no longer.
func TestKeptProfileFollowsItsPaths(t *testing.T) {
	dir := t.TempDir()
	granted, aside := filepath.Join(dir, "granted"), filepath.Join(dir, "aside")
	put := func(at, text string) {
		t.Helper()
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "f"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(granted, "first")
	kept, run := keptShell(t, granted)
	if r := run("cat " + granted + "/f"); string(r.Stdout.Head) != "first" {
		t.Fatalf("%q %s", r.Stdout.Head, r.Stderr.Head)
	}
	if err := os.Rename(granted, aside); err != nil {
		t.Fatal(err)
	}
	put(granted, "second")
	if r := run("cat " + granted + "/f; cat " + aside + "/f"); string(r.Stdout.Head) != "second" {
		t.Fatalf("%q %s", r.Stdout.Head, r.Stderr.Head)
	}
	if err := os.RemoveAll(granted); err != nil {
		t.Fatal(err)
	}
	spec := shell("true")
	spec.Kept = kept
	if _, err := proc.Run(t.Context(), spec); fault.CodeOf(err) != sandbox.CodePathMissing {
		t.Fatalf("a required path is gone: %v", err)
	}
	put(granted, "third")
	if r := run("cat " + granted + "/f"); string(r.Stdout.Head) != "third" {
		t.Fatalf("%q %s", r.Stdout.Head, r.Stderr.Head)
	}
	if err := os.RemoveAll(granted); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(aside, granted); err != nil {
		t.Fatal(err)
	}
	if r := run("cat " + granted + "/f"); string(r.Stdout.Head) != "first" {
		t.Fatalf("%q %s", r.Stdout.Head, r.Stderr.Head)
	}
}

func TestKeptProfileServesManyRunsAtOnceAndAfterClose(t *testing.T) {
	s := newScene(t)
	kept, run := keptShell(t, s.work)
	before := openDescriptors(t)
	var wait sync.WaitGroup
	for i := range 12 {
		wait.Go(func() {
			if i == 6 {
				kept.Close()
			}
			if r := run("cat " + s.work + "/own >/dev/null && ! cat " + s.secret + " 2>/dev/null"); r.ExitCode != 0 {
				t.Errorf("exit %d: %s", r.ExitCode, r.Stderr.Head)
			}
		})
	}
	wait.Wait()
	if now := openDescriptors(t); now > before {
		t.Errorf("%d descriptors before, %d after", before, now)
	}
}

func openDescriptors(t *testing.T) (rulesets int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.Contains(target, "landlock") {
			rulesets++
		}
	}
	return rulesets
}
