package identity

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// explain makes a fault of what the system said while doing act to path.
func explain(act, path string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	switch {
	case errors.Is(err, syscall.ELOOP):
		return insecure(path, "it is a link")
	case errors.Is(err, syscall.ENOTDIR):
		return insecure(path, "it is no folder, or a link to one")
	case isLacking(err):
		return unavailable(act, path, err)
	default:
		return durable.Explain(act, path, err)
	}
}

// isLacking reports that the system does not know a call, or the file system
// does not do it.
func isLacking(err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains([]syscall.Errno{
		syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EINVAL, syscall.EISDIR, syscall.ENOLCK,
	}, number)
}

func unavailable(act, path string, err error) error {
	return fault.Newf(CodeUnavailable, "cannot %s %q: this system lacks what a service identity needs", act, path).
		WithHint("it needs a Linux kernel with O_TMPFILE, linkat of held files, renameat2 and flock, and ext4, xfs or btrfs").Because(err)
}

func insecure(path, why string) error {
	return fault.Newf(CodeInsecure, "%q cannot be part of a service identity: %s", path, why).
		WithHint("folders need mode 0700 and files 0600, both owned by the user that uses them, with no link on the way")
}

func tampered(path, format string, args ...any) error {
	return fault.Newf(CodeTampered, "the store %q was changed by something else: "+format, append([]any{path}, args...)...).
		WithHint("nothing was removed; keep its folder \"service\" as evidence and put back a copy that was made while the store was at rest")
}

func missing(path string, err error) error {
	return fault.Newf(CodeMissing, "there is no service identity in %q", path).
		WithHint("make one").WithNext("hound identity init").Because(err)
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
