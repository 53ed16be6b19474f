package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// cage is a control group (version 2) made for one run. Every descendant is in
// it from birth whatever it does, and one write ends them all at once. Making
// and removing one costs about as much as a third of starting a program, so it
// is for those who ask (Spec.Cgroup).
type cage struct {
	dir string
	fd  int
}

var cages atomic.Uint64

// newCage makes a group below the calling process's own. It fails wherever the
// system gives none: other users' groups, version 1, containers.
func newCage() (*cage, error) {
	parent, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(parent, fmt.Sprintf("bridle-%d-%d", unix.Getpid(), cages.Add(1)))
	if err := unix.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = unix.Rmdir(dir)
		return nil, err
	}
	return &cage{dir: dir, fd: fd}, nil
}

// ownCgroup finds the directory of the calling process's group.
func ownCgroup() (string, error) {
	const superMagic = unix.CGROUP2_SUPER_MAGIC
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		if !ok {
			continue
		}
		for _, mount := range [...]string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
			var fs unix.Statfs_t
			if unix.Statfs(mount, &fs) == nil && fs.Type == superMagic {
				return filepath.Join(mount, path), nil
			}
		}
	}
	return "", unix.ENOENT
}

// members lists the processes in the group, the ended ones not.
func (c *cage) members() int {
	text, err := os.ReadFile(filepath.Join(c.dir, "cgroup.procs"))
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte("\n"))
}

// kill ends all members and waits until they are gone.
func (c *cage) kill() {
	deadline := uptime() + sweepLimit
	wait := 100 * time.Microsecond
	for c.members() > 0 && uptime() < deadline {
		if err := c.write("cgroup.kill", "1"); err != nil {
			c.killEach() // before Linux 5.14
		}
		pause(wait)
		wait = min(2*wait, 10*time.Millisecond)
	}
}

func (c *cage) killEach() {
	f, err := os.Open(filepath.Join(c.dir, "cgroup.procs"))
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var pid int
		if _, err := fmt.Sscan(lines.Text(), &pid); err == nil && pid > 0 {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

func (c *cage) write(name, value string) error {
	fd, err := unix.Open(filepath.Join(c.dir, name), unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(value))
	return err
}

// remove takes the group away. The kernel may need a moment after the last
// member has gone.
func (c *cage) remove() {
	unix.Close(c.fd)
	for try := range 6 {
		if unix.Rmdir(c.dir) != unix.EBUSY {
			return
		}
		pause(time.Millisecond << try)
	}
}

// directory is where the group is, or "" without one.
func (c *cage) directory() string {
	if c == nil {
		return ""
	}
	return c.dir
}

// endCage kills what is in the group of a supervisor that is gone, takes the
// group away and returns how many there were.
func endCage(dir string) (killed int) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	c := &cage{dir: dir, fd: fd}
	killed = c.members()
	c.kill()
	c.remove()
	return killed
}
