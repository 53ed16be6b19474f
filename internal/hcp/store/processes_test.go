package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// workers are what this test program does when it is started as a process of
// its own.
var workers = map[string]func(args []string) error{
	"install and activate": workInstall,
	"count":                workCount,
	"hold the lock":        workHold,
	"leave an area":        workLeave,
}

const workerVariable = "STORE_TEST_WORKER"

func TestMain(m *testing.M) {
	if name := os.Getenv(workerVariable); name != "" {
		work := workers[name]
		if work == nil {
			work = diskWorkers[name]
		}
		if err := work(os.Args[1:]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func worker(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), workerVariable+"="+name, "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// workInstall opens a store, which may have to be made first, installs a pack
// and activates it. It says what it is about to do and what is done.
func workInstall(args []string) error {
	home, dir, id := args[0], args[1], args[2]
	fmt.Println("begin", id)
	ctx := context.Background()
	s, err := Open(ctx, home, Options{})
	if err != nil {
		return err
	}
	if _, err := s.Install(ctx, dir, InstallOptions{}); err != nil {
		return err
	}
	fmt.Println("installed", id)
	if _, err := s.Activate(ctx, []string{id}, ActivateOptions{}); err != nil {
		return err
	}
	fmt.Println("activated", id)
	return nil
}

// Fifty processes use one store that does not exist yet, and a third of them
// are killed in the midst of it. Whatever was reported as done is there.
func TestNothingReportedIsLostAmongKilledProcesses(t *testing.T) {
	const processes = 50
	home := filepath.Join(t.TempDir(), "home")
	type running struct {
		id   string
		cmd  *exec.Cmd
		said *bufio.Scanner
		kill bool
	}
	var all []running
	for i := range processes {
		id := fmt.Sprintf("pack-%02d", i)
		cmd := worker(t, "install and activate", home, source(t, wrapPack(id, "./bin/demo")), id)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, running{id, cmd, bufio.NewScanner(out), i%3 == 0})
	}
	var installed, activated []string
	for i, r := range all {
		for r.said.Scan() {
			what, id, _ := strings.Cut(r.said.Text(), " ")
			switch what {
			case "installed":
				installed = append(installed, id)
			case "activated":
				activated = append(activated, id)
			case "failed:":
				t.Error(r.said.Text())
			}
			if r.kill && (what == "begin" && i%2 == 0 || what == "installed") {
				_ = r.cmd.Process.Kill()
			}
		}
		_ = r.cmd.Wait()
		if s, err := Open(t.Context(), home, Options{}); err != nil {
			t.Fatalf("after %s: %v", r.id, err)
		} else if _, err := s.State(); err != nil {
			t.Fatalf("after %s: %v", r.id, err)
		}
	}
	if len(activated) < processes/2 {
		t.Fatalf("only %d were activated", len(activated))
	}
	s := openAt(t, home, Options{})
	st, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range activated {
		if !st.IsActivated(id) {
			t.Errorf("the activation of %s is lost", id)
		}
	}
	for _, id := range st.Activated {
		if _, err := s.Verify(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range installed {
		if _, err := s.Pack(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	// The next installation clears away what the dead left.
	install(t, s, source(t, wrapPack("last", "./bin/demo")))
	if entries, _ := os.ReadDir(s.path(tmpDir)); len(entries) != 0 {
		t.Errorf("left in tmp: %v", entries)
	}
}

// workCount adds one to a number that other versions might keep.
func workCount(args []string) error {
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		return err
	}
	for range 10 {
		if err := s.Update(context.Background(), func(st *State) error {
			st.activate(fmt.Sprintf("n-%d", len(st.Activated)))
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func TestUpdatesOfManyProcessesAreAllKept(t *testing.T) {
	s := newStore(t)
	const processes = 8
	var all []*exec.Cmd
	for range processes {
		cmd := worker(t, "count", s.Home())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	st, err := s.State()
	if err != nil || len(st.Activated) != processes*10 {
		t.Fatalf("%d of %d, %v", len(st.Activated), processes*10, err)
	}
}

func workHold(args []string) error {
	s, err := Open(context.Background(), args[0], Options{Holder: "hcpx install big"})
	if err != nil {
		return err
	}
	return s.Update(context.Background(), func(*State) error {
		fmt.Println("held")
		_, err := bufio.NewReader(os.Stdin).ReadString('\n')
		return err
	})
}

func TestWaitingNamesTheHolder(t *testing.T) {
	s := newStore(t)
	cmd := worker(t, "hold the lock", s.Home())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatal(line, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = s.Update(ctx, func(*State) error { return nil })
	if f := wantCode(t, err, "locked"); !strings.Contains(f.Message, "hcpx install big") {
		t.Fatalf("message = %q", f.Message)
	}
	// Reading and verifying do not wait.
	if _, err := s.State(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write([]byte("\n"))
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(*State) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func workLeave(args []string) error {
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		return err
	}
	jail, err := s.Ephemeral()
	if err != nil {
		return err
	}
	fmt.Println(jail.Dir)
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func TestJailOfAKilledProcessIsRemoved(t *testing.T) {
	s := newStore(t)
	cmd := worker(t, "leave an area", s.Home())
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	dir = strings.TrimSpace(dir)
	present := func() bool {
		jail, err := s.Ephemeral()
		if err != nil {
			t.Fatal(err)
		}
		defer jail.Close()
		entries, err := os.ReadDir(s.path(ephemeralDir))
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == filepath.Base(dir) })
	}
	if !present() {
		t.Fatal("the jail of a living process was removed")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if present() {
		t.Fatal("the jail of a dead process is still there")
	}
}
