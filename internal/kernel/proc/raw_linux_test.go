package proc_test

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uptimeSeconds and rest are raw system calls: a process that was forked without
// exec must not enter Go's scheduler.
func uptimeSeconds() int64 {
	var now unix.Timespec
	syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&now)), 0)
	return int64(now.Sec)
}

func rest() {
	moment := unix.Timespec{Nsec: 5_000_000}
	syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&moment)), 0, 0)
}
