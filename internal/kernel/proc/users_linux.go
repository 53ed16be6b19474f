package proc

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

func users(files map[File]bool) (pids []int, ok bool) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	seen := false
	for _, e := range all {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if pid == os.Getpid() {
			seen = true
			continue
		}
		if uses(pid, files) {
			pids = append(pids, pid)
		}
	}
	return pids, seen // a /proc without this process is another machine's
}

// uses reports whether a process has one of the files as its folder, its root or its
// program, or open. One that has ended meanwhile uses nothing.
func uses(pid int, files map[File]bool) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	for _, link := range []string{"cwd", "root", "exe"} {
		if isOne(filepath.Join(dir, link), files) {
			return true
		}
	}
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, fd := range open {
		if isOne(filepath.Join(dir, "fd", fd.Name()), files) {
			return true
		}
	}
	return false
}

func isOne(path string, files map[File]bool) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil && files[File{Device: st.Dev, Inode: st.Ino}]
}
