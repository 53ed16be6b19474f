//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// keptCapabilities is all that root keeps inside: working on files of a project
// that belongs to someone else, and listening on low ports. Among those that go:
// opening files by handle, reading kernel memory, tracing, raw sockets, device
// nodes, and changing owner or mode of other people's files, which Landlock does
// not mediate. Exec does not bring them back under no_new_privs.
const keptCapabilities = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_NET_BIND_SERVICE

// dropCapabilities takes from the calling thread what is not kept. For ordinary
// users it finds nothing to take.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var now [2]unix.CapUserData
	if err := unix.Capget(&header, &now[0]); err != nil {
		return step("read capabilities", err)
	}
	kept := [2]uint32{keptCapabilities & 0xffffffff, keptCapabilities >> 32}
	changed := false
	for i := range now {
		left := unix.CapUserData{
			Effective:   now[i].Effective & kept[i],
			Permitted:   now[i].Permitted & kept[i],
			Inheritable: now[i].Inheritable & kept[i],
		}
		changed = changed || left != now[i]
		now[i] = left
	}
	if !changed {
		return nil
	}
	if err := unix.Capset(&header, &now[0]); err != nil {
		return step("drop capabilities", err)
	}
	return nil
}
