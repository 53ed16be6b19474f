package houndcli_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bridle/hound"
	"bridle/hound/guard"
)

// A killed kernel, and a killed supervisor, leave no process of the driver: every
// one of them holds the end of a pipe, which is at its end only when all are gone.
func TestKilledRunLeavesNoSurvivorAndNoFinishedRecord(t *testing.T) {
	for name, victim := range map[string]func(t *testing.T, kernel int) int{
		"kernel":     func(_ *testing.T, kernel int) int { return kernel },
		"supervisor": firstChild,
	} {
		t.Run(name, func(t *testing.T) { killMidway(t, victim, name == "kernel") })
	}
}

func killMidway(t *testing.T, victim func(*testing.T, int) int, pending bool) {
	record := endMidway(t, syscall.SIGKILL, victim, func(err error) {
		if err == nil {
			t.Error("the run ended well")
		}
	})
	if _, err := guard.Verify(record); pending != guard.IsInvalid(err) {
		t.Errorf("%v", err)
	}
}

// Who interrupts an execution is answered with 130, and a record that says so.
func TestInterruptedExecutionExits130AndIsRecorded(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		record := endMidway(t, signal, func(_ *testing.T, kernel int) int { return kernel }, func(err error) {
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 130 {
				t.Errorf("%v: %v", signal, err)
			}
		})
		if _, err := guard.Verify(record); err != nil {
			t.Errorf("%v: %v", signal, err)
		}
		text, err := os.ReadFile(filepath.Join(record, hound.ResultFile))
		if err != nil || !strings.Contains(string(text), `"error":"the run was interrupted; none of its processes is left`) {
			t.Errorf("%v: %v: %s", signal, err, text)
		}
	}
}

// endMidway signals a process of an execution while the driver and daemons of its
// own are at work, waits until all of them are gone, and returns the record.
func endMidway(t *testing.T, signal syscall.Signal, victim func(*testing.T, int) int, ended func(error)) string {
	t.Helper()
	root := notesProject(t)
	fifo := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	driver := filepath.Join(root, "tools", "notes")
	text, err := os.ReadFile(driver)
	if err != nil {
		t.Fatal(err)
	}
	linger := "execute)\n exec 9>" + fifo + "; echo started >&9; (setsid sleep 1000 &) ; (sleep 1000 &) ; sleep 1000\n"
	if err := os.WriteFile(driver, []byte(strings.Replace(string(text), "execute)\n", linger, 1)), 0o755); err != nil {
		t.Fatal(err)
	}
	commit(t, root)
	plan := filepath.Join(t.TempDir(), "plan.json")
	if out, err := houndCommand(root, "plan", "--driver", "hound-driver.json", "--operation", "notes.auto", "--as-of", "x", "--output", plan).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := houndCommand(root, "execute", "--driver", "hound-driver.json", "--plan", plan)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	alive, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(alive)
	if line, err := reader.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatal(line, err)
	}
	if err := syscall.Kill(victim(t, cmd.Process.Pid), signal); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	ended(cmd.Wait())
	records, err := filepath.Glob(filepath.Join(root, ".hound/runs/*"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	return records[0]
}

// firstChild is the supervisor: the kernel starts it and no other process at
// that time.
func firstChild(t *testing.T, pid int) int {
	t.Helper()
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for word := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			return child
		}
	}
	t.Fatal("there is no supervisor")
	return 0
}

// houndCommand runs the program as the scripts do: this test program under
// another name.
func houndCommand(dir string, words ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"hound"}, words...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=/nowhere", "PATH=/usr/bin:/bin"}
	return cmd
}

func notesProject(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "owner")
	if err := os.CopyFS(root, os.DirFS("testdata/notes")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "tools", "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root
}

func commit(t *testing.T, root string) {
	t.Helper()
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command("git", words...)
		cmd.Dir = root
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nowhere", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", words, err, out)
		}
	}
}
