//go:build unix

package pack_test

import (
	"os"
	"syscall"
)

var hostileFiles = []hostileFile{
	{"a pipe", func(path string) error { return syscall.Mkfifo(path, 0o644) }, "unsafe_pack", " is not a plain file"},
	{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }, "unsafe_pack", " is a link: "},
}
