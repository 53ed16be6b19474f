// Package hop is the public vocabulary of the Hop protocol: the states of a
// project and the edges between them, tasks, attempts, checks, and the exit
// codes a program may branch on. It does no I/O.
//
// A project's history is a graph of states. Every state is one occurrence: two
// states with equal trees stay two states. Accepted states form the project's
// line; a prompt is recorded from an accepted state before anything happens;
// checkpoints and a proposal follow it; landing makes the next accepted state.
//
//	A accepted
//	├─ P prompt, persisted before project effects
//	│  └─ C checkpoint
//	│     └─ R proposal
//	└─ P independent prompt
//
//	A + R ──land──> A next accepted state
//
// Names, JSON fields, id forms and the digest are those that existing Hop
// projects and scripts use.
package hop
