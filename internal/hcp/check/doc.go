// Package check grades a pack as a careful reviewer would (the page on checking
// and evaluating): whether an agent picks the right command, fills its
// arguments, can read its output, and is stopped before a risky write.
//
// There are four layers. Structure is lint. Static rules look at the three
// files. Probes start the wrapped program, and eval cases call the pack's
// commands; both through a whole runtime over a store that is made for the check
// and thrown away, so that what is not yet trusted runs in the sandbox, under
// Policy, and can reach nothing of the user's.
//
// Invariants:
//
//   - Static rules run nothing. Probes never run a write, and have no network
//     unless the caller opens it to the reads; cases run as any call does.
//   - A finding has a stable id, the place that it is about, and a fix that can
//     be applied as it stands.
//   - The score follows from the findings alone.
package check
