package houndcli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/kernel/fault"
)

// allCuts makes every call fail once; without it some calls of each kind.
const allCuts = "HOUND_TEST_ALL"

// cut is what happens to the n-th call of a name, in every thread of hound, of its
// supervisor, of the driver and of each git.
type cut struct {
	call, err string
	n         int
}

func (c cut) String() string { return fmt.Sprintf("%s:error=%s:when=%d", c.call, c.err, c.n) }

// changing are the calls that change files, with how many of each are made to
// fail unless all are.
var changing = []struct {
	call string
	some []int
}{
	{"write", []int{1, 3, 7}},
	{"fsync", []int{1, 4, 9}},
	{"openat", []int{20}},
	{"renameat2", []int{1}},
	{"renameat", []int{1, 2}},
	{"rename", []int{1}},
	{"mkdirat", []int{1}},
	{"mkdir", []int{1}},
	{"unlinkat", []int{1}},
	{"unlink", []int{1}},
	{"rmdir", []int{1}},
	{"linkat", []int{1}},
	{"link", []int{1}},
	{"fchmod", []int{1}},
	{"fchmodat", []int{1}},
	{"chmod", []int{1}},
	{"ftruncate", []int{1}},
	{"pwrite64", []int{1}},
	{"flock", []int{1}},
}

// What a disk and a signal do to a call.
var troubles = []string{"EIO", "ENOSPC", "EINTR"}

// A whole execution comes to a good end or to a told one, whichever of its calls
// fails: there is no success without its record and the planned bytes, no record
// that says more than happened, and no change without a record.
func TestExecutionSurvivesTheFailureOfEachCallThatChangesFiles(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	work := make(chan func(*cutting))
	var workers sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 2 {
		c := newCutting(t, strace)
		workers.Go(func() {
			for do := range work {
				do(c)
			}
			mu.Lock()
			defer mu.Unlock()
			for state, n := range c.seen {
				seen[state] += n
			}
		})
	}
	for _, kind := range changing {
		for i, trouble := range troubles {
			if os.Getenv(allCuts) != "" {
				work <- func(c *cutting) {
					for n := 1; c.at(cut{kind.call, trouble, n}); n++ {
					}
				}
				continue
			}
			for j, n := range kind.some {
				// Each place meets one of the troubles.
				if (i+j+len(kind.call))%len(troubles) == 0 {
					work <- func(c *cutting) { c.at(cut{kind.call, trouble, n}) }
				}
			}
		}
	}
	close(work)
	workers.Wait()
	if seen["done"] == 0 || seen["refused"]+seen["failed"]+seen["pending"] == 0 {
		t.Errorf("the cuts are too mild or too hard to show anything: %v", seen)
	}
	t.Log(seen)
}

// cutting is a repository with a plan, in which one execution after the other is
// cut.
type cutting struct {
	*testing.T
	strace, root, home, plan, record string
	seen                             map[string]int
}

func newCutting(t *testing.T, strace string) *cutting {
	c := &cutting{T: t, strace: strace, root: notesProject(t), home: t.TempDir(), plan: filepath.Join(t.TempDir(), "plan.json"), seen: map[string]int{}}
	if err := os.WriteFile(filepath.Join(c.root, ".gitignore"), []byte(".hound/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	commit(t, c.root)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(c.home, "hound")); err != nil {
		t.Fatal(err)
	}
	out, err := c.hound("plan", "--driver", "hound-driver.json", "--operation", "notes.auto", "--as-of", "x", "--output", c.plan).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var p hound.Plan
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	c.record = filepath.Join(c.root, ".hound/runs", p.PlanID)
	return c
}

func (c *cutting) hound(words ...string) *exec.Cmd {
	cmd := houndCommand(c.root, words...)
	cmd.Env = append(cmd.Env, "HOME="+c.home, "TMPDIR="+os.TempDir(), "GOMAXPROCS=1")
	return cmd
}

func (c *cutting) execute() *exec.Cmd {
	return c.hound("execute", "--driver", "hound-driver.json", "--plan", c.plan)
}

// at makes one call fail, judges what is left of the execution, has the next
// command go on from there, and puts everything back. It reports whether there was
// such a call.
func (c *cutting) at(cut cut) bool {
	log := filepath.Join(c.home, "strace")
	cmd := c.execute()
	words := []string{c.strace, "-f", "-qq", "--seccomp-bpf", "-o", log, "-e", "trace=" + cut.call, "-e", "inject=" + cut.String(), filepath.Join(c.home, "hound")}
	cmd.Path, cmd.Args = c.strace, append(words, cmd.Args[1:]...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		c.Errorf("%s: %v", cut, err)
		return false
	}
	trace, readErr := os.ReadFile(log)
	if readErr != nil {
		c.Errorf("%s: %v", cut, readErr)
		return false
	}
	if !bytes.Contains(trace, []byte("INJECTED")) {
		if err != nil {
			c.Errorf("%s: nothing fails, and it ends with %v: %s", cut, err, complaint.String())
		}
		c.restore(cut)
		return false
	}
	state := c.judge(cut, err == nil, out.Bytes(), complaint.String())
	c.seen[state]++
	c.goOn(cut, state == "refused")
	c.restore(cut)
	return true
}

// judge says how an execution ended, and refuses what must not be.
func (c *cutting) judge(cut cut, ok bool, out []byte, complaint string) string {
	body, err := os.ReadFile(filepath.Join(c.root, "notes/today.txt"))
	changed := err == nil
	told := strings.Contains(complaint, `"schema_version":"hound.error.v1"`) || cut.call == "write"
	if !ok && !told {
		c.Errorf("%s: it fails without a word: %q", cut, complaint)
	}
	var answered hound.RunResult
	if ok && (json.Unmarshal(out, &answered) != nil || !answered.OK) {
		c.Errorf("%s: it ends well and answers %q", cut, out)
	}
	if _, err := os.Lstat(c.record); errors.Is(err, os.ErrNotExist) {
		if ok || changed {
			c.Errorf("%s: without a record it ends well (%v) or changes the file (%q)", cut, ok, body)
		}
		return "refused"
	}
	_, err = guard.Verify(c.record)
	if err != nil {
		pending := fault.Is(err, hound.CodeInvalid) && strings.Contains(fault.From(err).Hint, "cut off")
		if ok || !pending {
			c.Errorf("%s: a record is neither pending nor whole: %v", cut, err)
		}
		return "pending"
	}
	var recorded hound.RunResult
	data, err := os.ReadFile(filepath.Join(c.record, hound.ResultFile))
	if err != nil || json.Unmarshal(data, &recorded) != nil {
		c.Errorf("%s: %v: %s", cut, err, data)
	}
	if recorded.OK && string(body) != "good day\n" {
		c.Errorf("%s: the record tells of a success, and the file holds %q", cut, body)
	}
	if ok && !recorded.OK {
		c.Errorf("%s: it ends well, and the record tells of a failure", cut)
	}
	if recorded.OK {
		return "done"
	}
	return "failed"
}

// goOn does what comes next: the execution again, which is the first one where
// nothing was done, and refused where there is a record.
func (c *cutting) goOn(cut cut, first bool) {
	out, err := c.execute().CombinedOutput()
	switch {
	case first && err != nil:
		c.Errorf("%s: it cannot be executed afterwards: %v: %s", cut, err, out)
	case !first && !strings.Contains(string(out), hound.CodeRunExists):
		c.Errorf("%s: it is executed again: %v: %s", cut, err, out)
	}
	if entries, err := os.ReadDir(filepath.Dir(c.record)); first && (err != nil || len(entries) != 1) {
		c.Errorf("%s: beside the record there is more: %v, %v", cut, entries, err)
	}
}

func (c *cutting) restore(cut cut) {
	err := os.RemoveAll(filepath.Join(c.root, ".hound"))
	if gone := os.Remove(filepath.Join(c.root, "notes/today.txt")); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err != nil {
		c.Errorf("%s: %v", cut, err)
	}
}
