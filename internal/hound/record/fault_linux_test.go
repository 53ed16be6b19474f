package record

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
)

// childRoot makes this program a process under test: it records a run below the
// folder that the variable names, and says on standard output how far it came.
const childRoot = "RECORD_TEST_ROOT"

// allCalls makes every call the last one or a failed one; without it every call
// that writes, and the first of the others.
const allCalls = "RECORD_TEST_ALL"

const runPath = ".hound/runs/" + planID

func TestMain(m *testing.M) {
	if root := os.Getenv(childRoot); root != "" {
		os.Exit(child(root))
	}
	os.Exit(m.Run())
}

// What the child says of itself, in its order.
const (
	saidCreated  = "created\n"
	saidFinished = "finished\n"
)

// child does what an execution does with its record, on one thread, so that what
// is injected there counts its calls.
func child(root string) int {
	runtime.LockOSThread()
	run, result, err := published()
	if err != nil {
		return complain(err)
	}
	d, err := Create(root, runPath, run)
	if err != nil {
		return complain(err)
	}
	if _, err := fmt.Print(saidCreated); err != nil {
		return complain(err)
	}
	if altered := d.Altered(); len(altered) > 0 {
		return complain(fmt.Errorf("altered: %v", altered))
	}
	if err := d.Finish(result); err != nil {
		return complain(err)
	}
	if _, err := fmt.Print(saidFinished); err != nil {
		return complain(err)
	}
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// cut is what is done to a system call, and how often at most.
type cut struct {
	call, what string
	most       int
}

// cuts are bounded, unless all are asked for: each process takes its time.
func cuts() []cut {
	list := []cut{{"openat", "error=EMFILE", 6}, {"write", "error=EINTR", 8}, {"fsync", "error=EINTR", 4}}
	for call, most := range map[string]int{
		"write": 99, "fsync": 99, "renameat2": 99, "renameat": 99, "fchmod": 4, "mkdirat": 9, "openat": 24, "flock": 4, "unlinkat": 4,
		"newfstatat": 6, "getdents64": 4, "close": 4,
	} {
		list = append(list, cut{call, "signal=KILL", most})
		if call == "close" {
			continue // its failure is no one's business: what counts was synced
		}
		list = append(list, cut{call, "error=EIO", most})
		switch call {
		case "write", "fsync", "mkdirat", "openat", "renameat", "renameat2":
			list = append(list, cut{call, "error=ENOSPC", min(most, 12)})
		}
	}
	if os.Getenv(allCalls) != "" {
		for i := range list {
			list[i].most = 1000
		}
	}
	return list
}

// A record is absent, pending, or whole, whatever its writer's last call was and
// whichever failed; and one that is whole was finished.
func TestEverySystemCallOfARecordMayFailOrBeTheLast(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	work := make(chan cut)
	var workers sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 2 {
		workers.Go(func() {
			for c := range work {
				for n := 1; n <= c.most; n++ {
					state, injected := c.at(t, strace, n)
					if !injected {
						break
					}
					mu.Lock()
					seen[state]++
					mu.Unlock()
				}
			}
		})
	}
	for _, c := range cuts() {
		work <- c
	}
	close(work)
	workers.Wait()
	for _, state := range []string{"absent", "pending", "whole"} {
		if seen[state] < 3 {
			t.Errorf("%d cuts left a record that is %s: %v", seen[state], state, seen)
		}
	}
	t.Log(seen)
}

// at cuts the n-th call and says what is left of the record.
func (c cut) at(t *testing.T, strace string, n int) (state string, injected bool) {
	name := fmt.Sprintf("%s:%s:%d", c.call, c.what, n)
	root := t.TempDir()
	log := root + ".strace"
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return "", false
	}
	cmd := exec.Command(strace, "-f", "-qq", "--seccomp-bpf", "-o", log, "-e", "trace="+c.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", c.call, c.what, n), self)
	cmd.Env = append(os.Environ(), childRoot+"="+root, "GOMAXPROCS=1", "GOGC=off")
	var said, complaint strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &complaint
	err = cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Errorf("%s: %v", name, err)
		return "", false
	}
	trace, readErr := os.ReadFile(log)
	if readErr != nil {
		t.Errorf("%s: %v: %s", name, readErr, complaint.String())
		return "", false
	}
	injected = strings.Contains(string(trace), "INJECTED") || strings.Contains(string(trace), "killed by SIGKILL")
	if !injected && err != nil {
		t.Errorf("%s: nothing was injected, and it fails: %v: %s", name, err, complaint.String())
	}
	if err == nil && said.String() != saidCreated+saidFinished {
		t.Errorf("%s: it ends well and says %q", name, said.String())
	}
	if c.what == "error=EINTR" && err != nil {
		t.Errorf("%s: a signal is no failure: %s", name, complaint.String())
	}
	state = judge(t, name, root, said.String())
	heal(t, name, root, state)
	return state, injected
}

// judge says what there is of the record, and refuses what must not be.
func judge(t *testing.T, name, root, said string) string {
	path := filepath.Join(root, filepath.FromSlash(runPath))
	created, finished := strings.Contains(said, saidCreated), strings.Contains(said, saidFinished)
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		if created {
			t.Errorf("%s: a record that was acknowledged is gone", name)
		}
		return "absent"
	}
	v, err := ReadRun(path)
	switch {
	case err == nil:
		_, want, _ := published()
		line, _ := document.Line(want)
		if have, _ := os.ReadFile(filepath.Join(path, hound.ResultFile)); !bytes.Equal(have, line) || v.Result.PlanID != planID || !created {
			t.Errorf("%s: a record that verifies says %s after %q", name, have, said)
		}
		return "whole"
	case finished:
		t.Errorf("%s: a record that was finished does not verify: %v", name, err)
	case !fault.Is(err, hound.CodeInvalid) || !strings.Contains(fault.From(err).Hint, "cut off"):
		t.Errorf("%s: a record is neither pending nor whole: %v", name, err)
	}
	return "pending"
}

// heal does what the next command does: records the run if there is no record of
// it, and leaves nothing of the one before.
func heal(t *testing.T, name, root, state string) {
	run, result, err := published()
	if err != nil {
		t.Error(err)
		return
	}
	d, err := Create(root, runPath, run)
	if state != "absent" {
		if !fault.Is(err, hound.CodeRunExists) {
			t.Errorf("%s: the plan may be executed again: %v", name, err)
		}
		return
	}
	if err == nil {
		err = d.Finish(result)
	}
	if err == nil {
		_, err = VerifyRun(d.Path)
	}
	if err != nil {
		t.Errorf("%s: it cannot be recorded again: %v", name, err)
		return
	}
	for folder, want := range map[string]int{d.Path: 6, filepath.Dir(d.Path): 1} {
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != want {
			t.Errorf("%s: %s holds %v, %v", name, folder, entries, err)
		}
	}
}

// Whatever is left of one record's making goes when another one is made.
func TestLeftoversOfOtherRecordsAreCleared(t *testing.T) {
	root := t.TempDir()
	runs := filepath.Join(root, ".hound", "runs")
	other := filepath.Join(runs, "."+strings.Repeat("a", 64)+".new")
	kept := []string{".keep.new", ".gitignore", "." + strings.Repeat("a", 63) + ".new", strings.Repeat("b", 64)}
	for _, path := range append([]string{other}, kept...) {
		if path != other {
			path = filepath.Join(runs, path)
		}
		if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run, _, err := published()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(root, runPath, run); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the leftover is still there: %v", err)
	}
	for _, name := range kept {
		if _, err := os.Lstat(filepath.Join(runs, name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}
