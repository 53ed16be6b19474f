// Package git is the only place that runs git, one file for each idea of git.
//
// Invariants:
//
//   - git runs with an environment made here, never with an inherited one: no
//     GIT_* variable, no personal or system configuration, no prompt, no
//     credential helper reaches it.
//   - Nothing of a repository is executed: hooks, file system monitors, filters,
//     external diffs, signing programs and submodules are off for every call.
//   - Transports are allowed by name, https alone unless the caller says more.
//   - A question that can be answered by looking at files is answered so:
//     finding a repository runs no git.
package git
