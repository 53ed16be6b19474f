package durable

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

func TestALockIsHeldByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path, "hop land")
	must(t, err)
	if _, ok, err := TryLock(path, "second"); ok || err != nil {
		t.Errorf("a second holder: %v %v", ok, err)
	}
	if got, want := Holder(path), "hop land (pid "+strconv.Itoa(os.Getpid())+")"; got != want {
		t.Errorf("holder %q, want %q", got, want)
	}
	unlock()
	unlock() // harmless
	second, ok, err := TryLock(path, "2nd")
	if !ok || err != nil {
		t.Fatalf("not free: %v", err)
	}
	if got, want := Holder(path), "2nd (pid "+strconv.Itoa(os.Getpid())+")"; got != want {
		t.Errorf("holder %q, want %q", got, want)
	}
	for _, path := range []string{filepath.Dir(path), path + ".none"} {
		if got := Holder(path); got != "" {
			t.Errorf("%s names %q", path, got)
		}
	}
	unlock() // nor does the first holder's unlock release the second
	if _, ok, _ := TryLock(path, "third"); ok {
		t.Error("an old unlock released a new lock")
	}
	second()
}

func TestWaitingEndsWithTheContextAndNamesTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path, "hcpx exec\x1b[31m")
	must(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = Lock(ctx, path, "me")
	if !fault.Is(err, CodeLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	want := strconv.Quote(path) + ` is locked by "hcpx exec?[31m (pid ` + strconv.Itoa(os.Getpid()) + `)"`
	if err.Error() != want || fault.From(err).Hint == "" {
		t.Errorf("got %v\nwant %s", err, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := LockShared(ended, path, "me"); !fault.Is(err, CodeLocked) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReadersShareAndAWriterWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	one, err := LockShared(t.Context(), path, "reader one")
	must(t, err)
	two, err := LockShared(t.Context(), path, "reader two")
	must(t, err)
	if _, ok, _ := TryLock(path, "writer"); ok {
		t.Error("a writer beside two readers")
	}
	one()
	if _, ok, _ := TryLock(path, "writer"); ok {
		t.Error("a writer beside one reader")
	}
	got := make(chan error)
	go func() {
		unlock, err := Lock(context.WithoutCancel(t.Context()), path, "writer")
		if err == nil {
			unlock()
		}
		got <- err
	}()
	two()
	must(t, <-got)
}

func TestProcessesThatLockLoseNoUpdate(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/n", []byte("0"), 0o600))
	const processes = 6
	errs := make(chan error)
	for range processes {
		cmd := part("count", dir, "")
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		go func() { errs <- cmd.Wait() }()
	}
	for range processes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if b, _ := os.ReadFile(dir + "/n"); string(b) != strconv.Itoa(processes*25) {
		t.Errorf("counted %s", b)
	}
}

func TestAKilledHolderHoldsNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	cmd := part("hold", dir, "the victim")
	in, err := cmd.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q %v", line, err)
	}
	if _, ok, _ := TryLock(path, "me"); ok {
		t.Fatal("not held")
	}
	if !strings.HasPrefix(Holder(path), "the victim (pid ") {
		t.Errorf("holder %q", Holder(path))
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	unlock, ok, err := TryLock(path, "me")
	if err != nil || !ok {
		t.Fatalf("still held: %v", err)
	}
	unlock()
}

func TestALockFileThatIsRemovedStopsProtectingOnlyItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Lock(t.Context(), path, "first")
	must(t, err)
	must(t, os.Remove(path))
	second, ok, err := TryLock(path, "second")
	if !ok || err != nil {
		t.Fatalf("%v %v", ok, err)
	}
	first()
	if _, ok, _ := TryLock(path, "third"); ok {
		t.Error("the release of a removed lock released the new one")
	}
	second()
}

func TestALockOnAFileThatWasReplacedProtectsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := openLock(path)
	must(t, err)
	defer f.Close()
	if !protects(f, path) {
		t.Error("the file of that name")
	}
	must(t, os.Remove(path))
	if protects(f, path) {
		t.Error("a removed file")
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if protects(f, path) {
		t.Error("a replaced file")
	}
	must(t, os.Remove(path))
	must(t, os.Symlink("lock2", path))
	must(t, os.WriteFile(path+"2", nil, 0o600))
	if g, err := os.Open(path + "2"); err != nil || protects(g, path) {
		t.Errorf("a file behind a link: %v", err)
	}
}

func TestALockIsARegularFile(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/victim", []byte("precious"), 0o600))
	must(t, os.Symlink("victim", dir+"/link"))
	for _, name := range []string{dir + "/link", dir} {
		if _, _, err := TryLock(name, "me"); !fault.Is(err, CodeBadTarget) {
			t.Errorf("%s: %v (code %q)", name, err, fault.CodeOf(err))
		}
	}
	if _, err := Lock(t.Context(), dir+"/no/lock", "me"); !fault.Is(err, CodeNotFound) {
		t.Errorf("missing folder: %v", err)
	}
	if b, _ := os.ReadFile(dir + "/victim"); string(b) != "precious" {
		t.Errorf("the file behind the link now says %q", b)
	}
}
