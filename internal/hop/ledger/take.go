package ledger

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Bounds of what is taken from a remote in one go.
const (
	maxTaken = 1 << 20
	// maxAhead is how far the numbers of another machine's transactions may be
	// ahead of ours: each counts what it has seen, and the highest number there is
	// must stay out of anybody's reach.
	maxAhead  = 1 << 32
	maxPasses = 64
)

// Incoming is a ref of a remote that was fetched: the name it has there, which it
// will have here, and where its objects lead to.
type Incoming struct {
	Name string
	Tip  git.OID
}

// Rejected is a ref of a remote that was not taken, and why.
type Rejected struct{ Ref, Reason string }

// Taken is what became of what was fetched.
type Taken struct {
	Parts    []Part
	Rejected []Rejected
}

// Take verifies what other machines recorded and takes it in: each ref as a whole
// or not at all. What a remote holds is anybody's: every record is checked by
// itself, for its place, and against the graph; what the refs had before must be
// continued; and related says whether the accepted commit of a machine is of this
// project.
func (l *Ledger) Take(ctx context.Context, incoming []Incoming, related func(context.Context, git.OID) (bool, error)) (Taken, error) {
	unlock, err := l.lock(ctx, "share")
	if err != nil {
		return Taken{}, err
	}
	defer unlock()
	if err := errors.Join(l.settle(ctx), l.followGit(ctx)); err != nil {
		return Taken{}, err
	}
	t := taker{Ledger: l}
	if t.machine, err = l.Machine(ctx); err != nil {
		return Taken{}, err
	}
	if t.have, _, err = collect(ctx, l.Git); err != nil {
		return Taken{}, err
	}
	t.remember()
	// What a machine purged is said in its accepted line.
	slices.SortStableFunc(incoming, func(a, b Incoming) int { return cmp.Compare(b2i(isLine(b.Name)), b2i(isLine(a.Name))) })
	for _, in := range incoming {
		if err := t.consider(ctx, in); err != nil {
			return Taken{}, err
		}
	}
	if err := t.sift(ctx, related); err != nil {
		return Taken{}, err
	}
	return t.finish(ctx)
}

type taker struct {
	*Ledger
	machine string
	have    []found
	// known are the operations and states that are here, with the refs they are in;
	// owners says whose all is.
	known  map[string]string
	owners ownership
	// moved are the objects that a machine replaced by purging, by machine.
	moved   map[string]map[string]string
	highest int64
	chains  []chain
	count   int
	out     Taken
}

// chain is what one ref of the remote would add.
type chain struct {
	Incoming
	machine, attempt string
	old              git.OID
	added            []found // oldest first
	// before is how much of added is what was here already: its machine has purged,
	// and wrote its records anew over other objects.
	before int
}

func (t *taker) reject(ref string, err error) {
	t.out.Rejected = append(t.out.Rejected, Rejected{ref, fault.From(err).Message})
}

// consider reads what a ref would add, and rejects what is wrong in itself.
func (t *taker) consider(ctx context.Context, in Incoming) error {
	c := chain{Incoming: in}
	var ok bool
	if c.machine, c.attempt, ok = ParseMachineRef(in.Name); !ok {
		t.reject(in.Name, fault.New(CodeBadRecord, "it is no place for what machines share"))
		return nil
	}
	if c.machine == t.machine {
		t.reject(in.Name, fault.New(CodeDiverged, "it claims to be this machine's and holds what this machine did not record"))
		return nil
	}
	var err error
	if c.old, _, err = t.Git.Ref(ctx, in.Name); err != nil || c.old == in.Tip {
		return err
	}
	behind, err := t.HasTransaction(ctx, in.Name, in.Tip)
	if err != nil || behind {
		return err
	}
	if err := t.read(ctx, &c); err != nil {
		if ctx.Err() != nil {
			return err
		}
		t.reject(in.Name, err)
		return nil
	}
	t.chains = append(t.chains, c)
	return nil
}

// read follows a chain back to where the ref stands here.
func (t *taker) read(ctx context.Context, c *chain) error {
	for at := c.Tip; at != c.old; {
		if at == "" {
			break
		}
		if t.count++; t.count > maxTaken {
			return fault.New(CodeBadRecord, "there are too many transactions")
		}
		one, err := readTransaction(ctx, t.Git, at)
		if err != nil {
			return err
		}
		f := found{Transaction: one, ref: c.Name, commit: at, machine: c.machine}
		if err := t.examine(ctx, c, f); err != nil {
			return err
		}
		c.added = append(c.added, f)
		at = git.OID(one.Prev)
	}
	slices.Reverse(c.added)
	return t.continues(c)
}

// examine checks what one transaction says, beside its form.
func (t *taker) examine(ctx context.Context, c *chain, f found) error {
	switch {
	case f.Attempt != c.attempt:
		return fault.Newf(CodeBadRecord, "the transaction %q is about something else than its ref", f.ID)
	case f.Prev == "" && c.attempt == "" && f.ID != c.machine:
		return fault.Newf(CodeBadRecord, "its first transaction %q is not the one that names the machine", f.ID)
	case f.Seq > t.highest+maxAhead:
		return fault.Newf(CodeBadRecord, "the transaction %q has the number %d, which is out of all order", f.ID, f.Seq)
	case len(c.added) > 0 && f.Seq >= c.added[len(c.added)-1].Seq:
		return fault.Newf(CodeBadRecord, "the transaction %q is numbered higher than the one that follows it", f.ID)
	}
	t.learn(f)
	if id := t.taken(f); id != "" {
		return fault.Newf(CodeBadRecord, "the transaction %q records %q, which is recorded already", f.ID, id)
	}
	for _, r := range f.Records {
		if r.State == nil {
			continue
		}
		id, tree := t.now(f.machine, r.State.GitCommit), t.now(f.machine, r.State.SourceTree)
		if id == r.State.GitCommit {
			tree = r.State.SourceTree
		}
		commit, err := t.Git.Commit(ctx, git.OID(id))
		if err != nil {
			return fault.Newf(CodeBadRecord, "the commit of state %q cannot be read: %v", r.State.ID, err).Because(err)
		}
		if string(commit.Tree) != tree {
			return fault.Newf(CodeBadRecord, "the commit of state %q has another tree than the state", r.State.ID)
		}
		if err := t.refuseOwnFolder(ctx, commit.Tree); err != nil {
			return err
		}
	}
	return nil
}

// refuseOwnFolder refuses files that would lie in the project's own folder here,
// where they would say what runs.
func (t *taker) refuseOwnFolder(ctx context.Context, tree git.OID) error {
	entries, err := t.Git.Tree(ctx, tree)
	if err != nil {
		return fault.Newf(CodeBadRecord, "the tree %s cannot be read: %v", tree, err).Because(err)
	}
	for _, e := range entries {
		if own := filepath.Base(t.Dir); strings.EqualFold(e.Name, own) {
			return fault.Newf(CodeBadRecord, "the tree %s holds %q, which is Hop's own folder", tree, e.Name)
		}
	}
	return nil
}

// sift drops the chains that are of another project, and then those that cannot
// be taken in, until all that are left can: one may rest on another.
func (t *taker) sift(ctx context.Context, related func(context.Context, git.OID) (bool, error)) error {
	if err := t.dropStrangers(ctx, related); err != nil {
		return err
	}
	for range maxPasses {
		failures, err := t.rehearseAll(ctx)
		if err != nil {
			return err
		}
		bad := map[string]error{}
		for _, f := range failures {
			if _, known := bad[f.ref]; !known {
				bad[f.ref] = f.err
			}
		}
		before := len(t.chains)
		t.drop(func(c chain) error { return bad[c.Name] })
		if len(t.chains) == before {
			return nil
		}
	}
	t.drop(func(chain) error { return fault.New(CodeBadRecord, "what it rests on was refused") })
	return nil
}

func (t *taker) drop(why func(chain) error) {
	t.chains = slices.DeleteFunc(t.chains, func(c chain) bool {
		err := why(c)
		if err != nil {
			t.reject(c.Name, err)
		}
		return err != nil
	})
}

// dropStrangers rejects machines whose accepted line has nothing to do with ours.
func (t *taker) dropStrangers(ctx context.Context, related func(context.Context, git.OID) (bool, error)) error {
	heads := t.acceptedHeads()
	var failure error
	verdict := map[string]error{}
	t.drop(func(c chain) error {
		if err, known := verdict[c.machine]; known {
			return err
		}
		head, there := heads[c.machine]
		err := error(fault.New(CodeBadRecord, "the accepted line of its machine is not there"))
		if there {
			err = nil
			same, asked := related(ctx, head)
			if asked != nil {
				failure = errors.Join(failure, asked)
			}
			if !same {
				err = fault.New("other_project", "it belongs to another project")
			}
		}
		verdict[c.machine] = err
		return err
	})
	return failure
}

// acceptedHeads are the commits that the machines have accepted last.
func (t *taker) acceptedHeads() map[string]git.OID {
	all := t.all()
	commits, heads := map[string]string{}, map[string]git.OID{}
	for _, f := range all {
		for _, r := range f.Records {
			if r.State != nil && r.State.Kind == hop.KindAccepted {
				commits[r.State.ID] = r.State.GitCommit
			}
		}
	}
	for _, f := range all {
		for _, r := range f.Records {
			if commit := commits[r.Accepted]; r.Accepted != "" && commit != "" && f.Attempt == "" {
				heads[f.machine] = git.OID(commit)
			}
		}
	}
	return heads
}

// all is what is here and what would be added, in order.
func (t *taker) all() []found {
	anew := map[string]bool{}
	for _, c := range t.chains {
		anew[c.Name] = c.before > 0
	}
	all := slices.DeleteFunc(slices.Clone(t.have), func(f found) bool { return anew[f.ref] })
	for _, c := range t.chains {
		all = append(all, c.added...)
	}
	inOrder(all)
	return all
}

// rehearseAll makes an index of everything and returns what cannot be taken in of
// what would be added.
func (t *taker) rehearseAll(ctx context.Context) ([]failure, error) {
	fresh, err := openDatabase(":memory:", "memory")
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	if _, err := fresh.ExecContext(ctx, schema); err != nil {
		return nil, unreadable(err)
	}
	return applyAll(ctx, fresh, t.all())
}

// finish moves the refs and makes the index follow. A crash between leaves the
// intent, by which the next command does.
func (t *taker) finish(ctx context.Context) (Taken, error) {
	if len(t.chains) == 0 {
		return t.out, nil
	}
	ctx = context.WithoutCancel(ctx)
	var updates []git.RefUpdate
	for _, c := range t.chains {
		updates = append(updates, git.RefUpdate{Name: c.Name, Old: c.old, New: c.Tip})
		t.out.Parts = append(t.out.Parts, partOf(c.machine, c.attempt, c.added[c.before:]))
	}
	line, found, err := t.Git.Ref(ctx, projectRef)
	if err != nil {
		return t.out, err
	}
	if found { // see refFolders
		updates = append(updates, git.RefUpdate{Name: projectRef, Old: line, New: line})
	}
	if _, err := t.db.ExecContext(ctx, `INSERT INTO intents(id, ref, old, new, accepted) VALUES(?,?,'','','') ON CONFLICT(id) DO NOTHING`,
		machinesPrefix, machinesPrefix); err != nil {
		return t.out, unreadable(err)
	}
	if err := t.moveRefs(ctx, updates); err != nil {
		return t.out, t.withdraw(ctx, machinesPrefix, err)
	}
	return t.out, t.reindex(ctx)
}

// reindex makes the index anew from git, in one step that readers do not see.
// The caller holds the lock.
func (l *Ledger) reindex(ctx context.Context) error {
	folders := l.refFolders()
	all, _, err := collect(ctx, l.Git)
	if err != nil {
		return err
	}
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return unreadable(err)
	}
	defer rollback(tx)
	if err := clearAll(ctx, tx); err != nil {
		return unreadable(err)
	}
	if _, err := applyTo(ctx, tx, all); err != nil {
		return err
	}
	if err := recordFolders(ctx, tx, folders); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return unreadable(err)
	}
	return nil
}
