package hcpx_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// waiting is a call of a command that says its number and waits to be let go.
type waiting struct {
	cmd   *exec.Cmd
	child int
	gate  string
}

// startWaiting starts hcpx, by a shell line in which $0 is the program and $@
// its words.
func startWaiting(t *testing.T, line string) waiting {
	t.Helper()
	// What this process heeds, its children find at the default, also where the
	// tests were started to ignore it, as by nohup.
	heeded := make(chan os.Signal, 1)
	signal.Notify(heeded, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	t.Cleanup(func() { signal.Stop(heeded) })
	dir := t.TempDir()
	self, err := os.Executable()
	check(t, err)
	program := filepath.Join(dir, "hcpx")
	check(t, os.Symlink(self, program))
	project := filepath.Join(dir, "project")
	check(t, os.MkdirAll(filepath.Join(project, "wait", "bin"), 0o755))
	for name, text := range map[string]string{
		"surface.json": `{"id":"wait","kind":"wrap","cliBin":"wait","binding":{"mode":"public"},"wrap":{"bin":"./bin/wait","json_flag":[],"workspace":{"mode":"project"}},"verbs":{"now":{"description":"Wait.","cli":["wait"]}}}`,
		"policy.json":  `{"surface_id":"wait","version":1,"verbs":{"now":{"operation":"write","privacy":{"land":"local"}}},"stimuli":{}}`,
		"HARNESS.md":   "# HCP — Wait\n\nWaits. No login.\n\n| Command | CLI | Policy |\n|---|---|---|\n| `now` | `wait` | write |\n",
		"bin/wait":     "#!/bin/sh\necho $$ > ready\nread line < gate\necho '{\"ok\":true}'\n",
	} {
		check(t, os.WriteFile(filepath.Join(project, "wait", name), []byte(text), 0o755))
	}
	env := []string{"HOME=" + dir, "TEST_ACCOUNT=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	for _, words := range [][]string{{"install", "./wait"}, {"activate", "wait"}} {
		cmd := exec.Command(program, words...)
		cmd.Dir, cmd.Env = project, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", words, out)
		}
	}
	gate := filepath.Join(project, "gate")
	check(t, unix.Mkfifo(gate, 0o600))
	check(t, unix.Mkfifo(filepath.Join(project, "ready"), 0o600))
	cmd := exec.Command("/bin/sh", "-c", line, program, "exec", "wait", "now", "--json")
	cmd.Dir, cmd.Env = project, env
	check(t, cmd.Start())
	ready, err := os.Open(filepath.Join(project, "ready"))
	check(t, err)
	defer func() { _ = ready.Close() }()
	number, err := bufio.NewReader(ready).ReadString('\n')
	check(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(number))
	check(t, err)
	return waiting{cmd, child, gate}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever ends the program, the keyboard or the terminal that goes, ends what
// it runs.
func TestEndingSignalsEndTheCommand(t *testing.T) {
	for _, ending := range []unix.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
		t.Run(unix.SignalName(ending), func(t *testing.T) {
			w := startWaiting(t, `exec "$0" "$@"`)
			check(t, w.cmd.Process.Signal(ending))
			if err := w.cmd.Wait(); err == nil {
				t.Error("the call succeeded")
			}
			if err := unix.Kill(w.child, 0); !errors.Is(err, unix.ESRCH) {
				_ = unix.Kill(w.child, unix.SIGKILL)
				t.Errorf("the command still runs: %v", err)
			}
		})
	}
}

func TestSignalThatWasIgnoredFromTheStartStaysIgnored(t *testing.T) {
	w := startWaiting(t, `trap '' HUP; exec "$0" "$@"`)
	check(t, w.cmd.Process.Signal(unix.SIGHUP))
	gate, err := os.OpenFile(w.gate, os.O_WRONLY, 0)
	check(t, err)
	_, err = gate.WriteString("go\n")
	check(t, err)
	check(t, gate.Close())
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("the call that was to outlive its terminal ended: %v", err)
	}
}
