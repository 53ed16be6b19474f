package ledger

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Tx is a transaction that is being made. Its Reader sees the index as it was
// before; nobody else writes meanwhile.
type Tx struct {
	Reader
	// Objects takes the git objects that the records name. They are written, with
	// the ledger's own, in one go.
	Objects *git.Batch
	now     time.Time
	records []Record
	staged  map[string]*hop.State
	commits []git.OID
	links   []string
	attempt string
	undoes  string
	accept  *hop.State
	// hand publishes the transaction on a remote before it becomes part of the
	// ledger; remote is where.
	hand   func(context.Context, Publication) error
	remote string
}

// Now is the time of the transaction.
func (t *Tx) Now() time.Time { return t.now }

// About says which attempt the transaction is about; without it, it is about the
// project.
func (t *Tx) About(attempt string) { t.attempt = attempt }

// Undoes says which operation this one reverses.
func (t *Tx) Undoes(operation string) { t.undoes = operation }

// State records a state: it completes id, time and digest and returns the whole.
func (t *Tx) State(s hop.State, facts hop.Facts) hop.State {
	if s.ID == "" {
		s.ID = hop.NewID(s.Kind.Prefix(), t.now)
	}
	s.CreatedAt = t.now
	for i := range s.Parents {
		s.Parents[i].Order = i
	}
	s.Digest = s.Sum()
	t.put(s, facts)
	return s
}

func (t *Tx) put(s hop.State, facts hop.Facts) {
	t.records = append(t.records, Record{State: &s})
	t.staged[s.ID] = &s
	t.commits = append(t.commits, git.OID(s.GitCommit))
	if !isBare(facts) {
		t.records = append(t.records, Record{Facts: &StateFacts{StateID: s.ID, Facts: facts}})
	}
}

func isBare(f hop.Facts) bool {
	return f.Origin == "" && len(f.Incomplete) == 0 && len(f.Excluded) == 0 && f.BaseTree == "" && f.BaseState == "" &&
		len(f.Conflicts) == 0 && f.Check == "" && len(f.Redactions) == 0 && f.Head == "" && f.Rewritten == "" &&
		f.TakenFrom == "" && f.LeftFor == ""
}

// Facts records what is now known of a state beside its digest, in the place of
// what was.
func (t *Tx) Facts(state string, f hop.Facts) {
	t.records = append(t.records, Record{Facts: &StateFacts{StateID: state, Facts: f}})
}

// Keep makes a commit reachable from the ledger beside those of the states.
func (t *Tx) Keep(commit git.OID) { t.commits = append(t.commits, commit) }

// Link keeps the transactions about an attempt reachable from this one.
func (t *Tx) Link(ctx context.Context, attempt string) error {
	machine, err := t.MachineOf(ctx, attempt)
	if err != nil {
		return err
	}
	if machine != "" {
		ids, err := texts(ctx, t.q, `SELECT commit_id FROM refs WHERE name = ?`, MachineRef(machine, attempt))
		if err == nil && len(ids) > 0 {
			t.Keep(git.OID(ids[0]))
		}
		return err
	}
	ids, err := texts(ctx, t.q, `SELECT commit_id FROM refs WHERE name = ?`, AttemptRef(attempt))
	if err != nil || len(ids) == 0 || slices.Contains(t.links, ids[0]) {
		return err
	}
	t.links = append(t.links, ids[0])
	t.Keep(git.OID(ids[0]))
	return nil
}

// Task records a task as it is now.
func (t *Tx) Task(task hop.Task) { t.records = append(t.records, Record{Task: &task}) }

// Attempt records an attempt as it is now.
func (t *Tx) Attempt(attempt hop.Attempt) { t.records = append(t.records, Record{Attempt: &attempt}) }

// Check records evidence.
func (t *Tx) Check(check hop.Check) { t.records = append(t.records, Record{Check: &check}) }

// Session binds a session.
func (t *Tx) Session(s Session) { t.records = append(t.records, Record{Session: &s}) }

// Completion records a final answer.
func (t *Tx) Completion(c hop.Completion) { t.records = append(t.records, Record{Completion: &c}) }

// Accept makes a state that this transaction records the accepted head.
func (t *Tx) Accept(s hop.State) {
	t.accept = &s
	t.records = append(t.records, Record{Accepted: s.ID})
}

// ExpectAccepted fails with head_changed when another state than id is the
// accepted head.
func (r Reader) ExpectAccepted(ctx context.Context, id string) error {
	head, err := r.Accepted(ctx)
	if err != nil {
		return err
	}
	if head.State.ID != id {
		return headChanged("the accepted head is no longer %q but %q", id, head.State.ID)
	}
	return nil
}

// ExpectHead fails with head_changed when the attempt's head is another state.
func (t *Tx) ExpectHead(ctx context.Context, attempt, head string) (hop.Attempt, error) {
	now, err := t.Reader.Attempt(ctx, attempt)
	if err != nil {
		return now, err
	}
	if now.HeadStateID != head {
		return now, headChanged("the head of attempt %q is no longer %q", attempt, head)
	}
	return now, nil
}

func headChanged(format string, args ...any) *fault.Error {
	return fault.Newf(CodeHeadChanged, format, args...).WithExit(hop.ExitHeadChanged).
		WithHint("somebody else was faster; nothing was changed, so the same command may be given again").WithNext("hop status")
}

// Write records one operation. build is called under the ledger's lock, with the
// index up to date; when it records nothing, nothing is written and the returned
// operation is empty.
func (l *Ledger) Write(ctx context.Context, verb string, build func(*Tx) error) (hop.Operation, error) {
	unlock, err := l.lock(ctx, verb)
	if err != nil {
		return hop.Operation{}, err
	}
	defer unlock()
	if err := errors.Join(l.settle(ctx), l.followGit(ctx)); err != nil {
		return hop.Operation{}, err
	}
	tx := &Tx{Reader: l.Reader, Objects: l.Git.NewBatch(), now: l.Clock.Now().UTC(), staged: map[string]*hop.State{}}
	if err := build(tx); err != nil || len(tx.records) == 0 {
		return hop.Operation{}, err
	}
	return l.publish(ctx, verb, tx)
}

// publish writes a transaction: objects, intent, refs, index.
func (l *Ledger) publish(ctx context.Context, verb string, tx *Tx) (hop.Operation, error) {
	var none hop.Operation
	t, ref, err := l.prepare(ctx, verb, tx)
	if err != nil {
		return none, err
	}
	commit, err := l.store(tx, t)
	if err != nil {
		return none, err
	}
	if err := l.rehearse(ctx, t, ref, commit); err != nil {
		return none, err
	}
	var published Publication
	if tx.hand != nil {
		if published, err = l.announce(ctx, tx, commit); err != nil {
			return none, err
		}
		if err := tx.Objects.Flush(ctx); err != nil {
			return none, err
		}
		if err := tx.hand(ctx, published); err != nil {
			return none, err
		}
	}
	// From here on the work is finished also when the caller was interrupted: the
	// rest takes a moment, and a half-done write costs the next command more.
	ctx = context.WithoutCancel(ctx)
	if err := tx.Objects.Flush(ctx); err != nil {
		return none, err
	}
	updates, err := l.updates(ctx, t, tx, ref, commit)
	if err != nil {
		return none, err
	}
	if tx.hand != nil {
		updates = append(updates, git.RefUpdate{Name: publishingRef, Old: published.marker})
	}
	abreast, err := l.hasFolders(ctx, l.refFolders())
	if err != nil {
		return none, err
	}
	if _, err := l.db.ExecContext(ctx, `INSERT INTO intents(id, ref, old, new, accepted) VALUES(?,?,?,?,?)`,
		t.ID, ref, t.Prev, string(commit), acceptedCommit(tx)); err != nil {
		return none, unreadable(err)
	}
	if err := l.moveRefs(ctx, updates); err != nil {
		return none, l.withdraw(ctx, t.ID, err)
	}
	folders := ""
	if abreast {
		folders = l.refFolders()
	}
	if err := l.take(ctx, t, ref, string(commit), folders); err != nil {
		return none, err
	}
	return t.operation(), nil
}

// refused reports whether refs were refused before the first of them was moved.
func refused(err error) bool {
	return fault.Is(err, git.CodeRefMoved) || fault.Is(err, git.CodeRefLocked)
}

// withdraw takes the intent back after its refs could not be moved. It stays where
// some may be: who comes next settles it.
func (l *Ledger) withdraw(ctx context.Context, id string, cause error) error {
	if !refused(cause) {
		return cause
	}
	if _, err := l.db.ExecContext(ctx, `DELETE FROM intents WHERE id = ?`, id); err != nil {
		return unreadable(err)
	}
	if fault.Is(cause, git.CodeRefMoved) {
		return headChanged("a ref of the project was moved by another program").Because(cause)
	}
	return cause
}

func acceptedCommit(tx *Tx) string {
	if tx.accept == nil {
		return ""
	}
	return tx.accept.GitCommit
}

// prepare completes the transaction's header.
func (l *Ledger) prepare(ctx context.Context, verb string, tx *Tx) (*Transaction, string, error) {
	ref := AttemptRef(tx.attempt)
	if err := l.refuseForeign(ctx, tx.attempt); err != nil {
		return nil, "", err
	}
	if tx.attempt == "" {
		if err := l.refuseWhilePublishing(ctx); err != nil {
			return nil, "", err
		}
	}
	prev, err := l.indexedRef(ctx, ref)
	if err != nil {
		return nil, "", err
	}
	// What a writer that was killed had set in motion may arrive after its intent
	// was settled. It is taken in, and what was built without knowing it is not.
	if err := l.CatchUp(ctx, ref); err != nil {
		return nil, "", err
	}
	if now, err := l.indexedRef(ctx, ref); err != nil || now != prev {
		return nil, "", errors.Join(err, headChanged("transactions of another process were found in %q", ref))
	}
	var last sql.NullInt64
	if err := l.db.QueryRowContext(ctx, `SELECT max(seq) FROM operations`).Scan(&last); err != nil {
		return nil, "", unreadable(err)
	}
	return &Transaction{header: header{
		Version: Version, ID: hop.NewID(hop.PrefixEvent, tx.now), Seq: last.Int64 + 1, Verb: verb,
		At: formatTime(tx.now), Attempt: tx.attempt, Undoes: tx.undoes, Prev: prev, Links: tx.links,
	}, Records: tx.records}, ref, nil
}

// store puts the transaction's own objects into the batch.
func (l *Ledger) store(tx *Tx, t *Transaction) (git.OID, error) {
	data, err := t.encode()
	if err != nil {
		return "", err
	}
	return commitRecords(tx.Objects, t, data, tx.commits), nil
}

// rehearse takes the transaction into the index and takes it back: what the
// graph refuses must be known before a ref moves.
func (l *Ledger) rehearse(ctx context.Context, t *Transaction, ref string, commit git.OID) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return unreadable(err)
	}
	defer rollback(tx)
	if err := apply(ctx, tx, t, ref, string(commit)); err != nil {
		return explainApply(err)
	}
	return nil
}

// take takes a transaction that happened into the index. With it, the index has all
// that the refs led to when their folders had the times that are given, if any.
func (l *Ledger) take(ctx context.Context, t *Transaction, ref, commit, folders string) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return unreadable(err)
	}
	defer rollback(tx)
	if err := apply(ctx, tx, t, ref, commit); err != nil {
		return explainApply(err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM intents WHERE id = ?`, t.ID); err != nil {
		return unreadable(err)
	}
	if folders != "" {
		if err := recordFolders(ctx, tx, folders); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return unreadable(err)
	}
	return nil
}

// rollback takes back what was not committed; after a commit it does nothing.
func rollback(tx *sql.Tx) { _ = tx.Rollback() }

func explainApply(err error) error {
	if fault.CodeOf(err) != "" {
		return err
	}
	return unreadable(err)
}

func (l *Ledger) indexedRef(ctx context.Context, ref string) (string, error) {
	ids, err := texts(ctx, l.db, `SELECT commit_id FROM refs WHERE name = ?`, ref)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// updates are the refs to move. A ref that somebody deleted is made anew; one
// that stands elsewhere was taken in by settle or is refused by git.
func (l *Ledger) updates(ctx context.Context, t *Transaction, tx *Tx, ref string, commit git.OID) ([]git.RefUpdate, error) {
	old, err := l.currentRef(ctx, ref, t.Prev)
	if err != nil {
		return nil, err
	}
	out := []git.RefUpdate{{Name: ref, Old: old, New: commit}}
	if tx.accept == nil {
		return out, nil
	}
	now, _, err := l.Git.Ref(ctx, AcceptedRef)
	if err != nil {
		return nil, err
	}
	// The ledger says what is accepted. A ref of another value is put right.
	return append(out, git.RefUpdate{Name: AcceptedRef, Old: now, New: git.OID(tx.accept.GitCommit)}), nil
}

func (l *Ledger) currentRef(ctx context.Context, ref, expected string) (git.OID, error) {
	_, found, err := l.Git.Ref(ctx, ref)
	if err != nil || !found {
		return "", err
	}
	return git.OID(expected), nil
}

func (t *Transaction) operation() hop.Operation {
	at, _ := parseTime(t.At)
	op := hop.Operation{ID: t.ID, Seq: t.Seq, Verb: t.Verb, At: at, Attempt: t.Attempt, Undoes: t.Undoes}
	for _, r := range t.Records {
		if r.State != nil {
			op.States = append(op.States, r.State.ID)
		}
	}
	return op
}
