package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	_ "modernc.org/sqlite" // the driver

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// IndexName is the index's file in the project's .hop folder. Its presence marks
// a project.
const IndexName = "hop.db"

// schemaVersion is the user_version of our index. Versions below are those of
// another lineage of Hop programs, which an index of ours must not be taken for.
const schemaVersion = 100

// schema makes an empty index. Columns beside doc are what questions are asked
// by; doc is the record.
const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE refs (name TEXT PRIMARY KEY, commit_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE operations (
	id TEXT PRIMARY KEY, seq INTEGER NOT NULL, verb TEXT NOT NULL, attempt_id TEXT NOT NULL, undoes TEXT NOT NULL,
	at TEXT NOT NULL, states TEXT NOT NULL, ref TEXT NOT NULL, commit_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX operations_by_seq ON operations(seq, id);
CREATE INDEX operations_by_undoes ON operations(undoes) WHERE undoes <> '';
CREATE TABLE states (
	n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, attempt_id TEXT NOT NULL,
	operation TEXT NOT NULL, doc TEXT NOT NULL, facts TEXT NOT NULL
) STRICT;
CREATE INDEX states_by_kind ON states(kind, n);
CREATE INDEX states_by_attempt ON states(attempt_id, n);
CREATE TABLE parents (
	state_id TEXT NOT NULL, ord INTEGER NOT NULL, parent_id TEXT NOT NULL, role TEXT NOT NULL,
	PRIMARY KEY (state_id, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX parents_by_parent ON parents(parent_id, role, state_id);
CREATE TABLE tasks (id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE attempts (id TEXT PRIMARY KEY, task_id TEXT NOT NULL, open INTEGER NOT NULL, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_open ON attempts(id) WHERE open = 1;
CREATE INDEX attempts_by_task ON attempts(task_id, id);
CREATE TABLE checks (
	id TEXT PRIMARY KEY, attempt_id TEXT NOT NULL, state_id TEXT NOT NULL, tree TEXT NOT NULL, key TEXT NOT NULL, doc TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checks_by_tree ON checks(attempt_id, tree, id);
CREATE INDEX checks_by_state ON checks(state_id, id) WHERE state_id <> '';
CREATE INDEX checks_by_key ON checks(key, id) WHERE key <> '';
CREATE TABLE sessions (agent TEXT NOT NULL, id TEXT NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (agent, id)) STRICT, WITHOUT ROWID;
CREATE TABLE completions (state_id TEXT PRIMARY KEY, doc TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE intents (id TEXT PRIMARY KEY, ref TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL, accepted TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

// metaAccepted is the key of the accepted head.
const metaAccepted = "accepted_head"

// openDatabase opens an index file; mode is SQLite's: rw or rwc.
func openDatabase(path, mode string) (*sql.DB, error) {
	pragmas := "busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(0)"
	name := "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + "?mode=" + mode + "&_txlock=immediate&_pragma=" + pragmas
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, broken(path, err)
	}
	// One connection: every statement of a command sees the ones before.
	db.SetMaxOpenConns(1)
	return db, nil
}

// versionOfIndex returns the user_version of the index at path.
func versionOfIndex(ctx context.Context, path string) (int, error) {
	db, version, err := openVersioned(ctx, path)
	if err != nil {
		return 0, err
	}
	return version, db.Close()
}

// openVersioned opens the index at path and returns its user_version. No file is
// fs.ErrNotExist; a file that is no index is an index_broken fault.
func openVersioned(ctx context.Context, path string) (*sql.DB, int, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, 0, broken(path, errors.New("it is empty or no regular file"))
	}
	db, err := openDatabase(path, "rw")
	if err != nil {
		return nil, 0, err
	}
	version, err := userVersion(ctx, db, path)
	if err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	return db, version, nil
}

func userVersion(ctx context.Context, db *sql.DB, path string) (int, error) {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, unusable(path, err)
	}
	return version, nil
}

// createIndex makes an empty index at path, which must not exist.
func createIndex(ctx context.Context, path string) (*sql.DB, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, broken(path, errors.New("it is there already"))
	}
	db, err := openDatabase(path, "rwc")
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, schema+"PRAGMA user_version = "+strconv.Itoa(schemaVersion)+";"); err != nil {
		_ = db.Close()
		return nil, unusable(path, err)
	}
	return db, durable.Explain("protect", path, os.Chmod(path, 0o600))
}

// unusable tells an index that is broken from a disk that is.
func unusable(path string, err error) error {
	if f := unreadable(err); !fault.Is(f, CodeIndexBroken) {
		return f
	}
	return broken(path, err)
}

func broken(path string, err error) error {
	return fault.Newf(CodeIndexBroken, "the index %q cannot be used: %v", path, err).Because(err).
		WithHint("nothing is lost: hop doctor --repair makes it anew from git").WithNext("hop doctor --repair")
}
