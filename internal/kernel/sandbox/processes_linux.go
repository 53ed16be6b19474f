//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// Landlock decides about signals and tracing, but not about priorities, placement
// on processors and limits: those of every process of the same user could be
// changed. A call on the caller itself passes the filter. One that names a process,
// a thread or a group by number goes to the mediator; see mediate_processes_linux.go.

// byNumber are the calls whose first argument is a process, 0 being the caller.
var byNumber = [...]uint32{
	unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	unix.SYS_SCHED_SETAFFINITY, unix.SYS_PRLIMIT64,
}

// ofOneself are such calls that no tool makes for another process.
var ofOneself = [...]uint32{unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_GET_ROBUST_LIST}

// What ioprio_set and setpriority name, each in numbers of its own.
const (
	ioprioGroup = 2
	ioprioUser  = 3
)

// processRules keep the hands off other processes. Those of a whole user are never
// answered.
func processRules(otherwise uint32) []rule {
	is := func(arg int, value, action uint32) check {
		return check{arg: arg, mask: allBits, test: equal, value: value, action: action}
	}
	list := []rule{
		{call: unix.SYS_SETPRIORITY, otherwise: otherwise, checks: []check{
			is(0, unix.PRIO_USER, notPermitted), is(0, unix.PRIO_PGRP, otherwise), is(1, 0, allow),
		}},
		{call: unix.SYS_IOPRIO_SET, otherwise: otherwise, checks: []check{
			is(0, ioprioUser, notPermitted), is(0, ioprioGroup, otherwise), is(1, 0, allow),
		}},
	}
	for _, call := range byNumber {
		list = append(list, rule{call: call, otherwise: otherwise, checks: []check{is(0, 0, allow)}})
	}
	for _, call := range ofOneself {
		list = append(list, rule{call: call, otherwise: notPermitted, checks: []check{is(0, 0, allow)}})
	}
	return list
}
