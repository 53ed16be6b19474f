package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"bridle/internal/kernel/fault"
)

// The codes of this package's faults.
const (
	CodeDiskFull     = "disk_full"
	CodeReadOnly     = "read_only"
	CodeNotPermitted = "not_permitted"
	CodeNotFound     = "not_found"
	CodeExists       = "exists"
	CodeCrossDevice  = "cross_device"
	CodeBadTarget    = "bad_target"
	CodeLocked       = "locked"
	CodeIO           = "io_failed"
	CodeManyFiles    = "too_many_open_files"
)

// Explain makes a fault of what the system said while doing act to path, with
// one of the codes below. Rooms that write to files of their own use it too.
func Explain(act, path string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	say := func(code, why string) *fault.Error {
		return fault.Newf(code, "cannot %s %q: %s", act, path, why).Because(err)
	}
	switch {
	case isDiskFull(err):
		return say(CodeDiskFull, "the disk is full").WithHint("free some space and run the command again; nothing was changed")
	case isReadOnly(err):
		return say(CodeReadOnly, "the file system is read-only").WithHint("mount it for writing, or work in another place")
	case isCrossDevice(err):
		return say(CodeCrossDevice, "it would have to move to another file system").WithHint("have both places on one file system")
	case errors.Is(err, fs.ErrExist):
		return say(CodeExists, "it exists").WithHint("move away what is there, and run the command again")
	case errors.Is(err, fs.ErrNotExist):
		return say(CodeNotFound, "no such file or folder").WithHint("somebody may have removed it meanwhile; look, and run the command again")
	case errors.Is(err, fs.ErrPermission):
		return say(CodeNotPermitted, "permission denied").WithHint("look whose it is and what its permissions allow")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return say(CodeManyFiles, "too many open files").WithHint("close programs or raise the limit with ulimit -n, then run the command again")
	default:
		return say(CodeIO, reason(err)).WithHint("the system's log may say more; when the cause is gone, run the command again")
	}
}

// reason is the system's own word without the names around it, which may be
// those of temporary files.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err.Error()
	}
	return err.Error()
}

func badTarget(path, why string, args ...any) error {
	return fault.Newf(CodeBadTarget, "cannot write %q: %s", path, fmt.Sprintf(why, args...))
}
