package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Names in the repository.
const (
	AcceptedRef = "refs/hop/accepted"
	// Prefix is where the ledger's refs are.
	Prefix         = "refs/hop/ledger/"
	projectRef     = Prefix + "project"
	attemptsPrefix = Prefix + "attempts/"
)

// lockWait bounds how long a command waits for the ledger: its holders write a
// few small files.
const lockWait = 30 * time.Second

// Options say where a ledger is.
type Options struct {
	Git *git.Repository
	// Dir is the project's own folder, .hop.
	Dir   string
	Clock clock.Clock
}

// Ledger is an open ledger.
type Ledger struct {
	Reader
	Options
	db *sql.DB
	// unwritable is why the index can only be read for now, or nil.
	unwritable error
}

func (o Options) indexPath() string { return filepath.Join(o.Dir, IndexName) }
func (o Options) lockPath() string  { return filepath.Join(o.Dir, "ledger.lock") }

// Open opens the ledger of a project. Where an index of another lineage of Hop
// is found, CodeForeignIndex says so: Adopt takes it over.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	l, err := openIndex(ctx, o)
	if isStuck(err) {
		l, err = openStuck(ctx, o, err)
	}
	if err != nil || l.unwritable != nil {
		return l, err
	}
	if err = l.settleIfFree(ctx); err == nil {
		err = l.followGitIfFree(ctx)
	}
	if isStuck(err) { // what a killed command left waits until there is room for it
		l.unwritable, err = err, nil
	}
	return l, err
}

// CodeForeignIndex marks an index that Adopt can take over.
const CodeForeignIndex = "foreign_index"

func openIndex(ctx context.Context, o Options) (*Ledger, error) {
	path := o.indexPath()
	db, version, err := openVersioned(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Newf(CodeNoProject, "there is no Hop project in %q", filepath.Dir(o.Dir)).
			WithHint("hop init makes one").WithNext("hop init")
	case err != nil:
		return nil, err
	case version == schemaVersion:
		return newLedger(o, db), nil
	case version == carriedVersion:
		err = fault.Newf(CodeForeignIndex, "the index %q was made by another Hop program", path)
	case version == 0: // its making was cut short, or it is somebody else's database
		err = broken(path, errors.New("it is no index of Hop's"))
	default:
		err = fault.Newf(CodeNewer, "the index %q has schema version %d, which this program does not read", path, version).
			WithHint("use the program that made it; this one reads the versions %d and %d", carriedVersion, schemaVersion)
	}
	return nil, errors.Join(err, db.Close())
}

func newLedger(o Options, db *sql.DB) *Ledger {
	return &Ledger{Reader: Reader{db}, Options: o, db: db}
}

// Found makes the ledger of a new project, with its first transaction, which must
// accept a state. The index appears in its place only then: nobody ever meets a
// project without an accepted state.
func Found(ctx context.Context, o Options, verb string, build func(*Tx) error) (*Ledger, error) {
	next := o.indexPath() + ".next"
	if err := removeIndex(next); err != nil {
		return nil, err
	}
	db, err := createIndex(ctx, next)
	if err != nil {
		return nil, err
	}
	l := newLedger(o, db)
	_, err = l.Write(ctx, verb, build)
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, err
	}
	// A log that an index left which somebody removed would be taken for ours.
	if err := setAside(o.indexPath()); err != nil {
		return nil, err
	}
	if err := durable.ReplaceFile(next, o.indexPath()); err != nil {
		return nil, err
	}
	return Open(ctx, o)
}

// removeIndex removes an index that was never in its place, with its log.
func removeIndex(path string) error {
	return errors.Join(durable.RemoveAll(path), durable.RemoveAll(path+"-wal"), durable.RemoveAll(path+"-shm"))
}

// Close closes the index.
func (l *Ledger) Close() error {
	if err := l.db.Close(); err != nil {
		return unreadable(err)
	}
	return nil
}

// lock takes the lock for a writer, unless nothing can be written.
func (l *Ledger) lock(ctx context.Context, holder string) (unlock func(), err error) {
	if l.unwritable != nil {
		return nil, l.unwritable
	}
	return l.Options.lock(ctx, holder)
}

// lock takes the ledger's lock for a writer.
func (o Options) lock(ctx context.Context, holder string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return durable.Lock(ctx, o.lockPath(), "hop "+holder)
}

// AttemptRef returns the ref that holds the transactions about an attempt; an
// empty attempt stands for the project.
func AttemptRef(attempt string) string {
	if attempt == "" {
		return projectRef
	}
	return attemptsPrefix + attempt
}
