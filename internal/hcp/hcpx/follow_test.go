package hcpx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/journal"
)

// The log goes on in a new file when the old one is full; who follows it gets
// every line once and in order, whatever its file.
func TestFollowGoesOnThroughRotation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".hcp", "audit.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := journal.Open(path, journal.Options{Holder: "test", MaxBytes: 2048})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	add := func(n int) {
		t.Helper()
		e := hcp.AuditEvent{Action: hcp.AuditExec, PackID: "demo", VerbKey: fmt.Sprintf("k%d", n), Operation: hcp.OperationRead, Decision: "allow", Ran: true}
		if _, err := log.Append(t.Context(), e, journal.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	const before, all = 5, 60
	for n := range before {
		add(n)
	}
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- App().Run(ctx, cli.Invocation{
			Program: Name, Args: []string{"audit", "--follow", "--pack", "demo", "--limit", "3", "--json"}, Dir: dir, Home: dir, UserID: "uid-test",
			AccountHome: func() (string, error) { return "", errors.New("no such user") },
			Env:         cli.NewEnv([]string{"PATH=/usr/bin:/bin"}), Stdout: in, Stderr: io.Discard, Clock: clock.System(),
		})
		_ = in.Close()
	}()
	lines := bufio.NewScanner(out)
	next := func(want int) {
		t.Helper()
		var e hcp.AuditEvent
		if !lines.Scan() {
			t.Fatalf("the log ended before line %d", want)
		}
		if _, err := canon.DecodeOpen(lines.Bytes(), &e, canon.Limits{}); err != nil || e.VerbKey != fmt.Sprintf("k%d", want) {
			t.Fatalf("line %q, %v; want k%d", lines.Text(), err, want)
		}
	}
	for n := before - 3; n < before; n++ {
		next(n)
	}
	for n := before; n < all; n++ {
		add(n)
	}
	for n := before; n < all; n++ {
		next(n)
	}
	if files, err := filepath.Glob(path + ".0*"); err != nil || len(files) < 3 {
		t.Fatalf("put aside: %v, %v", files, err)
	}
	cancel()
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"code":"interrupted"`) {
			t.Errorf("one line more: %q", lines.Text())
		}
	}
	<-code
	report, err := journal.Verify(path)
	if err != nil || report.Problem != nil || report.Lines != all {
		t.Fatalf("%+v, %v", report, err)
	}
}
