package wrap

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bridle/hcp"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// victim is the variable by which this test binary makes one call in the world
// at that place and is killed in the middle of it.
const victim = "WRAP_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victim); dir != "" {
		callAndWait(dir)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// callAndWait runs the world's pack until it is killed.
func callAndWait(dir string) {
	t := &testing.T{}
	w := worldAt(t, dir)
	w.open()
	p := w.loadTool()
	New(w.options).Run(context.Background(), w.request(p, "x", nil))
}

// killed runs a script as a call whose process is killed once the script has
// made the file "ready". The script's numbers in "pids" are those of processes
// it started.
func (w *world) killed(script string) {
	w.t.Helper()
	w.toolPack(script+"\n: > ready\nsleep 300", &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	// A pipe tells when the script is that far without looking again and again.
	ready := filepath.Join(w.project, "ready")
	if err := unix.Mkfifo(ready, 0o600); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), victim+"="+w.dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	f, err := os.Open(ready)
	if err != nil {
		w.t.Fatal(err)
	}
	_, _ = bufio.NewReader(f).ReadString('\n')
	_ = f.Close()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := os.Remove(ready); err != nil {
		w.t.Fatal(err)
	}
}

func TestTamperingOfAKilledCallIsUndoneByTheNext(t *testing.T) {
	for name, script := range map[string]string{
		"hook":                   `echo evil > .git/hooks/post-checkout`,
		"config":                 `printf '[core]\n\tfsmonitor = evil\n' >> .git/config`,
		"no repository any more": `mv .git/HEAD gone; printf '[core]\n\tfsmonitor = evil\n' >> .git/config`,
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := guarded(t, "")
			before := withoutHead(w.state(filepath.Join(w.project, ".git")))
			w.killed(script)
			if !strings.Contains(w.state(filepath.Join(w.project, ".git")), "evil") {
				t.Fatal("the call did nothing")
			}
			w.open()
			notes, failure := w.next()
			if !strings.Contains(notes+failure, CodeGitConfigChanged) || !strings.Contains(notes+failure, "undone") {
				t.Fatalf("notes %q, failure %q", notes, failure)
			}
			if after := withoutHead(w.state(filepath.Join(w.project, ".git"))); after != before {
				t.Fatalf("before:\n%s\nafter:\n%s", before, after)
			}
			// What was taken away is kept, and nothing is told or undone twice.
			_, rest, _ := strings.Cut(notes+failure, `taken away is in "`)
			path, _, _ := strings.Cut(rest, `"`)
			if !strings.Contains(w.read(path), "evil") {
				t.Fatalf("not kept in %q", path)
			}
			w.open()
			if notes, failure = w.next(); notes != "" || failure != "" {
				t.Fatalf("once more: notes %q, failure %q", notes, failure)
			}
		})
	}
}

func withoutHead(state string) string {
	var kept []string
	for line := range strings.Lines(state) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "HEAD") && !strings.Contains(line, "refs/heads") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// The debt follows the project to where it was moved, and does not fall on
// another one in its place.
func TestTamperingOfAKilledCallIsFoundInAMovedProject(t *testing.T) {
	w, _ := guarded(t, "")
	w.killed(`echo evil > .git/hooks/post-checkout`)
	moved, old := filepath.Join(w.home, "moved"), w.project
	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.repository(filepath.Join(old, ".git")), "hooks", "post-checkout"), "mine", 0o755)
	w.open()
	if notes, failure := w.next(); strings.Contains(notes, CodeGitConfigChanged) || failure != "" {
		t.Fatalf("notes %q, failure %q", notes, failure)
	}
	if w.read(filepath.Join(old, ".git", "hooks", "post-checkout")) != "mine" {
		t.Fatal("another project was changed")
	}
	w.project = moved
	w.open()
	p := w.toolPack(`true`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	if out := w.run(w.request(p, "x", nil)); out.Found != CodeGitConfigChanged || !strings.Contains(strings.Join(out.Notes, ""), CodeGitConfigChanged) {
		t.Fatalf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(moved, ".git", "hooks", "post-checkout")); !os.IsNotExist(err) {
		t.Fatal("still there")
	}
}

// A call beside the dead one must not make the tampering its baseline either.
func TestCallBesideAKilledOneKeepsTheBaseline(t *testing.T) {
	w, _ := guarded(t, "")
	before := w.state(filepath.Join(w.project, ".git"))
	beside, _, err := w.local.Guard.enter(t.Context(), w.local.Project)
	if err != nil {
		t.Fatal(err)
	}
	w.killed(`echo evil > .git/hooks/post-checkout`)
	third, _, err := w.local.Guard.enter(t.Context(), w.local.Project)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := third.end(); fault.CodeOf(err) != CodeGitConfigChanged {
		t.Fatalf("third: %v", err)
	}
	if _, err := beside.end(); fault.CodeOf(err) != CodeGitConfigChanged {
		t.Fatalf("beside, which was under way as well: %v", err)
	}
	if after := w.state(filepath.Join(w.project, ".git")); after != before {
		t.Fatalf("after:\n%s", after)
	}
	if _, failure := w.next(); failure != "" {
		t.Fatal(failure)
	}
}

// What is in the group of a call dies with the process that made the call; what
// left the group is ended by the next call, whichever it is.
// Whoever comes while another call ends what a killed one left waits for it.
func TestCallWaitsForTheOneThatEndsAKilledCall(t *testing.T) {
	w, _ := guarded(t, "")
	w.killed(":")
	records, err := filepath.Glob(filepath.Join(w.local.Guard.Dir, "*"+callSuffix))
	if err != nil || len(records) != 1 {
		t.Fatalf("%q %v", records, err)
	}
	unlock, ok, err := durable.TryLock(records[0], "the other call")
	if !ok || err != nil {
		t.Fatalf("the record of the killed call is not free: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, unlock)
	if _, code := w.next(); code != "" {
		t.Fatalf("code %q", code)
	}
}

func TestProcessesOfAKilledCallAreEndedByTheNext(t *testing.T) {
	w, _ := guarded(t, "")
	w.killed(`apart() { until [ "$(cut -d' ' -f6 /proc/$1/stat)" = "$1" ]; do :; done; }
sleep 300 & echo $! > pids
setsid sleep 300 & echo $! >> pids; apart $!
setsid sh -c 'trap "" TERM; while :; do sleep 300; done' & echo $! >> pids; apart $!`)
	var pids []int
	for line := range strings.Lines(w.read(filepath.Join(w.project, "pids"))) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 3 || !running(pids[1]) || !running(pids[2]) {
		t.Fatalf("the call left nobody: %v", pids)
	}
	ended(t, pids[0])
	p := w.toolPack(`true`, nil, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure != nil || !strings.Contains(strings.Join(out.Notes, "\n"), "were ended") {
		t.Fatalf("%v, notes %q", out.Failure, out.Notes)
	}
	for _, pid := range pids {
		if running(pid) {
			t.Errorf("process %d goes on", pid)
		}
	}
}

// ended waits until a process has ended.
func ended(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	const patience = 30_000
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patience); n != 1 {
		t.Fatalf("process %d goes on: %v", pid, err)
	}
}

// running reports whether a process is there and has not ended.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	state := stat[bytes.LastIndexByte(stat, ')')+2]
	return state != 'Z' && state != 'X'
}

func TestSettingsAreUndoneByTheNextCallAfterAKill(t *testing.T) {
	w, _ := governed(t, "")
	w.killed(`rm -r .hcp; echo evil > .mcp.json`)
	notes, code := w.next()
	if code != "" || !strings.Contains(notes, CodeSettingsChanged) || w.read(filepath.Join(w.project, ".hcp", "access.json")) != readonlyMode || exist(filepath.Join(w.project, ".mcp.json")) {
		t.Fatal(code, notes)
	}
}
