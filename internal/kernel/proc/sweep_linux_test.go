package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// counters stands in for the kernel's two files.
func counters(t testing.TB, last, top string) lineage {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"last": last, "top": top} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := lineage{openForReading(filepath.Join(dir, "last")), openForReading(filepath.Join(dir, "top"))}
	t.Cleanup(l.close)
	return l
}

func TestNumbersComeInTheOrderInWhichTheyWereGiven(t *testing.T) {
	const top = 50
	l := counters(t, "7\n", fmt.Sprint(top))
	rapid.Check(t, func(rt *rapid.T) {
		after := rapid.IntRange(1, top-1).Draw(rt, "after")
		upTo := rapid.IntRange(1, top-1).Draw(rt, "up to")
		var want, got []int
		for pid := after; pid != upTo; {
			pid++
			if pid == top {
				pid = 1
			}
			want = append(want, pid)
		}
		l.each(after, upTo, func(pid int) { got = append(got, pid) })
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
		var back []int
		l.eachBack(after, upTo, func(pid int) { back = append(back, pid) })
		slices.Reverse(back)
		if upTo > after && !slices.Equal(back, want) {
			rt.Fatalf("back: %v, want %v", back, want)
		}
	})
	if last, ok := l.last(); !ok || last != 7 {
		t.Fatalf("last is %d, %v", last, ok)
	}
}

func TestNumbersThatCannotBeReadAreNotGuessed(t *testing.T) {
	for _, text := range []string{"", "x", "-3", "0", "99999999999999999999999"} {
		if last, ok := counters(t, text, text).last(); ok {
			t.Errorf("%q is read as %d", text, last)
		}
	}
	if _, ok := (lineage{-1, -1}).last(); ok {
		t.Error("a missing file has a number")
	}
}

// orphan starts a process that none of the ways of finding one leads to, except
// those that the attributes and the environment open.
func orphan(t *testing.T, attr *syscall.SysProcAttr, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "300")
	cmd.SysProcAttr, cmd.Env = attr, append([]string{"A=1"}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// Every way of listing candidates, with every way of knowing one's own, finds
// exactly those that belong to the run and ends only them.
func TestSweepEndsItsOwnAndNobodyElse(t *testing.T) {
	kernel := openLineage()
	t.Cleanup(kernel.close)
	for name, list := range map[string]struct {
		lineage lineage
		long    bool
	}{
		"by number":              {kernel, false},
		"after a long run":       {kernel, true},
		"kernel tells nothing":   {lineage{-1, -1}, false},
		"long and tells nothing": {lineage{-1, -1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			leader := orphan(t, &syscall.SysProcAttr{Setsid: true})
			session, err := unix.Getsid(leader.Process.Pid)
			if err != nil || session != leader.Process.Pid {
				t.Fatalf("session %d, %v", session, err)
			}
			_, token := mark(nil, "")
			marked := orphan(t, &syscall.SysProcAttr{Setsid: true}, MarkVariable+"=outer,"+string(token))
			other := orphan(t, &syscall.SysProcAttr{Setsid: true}, MarkVariable+"=0123456789abcdef")
			w := newSweeper(list.lineage, leader.Process.Pid, nil, token, 0)
			w.long = list.long
			if n := w.census(); n != 1 {
				t.Fatalf("census: %d of %v", n, w.found)
			}
			if !lives(marked) {
				t.Fatal("the census ended someone")
			}
			if n := w.kill(); n != 1 || lives(marked) {
				t.Fatalf("kill: %d, still there: %v", n, lives(marked))
			}
			if !lives(other) || !lives(leader) {
				t.Fatal("someone else was ended")
			}
		})
	}
}

func lives(cmd *exec.Cmd) bool {
	fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return !ended(fd, 0)
}

func TestMarkIsAddedOnceAndKeepsTheOuterOne(t *testing.T) {
	marked, token := mark([]string{"A=1", MarkVariable + "=outer", "B=2"}, "")
	if want := []string{"A=1", "B=2", MarkVariable + "=outer," + string(token)}; !slices.Equal(marked, want) {
		t.Fatalf("%q, want %q", marked, want)
	}
	_, second := mark(nil, "")
	if bytes.Equal(second, token) || len(token) != 32 {
		t.Fatalf("%s and %s", token, second)
	}
}

// The way that kernels without process descriptors need is tried on this one.
func TestLeaderIsAwaitedWithoutItsDescriptor(t *testing.T) {
	cmd := exec.Command("/bin/true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b, err := newBell()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	n := watch(child{pid: cmd.Process.Pid, pidfd: -1}, b)
	defer n.close()
	fds := []unix.PollFd{{Fd: int32(b.fd), Events: unix.POLLIN}}
	for !n.gone.Load() {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("it was reaped: %v", err)
	}
}
