//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// seccompAvailable asks for an action that every kernel with Landlock has.
func seccompAvailable() bool {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}

// installFilter puts the filter on the calling thread only. Calls that change
// modes and the like are refused.
func installFilter(p Profile, abi, pid, tid int) error {
	_, err := install(assemble(auditArch, callCeiling, rules(p, abi, pid, tid, notPermitted)), 0)
	return err
}

// installMediated does the same and returns the descriptor by which such calls
// are answered. Below a filter whose calls somebody else answers the kernel gives
// no second one; then they are refused.
func installMediated(p Profile, abi, pid, tid int) (listener int, err error) {
	// Once a call was heard, only the end of its process interrupts it: programs
	// whose threads signal each other would ask again and again.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, err = install(assemble(auditArch, callCeiling, rules(p, abi, pid, tid, mediated)), flags)
	if errors.Is(err, unix.EBUSY) {
		return -1, installFilter(p, abi, pid, tid)
	}
	return listener, err
}

func install(program []unix.SockFilter, flags uintptr) (int, error) {
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return -1, step("install the system-call filter", errno)
	}
	return int(fd), nil
}
