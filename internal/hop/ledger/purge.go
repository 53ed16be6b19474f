package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// purgingRef exists from before the refs of the ledger are moved to what no longer
// leads to purged objects, one after the other, until those are erased. It names
// the ledger commit of the purge.
const purgingRef = "refs/hop/purging"

// Purged records that objects were replaced: blobs with credentials, and all trees,
// commits and ledger commits that led to them. The states keep their ids, their
// texts and the digests of what they were; the index shows them with the new
// objects.
type Purged struct {
	Objects []Replaced `json:"objects"`
}

// Replaced is an object and what stands in its place.
type Replaced struct {
	Kind git.Kind `json:"kind"`
	Old  string   `json:"old"`
	New  string   `json:"new"`
}

func (p *Purged) fault() string {
	for _, r := range p.Objects {
		if !isObject(r.Old) || !isObject(r.New) {
			return "it names what is no object"
		}
	}
	return ""
}

func isObject(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// Purge replaces blobs in every state of this machine's attempts whose commit
// nothing but the ledger keeps, and rewrites the ledger so that it no longer leads
// to them. It returns the states that have new objects. The old objects are still
// there: the caller erases what Purging returns and ends with EndPurge.
func (l *Ledger) Purge(ctx context.Context, replace map[git.OID][]byte) (operation hop.Operation, states []string, err error) {
	unlock, err := l.lock(ctx, "purge")
	if err != nil {
		return operation, nil, err
	}
	defer unlock()
	if err := errors.Join(l.settle(ctx), l.followGit(ctx), l.refuseWhilePublishing(ctx)); err != nil {
		return operation, nil, err
	}
	p := purger{Ledger: l, batch: l.Git.NewBatch(), blobs: map[git.OID]git.OID{}, trees: map[git.OID]git.OID{}, commits: map[git.OID]git.OID{}, ledger: map[git.OID]git.OID{}}
	for id, data := range replace {
		p.blobs[id] = p.batch.Blob(data)
	}
	if p.held, err = l.heldCommits(ctx); err != nil {
		return operation, nil, err
	}
	if states, err = p.rewriteStates(ctx); err != nil || len(states) == 0 {
		return operation, nil, err
	}
	refs, err := p.rewriteLedger(ctx)
	if err != nil {
		return operation, nil, err
	}
	operation, err = p.publish(ctx, refs)
	return operation, states, err
}

type purger struct {
	*Ledger
	batch                         *git.Batch
	blobs, trees, commits, ledger map[git.OID]git.OID
	held                          map[git.OID]bool
	highest                       int64
}

// ofLedger reports whether a name is that of a ref through which only the ledger
// keeps objects.
func ofLedger(name string) bool {
	if _, _, foreign := ParseMachineRef(name); foreign {
		return false
	}
	return strings.HasPrefix(name, Prefix) || name == purgingRef || name == publishingRef
}

// heldCommits are the commits that something beside this machine's ledger keeps:
// what is accepted, branches, tags, what other machines shared.
func (l *Ledger) heldCommits(ctx context.Context) (map[git.OID]bool, error) {
	holders, err := l.Git.Holders(ctx)
	if err != nil {
		return nil, err
	}
	held := map[git.OID]bool{}
	var stack []git.OID
	for _, h := range holders {
		if !ofLedger(h.Name) {
			stack = append(stack, h.ID)
		}
	}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if held[id] {
			continue
		}
		c, err := l.Git.Commit(ctx, id)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			continue // a tag, what an index has staged, or the end of a shallow clone
		}
		held[id] = true
		stack = append(stack, c.Parents...)
	}
	return held, nil
}

// rewriteStates gives the states of this machine's attempts commits without the
// blobs.
func (p *purger) rewriteStates(ctx context.Context) ([]string, error) {
	entries, err := p.All(ctx)
	if err != nil {
		return nil, err
	}
	var states []string
	for _, e := range entries {
		if e.State.Kind == hop.KindAccepted {
			continue
		}
		machine, err := p.MachineOf(ctx, e.State.AttemptID)
		if err != nil {
			return nil, err
		}
		if machine != "" {
			continue
		}
		id := git.OID(e.State.GitCommit)
		now, err := p.commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if now != id {
			states = append(states, e.State.ID)
		}
	}
	return states, nil
}

// commit returns what stands in a commit's place.
func (p *purger) commit(ctx context.Context, id git.OID) (git.OID, error) {
	if p.held[id] {
		return id, nil
	}
	if now, done := p.commits[id]; done {
		return now, nil
	}
	c, err := p.Git.Commit(ctx, id)
	if err != nil {
		return "", err
	}
	tree, err := p.tree(ctx, c.Tree)
	if err != nil {
		return "", err
	}
	changed := tree != c.Tree
	c.Tree, c.Parents = tree, slices.Clone(c.Parents)
	for i, parent := range c.Parents {
		if c.Parents[i], err = p.commit(ctx, parent); err != nil {
			return "", err
		}
		changed = changed || c.Parents[i] != parent
	}
	now := id
	if changed {
		c.Extra = nil // a signature would not hold
		now = p.batch.Commit(c)
	}
	p.commits[id] = now
	return now, nil
}

// tree returns what stands in a tree's place.
func (p *purger) tree(ctx context.Context, id git.OID) (git.OID, error) {
	if now, done := p.trees[id]; done {
		return now, nil
	}
	entries, err := p.Git.Tree(ctx, id)
	if err != nil {
		return "", err
	}
	entries = slices.Clone(entries)
	changed := false
	for i, e := range entries {
		now := e.ID
		switch {
		case e.IsTree():
			if now, err = p.tree(ctx, e.ID); err != nil {
				return "", err
			}
		case e.Mode != git.ModeGitlink:
			if blob, found := p.blobs[e.ID]; found {
				now = blob
			}
		}
		changed = changed || now != e.ID
		entries[i].ID = now
	}
	now := id
	if changed {
		now = p.batch.Tree(entries)
	}
	p.trees[id] = now
	return now, nil
}

// rewriteLedger writes the ledger commits anew that led to what was replaced, each
// with the same records, and returns where the refs go.
func (p *purger) rewriteLedger(ctx context.Context) ([]git.RefUpdate, error) {
	all, problems, err := collect(ctx, p.Git)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fault.Newf(CodeBadRecord, "the ledger is damaged: %s", problems[0]).WithNext("hop doctor")
	}
	for _, f := range all {
		p.highest = max(p.highest, f.Seq)
		if f.machine == "" {
			if err := p.rewriteOne(ctx, f); err != nil {
				return nil, err
			}
		}
	}
	refs, err := p.Git.Refs(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	var updates []git.RefUpdate
	for _, ref := range refs {
		if now := p.ledger[ref.ID]; now != "" && now != ref.ID {
			updates = append(updates, git.RefUpdate{Name: ref.Name, Old: ref.ID, New: now})
		}
	}
	return updates, nil
}

func (p *purger) rewriteOne(ctx context.Context, f found) error {
	c, err := p.Git.Commit(ctx, f.commit)
	if err != nil {
		return err
	}
	var keep []git.OID
	changed := false
	for _, parent := range c.Parents {
		now := cmp.Or(p.ledger[parent], p.commits[parent], parent)
		changed = changed || now != parent
		keep = append(keep, now)
	}
	if !changed {
		return nil
	}
	t := *f.Transaction
	if t.Prev != "" {
		t.Prev, keep = string(keep[0]), keep[1:]
	}
	t.Links = slices.Clone(t.Links)
	for i, link := range t.Links {
		t.Links[i] = string(cmp.Or(p.ledger[git.OID(link)], git.OID(link)))
	}
	data, err := t.encode()
	if err != nil {
		return err
	}
	p.ledger[f.commit] = commitRecords(p.batch, &t, data, keep)
	return nil
}

// publish records the purge and moves the refs.
func (p *purger) publish(ctx context.Context, refs []git.RefUpdate) (hop.Operation, error) {
	var none hop.Operation
	now := p.Clock.Now().UTC()
	before, err := p.indexedRef(ctx, projectRef)
	if err != nil {
		return none, err
	}
	t := &Transaction{header: header{
		Version: Version, ID: hop.NewID(hop.PrefixEvent, now), Seq: p.highest + 1, Verb: "purge", At: formatTime(now),
		Prev: string(cmp.Or(p.ledger[git.OID(before)], git.OID(before))),
	}, Records: []Record{{Purged: p.record()}}}
	data, err := t.encode()
	if err != nil {
		return none, err
	}
	tip := commitRecords(p.batch, t, data, nil)
	refs = slices.DeleteFunc(refs, func(u git.RefUpdate) bool { return u.Name == projectRef })
	refs = append(refs, git.RefUpdate{Name: projectRef, Old: git.OID(before), New: tip})
	ctx = context.WithoutCancel(ctx)
	if err := p.batch.Flush(ctx); err != nil {
		return none, err
	}
	if _, err := p.db.ExecContext(ctx, `INSERT INTO intents(id, ref, old, new, accepted) VALUES(?,?,'','','') ON CONFLICT(id) DO NOTHING`,
		machinesPrefix, machinesPrefix); err != nil {
		return none, unreadable(err)
	}
	if err := p.moveRefs(ctx, []git.RefUpdate{{Name: purgingRef, New: tip, Any: true}}); err != nil {
		return none, p.withdraw(ctx, machinesPrefix, err)
	}
	if err := p.moveRefs(ctx, refs); refused(err) {
		unmark := p.moveRefs(ctx, []git.RefUpdate{{Name: purgingRef, Old: tip}})
		return none, errors.Join(p.withdraw(ctx, machinesPrefix, err), unmark)
	} else if err != nil {
		return none, err // some may be moved: who comes next moves the others
	}
	return t.operation(), p.reindex(ctx)
}

// record lists all that was replaced.
func (p *purger) record() *Purged {
	out := &Purged{Objects: []Replaced{}}
	for _, of := range []struct {
		kind git.Kind
		ids  map[git.OID]git.OID
	}{{git.KindBlob, p.blobs}, {git.KindTree, p.trees}, {git.KindCommit, p.commits}, {git.KindCommit, p.ledger}} {
		for old, now := range of.ids {
			if old != now {
				out.Objects = append(out.Objects, Replaced{of.kind, string(old), string(now)})
			}
		}
	}
	slices.SortFunc(out.Objects, func(a, b Replaced) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Old, b.Old)) })
	return out
}

// purged gives the states of the machine that purged the objects that now stand in
// the place of theirs.
func (a *applier) purged(p *Purged) {
	if a.err != nil {
		return
	}
	now := map[string]string{}
	for _, r := range p.Objects {
		now[r.Old] = r.New
	}
	machine, _, _ := ParseMachineRef(a.ref)
	mine := func(ref string) bool { m, _, _ := ParseMachineRef(ref); return m == machine }
	rows, err := texts(a.ctx, a.tx, `SELECT o.ref || char(10) || s.doc FROM states s JOIN operations o ON o.id = s.operation`)
	if err != nil {
		a.err = err
		return
	}
	for _, row := range rows {
		ref, doc, _ := strings.Cut(row, "\n")
		s, err := decode[hop.State](doc)
		if err != nil {
			a.err = err
			return
		}
		commit, tree := now[s.GitCommit], now[s.SourceTree]
		if commit == "" || !mine(ref) {
			continue
		}
		s.GitCommit, s.SourceTree = commit, cmp.Or(tree, s.SourceTree)
		a.exec(`UPDATE states SET doc = ? WHERE id = ?`, a.document(s), s.ID)
		a.purgedChecks(s.ID, now)
	}
}

// purgedChecks lets the evidence about a state follow it.
func (a *applier) purgedChecks(state string, now map[string]string) {
	checks, err := many[hop.Check](a.ctx, a.tx, `SELECT doc FROM checks WHERE state_id = ?`, state)
	if err != nil && a.err == nil {
		a.err = err
	}
	for _, c := range checks {
		if tree := now[c.TreeHash]; tree != "" {
			c.TreeHash = tree
			a.exec(`UPDATE checks SET tree = ?, doc = ? WHERE id = ?`, tree, a.document(c), c.ID)
		}
	}
}
