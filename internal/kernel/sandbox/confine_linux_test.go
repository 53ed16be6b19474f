//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// onMainThread is what Enter said on the main thread, which only TestMain runs
// on: init locks the main goroutine to it.
var onMainThread error

func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	if c, err := Base().Prepare(); err == nil {
		onMainThread = c.Enter()
		c.Close()
	} else {
		onMainThread = err
	}
	os.Exit(m.Run())
}

func TestMainThreadIsNeverConfined(t *testing.T) {
	if !fault.Is(onMainThread, CodeFailed) || !strings.Contains(onMainThread.Error(), "main thread") {
		t.Fatalf("Enter on the main thread: %v", onMainThread)
	}
}

// inside runs f on a thread confined by p as a kernel with the given Landlock
// version would do it.
func inside(t *testing.T, p Profile, abi int, f func()) {
	t.Helper()
	c, err := p.prepare(abi)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			done <- errors.New("on the main thread")
			return
		}
		err := c.Enter()
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func requireKernel(t *testing.T) int {
	t.Helper()
	s := Detect()
	if err := s.Require(Profile{}); err != nil {
		t.Fatalf("these tests need a kernel that can confine: %v", err)
	}
	return s.ABI
}

func TestOlderKernelsAreMadeUpForByTheFilter(t *testing.T) {
	newest := requireKernel(t)
	for _, abi := range []int{2, 3, 4, 5, 6, newest} {
		if abi > newest {
			continue
		}
		t.Run(fmt.Sprint("abi ", abi), func(t *testing.T) {
			granted, outside := t.TempDir(), filepath.Join(t.TempDir(), "file")
			own := filepath.Join(granted, "own")
			for _, path := range []string{outside, own} {
				if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			readable := filepath.Join(t.TempDir(), "readable")
			if err := os.WriteFile(readable, []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := Profile{ReadWrite: []string{granted}, ReadOnly: []string{readable}}
			outcomes := map[string]error{}
			inside(t, p, abi, func() {
				note := func(name string, err error) { outcomes[name] = err }
				note("truncate outside", unix.Truncate(outside, 0))
				note("truncate readable", unix.Truncate(readable, 0))
				note("open outside", openClose(outside, unix.O_RDONLY))
				note("open readable", openClose(readable, unix.O_RDONLY))
				note("write readable", openClose(readable, unix.O_WRONLY))
				note("shorten readable", openClose(readable, unix.O_RDONLY|unix.O_TRUNC))
				note("write own", openClose(own, unix.O_WRONLY|unix.O_TRUNC))
				note("link out", unix.Link(own, outside+".link"))
				note("link in", unix.Link(outside, own+".link"))
				note("rename within", unix.Rename(own, own+".moved"))
				note("signal parent", unix.Kill(unix.Getpid(), 0))
				note("signal thread", unix.Tgkill(unix.Getpid(), unix.Gettid(), 0))
				note("signal others", unix.Kill(1, 0))
				_, err := unix.Openat2(unix.AT_FDCWD, readable, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC})
				note("shorten readable by openat2", err)
				if !Inside() {
					note("inside", errors.New("not known to be inside"))
				}
			})
			free := map[string]bool{"open readable": true, "write own": true, "rename within": true, "inside": true}
			if abi < 6 && unix.Kill(1, 0) == nil {
				free["signal others"] = true // a gap that Gaps tells of
			}
			for name, err := range outcomes {
				if (err == nil) != free[name] {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, path := range []string{outside, readable} {
				if text, err := os.ReadFile(path); err != nil || string(text) != "text" {
					t.Errorf("%s now holds %q, %v", path, text, err)
				}
			}
		})
	}
}

func openClose(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func TestOnlyTheThreadThatEntersIsConfined(t *testing.T) {
	requireKernel(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var within error
	inside(t, Profile{}, minimumABI, func() {
		within = openClose(file, unix.O_RDONLY)
		free := make(chan error)
		go func() { free <- openClose(file, unix.O_RDONLY) }()
		if err := <-free; err != nil {
			t.Errorf("another goroutine: %v", err)
		}
	})
	if within != unix.EACCES {
		t.Fatalf("the confined thread: %v", within)
	}
	if Inside() {
		t.Fatal("the test's own thread believes to be inside")
	}
}

func TestRootKeepsTwoCapabilities(t *testing.T) {
	requireKernel(t)
	p := Profile{ReadOnly: []string{"/proc"}}
	var status []byte
	inside(t, p, minimumABI, func() { status, _ = os.ReadFile("/proc/thread-self/status") })
	found := 0
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		switch name {
		case "CapEff", "CapPrm", "CapInh":
			var held uint64
			if _, err := fmt.Sscanf(value, "%x", &held); err != nil {
				t.Fatal(err)
			}
			if held&^uint64(keptCapabilities) != 0 {
				t.Errorf("%s is %s", name, value)
			}
			if unix.Geteuid() == 0 && name == "CapEff" && held != keptCapabilities {
				t.Errorf("root has %x", held)
			}
			found++
		case "NoNewPrivs":
			if value != "1" {
				t.Errorf("new privileges are possible")
			}
			found++
		}
	}
	if found != 4 {
		t.Fatalf("status: %s", status)
	}
}

func TestRequiredPathsMustExistAndOthersNeedNot(t *testing.T) {
	requireKernel(t)
	missing := filepath.Join(t.TempDir(), "missing")
	p := Profile{ReadOnly: []string{missing, "/etc/passwd/below-a-file"}}
	c, err := p.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	p.Required = []string{missing}
	if _, err := p.Prepare(); !fault.Is(err, CodePathMissing) || !strings.Contains(err.Error(), missing) {
		t.Fatalf("required: %v", err)
	}
}

func TestConfiningInsideAConfinementNarrowsIt(t *testing.T) {
	abi := requireKernel(t)
	outer, inner := t.TempDir(), t.TempDir()
	for _, dir := range []string{outer, inner} {
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var narrowed, widened error
	inside(t, Profile{ReadOnly: []string{outer}}, abi, func() {
		c, err := Profile{ReadOnly: []string{inner}}.prepare(abi)
		if err == nil {
			err = c.Enter()
			c.Close()
		}
		if err != nil {
			t.Error(err)
		}
		narrowed = openClose(filepath.Join(outer, "file"), unix.O_RDONLY)
		widened = openClose(filepath.Join(inner, "file"), unix.O_RDONLY)
	})
	if narrowed == nil || widened == nil {
		t.Fatalf("outer: %v, inner: %v", narrowed, widened)
	}
}

func TestTooManyConfinementsAreRefused(t *testing.T) {
	abi := requireKernel(t)
	var last error
	inside(t, Profile{}, abi, func() {
		for range 20 {
			c, err := Profile{}.prepare(abi)
			if err == nil {
				err = c.Enter()
				c.Close()
			}
			if err != nil {
				last = err
				return
			}
		}
	})
	if !fault.Is(last, CodeUnavailable) {
		t.Fatalf("after twenty: %v", last)
	}
}
