package ledger

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bridle/internal/hop/graph"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// An index can be older than git: a copy of it was put back, or its log was removed
// after a crash. The accepted line tells, since its ref is then ahead; of all other
// refs their folders tell, which change with every ref that moves. What git has
// beyond the index is taken in from all refs of this machine, oldest first. Nothing
// goes away: a ref that is gone, or that does not go on from what the index knows,
// is left to the doctor.

// metaFolders is the key of the times that the folders of the refs had when the
// index was last known to have all that the refs lead to.
const metaFolders = "ref_folders"

// standing is where the index stands against the refs.
type standing struct {
	// line says that it knows what the accepted line's ref names. A ref that is gone
	// says nothing.
	line bool
	// known says that no ref has moved since the index had them all.
	known bool
	// folders are the times of the refs' folders, from before the refs are looked at.
	folders string
}

func (s standing) abreast() bool { return s.line && s.known }

func (l *Ledger) standing(ctx context.Context) (standing, error) {
	s := standing{line: true, folders: l.refFolders()}
	var err error
	if s.known, err = l.hasFolders(ctx, s.folders); err != nil {
		return s, err
	}
	tip, found, err := l.Git.Ref(ctx, projectRef)
	if err != nil || !found {
		return s, err
	}
	commit, err := l.indexedRef(ctx, projectRef)
	s.line = string(tip) == commit
	return s, err
}

// refFolders says when a ref of the ledger was last made, moved or packed. What
// comes from other machines moves the ref of the accepted line to where it is, so
// that it shows here, too.
func (l *Ledger) refFolders() string {
	var times []string
	for _, name := range []string{Prefix, attemptsPrefix} {
		at := "none"
		if info, err := os.Stat(filepath.Join(l.Git.CommonDir(), filepath.FromSlash(name))); err == nil {
			at = strconv.FormatInt(info.ModTime().UnixNano(), 10)
		}
		times = append(times, at)
	}
	return strings.Join(times, " ")
}

// execer is what a database and a transaction have in common.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// hasFolders reports whether the index has all that the refs led to when their
// folders had these times.
func (l *Ledger) hasFolders(ctx context.Context, folders string) (bool, error) {
	recorded, err := texts(ctx, l.db, `SELECT value FROM meta WHERE key = ?`, metaFolders)
	return len(recorded) > 0 && recorded[0] == folders, err
}

// recordFolders says in the index that it has.
func recordFolders(ctx context.Context, q execer, folders string) error {
	_, err := q.ExecContext(ctx, `INSERT INTO meta(key, value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value = excluded.value`, metaFolders, folders)
	if err != nil {
		return unreadable(err)
	}
	return nil
}

// followGit takes in what git has and the index does not. The caller holds the
// lock, and has settled what other writers left. What ails another attempt's ref
// is told to who works there, and stops nobody else.
func (l *Ledger) followGit(ctx context.Context) error {
	at, err := l.standing(ctx)
	if err != nil || at.abreast() {
		return err
	}
	err = l.takeBeyond(ctx)
	switch {
	case err == nil && !at.line:
		err = l.reachTip(ctx)
	case err != nil && at.line && !isStuck(err) && ctx.Err() == nil:
		return nil
	}
	if err != nil {
		return err
	}
	return recordFolders(ctx, l.db, at.folders)
}

// takeBeyond takes in what the refs have beyond what the index knows of them.
func (l *Ledger) takeBeyond(ctx context.Context) error {
	ahead, err := l.beyond(ctx)
	if err != nil {
		return err
	}
	for _, f := range ahead.own {
		err := l.take(ctx, f.Transaction, f.ref, string(f.commit), "")
		if fault.Is(err, graph.CodeIllegal) {
			return fault.Newf(CodeDiverged, "the index is older than the records in git, and cannot follow them").Because(err).
				WithHint("hop doctor --repair brings index and refs together").WithNext("hop doctor --repair")
		}
		if err != nil {
			return err
		}
	}
	if ahead.foreign && ahead.whole {
		return l.reindex(ctx)
	}
	return nil
}

// reachTip ends the way of an index whose accepted line was behind.
func (l *Ledger) reachTip(ctx context.Context) error {
	if at, err := l.standing(ctx); err != nil || !at.line {
		if err == nil {
			err = diverged(projectRef)
		}
		return err
	}
	_, err := l.HealAccepted(ctx)
	return err
}

// followGitIfFree is followGit for those who only look, unless a writer is at work:
// then the difference is that writer's. What hinders it is told to who writes, and
// the index is looked at as it is.
func (l *Ledger) followGitIfFree(ctx context.Context) error {
	err := l.tryToFollow(ctx)
	if isStuck(err) || ctx.Err() != nil {
		return err
	}
	return nil //nolint:nilerr // what is recorded can be looked at
}

func (l *Ledger) tryToFollow(ctx context.Context) error {
	if at, err := l.standing(ctx); err != nil || at.abreast() {
		return err
	}
	unlock, free, err := durable.TryLock(l.lockPath(), "hop, following git")
	if err != nil || !free {
		return err
	}
	defer unlock()
	if err := l.settle(ctx); err != nil {
		return err
	}
	return l.followGit(ctx)
}

// ahead is what the refs have beyond what the index knows of them.
type ahead struct {
	// own are the transactions of this machine's refs, in their order.
	own []found
	// foreign says that another machine's ref has more; whole, that all the index
	// knows is still in git, so that an index made anew lacks nothing.
	foreign, whole bool
}

func (l *Ledger) beyond(ctx context.Context) (ahead, error) {
	var out ahead
	refs, err := l.Git.Refs(ctx, Prefix)
	if err != nil {
		return out, err
	}
	known, err := l.knownRefs(ctx)
	if err != nil {
		return out, err
	}
	out.whole = true
	for _, ref := range refs {
		at := known[ref.Name]
		delete(known, ref.Name)
		if ref.ID == at {
			continue
		}
		if _, _, foreign := ParseMachineRef(ref.Name); foreign {
			out.foreign = true
			continue
		}
		more, err := l.chain(ctx, ref, at)
		if err != nil {
			return out, err
		}
		out.whole = out.whole && len(more) > 0
		out.own = append(out.own, more...)
	}
	out.whole = out.whole && len(known) == 0
	inOrder(out.own)
	return out, nil
}

// knownRefs are the refs that the index knows, with where it knows them.
func (l *Ledger) knownRefs(ctx context.Context) (map[string]git.OID, error) {
	rows, err := texts(ctx, l.db, `SELECT name || ' ' || commit_id FROM refs ORDER BY name`)
	if err != nil {
		return nil, err
	}
	known := make(map[string]git.OID, len(rows))
	for _, row := range rows {
		name, id, _ := strings.Cut(row, " ")
		known[name] = git.OID(id)
	}
	return known, nil
}

// chain returns the transactions of a ref behind the one that is known, or none
// where the ref does not go on from that.
func (l *Ledger) chain(ctx context.Context, ref git.Ref, known git.OID) ([]found, error) {
	var more []found
	for at := ref.ID; at != known; {
		if at == "" {
			return nil, nil
		}
		t, err := readTransaction(ctx, l.Git, at)
		if err != nil {
			return nil, err
		}
		more = append(more, found{Transaction: t, ref: ref.Name, commit: at})
		at = git.OID(t.Prev)
	}
	return more, nil
}
