//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Every call that can name another process, and what the filter alone says to it.
func TestNoCallReachesAnotherProcessPastTheMediator(t *testing.T) {
	const pid = 4711
	cases := []struct {
		name string
		call uint32
		args [6]uint64
		want uint32
	}{
		{"setpriority self", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, 0, 5}, allow},
		{"setpriority", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PROCESS, pid, 5}, mediated},
		{"setpriority group", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PGRP, pid, 5}, mediated},
		{"setpriority own group", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_PGRP, 0, 5}, mediated},
		{"setpriority user", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER, 0, 5}, notPermitted},
		{"setpriority user, high bits", unix.SYS_SETPRIORITY, [6]uint64{unix.PRIO_USER | 1<<32, 0, 5}, notPermitted},
		{"ioprio_set self", unix.SYS_IOPRIO_SET, [6]uint64{1, 0, 5}, allow},
		{"ioprio_set", unix.SYS_IOPRIO_SET, [6]uint64{1, pid, 5}, mediated},
		{"ioprio_set group", unix.SYS_IOPRIO_SET, [6]uint64{2, 0, 5}, mediated},
		{"ioprio_set user", unix.SYS_IOPRIO_SET, [6]uint64{3, 0, 5}, notPermitted},
		{"sched_setscheduler self", unix.SYS_SCHED_SETSCHEDULER, [6]uint64{}, allow},
		{"sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER, [6]uint64{pid}, mediated},
		{"sched_setparam self", unix.SYS_SCHED_SETPARAM, [6]uint64{1 << 32}, allow},
		{"sched_setparam", unix.SYS_SCHED_SETPARAM, [6]uint64{pid}, mediated},
		{"sched_setattr self", unix.SYS_SCHED_SETATTR, [6]uint64{}, allow},
		{"sched_setattr", unix.SYS_SCHED_SETATTR, [6]uint64{pid}, mediated},
		{"sched_setaffinity self", unix.SYS_SCHED_SETAFFINITY, [6]uint64{}, allow},
		{"sched_setaffinity", unix.SYS_SCHED_SETAFFINITY, [6]uint64{pid}, mediated},
		{"prlimit64 self", unix.SYS_PRLIMIT64, [6]uint64{}, allow},
		{"prlimit64", unix.SYS_PRLIMIT64, [6]uint64{pid}, mediated},
		{"move_pages self", unix.SYS_MOVE_PAGES, [6]uint64{}, allow},
		{"move_pages", unix.SYS_MOVE_PAGES, [6]uint64{pid}, notPermitted},
		{"migrate_pages", unix.SYS_MIGRATE_PAGES, [6]uint64{pid}, notPermitted},
		{"get_robust_list", unix.SYS_GET_ROBUST_LIST, [6]uint64{pid}, notPermitted},
		{"process_madvise", unix.SYS_PROCESS_MADVISE, [6]uint64{3}, notPermitted},
		{"process_mrelease", unix.SYS_PROCESS_MRELEASE, [6]uint64{3}, notPermitted},
		{"pidfd_getfd", unix.SYS_PIDFD_GETFD, [6]uint64{3}, notPermitted},
		{"kcmp", unix.SYS_KCMP, [6]uint64{pid}, notPermitted},
		{"sharing a core", unix.SYS_PRCTL, [6]uint64{unix.PR_SCHED_CORE, 2, pid}, invalid},
		{"a lease", unix.SYS_FCNTL, [6]uint64{3, unix.F_SETLEASE, unix.F_WRLCK}, invalid},
	}
	for name, list := range policies() {
		program := assemble(auditArch, callCeiling, list)
		for _, c := range cases {
			if got := interpret(t, program, event{auditArch, c.call, c.args}); got != c.want {
				t.Errorf("%s: %s: %#x, want %#x", name, c.name, got, c.want)
			}
		}
	}
	for _, call := range []uint32{unix.SYS_SETPRIORITY, unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETATTR} {
		program := assemble(auditArch, callCeiling, rules(Profile{}, 6, 1, 2, notPermitted))
		if got := interpret(t, program, event{auditArch, call, [6]uint64{0, pid}}); call == unix.SYS_SETPRIORITY && got != notPermitted {
			t.Errorf("without a mediator call %d is answered with %#x", call, got)
		}
		if got := interpret(t, program, event{auditArch, call, [6]uint64{pid, pid}}); got != notPermitted {
			t.Errorf("without a mediator call %d is answered with %#x", call, got)
		}
	}
}

// The session of the mediator's own process is not the program's, and what a call
// points to is read as the kernel reads it.
func TestMediatedCallsOnProcessesAreReadAsTheKernelReadsThem(t *testing.T) {
	requireKernel(t)
	type outcome struct{ got, want error }
	outcomes := map[string]outcome{}
	parent, group := uintptr(os.Getppid()), uintptr(unix.Getpgrp())
	before, err := unix.Getpriority(unix.PRIO_PROCESS, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var limits unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limits); err != nil {
		t.Fatal(err)
	}
	var told unix.Rlimit
	mediatedInside(t, Profile{}, func() {
		note := func(name string, got, want error) { outcomes[name] = outcome{got, want} }
		self := uintptr(unix.Gettid())
		attr := func(size uint32) uintptr {
			raw := make([]byte, 8192)
			binary.NativeEndian.PutUint32(raw, size)
			binary.NativeEndian.PutUint32(raw[4:], unix.SCHED_IDLE)
			binary.NativeEndian.PutUint32(raw[16:], 19) // as nice as it is already
			return uintptr(unsafe.Pointer(&raw[0]))
		}
		note("own thread", raw(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, self, 19), nil)
		note("the parent", raw(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, parent, 19), unix.EPERM)
		note("the group of the mediator", raw(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, 0, 19), unix.EPERM)
		note("that group by its number", raw(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, group, 19), unix.EPERM)
		note("a negative number", raw(unix.SYS_SCHED_SETPARAM, ^uintptr(0), attr(0)), unix.EPERM)
		note("attributes", raw(unix.SYS_SCHED_SETATTR, self, attr(48), 0), nil)
		note("attributes of no size", raw(unix.SYS_SCHED_SETATTR, self, attr(0), 0), nil)
		note("attributes that end with zeros", raw(unix.SYS_SCHED_SETATTR, self, attr(1000), 0), nil)
		note("too few attributes", raw(unix.SYS_SCHED_SETATTR, self, attr(47), 0), unix.E2BIG)
		note("too many attributes", raw(unix.SYS_SCHED_SETATTR, self, attr(4097), 0), unix.E2BIG)
		note("attributes nowhere", raw(unix.SYS_SCHED_SETATTR, self, 0, 0), unix.EFAULT)
		note("attributes in no memory", raw(unix.SYS_SCHED_SETATTR, self, 8, 0), unix.EFAULT)
		note("no processor", raw(unix.SYS_SCHED_SETAFFINITY, self, 0, 0), unix.EINVAL)
		note("a set in no memory", raw(unix.SYS_SCHED_SETAFFINITY, self, 1<<31, 8), unix.EFAULT)
		note("a limit told", raw(unix.SYS_PRLIMIT64, self, unix.RLIMIT_CORE, 0, uintptr(unsafe.Pointer(&told))), nil)
		note("a limit told nowhere", raw(unix.SYS_PRLIMIT64, self, unix.RLIMIT_CORE, 0, 8), unix.EFAULT)
		note("no such limit", raw(unix.SYS_PRLIMIT64, self, 99, 0, uintptr(unsafe.Pointer(&told))), unix.EINVAL)
	})
	for name, o := range outcomes {
		if !errors.Is(o.got, o.want) {
			t.Errorf("%s: %v, want %v", name, o.got, o.want)
		}
	}
	if told != limits {
		t.Errorf("the limit is told as %v, and is %v", told, limits)
	}
	if now, err := unix.Getpriority(unix.PRIO_PROCESS, os.Getpid()); err != nil || now != before {
		t.Errorf("the process runs with %d instead of %d, %v", now, before, err)
	}
}
