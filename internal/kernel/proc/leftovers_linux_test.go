package proc

import (
	"bufio"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever carries a dead run's mark, or shares a session with someone who does,
// is ended, also when it ignores TERM; nobody else is.
func TestLeftoversOfADeadRunAreEndedAndNobodyElse(t *testing.T) {
	dead, alive := NewMark(), NewMark()
	carrier := orphan(t, &syscall.SysProcAttr{Setsid: true}, MarkVariable+"=outer,"+dead)
	shed := orphan(t, &syscall.SysProcAttr{Setsid: true}, MarkVariable+"="+dead)
	// A process group of the carrier's session, without the mark.
	script := exec.Command("/bin/sh", "-c", `trap "" TERM; env -i sleep 300 & echo $!; wait`)
	script.SysProcAttr, script.Env = &syscall.SysProcAttr{Setsid: true}, []string{"PATH=/usr/bin:/bin", MarkVariable + "=" + dead}
	out, err := script.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = script.Process.Kill(); _ = script.Wait() })
	bare := readNumberLine(t, out)
	other := orphan(t, &syscall.SysProcAttr{Setsid: true}, MarkVariable+"="+alive)
	plain := orphan(t, &syscall.SysProcAttr{Setsid: true})
	fd, err := unix.PidfdOpen(bare, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	n, left := EndLeftovers(dead)
	if n != 4 || left != 0 || lives(carrier) || lives(shed) || lives(script) || !ended(fd, 0) {
		t.Fatalf("ended %d, left %d; alive: %v %v %v", n, left, lives(carrier), lives(shed), lives(script))
	}
	if !lives(other) || !lives(plain) {
		t.Fatal("someone else was ended")
	}
	if n, left := EndLeftovers(dead, "", "e", "PATH"); n != 0 || left != 0 {
		t.Fatalf("ended %d more, left %d", n, left)
	}
}

func TestAChosenMarkIsTakenAsItIs(t *testing.T) {
	chosen := NewMark()
	env, token := mark(nil, chosen)
	if string(token) != chosen || len(env) != 1 || env[0] != MarkVariable+"="+chosen {
		t.Fatalf("%q %s", env, token)
	}
	for _, bad := range []string{"e", "PATH", chosen[:30], chosen + "00"} {
		if err := (&Spec{Path: "/bin/true", Timeout: 1, Mark: bad}).validate(); err == nil {
			t.Errorf("the mark %q was accepted", bad)
		}
	}
}

func readNumberLine(t *testing.T, r io.Reader) int {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return number
}
