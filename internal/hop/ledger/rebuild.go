package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// found is a transaction as it stands in a repository.
type found struct {
	*Transaction
	ref    string
	commit git.OID
	// machine is the other machine that wrote it, or empty.
	machine string
}

// Exists reports whether the repository holds a ledger.
func Exists(ctx context.Context, repo *git.Repository) (bool, error) {
	refs, err := repo.Refs(ctx, Prefix)
	return len(refs) > 0, err
}

// Rebuild makes the index anew from git. An index that cannot be read is kept
// beside the new one. It returns what could not be taken in, which is never
// dropped from git.
func Rebuild(ctx context.Context, o Options) (problems []string, err error) {
	unlock, err := o.lock(ctx, "doctor")
	if err != nil {
		return nil, err
	}
	defer unlock()
	all, problems, err := collect(ctx, o.Git)
	if err != nil {
		return problems, err
	}
	path := o.indexPath()
	version, err := versionOfIndex(ctx, path)
	if err == nil && version > schemaVersion {
		return problems, fault.Newf(CodeNewer, "the index %q has the newer schema version %d", path, version).WithHint("use a newer hop")
	}
	if err == nil && version == schemaVersion {
		// Others may have it open, so it stays and only its records are replaced.
		if db, err := openDatabase(path, "rw"); err == nil {
			more, err := o.refill(ctx, db, all)
			if err := errors.Join(err, db.Close()); !fault.Is(err, CodeIndexBroken) {
				return append(problems, more...), err
			}
		}
	}
	more, err := o.replaceIndex(ctx, all)
	return append(problems, more...), err
}

// refill makes the transactions all that an index holds, and the accepted ref
// what they say.
func (o Options) refill(ctx context.Context, db *sql.DB, all []found) (problems []string, err error) {
	failures, err := applyAll(ctx, db, all)
	if problems = sentences(failures); err != nil {
		return problems, err
	}
	_, err = newLedger(o, db).HealAccepted(ctx)
	return problems, err
}

// replaceIndex puts a new index in the place of one that is broken or gone. It
// appears there only when it is whole.
func (o Options) replaceIndex(ctx context.Context, all []found) (problems []string, err error) {
	next := o.indexPath() + ".next"
	if err := removeIndex(next); err != nil {
		return nil, err
	}
	db, err := createIndex(ctx, next)
	if err != nil {
		return nil, err
	}
	problems, err = o.refill(ctx, db, all)
	if err := errors.Join(err, db.Close()); err != nil {
		return problems, err
	}
	if err := setAside(o.indexPath()); err != nil {
		return problems, err
	}
	return problems, durable.ReplaceFile(next, o.indexPath())
}

// clearAll takes all records out of an index.
func clearAll(ctx context.Context, tx *sql.Tx) error {
	for _, clear := range []string{
		"DELETE FROM meta", "DELETE FROM refs", "DELETE FROM operations", "DELETE FROM states", "DELETE FROM parents", "DELETE FROM tasks",
		"DELETE FROM attempts", "DELETE FROM checks", "DELETE FROM sessions", "DELETE FROM completions", "DELETE FROM intents",
	} {
		if _, err := tx.ExecContext(ctx, clear); err != nil {
			return err
		}
	}
	return nil
}

// setAside keeps a broken index, with what belongs to it, under another name. Its
// log goes away, since another index would take it for its own; the file itself
// stays until a whole one takes its place, so that there is a project at every
// moment. The one that was kept before makes room: git has all that it held.
func setAside(path string) error {
	for _, suffix := range []string{"-wal", "-shm", ""} {
		info, err := os.Lstat(path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		kept := path + ".broken" + suffix
		if err := durable.RemoveAll(kept); err != nil {
			return err
		}
		if err == nil && suffix == "" && info.Mode().IsRegular() && os.Link(path, kept) == nil {
			continue
		}
		if err := durable.MoveFile(path+suffix, kept); err != nil {
			return err
		}
	}
	return nil
}

// collect reads every transaction of the repository, in their order.
func collect(ctx context.Context, repo *git.Repository) ([]found, []string, error) {
	refs, err := repo.Refs(ctx, Prefix)
	if err != nil {
		return nil, nil, err
	}
	c := collector{ctx: ctx, repo: repo, seen: map[git.OID]bool{}}
	// Other machines first: what they wrote is theirs, whoever links to it.
	for _, foreign := range []bool{true, false} {
		for _, ref := range refs {
			machine, _, ok := ParseMachineRef(ref.Name)
			if ok == foreign {
				c.walk(machine, ref.Name, ref.ID)
			}
		}
	}
	inOrder(c.all)
	return c.all, c.problems, nil
}

type collector struct {
	ctx      context.Context
	repo     *git.Repository
	seen     map[git.OID]bool
	all      []found
	problems []string
}

// walk follows a ref back to its first transaction, and the links on the way;
// another machine's links lead nowhere.
func (c *collector) walk(machine, ref string, tip git.OID) {
	for at := tip; at != "" && !c.seen[at]; {
		c.seen[at] = true
		t, err := readTransaction(c.ctx, c.repo, at)
		if err != nil {
			c.problems = append(c.problems, "the transaction "+string(at)+" of "+ref+" cannot be read: "+err.Error())
			return
		}
		if machine != "" && ref != MachineRef(machine, t.Attempt) {
			c.problems = append(c.problems, "the transaction "+t.ID+" does not belong into "+ref)
			return
		}
		f := found{Transaction: t, ref: ref, commit: at, machine: machine}
		if machine == "" {
			f.ref = AttemptRef(t.Attempt)
			for _, link := range t.Links {
				c.walk("", ref, git.OID(link))
			}
		}
		c.all = append(c.all, f)
		at = git.OID(t.Prev)
	}
}

// failure is a transaction that could not be taken in.
type failure struct {
	found
	err error
}

func sentences(failures []failure) []string {
	var out []string
	for _, f := range failures {
		out = append(out, "the transaction "+f.ID+" cannot be taken in: "+f.err.Error())
	}
	return out
}

// applyAll makes the transactions all that an index holds, at once; each is taken
// in as a whole or not at all.
func applyAll(ctx context.Context, db *sql.DB, all []found) ([]failure, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, unreadable(err)
	}
	defer rollback(tx)
	if err := clearAll(ctx, tx); err != nil {
		return nil, unreadable(err)
	}
	failures, err := applyTo(ctx, tx, all)
	if err != nil {
		return failures, err
	}
	if err := tx.Commit(); err != nil {
		return failures, unreadable(err)
	}
	return failures, nil
}

func applyTo(ctx context.Context, tx *sql.Tx, all []found) (failures []failure, err error) {
	owners := ownersOf(all)
	for _, f := range all {
		if _, err := tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
			return failures, unreadable(err)
		}
		end := "RELEASE one"
		counted, err := owners.counted(f)
		if err == nil {
			err = apply(ctx, tx, counted, f.ref, string(f.commit))
		}
		if err != nil {
			if ctx.Err() != nil {
				return failures, ctx.Err()
			}
			failures = append(failures, failure{f, err})
			end = "ROLLBACK TO one; RELEASE one"
		}
		if _, err := tx.ExecContext(ctx, end); err != nil {
			return failures, unreadable(err)
		}
	}
	return failures, nil
}
