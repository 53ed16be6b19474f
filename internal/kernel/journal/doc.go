// Package journal keeps a log of events that shows when it has been changed.
//
// # The file
//
// A journal is a text file with one JSON object per line. The first two members
// are the journal's: "seq" counts from 1, and "prev" is the SHA-256, in
// lower-case hex, of the line before without its line feed, or 64 zeros in the
// very first line. The members of the event follow in the order of its Go type.
//
//	{"seq":1,"prev":"0000…","at":"2026-03-01T10:00:00.000Z","command":"ledger.entry.add"}
//	{"seq":2,"prev":"5ad3…","at":"2026-03-01T10:00:01.000Z","command":"ledger.report"}
//
// So each line vouches for all before it. A change of any line but the last
// shows, unless every later line is made anew; a change of the last line, a cut
// tail and a journal made anew throughout show against a Head that was kept
// elsewhere. Verify checks both and names the first bad line.
//
// # Appending
//
// Append works in a time that does not depend on the file's length: it looks at
// the last line, holds a lock against other processes meanwhile (the file of
// the journal's name with ".lock" behind it), and writes the new line in one
// call. An event is acknowledged when Append returns; with Sync
// it is then on disk. If the write fails, the file is as it was.
//
// A process or machine that dies while it writes can leave part of a line. The
// next Append removes it and puts a line before its own that says so: its
// member "healed" holds the length, the SHA-256 and the first bytes of what was
// removed. Nothing that was acknowledged is part of it, since an acknowledged
// line is whole, with one exception that lies in the choice of NoSync: a line
// that was not yet on disk when the machine lost power.
//
// # Rotation
//
// A file that has grown to Options.MaxBytes is renamed to the journal's path
// with a number, and a new one begun whose first line links to the last one of
// the old. Numbers rise and files keep them. Old files may be removed from the
// front; Verify then says at which line the rest begins.
//
// # Trust
//
// The file is made with mode 0600. One that is a link, no regular file, owned
// by another user or writable by others is refused.
//
// Values of arguments do not belong into a journal, nor their plain hashes,
// since short values can be guessed: KeyedDigest tells equal values from
// different ones to whoever holds the key, and nothing to anyone else.
package journal
