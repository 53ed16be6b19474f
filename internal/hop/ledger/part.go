package ledger

import (
	"context"
	"slices"

	"bridle/internal/kernel/git"
)

// Part is what came or went of one chain of transactions.
type Part struct {
	Machine, Attempt string
	Operations       int
	States, Checks   []string
}

func partOf(machine, attempt string, transactions []found) Part {
	p := Part{Machine: machine, Attempt: attempt, Operations: len(transactions)}
	for _, f := range transactions {
		for _, r := range f.Records {
			switch {
			case r.State != nil:
				p.States = append(p.States, r.State.ID)
			case r.Check != nil:
				p.Checks = append(p.Checks, r.Check.ID)
			}
		}
	}
	return p
}

// Since returns what a ref of ours has that follows a ledger commit, for telling
// what went; an empty commit means all of it.
func (l *Ledger) Since(ctx context.Context, p Published, after git.OID) (Part, error) {
	var added []found
	for at := p.Tip; at != after && at != ""; {
		one, err := readTransaction(ctx, l.Git, at)
		if err != nil {
			return Part{}, err
		}
		added = append(added, found{Transaction: one})
		at = git.OID(one.Prev)
	}
	slices.Reverse(added)
	return partOf(p.Machine, p.Attempt, added), nil
}
