// Package sandbox confines one operating-system thread, and with it every
// process started from it, by Landlock and a seccomp filter.
//
// A Profile is pure data: which files may be run, read and written, whether
// there is a network, whether unix sockets may be made. Base and ForTool write
// the profile that ordinary command-line programs live with. Package proc
// applies it: it locks a goroutine to a thread, confines that thread, starts
// the child from it and lets the thread die. The process that asks stays free.
//
// # What holds inside
//
//   - A file is reached only below a path that the profile grants, by its place
//     in the tree and not by the name used for it: links, /proc/self/root and
//     descriptors lead nowhere else. There is no way to link or rename a file to
//     a place with more rights.
//   - No system call that steps around files is answered: ptrace and its
//     relatives, foreign memory, namespaces, mounts, keyrings, bpf, perf,
//     userfaultfd, io_uring, handles, System V and message-queue objects, leases,
//     terminal input injection. Which, and with which error, is listed in rules_linux.go.
//   - Mode, owner, times and extended attributes change only below what is granted
//     for writing. Landlock does not decide about them, so the filter sends such
//     calls to a Mediator in the process that asked for the confinement, or refuses
//     them all where there is none; set-user-id modes are always refused.
//   - Priorities, schedulers, processors and limits change only of the program's own
//     processes: the caller, its threads, and what is in its session. Calls that
//     name others by number go to the same Mediator; those that name all processes
//     of a user are refused.
//   - A socket is made only of a family that the profile grants. Unix sockets
//     need a grant, because a path to the session bus or to a container daemon is
//     a way out; of the pairs, only connected ones are left. Under NetworkNone no
//     network socket of any kind is made.
//   - Signals reach processes of the same confinement only.
//   - Root inside is an ordinary user that may read and write past file modes;
//     every other capability but binding low ports is gone.
//   - The confinement is inherited for ever: no process leaves it by exec, fork,
//     daemonising or set-id programs.
//
// The asking process shares its memory with the confined thread, so the child
// could look into it by way of that thread. Therefore confining makes the
// process undumpable (nobody of the same user can trace it or open its memory,
// environment or descriptors; the process itself still can) and marks its
// descriptors close-on-exec. Both stay set; nothing else of the process changes.
//
// # What is needed, and what newer kernels add
//
// Linux on amd64 or arm64 with seccomp filters and Landlock ABI 2 (5.19). Where
// that is missing, Require and Prepare refuse with the code
// "sandbox_unavailable"; nothing ever runs unconfined instead. Above the minimum:
//
//	ABI 3 (6.2)   truncation is mediated; below, the filter refuses truncate by
//	              name and opening for reading with truncation
//	ABI 4 (6.7)   TCP is refused a second time under NetworkNone
//	ABI 5 (6.10)  ioctl on device files is mediated
//	ABI 6 (6.12)  signals and abstract unix sockets end at the confinement; below,
//	              only the asking process is out of reach of signals, and a grant
//	              of unix sockets includes abstract ones (Support.Gaps says so)
//
// # What it does not do
//
// Landlock decides about opening, creating, removing, linking and running files.
// It does not hide that a path exists. Names of processes and their arguments are
// visible through /proc. A program that began a session of its own can change how
// processes of that session run, but no more those of the one it left; and below a
// second confinement, whose calls nobody answers, a thread changes only itself and
// not others of its process.
package sandbox
