package sandbox

// Network says what of the network a confined process has.
type Network int

const (
	// NetworkInherit leaves the network as the machine has it.
	NetworkInherit Network = iota
	// NetworkNone refuses every network socket: TCP, UDP, MPTCP, netlink, all.
	NetworkNone
)

// Profile says what a confined process may reach. Everything else is refused.
// A path grants the file itself, or the directory and all below it; a link
// grants what it leads to. Paths that do not exist are passed over unless they
// stand in Required.
type Profile struct {
	// ReadExec may be read and run.
	ReadExec []string
	// ReadOnly may be read, not run.
	ReadOnly []string
	// ReadWrite may be read, run, written, created and removed. Device files are
	// not made there.
	ReadWrite []string
	// Devices are files such as /dev/null that are read, written and asked.
	Devices []string
	// Required lists those of the paths above that must exist.
	Required []string
	// Network is what there is of the network.
	Network Network
	// Unix grants making unix sockets and connecting them to any path that file
	// modes allow. It is a way out of the sandbox wherever a daemon listens.
	Unix bool
}

// Clone returns a copy that shares no list with p.
func (p Profile) Clone() Profile {
	p.ReadExec = append([]string(nil), p.ReadExec...)
	p.ReadOnly = append([]string(nil), p.ReadOnly...)
	p.ReadWrite = append([]string(nil), p.ReadWrite...)
	p.Devices = append([]string(nil), p.Devices...)
	p.Required = append([]string(nil), p.Required...)
	return p
}
