package ledger

import (
	"bytes"
	"context"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

func isLine(name string) bool { return strings.HasSuffix(name, "/project") }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// remember notes what is here, for what comes to be compared with.
func (t *taker) remember() {
	t.owners, t.known, t.moved = ownersOf(t.have), map[string]string{}, map[string]map[string]string{}
	for _, f := range t.have {
		t.highest = max(t.highest, f.Seq)
		t.known[f.ID] = f.ref
		for _, r := range f.Records {
			if r.State != nil {
				t.known[r.State.ID] = f.ref
			}
		}
		t.learn(f)
	}
}

// learn notes what a transaction says that its machine replaced.
func (t *taker) learn(f found) {
	for _, r := range f.Records {
		if r.Purged == nil {
			continue
		}
		if t.moved[f.machine] == nil {
			t.moved[f.machine] = map[string]string{}
		}
		for _, o := range r.Purged.Objects {
			t.moved[f.machine][o.Old] = o.New
		}
	}
}

// maxPurges bounds how often an object is followed to what replaced it.
const maxPurges = 1000

// now is the object that stands in the place of one that a machine recorded.
func (t *taker) now(machine, id string) string {
	for range maxPurges {
		next, moved := t.moved[machine][id]
		if !moved {
			break
		}
		id = next
	}
	return id
}

// taken returns an id that a transaction would record anew, or that is another
// machine's. What its own ref has here may come again: continues decides on that.
func (t *taker) taken(f found) string {
	if ref, known := t.known[f.ID]; known && ref != f.ref {
		return f.ID
	}
	for _, r := range f.Records {
		if r.State == nil {
			continue
		}
		if ref, known := t.known[r.State.ID]; known && ref != f.ref {
			return r.State.ID
		}
	}
	for id := range ownersOf([]found{f}) {
		if owner, claimed := t.owners[id]; claimed && owner != f.machine {
			return id
		}
	}
	return ""
}

// continues checks that a chain goes on from what is here of it: from where the ref
// stands, or, where its machine has purged, with the very same records.
func (t *taker) continues(c *chain) error {
	if c.old == "" || len(c.added) == 0 {
		return nil
	}
	if c.added[0].Prev != "" {
		for _, f := range c.added {
			if _, known := t.known[f.ID]; known {
				return fault.Newf(CodeBadRecord, "the transaction %q is recorded already", f.ID)
			}
		}
		return nil
	}
	for _, f := range t.have {
		if f.ref != c.Name {
			continue
		}
		if c.before >= len(c.added) || !sameRecords(f.Transaction, c.added[c.before].Transaction) {
			return fault.New(CodeDiverged, "it does not continue what was shared before")
		}
		c.before++
	}
	return nil
}

// sameRecords reports whether two transactions say the same, over whatever objects
// of the ledger.
func sameRecords(a, b *Transaction) bool {
	var texts [2][]byte
	for i, t := range []*Transaction{a, b} {
		bare := *t
		bare.Prev, bare.Links = "", nil
		data, err := bare.encode()
		if err != nil {
			return false
		}
		texts[i] = data
	}
	return bytes.Equal(texts[0], texts[1])
}

// WasPurged reports whether an object of this machine was replaced by a purge.
func (l *Ledger) WasPurged(ctx context.Context, id git.OID) (bool, error) {
	commits, err := texts(ctx, l.db, `SELECT commit_id FROM operations WHERE verb = 'purge' AND ref = ?`, projectRef)
	if err != nil {
		return false, err
	}
	for _, at := range commits {
		t, err := readTransaction(ctx, l.Git, git.OID(at))
		if err != nil {
			return false, err
		}
		for _, r := range t.Records {
			if r.Purged == nil {
				continue
			}
			for _, o := range r.Purged.Objects {
				if o.Old == string(id) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}
