package trial

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// refuseCall makes the kernel skip the call that the thread is about to make, and
// return an error from it.
func refuseCall(tid int, errno unix.Errno) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	regs.Regs[0] = uint64(-int64(errno))
	if err := unix.PtraceSetRegs(tid, &regs); err != nil {
		return err
	}
	none := int32(-1)
	vec := unix.Iovec{Base: (*byte)(unsafe.Pointer(&none)), Len: 4}
	const ntArmSystemCall = 0x404
	_, _, no := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SETREGSET, uintptr(tid), ntArmSystemCall, uintptr(unsafe.Pointer(&vec)), 0, 0)
	if no != 0 {
		return no
	}
	return nil
}
