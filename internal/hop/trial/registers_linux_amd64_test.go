package trial

import "golang.org/x/sys/unix"

// refuseCall makes the kernel skip the call that the thread is about to make, and
// return an error from it.
func refuseCall(tid int, errno unix.Errno) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return err
	}
	regs.Orig_rax, regs.Rax = ^uint64(0), uint64(-int64(errno))
	return unix.PtraceSetRegs(tid, &regs)
}
