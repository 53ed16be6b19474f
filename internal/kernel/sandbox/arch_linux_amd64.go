package sandbox

import "golang.org/x/sys/unix"

// auditArch is the only architecture whose calls are answered. The 32-bit entry
// of the same kernel has other numbers, so its callers are ended.
const auditArch = unix.AUDIT_ARCH_X86_64

const (
	fioSetOwn   = 0x8901
	siocSetPgrp = 0x8902
)

// callCeiling is the first of the x32 numbers, which reach the same calls in
// another way.
const callCeiling = 0x40000000

// refusedHere are refused calls that only this architecture has.
var refusedHere = [...]uint32{unix.SYS_IOPL, unix.SYS_IOPERM}

// chmodHere and openHere are old calls that only this architecture has.
var (
	chmodHere = [...]uint32{unix.SYS_CHMOD}
	openHere  = [...]uint32{unix.SYS_OPEN}
)

// mediatedHere are mediated calls that only this architecture has.
var mediatedHere = [...]uint32{unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
