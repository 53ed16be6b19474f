package ledger

import (
	"context"
	"errors"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// publishingRef exists while a transaction is published on a remote before it
// becomes part of the ledger here. It names a commit whose message says where, and
// whose one parent is the ledger commit.
const publishingRef = "refs/hop/publishing"

// CodePublishing marks a publication that a crash or a lost connection left in
// doubt.
const CodePublishing = "publication_open"

// Publication is a transaction on its way to a remote.
type Publication struct {
	Remote string
	// Ref is the name on the remote of this machine's accepted line, and Tip the
	// ledger commit that it is to name.
	Ref string
	Tip git.OID
	// Accepted is the commit that the remote is to accept.
	Accepted git.OID
	marker   git.OID
}

// WritePublished records an operation on the accepted line like Write, but only
// once publish has put it on a remote. When publish fails, nothing is recorded,
// unless its outcome is unknown, which is an error with CodePublishing: then
// SettlePublication finds out later.
func (l *Ledger) WritePublished(ctx context.Context, verb, remote string, build func(*Tx) error, publish func(context.Context, Publication) error) error {
	unlock, err := l.lock(ctx, verb)
	if err != nil {
		return err
	}
	defer unlock()
	if err := errors.Join(l.settle(ctx), l.followGit(ctx)); err != nil {
		return err
	}
	tx := &Tx{Reader: l.Reader, Objects: l.Git.NewBatch(), now: l.Clock.Now().UTC(), staged: map[string]*hop.State{}}
	if err := build(tx); err != nil {
		return err
	}
	if tx.attempt != "" || tx.accept == nil {
		return fault.New(fault.CodeInternal, "only what is accepted is published")
	}
	tx.hand = func(ctx context.Context, p Publication) error {
		err := l.moveMarker(ctx, "", p.marker)
		if err != nil {
			return err
		}
		if err = publish(ctx, p); err != nil && !fault.Is(err, CodePublishing) {
			return errors.Join(err, l.moveMarker(ctx, p.marker, ""))
		}
		return err
	}
	tx.remote = remote
	_, err = l.publish(ctx, verb, tx)
	return err
}

// moveMarker moves the ref of an open publication.
func (l *Ledger) moveMarker(ctx context.Context, from, to git.OID) error {
	return l.moveRefs(ctx, []git.RefUpdate{{Name: publishingRef, Old: from, New: to}})
}

// announce puts the marker of a publication into the batch.
func (l *Ledger) announce(ctx context.Context, tx *Tx, commit git.OID) (Publication, error) {
	machine, err := l.Machine(ctx)
	if err != nil {
		return Publication{}, err
	}
	p := Publication{Remote: tx.remote, Ref: MachineRef(machine, ""), Tip: commit, Accepted: git.OID(tx.accept.GitCommit)}
	who := Author(tx)
	p.marker = tx.Objects.Commit(git.Commit{
		Tree: git.OID(tx.accept.SourceTree), Parents: []git.OID{commit}, Author: who, Committer: who,
		Message: "hop: publishing\n\nHop-Remote: " + tx.remote + "\nHop-Accepted: " + tx.accept.GitCommit + "\n",
	})
	return p, nil
}

// openPublication returns the publication in doubt, and whether there is one.
func (l *Ledger) openPublication(ctx context.Context) (Publication, bool, error) {
	marker, found, err := l.Git.Ref(ctx, publishingRef)
	if err != nil || !found {
		return Publication{}, false, err
	}
	commit, err := l.Git.Commit(ctx, marker)
	if err != nil {
		return Publication{}, false, err
	}
	machine, err := l.Machine(ctx)
	if err != nil {
		return Publication{}, false, err
	}
	p := Publication{marker: marker, Ref: MachineRef(machine, "")}
	for line := range strings.Lines(commit.Message) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "Hop-Remote":
			p.Remote = value
		case "Hop-Accepted":
			p.Accepted = git.OID(value)
		}
	}
	if len(commit.Parents) != 1 || p.Remote == "" || p.Accepted == "" {
		return p, false, fault.Newf(CodeBadRecord, "the ref %q does not name a publication", publishingRef).WithHint("remove it with git update-ref -d %s", publishingRef)
	}
	p.Tip = commit.Parents[0]
	return p, true, nil
}

// refuseWhilePublishing keeps the accepted line still while it is in doubt
// whether a remote has its next step already.
func (l *Ledger) refuseWhilePublishing(ctx context.Context) error {
	p, open, err := l.openPublication(ctx)
	if err != nil || !open {
		return err
	}
	return InDoubt(p.Remote, nil)
}

// InDoubt says that nobody knows whether a remote took a publication.
func InDoubt(remote string, cause error) *fault.Error {
	return fault.Newf(CodePublishing, "a landing was being published on %q and it is not known whether that remote has it", remote).Because(cause).
		WithHint("as soon as the remote can be reached, the next command that lands or shares finds out").WithNext("hop share " + remote)
}

// SettlePublication ends a publication that was left in doubt: where the remote
// has it, it becomes part of the ledger; where not, it never happened. ask looks
// at the remote. One that a living command is at work on is left to it.
func (l *Ledger) SettlePublication(ctx context.Context, ask func(context.Context, Publication) (happened bool, err error)) error {
	if _, open, err := l.openPublication(ctx); err != nil || !open {
		return err
	}
	unlock, free, err := durable.TryLock(l.lockPath(), "hop, after a publication")
	if err != nil || !free {
		return err
	}
	defer unlock()
	p, open, err := l.openPublication(ctx)
	if err != nil || !open {
		return err
	}
	happened, err := ask(ctx, p)
	if err != nil {
		return InDoubt(p.Remote, err)
	}
	if !happened {
		return l.moveMarker(ctx, p.marker, "")
	}
	t, err := readTransaction(ctx, l.Git, p.Tip)
	if err != nil {
		return err
	}
	now, _, err := l.Git.Ref(ctx, AcceptedRef)
	if err != nil {
		return err
	}
	// A disk that failed may have let some of the refs move.
	line, _, err := l.Git.Ref(ctx, projectRef)
	if err != nil {
		return err
	}
	if line != p.Tip {
		line = git.OID(t.Prev)
	}
	ctx = context.WithoutCancel(ctx)
	if err := l.moveRefs(ctx, []git.RefUpdate{
		{Name: projectRef, Old: line, New: p.Tip}, {Name: AcceptedRef, Old: now, New: p.Accepted}, {Name: publishingRef, Old: p.marker},
	}); err != nil {
		return err
	}
	return l.CatchUp(ctx, projectRef)
}
