// Package hound is the public vocabulary of the Hound protocol: driver
// manifests, requests and responses, plans, approvals, receipts and run records.
// It does no I/O.
//
// A driver is a program that a repository owns. Hound asks it what it would
// change, a person approves exactly that, and Hound lets only that through:
//
//	manifest ─ check ─> driver is there and speaks the protocol
//	         ─ read ──> invocation: the response and a receipt
//	         ─ plan ──> plan: the exact bytes before and after
//	                    └─ approval, bound to the plan
//	         ─ execute > run record: what was planned, approved and found
//
// Names, members and the digests over them are those that existing drivers,
// scripts and records use. Every digest of a document is the lower-case
// hexadecimal SHA-256 of its canonical JSON without a line end; a document in a
// file is its canonical JSON and one line feed.
package hound
