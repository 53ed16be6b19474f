package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// onSmallDisk runs a worker that has a file system of two megabytes to itself
// where we have the right to make one, and says so to it.
func onSmallDisk(t *testing.T, name string, args ...string) {
	t.Helper()
	for _, mount := range []string{"mount", "no mount"} {
		cmd := worker(t, name, append([]string{mount}, args...)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if mount == "mount" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		}
		err := cmd.Start()
		if mount == "mount" && errors.Is(err, syscall.EPERM) {
			continue
		}
		if err == nil {
			err = cmd.Wait()
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		return
	}
}

// smallDisk mounts the file system in a worker that has its own mounts.
func smallDisk(how, dir string) (mounted bool, err error) {
	if how != "mount" {
		return false, nil
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return false, err
	}
	return true, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m,mode=0755")
}

// fill takes all that is left of a small disk, or, where there is none, the
// right to write more than a few bytes to any file.
func fill(disk string, mounted bool) (free func() error, err error) {
	if !mounted {
		signal.Ignore(syscall.SIGXFSZ)
		var before syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			return nil, err
		}
		return func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before) },
			syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 16, Max: before.Max})
	}
	path := filepath.Join(disk, "filler")
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	written := 0
	for size := 1 << 16; size > 0; {
		n, err := file.Write(make([]byte, size))
		if written += n; err != nil {
			size /= 2
		}
		if written > 4<<20 {
			return nil, errors.New("the disk is not small")
		}
	}
	return func() error { return os.Remove(path) }, file.Close()
}

func workFullDisk(args []string) error {
	disk, first, second, third := args[1], args[2], args[3], args[4]
	mounted, err := smallDisk(args[0], disk)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(disk, "home"), Options{})
	if err != nil {
		return err
	}
	if _, err := s.Install(ctx, first, InstallOptions{}); err != nil {
		return err
	}
	if _, err := s.Activate(ctx, []string{"first"}, ActivateOptions{}); err != nil {
		return err
	}
	free, err := fill(disk, mounted)
	if err != nil {
		return err
	}
	attempts := map[string]func() error{
		"install":    func() error { _, err := s.Install(ctx, second, InstallOptions{}); return err },
		"reinstall":  func() error { _, err := s.Install(ctx, third, InstallOptions{}); return err },
		"deactivate": func() error { _, err := s.Deactivate(ctx, []string{"first"}); return err },
		"connect":    func() error { _, err := s.SetConnected(ctx, "first", true); return err },
		"output": func() error {
			_, _, err := s.SaveOutput(ctx, strings.NewReader(strings.Repeat("x", 1<<20)))
			return err
		},
	}
	for name, attempt := range attempts {
		err := attempt()
		if code := fault.CodeOf(err); code != durable.CodeDiskFull && code != CodeStoreIO && code != durable.CodeIO {
			return fmt.Errorf("%s on a full disk: %v (%q)", name, err, code)
		}
		if mounted && fault.CodeOf(err) != durable.CodeDiskFull {
			return fmt.Errorf("%s on a full disk: %v has the code %q", name, err, fault.CodeOf(err))
		}
		if mounted && (fault.From(err).Hint == "" || !errors.Is(err, syscall.ENOSPC)) {
			return fmt.Errorf("%s: %v has no hint, or lost its cause", name, err)
		}
		if _, err := s.Verify(ctx, "first"); err != nil {
			return fmt.Errorf("after %s: %w", name, err)
		}
	}
	if installed, err := s.InstalledIDs(); err != nil || len(installed) != 2 {
		return fmt.Errorf("installed %v, %v", installed, err)
	}
	if err := free(); err != nil {
		return err
	}
	if _, err := s.Install(ctx, second, InstallOptions{}); err != nil {
		return fmt.Errorf("with space again: %w", err)
	}
	return nil
}

func TestFullDiskFailsTheCommandAndLosesNothing(t *testing.T) {
	first := source(t, wrapPack("first", "./bin/demo"))
	second := source(t, wrapPack("second", "./bin/demo").with("data", strings.Repeat("x", 1<<18)))
	third := source(t, wrapPack("first", "./bin/demo").with("extra", "a few more bytes than fit"))
	onSmallDisk(t, "full disk", t.TempDir(), first, second, third)
}

func workReadOnly(args []string) error {
	disk, first, second := args[1], args[2], args[3]
	mounted, err := smallDisk(args[0], disk)
	if err != nil {
		return err
	}
	if !mounted && os.Geteuid() == 0 {
		return errors.New("root without the right to mount cannot make a folder read-only")
	}
	ctx := context.Background()
	home := filepath.Join(disk, "home")
	s, err := Open(ctx, home, Options{})
	if err != nil {
		return err
	}
	if _, err := s.Install(ctx, first, InstallOptions{}); err != nil {
		return err
	}
	if _, err := s.Activate(ctx, []string{"first"}, ActivateOptions{}); err != nil {
		return err
	}
	// A touched file makes Verify want to renew the record.
	policy := filepath.Join(s.PackDir("first"), "policy.json")
	if err := os.Chmod(policy, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(policy, 0o600); err != nil {
		return err
	}
	if mounted {
		err = syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	} else {
		err = lockDown(home)
	}
	if err != nil {
		return err
	}
	if s, err = Open(ctx, home, Options{}); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if _, err := s.Verify(ctx, "first"); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	facts, err := s.Facts()
	if err != nil || facts.Writable {
		return fmt.Errorf("facts %+v, %v", facts, err)
	}
	_, err = s.Install(ctx, second, InstallOptions{})
	if err == nil || fault.From(err).Code == fault.CodeInternal {
		return fmt.Errorf("install: %v", err)
	}
	if _, err := s.Deactivate(ctx, []string{"first"}); err == nil {
		return errors.New("deactivated in a read-only store")
	}
	return nil
}

// lockDown takes the right to write from every folder, the deepest first.
func lockDown(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := lockDown(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return os.Chmod(dir, 0o500)
}

func TestReadOnlyStoreStillServes(t *testing.T) {
	disk := t.TempDir()
	t.Cleanup(func() { makeRemovable(filepath.Join(disk, "home")) })
	onSmallDisk(t, "read-only store", disk, source(t, wrapPack("first", "./bin/demo")), source(t, wrapPack("second", "./bin/demo")))
}

var diskWorkers = map[string]func(args []string) error{
	"full disk":       workFullDisk,
	"read-only store": workReadOnly,
}
