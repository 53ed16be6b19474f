package ledger

import (
	"context"
	"database/sql"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/graph"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// apply takes a transaction into the index. It is the only writer of records
// there, for new transactions and for those that are read back from git, so that
// the two cannot differ.
func apply(ctx context.Context, tx *sql.Tx, t *Transaction, ref, commit string) error {
	a := applier{ctx: ctx, tx: tx, operation: t.ID, ref: ref}
	for i := range t.Records {
		a.record(&t.Records[i])
	}
	a.exec(`INSERT INTO operations(id, seq, verb, attempt_id, undoes, at, states, ref, commit_id) VALUES(?,?,?,?,?,?,?,?,?)`,
		t.ID, t.Seq, t.Verb, t.Attempt, t.Undoes, t.At, strings.Join(a.states, " "), ref, commit)
	a.exec(`INSERT INTO refs(name, commit_id) VALUES(?,?) ON CONFLICT(name) DO UPDATE SET commit_id = excluded.commit_id`, ref, commit)
	return a.err
}

type applier struct {
	ctx       context.Context
	tx        *sql.Tx
	operation string
	ref       string
	states    []string
	err       error
}

func (a *applier) exec(query string, args ...any) {
	if a.err == nil {
		_, a.err = a.tx.ExecContext(a.ctx, query, args...)
	}
}

// document is a record's canonical text.
func (a *applier) document(v any) string {
	data, err := canon.Encode(v)
	if err != nil && a.err == nil {
		a.err = err
	}
	return string(data)
}

func (a *applier) record(r *Record) {
	switch {
	case r.State != nil:
		a.state(r.State)
	case r.Facts != nil:
		a.exec(`UPDATE states SET facts = ? WHERE id = ?`, a.document(r.Facts.Facts), r.Facts.StateID)
	case r.Task != nil:
		a.exec(`INSERT INTO tasks(id, doc) VALUES(?,?) ON CONFLICT(id) DO UPDATE SET doc = excluded.doc`, r.Task.ID, a.document(r.Task))
	case r.Attempt != nil:
		a.exec(`INSERT INTO attempts(id, task_id, open, doc) VALUES(?,?,?,?)
			ON CONFLICT(id) DO UPDATE SET task_id = excluded.task_id, open = excluded.open, doc = excluded.doc`,
			r.Attempt.ID, r.Attempt.TaskID, r.Attempt.Status.Open(), a.document(r.Attempt))
	case r.Check != nil:
		a.exec(`INSERT INTO checks(id, attempt_id, state_id, tree, key, doc) VALUES(?,?,?,?,?,?)
			ON CONFLICT(id) DO UPDATE SET state_id = excluded.state_id, doc = excluded.doc`,
			r.Check.ID, r.Check.AttemptID, r.Check.StateID, r.Check.TreeHash, r.Check.Key, a.document(r.Check))
	case r.Session != nil:
		a.exec(`INSERT INTO sessions(agent, id, doc) VALUES(?,?,?) ON CONFLICT(agent, id) DO UPDATE SET doc = excluded.doc`,
			r.Session.Agent, r.Session.ID, a.document(r.Session))
	case r.Completion != nil:
		a.exec(`INSERT INTO completions(state_id, doc) VALUES(?,?) ON CONFLICT(state_id) DO UPDATE SET doc = excluded.doc`,
			r.Completion.StateID, a.document(r.Completion))
	case r.Purged != nil:
		a.purged(r.Purged)
	case r.Accepted != "":
		a.exec(`INSERT INTO meta(key, value) VALUES(?,?) ON CONFLICT(key) DO UPDATE SET value = excluded.value`, metaAccepted, r.Accepted)
	}
}

// state admits a state to the graph and takes it in.
func (a *applier) state(s *hop.State) {
	if a.err != nil {
		return
	}
	lookup := func(id string) (*hop.State, bool) {
		found, err := queryState(a.ctx, a.tx, id)
		if err != nil {
			if !fault.Is(err, CodeUnknownState) && a.err == nil {
				a.err = err
			}
			return nil, false
		}
		return &found.State, true
	}
	if err := graph.Admit(s, lookup); err != nil && a.err == nil {
		a.err = err
	}
	a.states = append(a.states, s.ID)
	a.exec(`INSERT INTO states(id, kind, attempt_id, operation, doc, facts) VALUES(?,?,?,?,?,'')`,
		s.ID, string(s.Kind), s.AttemptID, a.operation, a.document(s))
	for _, p := range s.Parents {
		a.exec(`INSERT INTO parents(state_id, ord, parent_id, role) VALUES(?,?,?,?)`, s.ID, p.Order, p.StateID, string(p.Role))
	}
}
