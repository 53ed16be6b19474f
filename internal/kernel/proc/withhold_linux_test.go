package proc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/proc"
)

// leaked opens a folder the way a shell hands it to whatever it starts: the
// descriptor stays open in programs. It returns a script that lists the folder's
// descriptor, and writes through it.
func leaked(t *testing.T) (dir string, through proc.Spec) {
	t.Helper()
	dir = t.TempDir()
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0) // and no close on exec
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return dir, shell(fmt.Sprintf("readlink /proc/self/fd/%d; echo x >/proc/self/fd/%d/through; echo done", fd, fd))
}

func stayed(t *testing.T, dir, out string) {
	t.Helper()
	if strings.Contains(out, dir) || !strings.Contains(out, "done") {
		t.Errorf("the program has the descriptor, or did not run: %s", out)
	}
	if _, err := os.Lstat(filepath.Join(dir, "through")); err == nil {
		t.Error("it wrote through the descriptor")
	}
}

func TestDescriptorsLeftOpenStayFromSupervisedPrograms(t *testing.T) {
	eachMethod(t, func(t *testing.T, m proc.Method) {
		dir, s := leaked(t)
		r, _ := supervise(t, s, m)
		stayed(t, dir, string(r.Stdout.Head))
		v := newView(t) // and so from those that look and must not touch
		self := supervision(t, m)
		self.ReadOnly = []string{v.closed}
		dir, s = leaked(t)
		s.Dir = v.closed
		r, _, err := proc.Supervise(t.Context(), s, self)
		if err != nil {
			t.Fatal(err)
		}
		stayed(t, dir, string(r.Stdout.Head))
	})
}
