package proc

import (
	"errors"
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// withhold keeps every descriptor of a supervisor beyond the standard three from
// its program. Ours close by themselves; those that whoever started the caller
// left open would go on to the program, and lead around the view that it was
// given: a folder's descriptor is confined by no read-only mount.
func withhold() error {
	const first = 3
	err := unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	return errors.Join(withholdEach(first), ifUnknown(err))
}

// ifUnknown is the error unless it says that the kernel is too old, or that a
// filter keeps the call from us: then the descriptors are gone through instead.
func ifUnknown(err error) error {
	for _, errno := range [...]syscall.Errno{unix.ENOSYS, unix.EINVAL, unix.EPERM} {
		if errors.Is(err, errno) {
			return nil
		}
	}
	return err
}

func withholdEach(first int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
