package sandbox

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// resolveFast asks the kernel where a path leads: three calls instead of one for
// each part of the path. It fails for paths that do not exist and where there is
// no /proc.
func resolveFast(path string) (string, bool) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	var buf [unix.PathMax]byte
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	if err != nil || n == len(buf) || buf[0] != '/' || strings.HasSuffix(string(buf[:n]), " (deleted)") {
		return "", false
	}
	return string(buf[:n]), true
}
