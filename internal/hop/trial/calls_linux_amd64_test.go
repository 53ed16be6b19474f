package trial

import "golang.org/x/sys/unix"

var older = map[uint64]writing{
	unix.SYS_RENAME:  {"rename", byPath, true},
	unix.SYS_LINK:    {"link", byPath, true},
	unix.SYS_SYMLINK: {"symlink", byPath, true},
	unix.SYS_UNLINK:  {"unlink", byPath, false},
	unix.SYS_MKDIR:   {"mkdir", byPath, true},
	unix.SYS_RMDIR:   {"rmdir", byPath, false},
	unix.SYS_CHMOD:   {"chmod", byPath, false},
}

// openings are the calls that open files.
var openings = []uint64{unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_OPENAT, unix.SYS_OPENAT2}

// opening returns the place and the flags of a call that opens a file.
func opening(nr uint64, args [6]uint64) (where place, flags uint64, ok bool) {
	switch nr {
	case unix.SYS_OPEN:
		return byPath, args[1], true
	case unix.SYS_CREAT:
		return byPath, creates, true
	case unix.SYS_OPENAT:
		return byAt, args[2], true
	}
	return 0, 0, false
}
