package proc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// methods are those that this machine gives the test.
func methods(t testing.TB) []proc.Method {
	t.Helper()
	var given []proc.Method
	for _, m := range []proc.Method{proc.PIDNamespace, proc.Cgroup, proc.Subreaper} {
		if _, p, err := proc.Supervise(t.Context(), shell("exit 0"), supervision(t, m)); err == nil && p.Method == m {
			given = append(given, m)
		}
	}
	return given
}

func supervision(t testing.TB, methods ...proc.Method) proc.Supervision {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return proc.Supervision{Program: self, Methods: methods}
}

// eachMethod runs a test with every method of this machine.
func eachMethod(t *testing.T, test func(t *testing.T, m proc.Method)) {
	given := methods(t)
	if len(given) == 0 {
		t.Fatal("not even the weakest method works")
	}
	for _, m := range given {
		t.Run(string(m), func(t *testing.T) { test(t, m) })
	}
}

func supervise(t testing.TB, s proc.Spec, m proc.Method) (proc.Result, proc.Proof) {
	t.Helper()
	r, p, err := proc.Supervise(t.Context(), s, supervision(t, m))
	if err != nil {
		t.Fatalf("supervise: %v", err)
	}
	return r, p
}

func TestSupervisedRunsGiveWhatOtherRunsGive(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		dir := t.TempDir()
		s := shell(`cat; pwd; echo "$0 $1 $A" >&2; env | sort | tr '\n' ' ' >&2; exit 7`, "x\xffy")
		s.Env = append(s.Env, "A=b\xff")
		s.Dir, s.Stdin = dir, strings.NewReader("given\n")
		r, p := supervise(t, s, m)
		if want := "given\n" + dir + "\n"; string(r.Stdout.Head) != want {
			t.Errorf("stdout = %q, want %q", r.Stdout.Head, want)
		}
		if want := "sh x\xffy b\xff\nA=b\xff PATH=/usr/bin:/bin PWD=" + dir + " "; string(r.Stderr.Head) != want {
			t.Errorf("stderr = %q, want %q", r.Stderr.Head, want)
		}
		if r.ExitCode != 7 || r.Signal != "" || r.Held || r.TimedOut || r.Leftovers != 0 {
			t.Errorf("%+v", r)
		}
		if !p.Proven || p.Method != m || p.Killed != 0 || p.Reason != "" {
			t.Errorf("%+v", p)
		}
	})
}

func TestSupervisedProgramIsGivenNothingMore(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		s := shell(`echo $0; readlink /proc/self/fd/0; for n in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$n ] || readlink /proc/$$/fd/$n; done; read -r _ _ _ _ _ _ tty _ </proc/$$/stat; echo $tty`)
		r, _ := supervise(t, s, m)
		if want := "sh\n/dev/null\n0\n"; string(r.Stdout.Head) != want {
			t.Errorf("%q, want %q", r.Stdout.Head, want)
		}
		s = acting(t, "who")
		s.Argv0, s.Env = "own-name", nil
		r, _ = supervise(t, s, m)
		want := "session leader: true\ngroup leader: true\nterminal: false\ninput: /dev/null\nname: own-name\nenvironment: \n"
		if string(r.Stdout.Head) != want {
			t.Errorf("%s\nwant\n%s", r.Stdout.Head, want)
		}
	})
}

func TestSupervisedDescendantsDoNotOutliveTheRun(t *testing.T) {
	shapes := [][]string{
		{}, {"silent"}, {"session"}, {"session", "twice", "silent"}, {"session", "twice", "silent", "strange"},
	}
	eachMethod(t, func(t *testing.T, m proc.Method) {
		for _, shape := range shapes {
			t.Run(strings.Join(append([]string{"daemon"}, shape...), " "), func(t *testing.T) {
				beat := newHeart(t)
				r, p := supervise(t, acting(t, "spawn", append([]string{beat.pid}, shape...)...), m)
				beat.stopped(t)
				if r.ExitCode != 0 || r.Held || r.Leftovers != p.Killed || p.Killed < 1 || !p.Proven {
					t.Fatalf("%+v %+v %s", r, p, r.Stderr.Head)
				}
			})
		}
	})
}

// heart is a file in which a process leaves its number, to tell later whether it
// is alive.
type heart struct{ pid string }

func newHeart(t *testing.T) heart {
	t.Helper()
	return heart{pid: filepath.Join(t.TempDir(), "pid")}
}

// stopped fails when the process that left its number is still there. In a
// namespace the number means nothing outside, so the one that is looked for is
// the command line, which names the file.
func (h heart) stopped(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(h.pid); err != nil {
		t.Fatal("the process was never there")
	}
	for _, pid := range named(t, h.pid) {
		unix.Kill(pid, unix.SIGKILL)
		t.Errorf("process %d is still there", pid)
	}
}

// named lists the living processes that have a word in their command lines.
func named(t *testing.T, word string) (pids []int) {
	t.Helper()
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		text, err := os.ReadFile(line)
		if err != nil || !strings.Contains(string(text), word) {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(line, "/proc/%d/", &pid); err == nil && pid != os.Getpid() && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestSupervisedChainsOfForksEnd(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		_, p := supervise(t, acting(t, "chains"), m)
		if m != proc.Subreaper && (!p.Proven || p.Killed < 1) {
			t.Fatalf("%+v", p)
		}
		if !p.Proven && p.Reason == "" {
			t.Fatalf("unproven, and no reason: %+v", p)
		}
	})
}

func TestSupervisedRunsEndAtTheDeadlineAndWhenCanceled(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		beat := newHeart(t)
		s := acting(t, "linger", beat.pid) // it ignores TERM
		s.Timeout, s.Grace = 200*time.Millisecond, time.Millisecond
		r, p := supervise(t, s, m)
		// Before it ignores TERM it ends by it.
		if !r.TimedOut || r.Signal != "SIGKILL" && r.Signal != "SIGTERM" || !p.Proven {
			t.Errorf("%+v %+v", r, p)
		}
		beat = newHeart(t)
		s = acting(t, "linger", beat.pid)
		s.Grace = time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		go func() { awaitFile(t, beat.pid); cancel() }()
		r, p, err := proc.Supervise(ctx, s, supervision(t, m))
		if err != nil || !r.Canceled || r.Signal != "SIGKILL" || !p.Proven {
			t.Errorf("%+v %+v %v", r, p, err)
		}
		beat.stopped(t)
		s = shell(`trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.01; done`)
		ctx, cancel = context.WithCancel(t.Context())
		s.TeeStdout = cutter(cancel)
		if r, _, err = proc.Supervise(ctx, s, supervision(t, m)); err != nil || r.ExitCode != 3 || string(r.Stdout.Head) != "ready\nasked\n" {
			t.Errorf("%+v %s %v", r, r.Stdout.Head, err)
		}
	})
}

// cutter does something when there is output.
type cutter func()

func (c cutter) Write(p []byte) (int, error) {
	c()
	return len(p), nil
}

func TestKilledSupervisorLeavesNobody(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		for _, shape := range [][]string{{}, {"session"}, {"session", "twice", "silent", "strange"}} {
			beat := newHeart(t)
			s := acting(t, "spawn", append([]string{beat.pid, "stay"}, shape...)...)
			type outcome struct {
				p   proc.Proof
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				_, p, err := proc.Supervise(context.Background(), s, supervision(t, m))
				done <- outcome{p, err}
			}()
			awaitFile(t, beat.pid)
			for _, pid := range supervisors(t) {
				unix.Kill(pid, unix.SIGKILL)
			}
			got := <-done
			if !fault.Is(got.err, proc.CodeSupervisorLost) || got.p.Proven != (m == proc.PIDNamespace) {
				t.Errorf("%+v %v", got.p, got.err)
			}
			if m == proc.Subreaper && len(shape) > 0 {
				for _, pid := range named(t, beat.pid) { // nobody can know of it: it is said to be unproven
					unix.Kill(pid, unix.SIGKILL)
				}
				continue
			}
			beat.stopped(t)
		}
	})
}

// supervisors lists the supervisors that this process started.
func supervisors(t *testing.T) (pids []int) {
	for _, pid := range named(t, "__bridle-supervise") {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[1] == itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Error("no supervisor is there")
	}
	return pids
}

func TestKilledCallerLeavesNobody(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		for _, shape := range [][]string{{}, {"session", "twice", "silent", "strange"}} {
			beat := newHeart(t)
			r := mustRun(t, acting(t, "supervise-and-die", append([]string{string(m), beat.pid}, shape...)...))
			if r.Signal != "SIGKILL" {
				t.Fatalf("%+v %s", r, r.Stderr.Head)
			}
			for _, pid := range named(t, beat.pid) {
				if !gone(t, pid) {
					t.Errorf("process %d is still there", pid)
				}
			}
		}
	})
}

func TestSupervisedStartFailuresAreTold(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		dir := t.TempDir()
		plain := filepath.Join(dir, "plain")
		if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		for path, code := range map[string]string{
			filepath.Join(dir, "none"): proc.CodeMissing, plain: proc.CodeNotExecutable, dir: proc.CodeNotExecutable,
		} {
			_, _, err := proc.Supervise(t.Context(), proc.Spec{Path: path, Timeout: limit}, supervision(t, m))
			if !fault.Is(err, code) {
				t.Errorf("%s: %v, want %s", path, err, code)
			}
		}
		s := shell("exit 0")
		s.Dir = filepath.Join(dir, "none")
		if _, _, err := proc.Supervise(t.Context(), s, supervision(t, m)); !fault.Is(err, proc.CodeDirMissing) {
			t.Errorf("%v", err)
		}
	})
}

func TestUnfitSupervisorsAreRefused(t *testing.T) {
	s := shell("exit 0")
	for _, program := range []string{"", "relative"} {
		if _, _, err := proc.Supervise(t.Context(), s, proc.Supervision{Program: program}); !fault.Is(err, proc.CodeNoSupervisor) {
			t.Errorf("%q: %v", program, err)
		}
	}
	if _, _, err := proc.Supervise(t.Context(), s, proc.Supervision{Program: "/no/such/program"}); !fault.Is(err, proc.CodeMissing) {
		t.Errorf("%v", err)
	}
	// A program that is no supervisor never gets to run the other one.
	_, p, err := proc.Supervise(t.Context(), s, proc.Supervision{Program: "/bin/true"})
	if !fault.Is(err, proc.CodeSupervisorLost) {
		t.Errorf("%+v %v", p, err)
	}
	s.Cgroup = true
	if _, _, err := proc.Supervise(t.Context(), s, supervision(t)); !fault.Is(err, proc.CodeBadSpec) {
		t.Errorf("%v", err)
	}
}
