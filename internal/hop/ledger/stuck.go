package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// SQLite wants to make files beside an index even to read it. Where the disk takes
// none, being full or read-only, what is recorded can be looked at all the same;
// every writer is refused with the reason.

// isStuck reports whether a fault says that the disk takes nothing now.
func isStuck(err error) bool {
	return fault.Is(err, durable.CodeDiskFull) || fault.Is(err, durable.CodeReadOnly) || fault.Is(err, durable.CodeNotPermitted)
}

// Unwritable is why the index can only be read for now, or nil.
func (l *Ledger) Unwritable() error { return l.unwritable }

// openStuck opens an index to read it alone, in a way that makes no file. An index
// whose log is empty is whole by itself. With something in the log, the log is read
// too, by one process at a time; that it is not merged into the index meanwhile is
// no loss.
func openStuck(ctx context.Context, o Options, why error) (*Ledger, error) {
	path := o.indexPath()
	how := "mode=ro&immutable=1"
	log, err := os.Stat(path + "-wal")
	switch {
	case err == nil && log.Size() > 0:
		how = "mode=rw&_pragma=locking_mode(exclusive)&_pragma=busy_timeout(10000)"
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, why
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?"+how)
	if err != nil {
		return nil, why
	}
	db.SetMaxOpenConns(1)
	version, err := userVersion(ctx, db, path)
	if err != nil || version != schemaVersion {
		return nil, errors.Join(why, db.Close())
	}
	l := newLedger(o, db)
	l.unwritable = why
	return l, nil
}
