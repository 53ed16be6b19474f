package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// olderAttributes are the ways that only this architecture has.
func olderAttributes() []attribute {
	user, group := os.Getuid(), os.Getgid()
	seconds := [2]int64{1000, 2000}
	parts := [4]int64{1000, 5, 2000, 5}
	return []attribute{
		{name: "chmod", do: func(p string) error { return raw(unix.SYS_CHMOD, text(p), 0o640) }},
		{name: "chown", do: func(p string) error { return raw(unix.SYS_CHOWN, text(p), uintptr(user), uintptr(group)) }},
		{name: "lchown", link: true, do: func(p string) error { return raw(unix.SYS_LCHOWN, text(p), uintptr(user), uintptr(group)) }},
		{name: "utime", do: func(p string) error { return raw(unix.SYS_UTIME, text(p), uintptr(unsafe.Pointer(&seconds))) }},
		{name: "utimes", do: func(p string) error { return raw(unix.SYS_UTIMES, text(p), uintptr(unsafe.Pointer(&parts))) }},
		{name: "futimesat", do: func(p string) error {
			return raw(unix.SYS_FUTIMESAT, ^uintptr(99), text(p), uintptr(unsafe.Pointer(&parts)))
		}},
		{name: "futimesat of a descriptor", do: func(p string) error {
			return withDescriptor(p, func(fd int) error {
				return raw(unix.SYS_FUTIMESAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&parts)))
			})
		}},
	}
}
