package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The test program starts itself to be other processes: the environment says
// which part to play.
func TestMain(m *testing.M) {
	if part := os.Getenv("DURABLE_TEST_PART"); part != "" {
		if err := play(part, os.Getenv("DURABLE_TEST_DIR"), os.Getenv("DURABLE_TEST_ARG")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(part, dir, arg string) error {
	switch part {
	case "die": // arg: operation:step
		name, step, _ := strings.Cut(arg, ":")
		return dieAt(dir, name, step)
	case "write": // many times, each time one letter all through
		for n := range 40 {
			text := strings.Repeat(arg, 1+(n%7)*9000)
			if err := WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600); err != nil {
				return err
			}
		}
		return nil
	case "count": // under a lock, from reading to writing
		for range 25 {
			if err := countOnce(dir); err != nil {
				return err
			}
		}
		return nil
	case "hold": // take the lock, say so, and wait for the end of the input
		unlock, err := Lock(context.Background(), filepath.Join(dir, "lock"), arg)
		if err != nil {
			return err
		}
		defer unlock()
		fmt.Println("held")
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	default:
		return playHere(part, dir, arg)
	}
}

func dieAt(dir, name, step string) error {
	n, err := strconv.Atoi(step)
	if err != nil {
		return err
	}
	for _, o := range operations() {
		if o.name != name {
			continue
		}
		at := 0
		return o.run(system{before: func(string, string) error {
			if at == n {
				p, err := os.FindProcess(os.Getpid())
				if err != nil {
					return err
				}
				_ = p.Kill()
				select {} // the signal is on its way
			}
			at++
			return nil
		}}, dir)
	}
	return errors.New("no such operation")
}

func countOnce(dir string) error {
	unlock, err := Lock(context.Background(), filepath.Join(dir, "lock"), "counter")
	if err != nil {
		return err
	}
	defer unlock()
	path := filepath.Join(dir, "n")
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return err
	}
	return WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600)
}

func part(part, dir, arg string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "DURABLE_TEST_PART="+part, "DURABLE_TEST_DIR="+dir, "DURABLE_TEST_ARG="+arg)
	return cmd
}

func TestAKillAtAnyStepLeavesOldOrNewAndNothingForGood(t *testing.T) {
	for _, o := range operations() {
		for n := range len(strings.Fields(o.steps)) {
			t.Run(fmt.Sprintf("%s/%d", o.name, n), func(t *testing.T) {
				dir := t.TempDir()
				o.prepare(t, dir)
				out, err := part("die", dir, fmt.Sprintf("%s:%d", o.name, n)).CombinedOutput()
				if _, ok := errors.AsType[*exec.ExitError](err); !ok || len(out) > 0 {
					t.Fatalf("the child was not killed: %v %s", err, out)
				}
				if got := look(t, dir); got != o.old && !o.isNew(got) {
					t.Errorf("state %q is neither %q nor %q", got, o.old, o.new)
				}
				// The next call for the same target works and cleans up.
				if strings.Contains(o.name, "CreateFile") || strings.Contains(o.name, "PublishDir") {
					must(t, RemoveAll(dir+"/f"))
					must(t, RemoveAll(dir+"/d"))
				}
				if err := RemoveAll(dir + "/draft"); err != nil {
					t.Error(err)
				}
				if strings.Contains(o.name, "PublishDir") || strings.Contains(o.name, "Replace") || o.name == "MoveFile" {
					must(t, RemoveAll(dir+"/g"))
					o.prepare(t, dir)
				}
				must(t, o.run(system{}, dir))
				if got := look(t, dir); got != o.new {
					t.Errorf("the next call leaves %q, want %q", got, o.new)
				}
				if l := litter(t, dir); len(l) > 0 {
					t.Errorf("left behind: %q", l)
				}
			})
		}
	}
}

func TestConcurrentWritersNeverTear(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	must(t, WriteFile(path, []byte("-"), 0o600))
	var all []*exec.Cmd
	for _, letter := range []string{"a", "b", "c", "d", "e", "f"} {
		cmd := part("write", dir, letter)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		all = append(all, cmd)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range all {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
	}()
	for reads := 0; ; reads++ {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("at no moment may the file be missing: %v", err)
		}
		if s := string(b); s == "" || strings.Trim(s, s[:1]) != "" || s != "-" && (len(s)-1)%9000 != 0 {
			t.Fatalf("torn: %d bytes", len(b))
		}
		select {
		case <-done:
			if l := litter(t, dir); len(l) > 0 {
				t.Errorf("left behind: %q", l)
			}
			return
		default:
		}
	}
}

func TestALivingWritersTemporaryFileIsNotALeftover(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	f, name, err := system{}.claim(path)
	must(t, err)
	must(t, WriteFile(path, []byte("other"), 0o600))
	if _, err := os.Stat(name); err != nil {
		t.Errorf("another writer removed it: %v", err)
	}
	must(t, f.Close()) // now its writer is as good as dead
	must(t, WriteFile(path, []byte("third"), 0o600))
	if l := litter(t, dir); len(l) > 0 {
		t.Errorf("left behind: %q", l)
	}
}

func TestAWriterWhoseTemporaryFileWasSweptTriesAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	swept := 0
	err := system{before: func(op, p string) error {
		if op == "rename" && swept < 3 {
			swept++
			return os.Remove(litter(t, dir)[0])
		}
		return nil
	}}.put(path, []byte("new"), 0o600, replace)
	if b, _ := os.ReadFile(path); err != nil || string(b) != "new" || swept != 3 {
		t.Errorf("%q %v after %d", b, err, swept)
	}
}
