package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"bridle/hop"
	"bridle/internal/kernel/git"
)

// Verify compares index, records and refs and says what does not agree. It
// changes nothing.
func (l *Ledger) Verify(ctx context.Context) (problems []string, err error) {
	all, problems, err := collect(ctx, l.Git)
	if err != nil {
		return nil, err
	}
	fresh, err := openDatabase(":memory:", "memory")
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	if _, err := fresh.ExecContext(ctx, schema); err != nil {
		return nil, unreadable(err)
	}
	more, err := applyAll(ctx, fresh, all)
	if err != nil {
		return nil, err
	}
	problems = append(problems, sentences(more)...)
	differences, err := compareIndexes(ctx, fresh, l.db)
	if err != nil {
		return nil, err
	}
	problems = append(problems, differences...)
	objects, err := l.verifyObjects(ctx)
	return append(problems, objects...), err
}

// verifyObjects checks that every state's commit is there and has its tree.
func (l *Ledger) verifyObjects(ctx context.Context) ([]string, error) {
	entries, err := l.All(ctx)
	if err != nil {
		return nil, err
	}
	var problems []string
	trees := map[string]git.OID{}
	for _, e := range entries {
		tree, known := trees[e.State.GitCommit]
		if !known {
			commit, err := l.Git.Commit(ctx, git.OID(e.State.GitCommit))
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				problems = append(problems, "the commit of state "+e.State.ID+" cannot be read: "+err.Error())
				continue
			}
			tree = commit.Tree
			trees[e.State.GitCommit] = tree
		}
		if string(tree) != e.State.SourceTree {
			problems = append(problems, "the commit of state "+e.State.ID+" has another tree than the state")
		}
	}
	return problems, nil
}

// contents are the questions whose answers make up an index. The order of the
// rows of states is part of it, their numbers are not.
var contents = []struct{ what, query string }{
	{"accepted head", "SELECT value FROM meta WHERE key = 'accepted_head'"},
	{"ref", "SELECT name || ' ' || commit_id FROM refs ORDER BY name"},
	{"operation", "SELECT id || ' ' || seq || ' ' || verb || ' ' || attempt_id || ' ' || undoes || ' ' || at || ' ' || states || ' ' || ref || ' ' || commit_id FROM operations ORDER BY seq, id"},
	{"state", "SELECT doc || facts || operation FROM states ORDER BY id"},
	{"parent", "SELECT state_id || ' ' || ord || ' ' || parent_id || ' ' || role FROM parents ORDER BY state_id, ord"},
	{"task", "SELECT doc FROM tasks ORDER BY id"},
	{"attempt", "SELECT doc || open FROM attempts ORDER BY id"},
	{"check", "SELECT doc || state_id FROM checks ORDER BY id"},
	{"session", "SELECT doc FROM sessions ORDER BY agent, id"},
	{"completion", "SELECT doc FROM completions ORDER BY state_id"},
}

// compareIndexes says in which records two indexes differ.
func compareIndexes(ctx context.Context, fresh, have *sql.DB) ([]string, error) {
	var problems []string
	for _, c := range contents {
		want, err := texts(ctx, fresh, c.query)
		if err != nil {
			return nil, err
		}
		got, err := texts(ctx, have, c.query)
		if err != nil {
			return nil, err
		}
		if slices.Equal(want, got) {
			continue
		}
		lacks, extra := missing(got, want), missing(want, got)
		problems = append(problems, fmt.Sprintf("the index and git do not agree on a record of kind %q: %d only in git, %d only in the index",
			c.what, lacks, extra))
	}
	return problems, nil
}

// missing counts the texts of want that have lacks.
func missing(have, want []string) int {
	known := make(map[string]bool, len(have))
	for _, text := range have {
		known[text] = true
	}
	n := 0
	for _, text := range want {
		if !known[text] {
			n++
		}
	}
	return n
}

// LostRefs returns the ledger refs that the index knows and git does not have,
// with the commits that they stood at.
func (l *Ledger) LostRefs(ctx context.Context) (map[string]git.OID, error) {
	lost, err := l.knownRefs(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := l.Git.Refs(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		delete(lost, ref.Name)
	}
	return lost, nil
}

// RestoreRefs makes lost refs anew where their commits still exist, and names
// those that do not.
func (l *Ledger) RestoreRefs(ctx context.Context) (restored, gone []string, err error) {
	lost, err := l.LostRefs(ctx)
	if err != nil {
		return nil, nil, err
	}
	var updates []git.RefUpdate
	for name, id := range lost {
		if _, err := readTransaction(ctx, l.Git, id); err != nil {
			gone = append(gone, name)
			continue
		}
		updates = append(updates, git.RefUpdate{Name: name, New: id})
		restored = append(restored, name)
	}
	slices.Sort(restored)
	slices.Sort(gone)
	if len(updates) == 0 {
		return nil, gone, nil
	}
	return restored, gone, l.moveRefs(ctx, updates)
}

// AcceptedRefState says what the accepted ref has and what it should have.
func (l *Ledger) AcceptedRefState(ctx context.Context) (have string, want hop.State, err error) {
	head, err := l.Accepted(ctx)
	if err != nil {
		return "", want, err
	}
	id, _, err := l.Git.Ref(ctx, AcceptedRef)
	return string(id), head.State, err
}
