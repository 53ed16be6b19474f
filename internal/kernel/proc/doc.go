// Package proc is the only place that starts processes.
//
// # What Run promises
//
//   - The child is the leader of its own session and process group, has no
//     controlling terminal and no descriptors but the three standard ones.
//     Without a Stdin it reads /dev/null.
//   - Both outputs are drained at once, whatever their size; the first bytes are
//     kept up to a cap, all are counted.
//   - There is always a deadline. At the deadline, or when the context ends, the
//     group gets TERM, and KILL after a grace.
//   - When the leader has ended, however it ended, the whole group is killed
//     before the leader is reaped: its number cannot meanwhile belong to someone
//     else. Then descendants that left the group are found and killed, and
//     counted as Leftovers; see sweep_linux.go.
//   - Run returns although a process that it cannot reach still holds a pipe
//     (Result.Held), although the child never reads its input, and although a tee
//     writer blocks.
//   - When the calling process dies, by SIGKILL too, the child dies, and on Linux
//     its whole process group; see bond_linux.go.
//
// On Linux all of it happens on one locked thread: it starts the child, polls the
// pipes, the child's end and the deadline, and reaps. For a confined child that
// thread is confined first (package sandbox) and dies with the run; nothing is
// started from a thread that failed to be confined.
//
// The calling process keeps its own character: no subreaper, no signal handlers,
// no reaping of children that Run did not start.
//
// Elsewhere than on Linux there is no sandbox; a Profile is refused. Groups are
// killed on BSD systems and macOS, job objects on Windows.
package proc
