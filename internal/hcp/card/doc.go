// Package card builds what a person sees before a call may run: the typed view
// of what will happen, the facts in it to weigh, the exact command line under
// it, and the answers that a host may offer (RFC 0006, RFC 0007).
//
// Everything is a pure function of the pack, the call's checked arguments and
// tables of rules; nothing comes from text that a model wrote.
//
// Invariants:
//
//   - Every argument of the call shows: in a field, or as a row of its own under
//     Rest. Nothing is cut but titles, and those with a mark.
//   - What a terminal would obey, hide or move is escaped when a card is drawn,
//     and so are letters that pass for others; both raise a signal, before all
//     other signals.
//   - The command line is valid shell for exactly the words that run, whatever
//     is in them.
//   - A lasting yes is offered only where it cannot widen what the person saw.
package card
