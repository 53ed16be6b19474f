//go:build amd64 || arm64

package trial

import "golang.org/x/sys/unix"

// place says where a call names the file that it changes.
type place int

const (
	byFD   place = iota // the first argument is a descriptor
	byPath              // the first argument is a path
	byAt                // a folder's descriptor, then a path
)

// writing describes a call that changes a file system.
type writing struct {
	name  string
	where place
	// room says that it needs room on the disk.
	room bool
}

// common are the writing calls that every architecture has; older adds those
// that only some have. Opening is apart, since only its flags tell.
var common = map[uint64]writing{
	unix.SYS_WRITE:           {"write", byFD, true},
	unix.SYS_PWRITE64:        {"pwrite64", byFD, true},
	unix.SYS_WRITEV:          {"writev", byFD, true},
	unix.SYS_PWRITEV:         {"pwritev", byFD, true},
	unix.SYS_FTRUNCATE:       {"ftruncate", byFD, false},
	unix.SYS_FALLOCATE:       {"fallocate", byFD, true},
	unix.SYS_FSYNC:           {"fsync", byFD, false},
	unix.SYS_FDATASYNC:       {"fdatasync", byFD, false},
	unix.SYS_FCHMOD:          {"fchmod", byFD, false},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", byFD, true},
	unix.SYS_TRUNCATE:        {"truncate", byPath, false},
	unix.SYS_RENAMEAT:        {"renameat", byAt, true},
	unix.SYS_RENAMEAT2:       {"renameat2", byAt, true},
	unix.SYS_LINKAT:          {"linkat", byAt, true},
	unix.SYS_SYMLINKAT:       {"symlinkat", byPath, true},
	unix.SYS_UNLINKAT:        {"unlinkat", byAt, false},
	unix.SYS_MKDIRAT:         {"mkdirat", byAt, true},
	unix.SYS_FCHMODAT:        {"fchmodat", byAt, false},
	unix.SYS_UTIMENSAT:       {"utimensat", byAt, false},
}

const creates = unix.O_CREAT | unix.O_TRUNC
