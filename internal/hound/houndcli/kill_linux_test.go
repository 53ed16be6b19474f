package houndcli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

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
	if err := syscall.Kill(victim(t, cmd.Process.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the run ended well")
	}
	records, err := filepath.Glob(filepath.Join(root, ".hound/runs/*"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	_, err = guard.Verify(records[0])
	if pending != guard.IsInvalid(err) {
		t.Errorf("%v", err)
	}
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
