//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// Answers of the filter. Which error a call gets decides how well a program
// copes: "not permitted" is what an ordinary user without privileges gets for
// most of these; "no such call" makes libraries take their older road;
// "permission denied" on a socket reads as a policy, which it is.
const (
	allow        = uint32(unix.SECCOMP_RET_ALLOW)
	notPermitted = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
	denied       = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EACCES)
	noSuchCall   = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
	noSuchFamily = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EAFNOSUPPORT)
	noSuchProto  = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPROTONOSUPPORT)
	invalid      = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EINVAL)
	mediated     = uint32(unix.SECCOMP_RET_USER_NOTIF)
	noSuchWish   = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOTTY)
	insideMark   = uint32(unix.SECCOMP_RET_ERRNO) | uint32(markErrno)
)

// markOption is a prctl option that no kernel has. The filter answers it with an
// error that prctl never gives, by which Inside knows the filter.
const (
	markOption = 0x42726964
	markErrno  = unix.EUCLEAN
)

// refusedCalls are never answered, whatever their arguments.
var refusedCalls = [...]uint32{
	// Other processes: their memory, registers, descriptors, resources.
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	// Kernel machinery that has no use in a tool and a long record of faults.
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	// Namespaces, mounts and roots; files by handle, which have no place in a tree.
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT,
	// The machine.
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON,
	unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
}

// absentCalls are answered as an older or smaller kernel would: callers fall
// back. The filter cannot look into the structure that clone3 takes; io_uring
// does its work out of the filter's sight; a signal through a process descriptor
// could name the confined thread of our own process (see signalRules); System V
// and POSIX message objects have no place in the tree, so everything that other
// programs of the user keep in them would be open.
var absentCalls = [...]uint32{
	unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// namespaceFlags are the clone flags that make namespaces.
const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// rules lists what the filter does for a profile on a kernel with the given
// Landlock version, for a child of the given process and thread. Mediation is
// what becomes of calls that a Mediator decides about.
func rules(p Profile, abi, pid, tid int, mediation uint32) []rule {
	list := make([]rule, 0, 144)
	for _, call := range refusedCalls {
		list = append(list, rule{call: call, otherwise: notPermitted})
	}
	for _, call := range refusedHere {
		list = append(list, rule{call: call, otherwise: notPermitted})
	}
	for _, call := range absentCalls {
		list = append(list, rule{call: call, otherwise: noSuchCall})
	}
	list = append(list,
		rule{call: unix.SYS_CLONE, otherwise: allow, checks: []check{
			{arg: 0, mask: namespaceFlags, test: anyBit, action: notPermitted},
		}},
		rule{call: unix.SYS_PRCTL, otherwise: allow, checks: []check{
			{arg: 0, mask: allBits, test: equal, value: markOption, action: insideMark},
			// Whom a process shares a processor core with; it names others by number.
			{arg: 0, mask: allBits, test: equal, value: unix.PR_SCHED_CORE, action: invalid},
		}},
		requestRule(),
	)
	list = append(list, socketRules(p)...)
	list = append(list, signalRules(pid, tid)...)
	list = append(list, attributeRules(mediation)...)
	list = append(list, processRules(mediation)...)
	if abi < 3 {
		list = append(list, truncateRules()...)
	}
	return list
}

// socketRules grant families one by one.
func socketRules(p Profile) []rule {
	family := func(domain, action uint32) check {
		return check{arg: 0, mask: allBits, test: equal, value: domain, action: action}
	}
	unixSockets := denied
	if p.Unix {
		unixSockets = allow
	}
	socket := rule{call: unix.SYS_SOCKET, otherwise: noSuchFamily}
	if p.Network == NetworkNone {
		socket.otherwise = denied
		socket.checks = []check{family(unix.AF_UNIX, unixSockets)}
	} else {
		socket.checks = []check{
			family(unix.AF_INET, allow),
			family(unix.AF_INET6, allow),
			family(unix.AF_UNIX, unixSockets),
			{arg: 0, mask: allBits, test: differ, value: unix.AF_NETLINK, action: noSuchFamily},
			// Of netlink, only what looking up names and interfaces needs.
			{arg: 2, mask: allBits, test: differ, value: unix.NETLINK_ROUTE, action: noSuchProto},
		}
		socket.otherwise = allow
	}
	// A pair of datagram sockets could be connected anew, to any path.
	const kinds = 0xf
	pair := rule{call: unix.SYS_SOCKETPAIR, otherwise: denied, checks: []check{
		{arg: 0, mask: allBits, test: differ, value: unix.AF_UNIX, action: noSuchFamily},
		{arg: 1, mask: kinds, test: equal, value: unix.SOCK_STREAM, action: allow},
		{arg: 1, mask: kinds, test: equal, value: unix.SOCK_SEQPACKET, action: allow},
	}}
	if p.Unix {
		pair.otherwise = allow
	}
	return []rule{socket, pair}
}

// signalRules keep the child from signalling the process that started it.
// Landlock's scope would allow it, since the starting thread is in the same
// confinement and a signal to a thread's number ends its whole process; and
// kernels before 6.12 have no scope at all. The one signal allowed is the one by
// which Go's own threads interrupt each other, the confined one included.
func signalRules(pid, tid int) []rule {
	to := func(arg int, id int) check {
		return check{arg: arg, mask: allBits, test: equal, value: uint32(id), action: notPermitted}
	}
	urgent := check{arg: 2, mask: allBits, test: equal, value: uint32(unix.SIGURG), action: allow}
	return []rule{
		{call: unix.SYS_KILL, otherwise: allow, checks: []check{to(0, pid), to(0, tid)}},
		{call: unix.SYS_TKILL, otherwise: allow, checks: []check{to(0, pid), to(0, tid)}},
		{call: unix.SYS_TGKILL, otherwise: allow, checks: []check{urgent, to(0, pid), to(1, tid)}},
		{call: unix.SYS_RT_SIGQUEUEINFO, otherwise: allow, checks: []check{to(0, pid), to(0, tid)}},
		{call: unix.SYS_RT_TGSIGQUEUEINFO, otherwise: allow, checks: []check{to(0, pid), to(1, tid)}},
		// Asking for a signal when a descriptor becomes ready sends it just as well.
		{call: unix.SYS_FCNTL, otherwise: allow, checks: []check{
			{arg: 1, mask: allBits, test: equal, value: unix.F_SETOWN_EX, action: invalid},
			{arg: 1, mask: allBits, test: equal, value: unix.F_SETOWN, action: notPermitted},
			// A lease holds up whoever opens the file, for as long as three quarters of a minute.
			{arg: 1, mask: allBits, test: equal, value: unix.F_SETLEASE, action: invalid},
		}},
	}
}

// requestRule refuses requests to open files that reach further than the file:
// text put into a terminal, signals to others, and what is kept about a file.
func requestRule() rule {
	is := func(request, action uint32) check {
		return check{arg: 1, mask: allBits, test: equal, value: request, action: action}
	}
	r := rule{call: unix.SYS_IOCTL, otherwise: allow, checks: []check{
		is(unix.TIOCSTI, notPermitted), is(unix.TIOCLINUX, notPermitted), is(fioSetOwn, notPermitted), is(siocSetPgrp, notPermitted),
	}}
	for _, request := range attributeRequests {
		r.checks = append(r.checks, is(request, noSuchWish))
	}
	return r
}

// attributeRules are for what Landlock does not decide: modes, owners, times and
// extended attributes go to the mediator. Set-user-id modes are refused at once: a
// set-id copy of a shell outlives the sandbox.
func attributeRules(otherwise uint32) []rule {
	setUser := func(call uint32, arg int) rule {
		return rule{call: call, otherwise: otherwise, checks: []check{
			{arg: arg, mask: unix.S_ISUID, test: anyBit, action: notPermitted},
		}}
	}
	list := []rule{
		setUser(unix.SYS_FCHMOD, 1), setUser(unix.SYS_FCHMODAT, 2), setUser(unix.SYS_FCHMODAT2, 2),
	}
	for _, call := range chmodHere {
		list = append(list, setUser(call, 1))
	}
	for _, call := range mediatedCalls {
		list = append(list, rule{call: call, otherwise: otherwise})
	}
	for _, call := range mediatedHere {
		list = append(list, rule{call: call, otherwise: otherwise})
	}
	for _, call := range newerCalls {
		list = append(list, rule{call: call, otherwise: noSuchCall})
	}
	return list
}

// truncateRules stand in for the Landlock right that older kernels lack. An
// open that may truncate needs a right to write there, unless it opens for
// reading only.
func truncateRules() []rule {
	const mask = unix.O_ACCMODE | unix.O_TRUNC
	list := []rule{
		{call: unix.SYS_TRUNCATE, otherwise: denied},
		{call: unix.SYS_OPENAT2, otherwise: noSuchCall},
		{call: unix.SYS_OPENAT, otherwise: allow, checks: []check{
			{arg: 2, mask: mask, test: equal, value: unix.O_RDONLY | unix.O_TRUNC, action: denied},
		}},
	}
	for _, call := range openHere {
		list = append(list, rule{call: call, otherwise: allow, checks: []check{
			{arg: 1, mask: mask, test: equal, value: unix.O_RDONLY | unix.O_TRUNC, action: denied},
		}})
	}
	return list
}
