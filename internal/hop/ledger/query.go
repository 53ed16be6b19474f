package ledger

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// querier is what a database, a connection and a transaction have in common.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Entry is a state with what is known of it beside its digest.
type Entry struct {
	State     hop.State
	Facts     hop.Facts
	Operation string
}

// Reader answers questions from the index.
type Reader struct{ q querier }

// decode reads a document that this package wrote.
func decode[T any](doc string) (T, error) {
	var v T
	if err := canon.Decode([]byte(doc), &v, canon.Limits{MaxBytes: maxRecords}); err != nil {
		return v, fault.Newf(CodeIndexBroken, "the index holds a record that cannot be read: %v", err).Because(err).
			WithHint("hop doctor --repair makes the index anew from git").WithNext("hop doctor --repair")
	}
	return v, nil
}

// ioErrSharedSize is SQLite's code for a file of shared memory that could not be
// made as large as it has to be, which readers need too.
const ioErrSharedSize = 19<<8 | 10

// unreadable makes a fault of what the database said. Where the disk is the
// trouble, nothing is wrong with the index.
func unreadable(err error) error {
	if said, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		if said.Code() == ioErrSharedSize {
			return fault.New(durable.CodeDiskFull, "the index cannot be written: a file beside it cannot grow, since the disk is full").Because(err).
				WithHint("free some space and run the command again; nothing was changed")
		}
		switch said.Code() & 0xff { // the primary code of SQLite
		case 13:
			return fault.New(durable.CodeDiskFull, "the index cannot be written: the disk is full").Because(err).
				WithHint("free some space and run the command again; nothing was changed")
		case 14:
			return fault.New(durable.CodeNotPermitted, "the index, or a file beside it, cannot be opened or made").Because(err).
				WithHint("look at the permissions of .hop and of what is in it, and whether the disk is full")
		case 8:
			return fault.New(durable.CodeReadOnly, "the index cannot be written: it, or its folder, is read-only").Because(err).
				WithHint("look at the permissions of .hop and of what is in it")
		case 5, 6:
			return fault.New(durable.CodeLocked, "the index is in use by a process that does not finish").Because(err).
				WithHint("end it if it hangs, and run the command again")
		case 10:
			return fault.Newf(durable.CodeIO, "the index cannot be read or written: %v", err).Because(err).
				WithHint("the system's log may say more; when the cause is gone, run the command again")
		}
	}
	return fault.Newf(CodeIndexBroken, "the index cannot be read: %v", err).Because(err).
		WithHint("hop doctor --repair makes the index anew from git").WithNext("hop doctor --repair")
}

// one returns the record of a single row, and whether there is one.
func one[T any](ctx context.Context, q querier, query string, args ...any) (v T, found bool, err error) {
	var doc string
	switch err := q.QueryRowContext(ctx, query, args...).Scan(&doc); {
	case errors.Is(err, sql.ErrNoRows):
		return v, false, nil
	case err != nil:
		return v, false, unreadable(err)
	}
	v, err = decode[T](doc)
	return v, err == nil, err
}

// many returns the records of all rows.
func many[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	docs, err := texts(ctx, q, query, args...)
	if err != nil {
		return nil, err
	}
	out := make([]T, 0, len(docs))
	for _, doc := range docs {
		v, err := decode[T](doc)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// texts returns the first column of all rows.
func texts(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, unreadable(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, unreadable(err)
		}
		out = append(out, text)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	return out, nil
}

// queryState returns a state by its full id.
func queryState(ctx context.Context, q querier, id string) (Entry, error) {
	entries, err := queryStates(ctx, q, "WHERE id = ?", id)
	if err != nil {
		return Entry{}, err
	}
	if len(entries) == 0 {
		return Entry{}, unknownState(id)
	}
	return entries[0], nil
}

func unknownState(id string) error {
	f := fault.Newf(CodeUnknownState, "there is no state %q in this project", id)
	if _, ok := hop.KindOf(id); !ok {
		return f.WithHint("a state is named by its full id, such as P_06H2QFXVFW9V90E5YAZJJ68").WithNext("hop log")
	}
	return f.WithHint("it may belong to another project").WithNext("hop log")
}

func queryStates(ctx context.Context, q querier, where string, args ...any) ([]Entry, error) {
	rows, err := q.QueryContext(ctx, "SELECT doc, facts, operation FROM states "+where, args...)
	if err != nil {
		return nil, unreadable(err)
	}
	defer rows.Close()
	var out []Entry
	for rows.Next() {
		var doc, facts, operation string
		if err := rows.Scan(&doc, &facts, &operation); err != nil {
			return nil, unreadable(err)
		}
		entry := Entry{Operation: operation}
		if entry.State, err = decode[hop.State](doc); err != nil {
			return nil, err
		}
		if facts != "" {
			if entry.Facts, err = decode[hop.Facts](facts); err != nil {
				return nil, err
			}
		}
		out = append(out, entry)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	return out, nil
}

// State returns a state by its full id.
func (r Reader) State(ctx context.Context, id string) (Entry, error) { return queryState(ctx, r.q, id) }

// Turn returns the first state on the way back from a state along its run, itself
// among them, from which the way may count anew: one with a base of its own, one of
// the accepted line, or a proposal that was once accepted; and nothing where there is
// none. The ways of long attempts are long. The join keeps the order of the way.
func (r Reader) Turn(ctx context.Context, id string) (Entry, bool, error) {
	found, err := queryStates(ctx, r.q, `WHERE id = (
		WITH RECURSIVE way(id, back) AS (
			SELECT ?1, 0 UNION ALL
			SELECT parents.parent_id, way.back + 1 FROM way JOIN parents ON parents.state_id = way.id AND parents.role = ?2
			ORDER BY 2
		)
		SELECT way.id FROM way CROSS JOIN states ON states.id = way.id
		WHERE states.kind = ?3 OR instr(states.facts, '"base_tree"') > 0
			OR states.kind = ?4 AND EXISTS (SELECT 1 FROM parents WHERE parents.parent_id = way.id AND parents.role = ?5)
		LIMIT 1)`, id, string(hop.RoleRunParent), string(hop.KindAccepted), string(hop.KindProposal), string(hop.RoleProposalParent))
	if err != nil || len(found) == 0 {
		return Entry{}, false, err
	}
	return found[0], true, nil
}

// Newest returns the newest states of the kinds, newest first; no kind means
// every one, and a limit of 0 none.
func (r Reader) Newest(ctx context.Context, limit int, kinds ...hop.Kind) ([]Entry, error) {
	where, args := "", []any{}
	if len(kinds) > 0 {
		where = "WHERE kind IN (" + strings.TrimSuffix(strings.Repeat("?,", len(kinds)), ",") + ") "
		for _, k := range kinds {
			args = append(args, string(k))
		}
	}
	where += "ORDER BY n DESC"
	if limit > 0 {
		where += " LIMIT ?"
		args = append(args, limit)
	}
	return queryStates(ctx, r.q, where, args...)
}

// OfAttempt returns the states of an attempt, oldest first.
func (r Reader) OfAttempt(ctx context.Context, attempt string) ([]Entry, error) {
	return queryStates(ctx, r.q, "WHERE attempt_id = ? ORDER BY n", attempt)
}

// All returns every state, oldest first.
func (r Reader) All(ctx context.Context) ([]Entry, error) {
	return queryStates(ctx, r.q, "ORDER BY n")
}

// Children returns the ids of the states that have the state as parent in the
// role, oldest first.
func (r Reader) Children(ctx context.Context, id string, role hop.Role) ([]string, error) {
	return texts(ctx, r.q, "SELECT p.state_id FROM parents p JOIN states s ON s.id = p.state_id WHERE p.parent_id = ? AND p.role = ? ORDER BY s.n", id, string(role))
}

// Accepted returns the accepted head.
func (r Reader) Accepted(ctx context.Context) (Entry, error) {
	var id string
	err := r.q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", metaAccepted).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return Entry{}, fault.New(CodeIndexBroken, "the project has no accepted state").
			WithHint("hop doctor --repair looks for it in git").WithNext("hop doctor --repair")
	}
	if err != nil {
		return Entry{}, unreadable(err)
	}
	return r.State(ctx, id)
}

// Task returns a task.
func (r Reader) Task(ctx context.Context, id string) (hop.Task, error) {
	task, found, err := one[hop.Task](ctx, r.q, "SELECT doc FROM tasks WHERE id = ?", id)
	if err == nil && !found {
		err = fault.Newf("unknown_task", "there is no task %q in this project", id).WithNext("hop status")
	}
	return task, err
}

// Attempt returns an attempt. Its workspace is relative to the project's own
// folder.
func (r Reader) Attempt(ctx context.Context, id string) (hop.Attempt, error) {
	attempt, found, err := one[hop.Attempt](ctx, r.q, "SELECT doc FROM attempts WHERE id = ?", id)
	if err == nil && !found {
		err = fault.Newf("unknown_attempt", "there is no attempt %q in this project", id).WithNext("hop status")
	}
	return attempt, err
}

// OpenAttempts returns the attempts that may go on, oldest first.
func (r Reader) OpenAttempts(ctx context.Context) ([]hop.Attempt, error) {
	return many[hop.Attempt](ctx, r.q, "SELECT doc FROM attempts WHERE open = 1 ORDER BY id")
}

// Attempts returns all attempts, oldest first.
func (r Reader) Attempts(ctx context.Context) ([]hop.Attempt, error) {
	return many[hop.Attempt](ctx, r.q, "SELECT doc FROM attempts ORDER BY id")
}

// AttemptsOf returns the attempts of a task, oldest first.
func (r Reader) AttemptsOf(ctx context.Context, task string) ([]hop.Attempt, error) {
	return many[hop.Attempt](ctx, r.q, "SELECT doc FROM attempts WHERE task_id = ? ORDER BY id", task)
}

// Check returns a piece of evidence, and whether there is one.
func (r Reader) Check(ctx context.Context, id string) (hop.Check, bool, error) {
	return one[hop.Check](ctx, r.q, "SELECT doc FROM checks WHERE id = ?", id)
}

// ChecksOf returns the evidence of an attempt about a tree, oldest first.
func (r Reader) ChecksOf(ctx context.Context, attempt, tree string) ([]hop.Check, error) {
	return many[hop.Check](ctx, r.q, "SELECT doc FROM checks WHERE attempt_id = ? AND tree = ? ORDER BY id", attempt, tree)
}

// ChecksAbout returns the evidence that names a state, oldest first.
func (r Reader) ChecksAbout(ctx context.Context, state string) ([]hop.Check, error) {
	return many[hop.Check](ctx, r.q, "SELECT doc FROM checks WHERE state_id = ? ORDER BY id", state)
}

// Remembered returns the newest evidence of a run with the same key.
func (r Reader) Remembered(ctx context.Context, key string) (hop.Check, bool, error) {
	return one[hop.Check](ctx, r.q, "SELECT doc FROM checks WHERE key = ? ORDER BY id DESC LIMIT 1", key)
}

// Session returns the binding of a session, and whether there is one.
func (r Reader) Session(ctx context.Context, agent, id string) (Session, bool, error) {
	return one[Session](ctx, r.q, "SELECT doc FROM sessions WHERE agent = ? AND id = ?", agent, id)
}

// Completion returns the final answer to a prompt, and whether there is one.
func (r Reader) Completion(ctx context.Context, state string) (hop.Completion, bool, error) {
	return one[hop.Completion](ctx, r.q, "SELECT doc FROM completions WHERE state_id = ?", state)
}

// Operations returns the newest operations, newest first.
func (r Reader) Operations(ctx context.Context, limit int) ([]hop.Operation, error) {
	return r.operations(ctx, "ORDER BY seq DESC, id DESC LIMIT ?", limit)
}

// Operation returns an operation by its id.
func (r Reader) Operation(ctx context.Context, id string) (hop.Operation, error) {
	found, err := r.operations(ctx, "WHERE id = ?", id)
	if err == nil && len(found) == 0 {
		err = fault.Newf("unknown_operation", "there is no operation %q in this project", id).WithNext("hop ops")
	}
	if err != nil {
		return hop.Operation{}, err
	}
	return found[0], nil
}

// UndoneBy returns the operations that reverse the operation.
func (r Reader) UndoneBy(ctx context.Context, id string) ([]hop.Operation, error) {
	return r.operations(ctx, "WHERE undoes = ? ORDER BY seq, id", id)
}

func (r Reader) operations(ctx context.Context, where string, args ...any) ([]hop.Operation, error) {
	rows, err := r.q.QueryContext(ctx, "SELECT id, seq, verb, attempt_id, undoes, at, states FROM operations "+where, args...)
	if err != nil {
		return nil, unreadable(err)
	}
	defer rows.Close()
	var out []hop.Operation
	for rows.Next() {
		var op hop.Operation
		var at, states string
		if err := rows.Scan(&op.ID, &op.Seq, &op.Verb, &op.Attempt, &op.Undoes, &at, &states); err != nil {
			return nil, unreadable(err)
		}
		if op.At, err = parseTime(at); err != nil {
			return nil, unreadable(err)
		}
		op.States = strings.Fields(states)
		out = append(out, op)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	return out, nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func parseTime(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) }

// AcceptedWith returns the newest accepted state whose document has the value in
// the field, or nil.
func (r Reader) AcceptedWith(ctx context.Context, field, value string) (*hop.State, error) {
	entries, err := queryStates(ctx, r.q, "WHERE kind = ? AND json_extract(doc, '$.' || ?) = ? ORDER BY n DESC LIMIT 1",
		string(hop.KindAccepted), field, value)
	if err != nil || len(entries) == 0 {
		return nil, err
	}
	return &entries[0].State, nil
}

// FirstAccepted returns the first state that this machine accepted.
func (r Reader) FirstAccepted(ctx context.Context) (hop.State, error) {
	entries, err := queryStates(ctx, r.q, `WHERE kind = ? AND operation = (SELECT id FROM operations WHERE ref = ? ORDER BY seq, id LIMIT 1)
		ORDER BY n LIMIT 1`, string(hop.KindAccepted), projectRef)
	if err != nil {
		return hop.State{}, err
	}
	if len(entries) == 0 {
		return hop.State{}, fault.New(CodeIndexBroken, "the project has no accepted state").WithNext("hop doctor --repair")
	}
	return entries[0].State, nil
}

// TakenFrom returns the checkpoints that go on from a state of another machine.
func (r Reader) TakenFrom(ctx context.Context, state string) ([]Entry, error) {
	return queryStates(ctx, r.q, "WHERE kind = ? AND instr(facts, ?) > 0 ORDER BY n DESC", string(hop.KindCheckpoint), `"taken_from":"`+state+`"`)
}
