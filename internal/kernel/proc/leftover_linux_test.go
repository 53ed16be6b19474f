package proc_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
)

func TestDescendantsDoNotOutliveTheRun(t *testing.T) {
	shapes := [][]string{
		{},
		{"silent"},
		{"session"},
		{"session", "silent"},
		{"session", "twice"},
		{"session", "twice", "silent"},
		{"strange"},
		{"strange", "silent", "twice"},
	}
	bothWays(t, func(t *testing.T, way way) {
		for _, shape := range shapes {
			t.Run(strings.Join(append([]string{"daemon"}, shape...), " "), func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "pid")
				r := mustRun(t, way(acting(t, "spawn", append([]string{file}, shape...)...), dir))
				pid := readPid(t, file)
				if alive(pid) {
					unix.Kill(pid, unix.SIGKILL)
					t.Fatalf("process %d is still there: %+v", pid, r)
				}
				if r.ExitCode != 0 || r.Leftovers < 1 || r.Held {
					t.Fatalf("%+v %s", r, r.Stderr.Head)
				}
			})
		}
	})
}

// A descendant that leaves the session and the environment behind hides from an
// unconfined run, never from a confined one or a control group.
func TestDescendantThatHidesIsFoundInsideAConfinement(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	s := confine(t, acting(t, "spawn", file, "session", "twice", "silent", "strange"), dir)
	r := mustRun(t, s)
	if pid := readPid(t, file); alive(pid) {
		unix.Kill(pid, unix.SIGKILL)
		t.Fatalf("process %d is still there: %+v", pid, r)
	}
	if r.Leftovers < 1 {
		t.Fatalf("%+v", r)
	}
}

func TestDescendantThatHidesIsFoundByItsControlGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	s := acting(t, "spawn", file, "session", "twice", "silent", "strange")
	s.Cgroup = true
	r := mustRun(t, s)
	pid := readPid(t, file)
	still := alive(pid)
	if still {
		unix.Kill(pid, unix.SIGKILL)
	}
	// Where the system gives no group the result says so, and it is still there.
	if still == r.Caged || r.Caged != (r.Leftovers > 0) {
		t.Fatalf("still there: %v, %+v", still, r)
	}
}

func TestControlGroupsAreTakenAway(t *testing.T) {
	s := shell("exit 0")
	s.Cgroup = true
	mustRun(t, s)
	s.Path = "/nonexistent"
	if _, err := proc.Run(t.Context(), s); err == nil {
		t.Fatal("no error")
	}
	left, err := filepath.Glob("/sys/fs/cgroup/*/bridle-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range left {
		if strings.Contains(dir, "bridle-"+itoa(unix.Getpid())+"-") {
			t.Fatalf("%s is still there", dir)
		}
	}
}

func TestPipeHeldByAProcessOutOfReachHoldsNothingUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	r := mustRun(t, acting(t, "spawn", file, "session", "twice", "strange"))
	pid := readPid(t, file)
	if !alive(pid) {
		t.Fatalf("process %d was found although it hid: %+v", pid, r)
	}
	unix.Kill(pid, unix.SIGKILL)
	if !r.Held || r.TimedOut || r.ExitCode != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestChainsOfProcessesAreBroken(t *testing.T) {
	r := mustRun(t, confine(t, acting(t, "chains")))
	if r.ExitCode != 0 || r.Leftovers < 64 || r.Held {
		t.Fatalf("%+v", r)
	}
	// Nobody is left that could hold the name of this test binary in a session of
	// its own: a second look finds nothing to kill.
	if out, err := exec.Command("ps", "-eo", "args").Output(); err == nil && strings.Contains(string(out), "role chains") {
		t.Fatal("a chain goes on")
	}
}

func TestChildDiesWithItsParent(t *testing.T) {
	for name, args := range map[string][]string{
		"unconfined": nil, "confined": {"confined"},
		"child of the child": {"grandchild"}, "confined child of the child": {"grandchild", "confined"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			spec := acting(t, "parent", append([]string{file}, args...)...)
			cmd := exec.Command(spec.Path, spec.Args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			awaitFile(t, file)
			pid := readPid(t, file)
			if !alive(pid) {
				t.Fatal("the child is gone before its parent")
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if !gone(t, pid) {
				unix.Kill(pid, unix.SIGKILL)
				t.Fatal("the child outlived its parent")
			}
		})
	}
}
