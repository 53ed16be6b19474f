//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"

	"bridle/internal/kernel/fault"
)

// Landlock rights in the groups that a profile speaks of.
const (
	rightsRead = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsExec = unix.LANDLOCK_ACCESS_FS_EXECUTE
	// rightsWrite leaves out making device nodes and ioctl on them.
	rightsWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// rightsDevice let a program use the harmless devices as ever, so that asking
	// whether one is a terminal gets the usual answer.
	rightsDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// rightsOfFiles are those that a rule on something other than a directory may
	// name.
	rightsOfFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handled is everything that the ruleset takes in hand: a right that it does not
// name would be left free.
func handled(p Profile, abi int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1}
	if abi >= 2 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 && p.Network == NetworkNone {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// buildRuleset returns a ruleset descriptor with one rule for each granted path,
// and where those that are granted for writing are now.
func buildRuleset(p Profile, abi int) (ruleset int, writable []string, err error) {
	attr := handled(p, abi)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, nil, step("create the ruleset", errno)
	}
	ruleset = int(fd)
	unix.CloseOnExec(ruleset)
	grants := []struct {
		paths  []string
		rights uint64
	}{
		{p.ReadExec, rightsRead | rightsExec},
		{p.ReadOnly, rightsRead},
		{p.ReadWrite, rightsRead | rightsExec | rightsWrite},
		{p.Devices, rightsDevice},
	}
	for _, g := range grants {
		for _, path := range g.paths {
			at, err := grant(ruleset, path, g.rights&attr.Handled_access_fs, p.Required)
			if err != nil {
				unix.Close(ruleset)
				return -1, nil, err
			}
			if at != "" {
				writable = append(writable, at)
			}
		}
	}
	return ruleset, writable, nil
}

// grant adds the rule for one path. A path that is not there, or that this user
// cannot even reach, grants nothing; it is a fault only when it is required. It
// returns where a place is that is granted for making files.
func grant(ruleset int, path string, rights uint64, required []string) (writable string, err error) {
	fd, err := openPath(path)
	if err != nil {
		if !absent(err) {
			return "", step("open "+path, err)
		}
		for _, must := range required {
			if must == path {
				return "", fault.Newf(CodePathMissing, "the sandbox needs %q, which cannot be opened: %s", path, err).
					WithHint("create it, or correct the path").Because(err)
			}
		}
		return "", nil
	}
	defer unix.Close(fd)
	errno := addRule(ruleset, fd, rights)
	if errno == unix.EINVAL && rights&rightsOfFiles != 0 {
		// A rule on anything but a directory may name only what files have. Trying is
		// cheaper than asking first.
		errno = addRule(ruleset, fd, rights&rightsOfFiles)
	}
	if errno != 0 {
		return "", step("grant "+path, errno)
	}
	if rights&unix.LANDLOCK_ACCESS_FS_MAKE_REG != 0 {
		return placeInTree(fd), nil
	}
	return "", nil
}

func addRule(ruleset, fd int, rights uint64) unix.Errno {
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	return errno
}

func openPath(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) ||
		errors.Is(err, unix.EACCES) || errors.Is(err, unix.ELOOP)
}

// restrictSelf puts the calling thread under the ruleset.
func restrictSelf(ruleset int) error {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0)
	if errno == unix.E2BIG {
		return fault.New(CodeUnavailable, "programs cannot be confined here: this process is already inside 16 sandboxes").
			WithHint("run it outside of another sandbox").Because(errno)
	}
	if errno != 0 {
		return step("restrict the thread", errno)
	}
	return nil
}
