package proc_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
)

// TestUsersAreWhoWorksInAFolderOrHasAFileOpen starts processes that wait in a folder,
// or with a file of it open, until their standard input ends.
func TestUsersAreWhoWorksInAFolderOrHasAFileOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	id := func(path string) proc.File {
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		return proc.File{Device: st.Dev, Inode: st.Ino}
	}
	for _, c := range []struct{ dir, line, used string }{
		{dir, "echo; read x", dir},
		{"/", "exec 3< " + file + "; echo; read x", file},
	} {
		cmd := exec.Command("/bin/sh", "-c", c.line)
		cmd.Dir = c.dir
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
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir, file} {
			pids, ok := proc.Users(map[proc.File]bool{id(path): true})
			if !ok || slices.Contains(pids, cmd.Process.Pid) != (path == c.used) {
				t.Errorf("%s is used by %v, %v; %d runs %q in %s", path, pids, ok, cmd.Process.Pid, c.line, c.dir)
			}
		}
		_ = in.Close()
		_ = cmd.Wait()
		if pids, ok := proc.Users(map[proc.File]bool{id(c.used): true}); !ok || len(pids) != 0 {
			t.Errorf("%s is used by %v, %v, after all", c.used, pids, ok)
		}
	}
}
