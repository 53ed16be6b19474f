package proc

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// furnish gives the supervisor's namespace, if it has one, a /proc of its own and
// read-only directories, and takes from the program what it could undo that with.
// Without a wish for read-only directories the outer /proc may stay: where parts
// of it are covered the system allows no other. Where directories cannot be
// mounted read-only the program is confined instead; where it can be neither,
// nothing starts.
func (s *supervisor) furnish() error {
	wanted := len(s.order.readOnly) > 0
	if s.method != PIDNamespace {
		if wanted {
			return s.confine(errors.New("there is no namespace to mount in"))
		}
		return nil
	}
	if err := s.mount(); err != nil && wanted {
		if err := s.confine(err); err != nil {
			return err
		}
	}
	if wanted {
		// The working directory still is the place without the mount.
		if err := unix.Chdir("/"); err != nil {
			return fmt.Errorf("leave the working directory: %w", err)
		}
		// Only root's programs get rights by being started; others lose them there.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_ADMIN, 0, 0, 0); err != nil && os.Geteuid() == 0 {
			return fmt.Errorf("give up the right to mount: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return fmt.Errorf("give up ambient rights: %w", err)
	}
	return nil
}

// mount gives the namespace its /proc and its read-only directories.
func (s *supervisor) mount() error {
	err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, "")
	if err == nil {
		err = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
	if err != nil {
		return fmt.Errorf("mount /proc: %w", err) // through the outer one others' views could be reached
	}
	for _, dir := range s.order.readOnly {
		if err := closeOff(dir); err != nil {
			return fmt.Errorf("make %q read-only: %w", dir, err)
		}
	}
	return nil
}

// closeOff mounts a directory over itself, read-only with all that is mounted
// below.
func closeOff(dir string) error {
	if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, dir, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
