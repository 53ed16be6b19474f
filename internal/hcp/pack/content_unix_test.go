//go:build unix

package pack

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
)

type treeCase = struct {
	name   string
	make   func(dir string) error
	reason string
}

func platformCases() []treeCase {
	return []treeCase{
		{"pipe", func(d string) error { return syscall.Mkfifo(filepath.Join(d, "x"), 0o644) }, `"x" in the pack is neither a plain file nor a link`},
		{"socket", func(d string) error {
			// Made under a short name, since those of sockets are bounded.
			short, err := os.MkdirTemp("", "s")
			if err != nil {
				return err
			}
			defer os.RemoveAll(short)
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "x"), Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			defer l.Close()
			return os.Rename(filepath.Join(short, "x"), filepath.Join(d, "x"))
		}, `"x" in the pack is neither a plain file nor a link`},
		{"set-user-id", func(d string) error { return os.Chmod(filepath.Join(d, "z"), 0o755|os.ModeSetuid) }, `"z" in the pack runs with the rights of another user`},
		{"set-group-id", func(d string) error { return os.Chmod(filepath.Join(d, "z"), 0o755|os.ModeSetgid) }, `"z" in the pack runs with the rights of another user`},
		{"set-group-id on a folder", func(d string) error { return os.Chmod(filepath.Join(d, "bin"), 0o755|os.ModeSetgid) }, ""},
	}
}
