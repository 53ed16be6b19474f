package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// What other machines have shared is kept as they wrote it, under refs that name
// the machine: its transactions about the accepted line in
// refs/hop/ledger/machines/<machine>/project, those about an attempt in
// refs/hop/ledger/machines/<machine>/attempts/<attempt>. On a remote, every
// machine's transactions lie under such names. A machine is named by its first
// operation on the accepted line, so a clone without records is a new one.
//
// An attempt belongs to the machine that began it. Of what a machine wrote only
// what is its own counts: it cannot change our attempts, tasks, evidence and
// sessions, and what it accepted is accepted here only when we follow it.
const machinesPrefix = Prefix + "machines/"

// CodeForeign marks an attempt that belongs to another machine.
const CodeForeign = "foreign_attempt"

// MachineRef names the ref of a machine's transactions about an attempt; an empty
// attempt stands for the accepted line.
func MachineRef(machine, attempt string) string {
	if attempt == "" {
		return machinesPrefix + machine + "/project"
	}
	return machinesPrefix + machine + "/attempts/" + attempt
}

// ParseMachineRef reads what MachineRef writes.
func ParseMachineRef(name string) (machine, attempt string, ok bool) {
	rest, ok := strings.CutPrefix(name, machinesPrefix)
	if !ok {
		return "", "", false
	}
	machine, rest, _ = strings.Cut(rest, "/")
	if idFault(machine, hop.PrefixEvent) != "" {
		return "", "", false
	}
	if rest == "project" {
		return machine, "", true
	}
	attempt, ok = strings.CutPrefix(rest, "attempts/")
	if !ok || idFault(attempt, hop.PrefixAttempt) != "" {
		return "", "", false
	}
	return machine, attempt, true
}

// Machine returns the name of this machine.
func (r Reader) Machine(ctx context.Context) (string, error) {
	ids, err := texts(ctx, r.q, `SELECT id FROM operations WHERE ref = ? ORDER BY seq, id LIMIT 1`, projectRef)
	if err == nil && len(ids) == 0 {
		err = fault.New(CodeIndexBroken, "the project has no operation of its own").WithNext("hop doctor --repair")
	}
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// Shared reports whether there are records of other machines.
func (r Reader) Shared(ctx context.Context) (bool, error) {
	names, err := texts(ctx, r.q, `SELECT name FROM refs WHERE name >= ? AND name < ? LIMIT 1`, machinesPrefix, strings.TrimSuffix(machinesPrefix, "/")+"0")
	return len(names) > 0, err
}

// MachineOf returns the machine that an attempt belongs to, empty when it is this
// one.
func (r Reader) MachineOf(ctx context.Context, attempt string) (string, error) {
	// The first state of an attempt is the prompt that began it.
	refs, err := texts(ctx, r.q, `SELECT o.ref FROM states s JOIN operations o ON o.id = s.operation
		WHERE s.attempt_id = ? AND s.kind <> ? ORDER BY s.n LIMIT 1`, attempt, string(hop.KindAccepted))
	if err != nil || len(refs) == 0 {
		return "", err
	}
	machine, _, _ := ParseMachineRef(refs[0])
	return machine, nil
}

// refuseForeign refuses to record anything in another machine's attempt.
func (r Reader) refuseForeign(ctx context.Context, attempt string) error {
	if attempt == "" {
		return nil
	}
	machine, err := r.MachineOf(ctx, attempt)
	if err != nil || machine == "" {
		return err
	}
	return ForeignAttempt(attempt, machine)
}

// ForeignAttempt is the refusal to work in another machine's attempt.
func ForeignAttempt(attempt, machine string) *fault.Error {
	return fault.Newf(CodeForeign, "attempt %q belongs to the machine %q", attempt, machine).
		WithHint("hop resume goes on from it in an attempt of this machine").WithNext("hop status")
}

// HasTransaction reports whether the transactions of a ref hold a ledger commit.
func (r Reader) HasTransaction(ctx context.Context, ref string, commit git.OID) (bool, error) {
	ids, err := texts(ctx, r.q, `SELECT id FROM operations WHERE ref = ? AND commit_id = ? LIMIT 1`, ref, string(commit))
	return len(ids) > 0, err
}

// Outgoing returns the ledger's refs by the names that they have on a remote.
func (l *Ledger) Outgoing(ctx context.Context) ([]Published, error) {
	machine, err := l.Machine(ctx)
	if err != nil {
		return nil, err
	}
	refs, err := l.Git.Refs(ctx, Prefix)
	if err != nil {
		return nil, err
	}
	var out []Published
	for _, ref := range refs {
		attempt, isAttempt := strings.CutPrefix(ref.Name, attemptsPrefix)
		p := Published{Local: ref.Name, Tip: ref.ID, Machine: machine, Own: true}
		switch m, a, ok := ParseMachineRef(ref.Name); {
		case ok:
			p.Machine, p.Attempt, p.Own = m, a, false
		case isAttempt:
			p.Attempt = attempt
		case ref.Name != projectRef:
			continue
		}
		p.Remote = MachineRef(p.Machine, p.Attempt)
		out = append(out, p)
	}
	return out, nil
}

// Published is a ref of the ledger with the name that it has on remotes.
type Published struct {
	Local, Remote    string
	Machine, Attempt string
	Tip              git.OID
	// Own says that it holds this machine's transactions.
	Own bool
}

// ownership says which machine may change what: the one that recorded it first,
// and this one, whose name is empty here, before all others.
type ownership map[string]string

func ownersOf(all []found) ownership {
	o := ownership{}
	for _, own := range []bool{true, false} {
		for _, f := range all {
			if (f.machine == "") != own {
				continue
			}
			if f.Attempt != "" {
				o.claim(f.Attempt, f.machine)
			}
			for i := range f.Records {
				o.claimAll(&f, &f.Records[i])
			}
		}
	}
	return o
}

func (o ownership) claimAll(f *found, r *Record) {
	switch {
	case r.State != nil:
		o.claim(r.State.ID, f.machine)
	case r.Check != nil:
		o.claim(r.Check.ID, f.machine)
	case r.Task != nil && f.Prev == "":
		o.claim(r.Task.ID, f.machine)
	case r.Attempt != nil && f.Attempt == "" && f.Prev == "":
		// A project that was carried over brought its attempts in one transaction.
		o.claim(r.Attempt.ID, f.machine)
	}
}

func (o ownership) claim(id, machine string) {
	if _, taken := o[id]; !taken {
		o[id] = machine
	}
}

// counted returns what of a transaction counts here: all of our own, and of
// another machine's what it may say.
func (o ownership) counted(f found) (*Transaction, error) {
	if f.machine == "" {
		return f.Transaction, nil
	}
	if f.Attempt != "" && o[f.Attempt] != f.machine {
		return nil, fault.Newf(CodeForeign, "attempt %q belongs to another machine", f.Attempt)
	}
	t := *f.Transaction
	t.Records = nil
	for _, r := range f.Records {
		keep, err := o.admit(f, &r)
		if err != nil {
			return nil, err
		}
		if keep {
			t.Records = append(t.Records, r)
		}
	}
	return &t, nil
}

// admit says whether a record of another machine counts. It may change the copy
// that it is given.
func (o ownership) admit(f found, r *Record) (bool, error) {
	mine := func(id string) bool { return o[id] == f.machine }
	switch {
	case r.State != nil:
		return true, o.admitState(f, r.State)
	case r.Facts != nil:
		return mine(r.Facts.StateID), nil
	case r.Completion != nil:
		return mine(r.Completion.StateID), nil
	case r.Task != nil:
		return mine(r.Task.ID), nil
	case r.Attempt != nil:
		a := *r.Attempt
		a.Workspace = "workspaces/" + a.ID // what it names there is no path of ours
		r.Attempt = &a
		return mine(a.ID), nil
	case r.Check != nil:
		// It never answers for a run on this machine, nor stands beside our own.
		c := *r.Check
		c.Key = ""
		if !mine(c.AttemptID) {
			c.AttemptID = ""
		}
		r.Check = &c
		return mine(c.ID), nil
	case r.Purged != nil:
		return true, nil // it is about the machine's own states
	}
	return false, nil // sessions, and what is accepted there
}

func (o ownership) admitState(f found, s *hop.State) error {
	switch {
	case o[s.ID] != f.machine:
		return fault.Newf(CodeForeign, "state %q belongs to another machine", s.ID)
	case f.Attempt == "" && f.Prev != "" && s.Kind != hop.KindAccepted:
		return fault.Newf(CodeBadRecord, "state %q of an attempt stands among the transactions of the accepted line", s.ID)
	case f.Attempt != "" && (s.Kind == hop.KindAccepted || s.AttemptID != f.Attempt):
		return fault.Newf(CodeBadRecord, "state %q stands among the transactions of an attempt that it is not part of", s.ID)
	}
	return nil
}

func inOrder(all []found) {
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
}
