package durable

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"bridle/internal/kernel/fault"
)

// poll is how often a waiting Lock looks again. A blocking flock cannot be
// given up when the context ends.
const poll = 5 * time.Millisecond

// Lock takes the lock that the file path stands for and waits for it until ctx
// ends. The file is made with mode 0600 if it does not exist, says who took the
// lock last, and is never removed. The lock is released by unlock, which may be
// called more than once, and by the end of the process, however it ends. A
// timeout is a fault with the code "locked" that names the holder.
func Lock(ctx context.Context, path, holder string) (unlock func(), err error) {
	return wait(ctx, path, holder, exclusive)
}

// LockShared is Lock for readers: they hold it together, and no Lock is held
// meanwhile.
func LockShared(ctx context.Context, path, holder string) (unlock func(), err error) {
	return wait(ctx, path, holder, shared)
}

// TryLock is Lock without waiting; ok says whether it was free.
func TryLock(path, holder string) (unlock func(), ok bool, err error) {
	return attempt(path, holder, exclusive)
}

// TryLockShared is LockShared without waiting; ok says whether no Lock was held.
func TryLockShared(path, holder string) (unlock func(), ok bool, err error) {
	return attempt(path, holder, shared)
}

// Holder returns who took the lock last, whether it is still held or not.
func Holder(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|nonBlock, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, maxHolder)
	n, _ := f.ReadAt(text, 0)
	line, _, _ := bytes.Cut(text[:n], []byte("\n"))
	return string(line)
}

const maxHolder = 256

type sharing int

const (
	exclusive sharing = iota
	shared
)

func wait(ctx context.Context, path, holder string, how sharing) (func(), error) {
	for {
		unlock, ok, err := attempt(path, holder, how)
		if ok || err != nil {
			return unlock, err
		}
		select {
		case <-ctx.Done():
			return nil, held(path, ctx.Err())
		case <-time.After(poll):
		}
	}
}

func held(path string, cause error) error {
	by := Holder(path)
	if by == "" {
		by = "another process"
	}
	return fault.Newf(CodeLocked, "%q is locked by %q", path, by).Because(cause).
		WithHint("wait until it has finished, or end it if it hangs")
}

// attempt takes the lock if it is free.
func attempt(path, holder string, how sharing) (unlock func(), ok bool, err error) {
	f, err := openLocked(path, how)
	if err != nil || f == nil {
		return nil, false, Explain("lock", path, err)
	}
	// The name is for people. If it cannot be written, the lock holds anyway.
	_ = sign(f, holder)
	var once sync.Once
	return func() {
		once.Do(func() {
			unlockFile(f)
			_ = f.Close()
		})
	}, true, nil
}

// openLocked returns the locked file, or nil if others hold it. If someone
// removes the file between opening and locking, the next try makes a new one.
func openLocked(path string, how sharing) (*os.File, error) {
	for range 3 {
		f, err := openLock(path)
		if err != nil {
			return nil, err
		}
		got, err := tryLock(f, how)
		if got && protects(f, path) {
			return f, nil
		}
		_ = f.Close()
		if err != nil || !got {
			return nil, err
		}
	}
	return nil, nil
}

// protects reports whether others who lock path will meet the lock on f.
func protects(f *os.File, path string) bool { return isAt(f, path) }

func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow|nonBlock, 0o600)
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, badLock(path)
		}
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = badLock(path)
	case info.Mode().Perm()&0o600 != 0o600: // an extreme umask would lock us out of our own file
		err = f.Chmod(0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func badLock(path string) error {
	return fault.Newf(CodeBadTarget, "cannot lock %q: it is not a regular file", path)
}

// sign writes the holder's name and process into the lock file, as its first
// line; what a longer name has left behind it does not matter.
func sign(f *os.File, holder string) error {
	line := fmt.Sprintf("%s (pid %d)", strings.Map(printable, holder), os.Getpid())
	if len(line) >= maxHolder {
		line = line[:maxHolder-1]
	}
	_, err := f.WriteAt([]byte(line+"\n"), 0)
	return err
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '?'
	}
	return r
}
