//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mediatedCalls are sent to the mediator. Those with a mode come with a check of
// their own; see modeRules.
var mediatedCalls = [...]uint32{
	unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
}

// newerCalls do the same in ways for which every library has an older one.
var newerCalls = [...]uint32{unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR}

// attributeRequests are requests to an open file that change what is kept about
// it, however it was opened.
var attributeRequests = [...]uint32{
	unix.FS_IOC_SETFLAGS, 0x40046602, // the same from a 32-bit program
	0x401c5820, // FS_IOC_FSSETXATTR
	0x40087602, // FS_IOC_SETVERSION
	unix.FS_IOC_SET_ENCRYPTION_POLICY,
	unix.FS_IOC_ENABLE_VERITY,
}

const (
	maxAttributeName  = 256
	maxAttributeValue = 64 << 10
)

// read understands a call.
func (m *Mediator) read(n *notification) (*request, unix.Errno) {
	r := &request{caller: "/proc/" + strconv.Itoa(int(n.pid)), fd: atWorkDir, follow: true}
	mem := memory(n.pid)
	number := func(i int) int { return int(int32(n.args[i])) } //nolint:gosec // the kernel reads the low half as well
	path := func(i int) (errno unix.Errno) {
		r.path, errno = mem.text(n.args[i], unix.PathMax)
		return errno
	}
	at := func(flags int) unix.Errno {
		r.fd = number(0)
		if errno := path(1); errno != 0 {
			return errno
		}
		return r.flags(flags)
	}
	own := func() unix.Errno { r.fd, r.own = number(0), true; return r.refuseWorkDir() }
	call := uint32(n.nr) //nolint:gosec // numbers of calls are small
	known, errno := r.readOlder(call, n, mem)
	if known {
		return r, errno
	}
	switch call {
	case unix.SYS_FCHMOD:
		errno = own()
		r.setMode(uint32(n.args[1]))
	case unix.SYS_FCHMODAT:
		errno = at(0)
		r.setMode(uint32(n.args[2]))
	case unix.SYS_FCHMODAT2:
		errno = at(number(3))
		r.setMode(uint32(n.args[2]))
	case unix.SYS_FCHOWN:
		errno = own()
		r.setOwner(number(1), number(2))
	case unix.SYS_FCHOWNAT:
		errno = at(number(4))
		r.setOwner(number(2), number(3))
	case unix.SYS_UTIMENSAT:
		if n.args[1] == 0 {
			errno = own()
		} else {
			errno = at(number(3))
		}
		if errno == 0 {
			errno = r.setTimes(mem, n.args[2])
		}
	case unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR:
		r.follow = call != unix.SYS_LSETXATTR && call != unix.SYS_LREMOVEXATTR
		if call == unix.SYS_FSETXATTR || call == unix.SYS_FREMOVEXATTR {
			errno = own()
		} else {
			errno = path(0)
		}
		if errno == 0 {
			errno = r.setAttribute(mem, n, call == unix.SYS_REMOVEXATTR || call == unix.SYS_LREMOVEXATTR || call == unix.SYS_FREMOVEXATTR)
		}
	default:
		return nil, unix.ENOSYS
	}
	return r, errno
}

// flags takes in the flags of a call that names a directory and a path.
func (r *request) flags(flags int) unix.Errno {
	if flags&^(unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return unix.EINVAL
	}
	r.follow = flags&unix.AT_SYMLINK_NOFOLLOW == 0
	if r.path == "" {
		if flags&unix.AT_EMPTY_PATH == 0 {
			return unix.ENOENT
		}
		r.own = true
	}
	return 0
}

// refuseWorkDir: a call on a descriptor does not take the mark of the working
// directory for one.
func (r *request) refuseWorkDir() unix.Errno {
	if r.fd < 0 {
		return unix.EBADF
	}
	return 0
}

func (r *request) setMode(mode uint32) {
	r.change = func(file int) unix.Errno {
		if mode&unix.S_ISUID != 0 {
			return unix.EPERM
		}
		var st unix.Stat_t
		if unix.Fstat(file, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			return unix.EOPNOTSUPP
		}
		return result(unix.Chmod(ownDescriptor(file), mode&0o7777))
	}
}

func (r *request) setOwner(user, group int) {
	r.change = func(file int) unix.Errno {
		return result(unix.Fchownat(file, "", user, group, unix.AT_EMPTY_PATH))
	}
}

// setTimes reads two times of seconds and nanoseconds; none means now.
func (r *request) setTimes(mem memory, at uint64) unix.Errno {
	if at == 0 {
		r.times(nil)
		return 0
	}
	var raw [32]byte
	if errno := mem.fill(raw[:], at); errno != 0 {
		return errno
	}
	r.times(&[2]unix.Timespec{{Sec: word(raw[0:]), Nsec: word(raw[8:])}, {Sec: word(raw[16:]), Nsec: word(raw[24:])}})
	return 0
}

func word(b []byte) int64 { return int64(binary.NativeEndian.Uint64(b)) } //nolint:gosec // the sign is in the bits

func (r *request) times(times *[2]unix.Timespec) {
	r.change = func(file int) unix.Errno {
		empty := [1]byte{}
		_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(file), uintptr(unsafe.Pointer(&empty)),
			uintptr(unsafe.Pointer(times)), unix.AT_EMPTY_PATH, 0, 0)
		return errno
	}
}

// setAttribute sets or removes an extended attribute.
func (r *request) setAttribute(mem memory, n *notification, remove bool) unix.Errno {
	name, errno := mem.text(n.args[1], maxAttributeName)
	switch {
	case errno == unix.ENAMETOOLONG || errno == 0 && name == "":
		return unix.ERANGE
	case errno != 0:
		return errno
	}
	if remove {
		r.change = func(file int) unix.Errno { return result(unix.Removexattr(ownDescriptor(file), name)) }
		return 0
	}
	if n.args[3] > maxAttributeValue {
		return unix.E2BIG
	}
	value := make([]byte, n.args[3])
	if errno := mem.fill(value, n.args[2]); errno != 0 {
		return errno
	}
	flags := int(int32(n.args[4])) //nolint:gosec // the kernel reads the low half as well
	r.change = func(file int) unix.Errno { return result(unix.Setxattr(ownDescriptor(file), name, value, flags)) }
	return 0
}

func result(err error) unix.Errno {
	if err == nil {
		return 0
	}
	return errnoOf(err)
}
