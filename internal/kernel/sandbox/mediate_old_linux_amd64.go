package sandbox

import "golang.org/x/sys/unix"

// readOlder understands the forms that only this architecture still has: a path
// first, and no directory or flags but in futimesat.
func (r *request) readOlder(call uint32, n *notification, mem memory) (known bool, errno unix.Errno) {
	at := n.args[0]
	switch call {
	case unix.SYS_CHMOD:
		r.setMode(uint32(n.args[1]))
	case unix.SYS_CHOWN, unix.SYS_LCHOWN:
		r.follow = call == unix.SYS_CHOWN
		r.setOwner(int(int32(n.args[1])), int(int32(n.args[2])))
	case unix.SYS_UTIME:
		errno = r.oldTimes(mem, n.args[1], 1, 0)
	case unix.SYS_UTIMES:
		errno = r.oldTimes(mem, n.args[1], 2, 1000)
	case unix.SYS_FUTIMESAT:
		errno = r.oldTimes(mem, n.args[2], 2, 1000)
		r.fd, at = int(int32(n.args[0])), n.args[1]
		if errno == 0 && at == 0 {
			r.own = true
			return true, r.refuseWorkDir()
		}
	default:
		return false, 0
	}
	if errno == 0 {
		errno = r.plainPath(mem, at)
	}
	return true, errno
}

func (r *request) plainPath(mem memory, at uint64) (errno unix.Errno) {
	r.path, errno = mem.text(at, unix.PathMax)
	if errno == 0 && r.path == "" {
		return unix.ENOENT
	}
	return errno
}

// oldTimes reads two times, of seconds alone or with parts of a second.
func (r *request) oldTimes(mem memory, at uint64, words int, nanoseconds int64) unix.Errno {
	if at == 0 {
		r.times(nil)
		return 0
	}
	raw := make([]byte, 16*words)
	if errno := mem.fill(raw, at); errno != 0 {
		return errno
	}
	var times [2]unix.Timespec
	for i := range times {
		times[i].Sec = word(raw[8*words*i:])
		if words == 2 {
			part := word(raw[16*i+8:])
			if part < 0 || part >= 1_000_000 {
				return unix.EINVAL
			}
			times[i].Nsec = part * nanoseconds
		}
	}
	r.times(&times)
	return 0
}
