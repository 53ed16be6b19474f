package hcpx_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// host is the client of a server: what it sends, and what comes back.
type host struct {
	t       *testing.T
	in      io.WriteCloser
	out     *bufio.Reader
	project string
	env     []string
	program string
}

// serve starts hcpx mcp over a store with a pack whose one command says its
// number and that of a child of its own, and waits to be let go; and the ledger.
func serve(t *testing.T) *host {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	check(t, err)
	for _, name := range []string{"hcpx", "hcpx-kit"} {
		check(t, os.Symlink(self, filepath.Join(dir, name)))
	}
	h := &host{t: t, project: filepath.Join(dir, "project"), program: filepath.Join(dir, "hcpx")}
	writePack(t, filepath.Join(h.project, "wait"), "#!/bin/sh\ntrap '' TERM\nsh -c 'trap \"\" TERM; echo $$ > ready; read line < gate' &\nread line < gate\ntouch ran\n")
	ledger, err := filepath.Abs("../../../packs/ledger")
	check(t, err)
	h.env = []string{"HOME=" + dir, "TEST_ACCOUNT=" + dir, "TEST_ROOT=" + strconv.Itoa(os.Getpid()), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	h.run("install", "./wait")
	h.run("install", ledger)
	h.run("activate", "wait", "ledger")
	for _, name := range []string{"gate", "ready"} {
		check(t, unix.Mkfifo(filepath.Join(h.project, name), 0o600))
	}
	cmd := exec.Command(filepath.Join(dir, "hcpx-kit"), "mcp")
	cmd.Dir, cmd.Env = h.project, h.env
	h.in, err = cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	h.out = bufio.NewReader(out)
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = h.in.Close()
		_, _ = io.Copy(io.Discard, h.out)
		_ = cmd.Wait()
	})
	return h
}

func writePack(t *testing.T, dir, program string) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o755))
	for name, text := range map[string]string{
		"surface.json": `{"id":"wait","kind":"wrap","cliBin":"wait","binding":{"mode":"public"},"wrap":{"bin":"./bin/wait","json_flag":[],"workspace":{"mode":"project"}},"verbs":{"now":{"description":"Wait.","cli":["wait"]}}}`,
		"policy.json":  `{"surface_id":"wait","version":1,"verbs":{"now":{"operation":"write","privacy":{"land":"local"}}},"stimuli":{}}`,
		"HARNESS.md":   "# HCP — Wait\n\nWaits. No login.\n\n| Command | CLI | Policy |\n|---|---|---|\n| `now` | `wait` | write |\n",
		"bin/wait":     program,
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
}

func (h *host) run(words ...string) string {
	h.t.Helper()
	cmd := exec.Command(h.program, words...)
	cmd.Dir, cmd.Env = h.project, h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("%s: %s", words, out)
	}
	return string(out)
}

func (h *host) send(format string, args ...any) {
	h.t.Helper()
	_, err := fmt.Fprintf(h.in, format+"\n", args...)
	check(h.t, err)
}

func (h *host) call(id int, words ...string) {
	h.t.Helper()
	argv, err := json.Marshal(words)
	check(h.t, err)
	h.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hcp","arguments":{"argv":%s}}}`, id, argv)
}

func (h *host) cancel(id int) {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

// ping waits for the answer to a question of its own, before which none other may
// come.
func (h *host) ping(id int) {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
	line, err := h.out.ReadString('\n')
	check(h.t, err)
	if want := fmt.Sprintf(`"id":%d,`, id); !strings.Contains(line, want) {
		h.t.Errorf("a cancelled call was answered: %s", line)
	}
}

// eventually waits for a condition, with an end.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	timeout := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("%s: never", what)
		}
	}
}

func TestACallCancelledByItsHostEndsItsCommandAndWhatThatStarted(t *testing.T) {
	h := serve(t)
	h.call(1, "exec", "wait", "now")
	ready, err := os.Open(filepath.Join(h.project, "ready"))
	check(t, err)
	defer func() { _ = ready.Close() }()
	number, err := bufio.NewReader(ready).ReadString('\n')
	check(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(number))
	check(t, err)
	leader, err := unix.Getsid(child) // the command leads a session of its own
	check(t, err)
	h.cancel(1)
	for _, pid := range []int{child, leader} {
		eventually(t, "the process ended", func() bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) })
	}
	h.ping(2)
	if _, err := os.Lstat(filepath.Join(h.project, "ran")); err == nil {
		t.Error("the command went on")
	}
	if log := h.run("audit", "--json", "--limit", "1"); !strings.Contains(log, `"canceled"`) {
		t.Errorf("the log does not say that it was cancelled: %s", log)
	}
}

// The call cannot get beyond writing its question before the cancellation comes.
func TestACallCancelledByItsHostLeavesNoQuestionOpen(t *testing.T) {
	h := serve(t)
	lock := filepath.Join(filepath.Dir(h.program), ".hcp", "approvals.json.lock")
	held, err := os.OpenFile(lock, os.O_RDWR|os.O_CREATE, 0o600)
	check(t, err)
	defer func() { _ = held.Close() }()
	check(t, unix.Flock(int(held.Fd()), unix.LOCK_EX))
	h.call(1, "exec", "ledger", "transfer", "--", "amount=2.80", "payee=demo-transit")
	h.cancel(1)
	h.ping(2)
	check(t, unix.Flock(int(held.Fd()), unix.LOCK_UN))
	check(t, h.in.Close())
	if rest, err := io.ReadAll(h.out); err != nil || len(rest) > 0 { // the server ends after its calls
		t.Errorf("a cancelled call was answered: %s %v", rest, err)
	}
	if waiting := h.run("approvals", "--json"); strings.Contains(waiting, `"state":"open"`) {
		t.Errorf("a question stays open: %s", waiting)
	}
}
