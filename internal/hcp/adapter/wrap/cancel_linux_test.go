package wrap

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
)

// A call that is cancelled ends with everything that it started: what heeds the
// request, what does not, and what went into a session of its own.
func TestNothingOfACancelledCallGoesOn(t *testing.T) {
	if cancelGrace > time.Second/2 {
		t.Fatal("a program that does not end by itself may take longer than a second")
	}
	w := newWorld(t)
	w.open()
	ready := filepath.Join(w.project, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	p := w.toolPack(`sleep 300 & echo $! > pids
(trap '' TERM; while :; do sleep 300; done) & echo $! >> pids
setsid sh -c 'trap "" TERM; while :; do sleep 300; done' & echo $! >> pids
echo $$ >> pids
trap '' TERM
echo > ready
while :; do sleep 300; done`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan adapter.Outcome, 1)
	go func() { done <- New(w.options).Run(ctx, w.request(p, "x", nil)) }()
	f, err := os.Open(ready)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = bufio.NewReader(f).ReadString('\n')
	_ = f.Close()
	cancel()
	out := <-done
	if out.Failure == nil || out.Failure.Code != adapter.CodeCanceled {
		t.Fatalf("%+v", out)
	}
	pids := strings.Fields(w.read(filepath.Join(w.project, "pids")))
	if len(pids) != 4 {
		t.Fatalf("%q", pids)
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if running(pid) {
			t.Errorf("process %d goes on", pid)
		}
	}
}
