//go:build unix

package durable

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func tryLock(f *os.File, how sharing) (bool, error) {
	op := unix.LOCK_EX
	if how == shared {
		op = unix.LOCK_SH
	}
	err := flock(f, op|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) { _ = flock(f, unix.LOCK_UN) }
