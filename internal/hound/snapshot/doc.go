// Package snapshot records what a repository is, byte for byte, and tells two
// such records apart. Hound takes one before and one after a driver's call.
//
// # What is recorded
//
//   - Every file, link, directory and special file of the working tree, also
//     ignored ones, empty directories and the contents of nested repositories:
//     kind, full POSIX mode, owner, size, SHA-256 of the content or the text of
//     the link. Only what the owner's excludes name is left out, and of that only
//     what git ignores (ignored_snapshot_excludes).
//   - The state of git, under names that begin with ".git/": HEAD, every ref by
//     its value, the index by its entries and flags (rewritten with equal content
//     it is equal), the configuration with every file that it may include, hooks
//     wherever they are, info files, reflogs, everything else in the Git directory
//     and, for a linked worktree, in the common one.
//   - The object store by the integrity that a full check found. A changed object
//     file leads to a new check, also in the stores that it borrows from.
//
// # Invariants
//
//   - Links are never followed and special files never opened. Directories are
//     reached from the root's descriptor, so a directory that is swapped for a
//     link meanwhile leads nowhere.
//   - Nothing that the repository brings is run and nothing of its configuration
//     decides what is looked at; git's own status and diff are not asked.
//   - A file that changes while it is read is read again; one that never rests is
//     an error.
//   - A hash is reused only on a local file system whose change times can be
//     trusted, for the same device, inode, kind, mode, owner, size, modification
//     and change time, when the change time lay clearly in the past at the time of
//     hashing. Paranoid reuses none.
//
// Implements "Driver manifest" (ignored_snapshot_excludes) and "Plan and
// approval" (repository fingerprint) of the Hound protocol and the repository
// postconditions of the trust model.
package snapshot
