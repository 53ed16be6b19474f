// Package git is the only place that runs git, one file for each idea of git.
//
// Invariants:
//
//   - git runs with an environment made here, never with an inherited one: no
//     GIT_* variable, no personal or system configuration, no prompt, no
//     credential helper reaches it.
//   - Nothing of a repository is executed: hooks, file system monitors, filters,
//     external diffs, merge drivers, signing programs and submodules are off for
//     every call. Filters run when the owner of the repository says so.
//   - Transports are allowed by name, none on a Repository.
//   - A question that can be answered by looking at files is answered so:
//     finding a repository, reading objects, refs and trees runs no git.
//   - What a call has written is on disk when it returns: objects before the refs
//     that name them. A ref changes only from the value that the caller saw.
//   - Names of files and refs are bytes. Objects are compared with their ids when
//     they are read.
//   - A lock of the user's git is never removed.
package git
