package journal

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// A real full disk where this process may mount one; where it may not, the
// limit on file sizes above stands for it.
func TestAFullDiskIsAnErrorAndChangesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,mode=0755"); err != nil {
		if os.Geteuid() == 0 && !errors.Is(err, unix.EPERM) {
			t.Fatal(err)
		}
		t.Log("may not mount a small disk here")
		return
	}
	defer func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) }()
	path := filepath.Join(dir, "audit.jsonl")
	j, err := Open(path, Options{})
	must(t, err)
	defer j.Close()
	var last Head
	for {
		before := content(t, path)
		head, err := j.Append(t.Context(), event{Command: strings.Repeat("x", 900)}, Sync)
		if err == nil {
			last = head
			continue
		}
		if !fault.Is(err, durable.CodeDiskFull) || content(t, path) != before {
			t.Errorf("%v (code %q)", err, fault.CodeOf(err))
		}
		break
	}
	if last.Seq < 30 {
		t.Errorf("only %d lines fit", last.Seq)
	}
	if r := intact(t, path, last); r.Head != last {
		t.Errorf("report %+v", r)
	}
}

// In a folder that this user may not write, files cannot be renamed. Root may
// always, so for root one thread becomes another user.
func TestAFileThatCannotBePutAsideGoesOnGrowing(t *testing.T) {
	path, heads := written(t, 6, Options{})
	dir := filepath.Dir(path)
	root := os.Geteuid() == 0
	if root {
		must(t, os.Chmod(filepath.Dir(dir), 0o755)) // reachable for the other user
		for _, f := range []string{path, path + ".lock"} {
			must(t, os.Chown(f, 65534, -1))
		}
	}
	must(t, os.Chmod(dir, 0o555))
	defer func() { must(t, os.Chmod(dir, 0o755)) }()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and the thread is thrown away
		if root {
			if _, err := unix.SetfsuidRetUid(65534); err != nil {
				done <- err
				return
			}
		}
		j, err := Open(path, small)
		if err == nil {
			_, err = j.Append(context.Background(), event{}, NoSync)
			err = errors.Join(err, j.Close())
		}
		done <- err
	}()
	must(t, <-done)
	if r := intact(t, path, heads...); r.Lines != 7 || len(r.Files) != 1 {
		t.Errorf("report %+v", r)
	}
}

// What the kernel sees: a line is one write, and a Sync line is flushed after
// it; a NoSync line is not.
func TestALineIsOneWriteAndSyncFlushesIt(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("strace is not installed")
	}
	path, _ := written(t, 1, Options{})
	child := part("both", path)
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(strace, append([]string{"-f", "-y", "-s", "400", "-o", log, "-e", "trace=write,pwrite64,fsync,fdatasync,ftruncate", "--"}, child.Args...)...)
	cmd.Env = child.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	var seen []string
	for line := range strings.Lines(content(t, log)) {
		if !strings.Contains(line, "<"+path+">") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(line, "0123456789 "), "(") // behind the process id
		switch {
		case strings.Contains(line, `\"n\":2}\n"`):
			name += " NoSync"
		case strings.Contains(line, `\"n\":1}\n"`):
			name += " Sync"
		}
		seen = append(seen, name)
	}
	if want := []string{"write NoSync", "write Sync", "fsync"}; !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q\n%s", seen, want, content(t, log))
	}
}
