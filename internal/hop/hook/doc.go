// Package hook turns the events of agent clients into prompts, checkpoints and
// answers: the client itself records what its user said before its model hears it,
// what changed after each tool, and what was answered in the end.
//
// A Client, in a file of its own, knows how one program writes its events, what it
// takes as "go on", and where it looks for hooks. Handle acts on one event. The
// client's own id of the conversation is the session of Hop.
//
// Invariants:
//
//   - A client is never held up: whatever fails, the answer is the one that it takes
//     as "go on", and the fault goes elsewhere.
//   - A payload is hostile input: bounded, decoded strictly, and nothing in it names
//     a file that is read or written.
//   - Nothing happens outside of a Hop project: an event there is no reason to make
//     one.
//   - A prompt is recorded before the client acts on it, and once, also where a
//     controller has recorded it already.
//
// It implements the trusted prompt-submission hook of the Hop protocol (capture
// modes).
package hook
