package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// asOrdinaryUser runs f without root's right to pass over permissions. The
// identity for file access belongs to a thread, which is thrown away.
func asOrdinaryUser(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			if _, err := unix.SetfsuidRetUid(65534); err != nil {
				done <- err
				return
			}
		}
		done <- f()
	}()
	return <-done
}

// smallDisk returns a directory on a file system of 64 KiB where this process
// may mount one.
func smallDisk(t *testing.T) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,mode=0755"); err != nil {
		return dir, false
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	return dir, true
}

func TestAFullDiskChangesNothing(t *testing.T) {
	dir, small := smallDisk(t)
	s := system{}
	if !small { // then the kernel's answer is given by the seam
		s.before = func(op, _ string) error {
			if op == "write" {
				return unix.ENOSPC
			}
			return nil
		}
	}
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, []byte("old"), 0o600))
	err := s.put(path, make([]byte, 200<<10), 0o600, replace)
	if !fault.Is(err, CodeDiskFull) || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("got %v (code %q)", err, fault.CodeOf(err))
	}
	if err := s.put(filepath.Join(dir, "g"), make([]byte, 200<<10), 0o600, createOnly); !fault.Is(err, CodeDiskFull) {
		t.Errorf("got %v", err)
	}
	if got := look(t, dir); got != "f=old" || len(litter(t, dir)) > 0 {
		t.Errorf("state %q, left behind %q", got, litter(t, dir))
	}
}

func TestMovesBetweenFileSystemsAreRefused(t *testing.T) {
	here := t.TempDir()
	there, mounted := smallDisk(t)
	s := system{}
	if !mounted {
		s.before = func(op, _ string) error {
			if op == "rename" || op == "exchange" {
				return unix.EXDEV
			}
			return nil
		}
	}
	for _, d := range []string{there + "/draft", here + "/d"} {
		must(t, os.Mkdir(d, 0o755))
		must(t, os.WriteFile(d+"/f", []byte(filepath.Base(d)), 0o600))
	}
	for name, err := range map[string]error{
		"publish": s.publishDir(there+"/draft", here+"/new"),
		"replace": s.replaceDir(here+"/d", there+"/draft"),
	} {
		if !fault.Is(err, CodeCrossDevice) {
			t.Errorf("%s: got %v (code %q)", name, err, fault.CodeOf(err))
		}
	}
	if a, b := look(t, here), look(t, there); a != "d/f=d" || b != "draft/f=draft" {
		t.Errorf("state %q and %q", a, b)
	}
}
