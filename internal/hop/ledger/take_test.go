package ledger

import (
	"context"
	"slices"
	"strings"
	"testing"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// machines is a project on two machines, and all that the second one recorded as
// it came to the first: its objects are there, and nothing looks for them.
type machines struct {
	here, there *stage
	l, other    *Ledger
	own         hop.Attempt
	theirs      hop.Attempt
	incoming    []Incoming
}

func twoMachines(t *testing.T) *machines {
	t.Helper()
	m := &machines{here: newStage(t, t.TempDir()), there: newStage(t, t.TempDir())}
	m.l, m.other = m.here.begin(t), m.there.begin(t)
	m.own = m.here.prompt(t, m.l)
	m.theirs = m.there.prompt(t, m.other)
	m.there.follow(t, m.other, &m.theirs, hop.KindCheckpoint)
	m.there.follow(t, m.other, &m.theirs, hop.KindProposal)
	m.there.land(t, m.other, &m.theirs)
	m.fetch(t)
	return m
}

// fetch brings what the other machine recorded.
func (m *machines) fetch(t *testing.T) {
	t.Helper()
	out, err := m.other.Outgoing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var specs []git.Refspec
	m.incoming = nil
	for _, p := range out {
		if !p.Own {
			continue
		}
		specs = append(specs, git.Refspec{From: p.Local, To: "refs/hop/incoming/" + strings.TrimPrefix(p.Remote, "refs/hop/"), Force: true})
		m.incoming = append(m.incoming, Incoming{p.Remote, p.Tip})
	}
	if err := m.l.Git.Fetch(t.Context(), m.there.options.Git.Root(), specs, git.RemoteOptions{AllowFile: true}); err != nil {
		t.Fatal(err)
	}
}

func (m *machines) take(t *testing.T, incoming ...Incoming) Taken {
	t.Helper()
	taken, err := m.l.Take(t.Context(), incoming, func(context.Context, git.OID) (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// sound fails unless index, records and refs agree.
func (m *machines) sound(t *testing.T) {
	t.Helper()
	problems, err := m.l.Verify(t.Context())
	if err != nil || len(problems) > 0 {
		t.Errorf("Verify = %q, %v", problems, err)
	}
}

func TestWhatAnotherMachineRecordedIsTakenInAndStaysItsOwn(t *testing.T) {
	m := twoMachines(t)
	ctx := t.Context()
	before, err := m.l.Accepted(ctx)
	if err != nil {
		t.Fatal(err)
	}
	taken := m.take(t, m.incoming...)
	if len(taken.Rejected) > 0 || len(taken.Parts) != 2 {
		t.Fatalf("%+v", taken)
	}
	m.sound(t)
	if e, err := m.l.State(ctx, m.theirs.HeadStateID); err != nil || e.State.Kind != hop.KindProposal {
		t.Errorf("%+v, %v", e, err)
	}
	if now, err := m.l.Accepted(ctx); err != nil || now.State.ID != before.State.ID {
		t.Errorf("what is accepted there became accepted here: %v, %v", now.State.ID, err)
	}
	if _, found, _ := m.l.Session(ctx, "a", m.theirs.ID); found {
		t.Error("a session of another machine is bound here")
	}
	if _, found, _ := m.l.Remembered(ctx, "k"); found {
		t.Error("evidence of another machine answers for a run here")
	}
	machine, err := m.l.MachineOf(ctx, m.theirs.ID)
	if there, _ := m.other.Machine(ctx); err != nil || machine != there || machine == "" {
		t.Errorf("MachineOf = %q, %v", machine, err)
	}
	if own, err := m.l.MachineOf(ctx, m.own.ID); err != nil || own != "" {
		t.Errorf("our own attempt belongs to %q, %v", own, err)
	}
	_, err = m.l.Write(ctx, "checkpoint", func(tx *Tx) error {
		tx.About(m.theirs.ID)
		tx.State(m.here.state(hop.KindCheckpoint, m.theirs.TaskID, m.theirs.ID, hop.Parent{StateID: m.theirs.HeadStateID, Role: hop.RoleRunParent}), hop.Facts{})
		return nil
	})
	if !fault.Is(err, CodeForeign) {
		t.Errorf("writing in another machine's attempt: %v", err)
	}
	// Taking the same again is nothing, and what follows is all that comes next.
	if again := m.take(t, m.incoming...); len(again.Parts)+len(again.Rejected) > 0 {
		t.Errorf("%+v", again)
	}
	m.there.follow(t, m.other, &m.theirs, hop.KindCheckpoint)
	m.fetch(t)
	if more := m.take(t, m.incoming...); len(more.Parts) != 1 || more.Parts[0].Operations != 1 {
		t.Errorf("%+v", more)
	}
	m.here.follow(t, m.l, &m.own, hop.KindCheckpoint)
	m.sound(t)
	if problems, err := Rebuild(ctx, m.here.options); err != nil || len(problems) > 0 {
		t.Errorf("Rebuild = %q, %v", problems, err)
	}
	m.sound(t)
}

// forge puts a chain with a changed transaction of the attempt among the objects
// here and returns its tip.
func (m *machines) forge(t *testing.T, of string, change func(all []*Transaction)) git.OID {
	t.Helper()
	ctx := t.Context()
	var all []*Transaction
	var keep [][]git.OID
	for at := m.tip(of); at != ""; {
		one, err := readTransaction(ctx, m.l.Git, at)
		if err != nil {
			t.Fatal(err)
		}
		commit, err := m.l.Git.Commit(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		all, keep = append(all, one), append(keep, commit.Parents)
		at = git.OID(one.Prev)
	}
	slices.Reverse(all)
	slices.Reverse(keep)
	change(all)
	b := m.l.Git.NewBatch()
	tip := git.OID("")
	for i, one := range all {
		if one.Prev != "" || i > 0 {
			one.Prev = string(tip)
		}
		data, err := one.encode()
		if err != nil {
			t.Fatal(err)
		}
		tip = commitRecords(b, one, data, keep[i][min(i, 1):])
	}
	if err := b.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	return tip
}

func (m *machines) tip(name string) git.OID {
	for _, in := range m.incoming {
		if in.Name == name {
			return in.Tip
		}
	}
	return ""
}

func stateIn(t *Transaction) *hop.State {
	for _, r := range t.Records {
		if r.State != nil {
			return r.State
		}
	}
	return nil
}

// sealed gives a state the digest of what it now holds.
func sealed(s *hop.State) { s.Digest = s.Sum() }

func TestForgedRecordsAreNamedAndNothingOfThemIsTaken(t *testing.T) {
	m := twoMachines(t)
	ctx := t.Context()
	there, err := m.other.Machine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	here, err := m.l.Machine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	attempt, line := MachineRef(there, m.theirs.ID), MachineRef(there, "")
	stranger := hop.NewID(hop.PrefixEvent, m.here.options.Clock.Now())
	anotherAttempt := hop.NewID(hop.PrefixAttempt, m.here.options.Clock.Now())
	last := func(all []*Transaction) *Transaction { return all[len(all)-1] }
	cases := []struct {
		name, ref, of, why string
		change             func(all []*Transaction)
	}{
		{"digest", attempt, attempt, "digest", func(all []*Transaction) { stateIn(last(all)).Summary = "another" }},
		{"edge", attempt, attempt, "continues", func(all []*Transaction) {
			s := stateIn(last(all))
			s.Parents = append(s.Parents, hop.Parent{StateID: s.Parents[0].StateID, Role: hop.RoleRunParent, Order: 1})
			sealed(s)
		}},
		{"unknown parent", attempt, attempt, "unknown parent", func(all []*Transaction) {
			s := stateIn(last(all))
			s.Parents[0].StateID = "C_06H2QKJ033E4FZFW77FFDWG"
			sealed(s)
		}},
		{"tree", attempt, attempt, "another tree", func(all []*Transaction) {
			s := stateIn(last(all))
			s.SourceTree = strings.Repeat("1", len(s.SourceTree))
			sealed(s)
		}},
		{"commit", attempt, attempt, "cannot be read", func(all []*Transaction) {
			s := stateIn(last(all))
			s.GitCommit = strings.Repeat("1", len(s.GitCommit))
			sealed(s)
		}},
		{"our state again", attempt, attempt, "recorded already", func(all []*Transaction) {
			s := stateIn(all[0])
			s.ID = m.own.HeadStateID
			sealed(s)
		}},
		{"our operation again", attempt, attempt, "recorded already", func(all []*Transaction) { last(all).ID = here }},
		{"number out of order", attempt, attempt, "out of all order", func(all []*Transaction) { last(all).Seq = 1 << 62 }},
		{"number going back", attempt, attempt, "numbered higher", func(all []*Transaction) { all[0].Seq = last(all).Seq + 1 }},
		{"another attempt's state", attempt, attempt, "not part of", func(all []*Transaction) {
			s := stateIn(all[0])
			s.AttemptID = m.own.ID
			sealed(s)
		}},
		{"under our attempt's name", MachineRef(there, m.own.ID), attempt, "something else", func([]*Transaction) {}},
		{"our attempt", MachineRef(there, m.own.ID), attempt, "recorded already", func(all []*Transaction) {
			for _, one := range all {
				one.Attempt = m.own.ID
			}
		}},
		{"under another attempt's name", MachineRef(there, anotherAttempt), attempt, "something else", func([]*Transaction) {}},
		{"as ours", MachineRef(here, m.own.ID), attempt, "did not record", func([]*Transaction) {}},
		{"as our line", MachineRef(here, ""), line, "did not record", func([]*Transaction) {}},
		{"under another machine's name", MachineRef(stranger, ""), line, "names the machine", func([]*Transaction) {}},
		{"a machine without a line", MachineRef(stranger, m.theirs.ID), attempt, "is not there", func([]*Transaction) {}},
		{"outside of the namespace", "refs/heads/main", line, "no place", func([]*Transaction) {}},
		{"in our own namespace", "refs/hop/ledger/project", line, "no place", func([]*Transaction) {}},
		{"an attempt's state in the line", line, line, "among the transactions of the accepted line", func(all []*Transaction) {
			s := stateIn(last(all))
			s.ID, s.Kind = "C_"+s.ID[2:], hop.KindCheckpoint
			sealed(s)
			last(all).Records = slices.DeleteFunc(last(all).Records, func(r Record) bool { return r.Accepted != "" })
		}},
	}
	refs, err := m.l.Git.Refs(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := Incoming{c.ref, m.forge(t, c.of, c.change)}
			given := []Incoming{in}
			if c.ref != line && !strings.Contains(c.ref, stranger) {
				given = append(given, Incoming{line, m.tip(line)})
			}
			// The line rests on the attempt, so it cannot be taken in either.
			taken := m.take(t, given...)
			i := slices.IndexFunc(taken.Rejected, func(r Rejected) bool { return r.Ref == c.ref && strings.Contains(r.Reason, c.why) })
			if i < 0 {
				t.Errorf("it was not refused as %q: %+v", c.why, taken)
			}
			if len(taken.Parts) > 0 {
				t.Errorf("taken: %+v", taken.Parts)
			}
			m.sound(t)
		})
	}
	if after, err := m.l.Git.Refs(ctx, ""); err != nil || !slices.Equal(after, refs) {
		t.Errorf("refs changed: %v, %v", after, err)
	}
	if a, err := m.l.Attempt(ctx, m.own.ID); err != nil || a.HeadStateID != m.own.HeadStateID {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestAnotherProjectIsRefusedAsAWhole(t *testing.T) {
	m := twoMachines(t)
	taken, err := m.l.Take(t.Context(), m.incoming, func(context.Context, git.OID) (bool, error) { return false, nil })
	if err != nil || len(taken.Parts) > 0 || len(taken.Rejected) != 2 {
		t.Errorf("%+v, %v", taken, err)
	}
	m.sound(t)
}

func TestWhatWasSharedIsContinuedOrRefused(t *testing.T) {
	m := twoMachines(t)
	there, err := m.other.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := MachineRef(there, m.theirs.ID)
	m.take(t, m.incoming...)
	rewritten := m.forge(t, name, func(all []*Transaction) { all[0].Verb = "begin" })
	taken := m.take(t, Incoming{name, rewritten})
	if len(taken.Rejected) != 1 || len(taken.Parts) > 0 {
		t.Errorf("%+v", taken)
	}
	// What stood there before is no step back: it is known.
	if taken := m.take(t, Incoming{name, m.tip(name)}); len(taken.Rejected)+len(taken.Parts) > 0 {
		t.Errorf("%+v", taken)
	}
	m.sound(t)
}

// What another machine says of our own things does not count, whatever it says.
func TestAnotherMachineCannotChangeWhatIsOurs(t *testing.T) {
	m := twoMachines(t)
	ctx := t.Context()
	there, err := m.other.Machine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m.here.follow(t, m.l, &m.own, hop.KindCheckpoint)
	entries, err := m.l.ChecksAbout(ctx, m.own.HeadStateID)
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	check := entries[0]
	name, line := MachineRef(there, m.theirs.ID), MachineRef(there, "")
	tip := m.forge(t, name, func(all []*Transaction) {
		worse := m.own
		worse.HeadStateID, worse.Status, worse.Workspace = m.theirs.HeadStateID, hop.StatusAccepted, "workspaces/"+m.own.ID
		lie := check
		lie.ExitCode, lie.ID = 7, hop.NewID(hop.PrefixEvidence, m.here.options.Clock.Now())
		one := all[len(all)-1]
		one.Records = append(one.Records,
			Record{Attempt: &worse},
			Record{Task: &hop.Task{ID: m.own.TaskID, Title: "taken", Status: hop.StatusAccepted}},
			Record{Facts: &StateFacts{StateID: m.own.HeadStateID, Facts: hop.Facts{Origin: hop.OriginExternal}}},
			Record{Session: &Session{Agent: "a", ID: m.own.ID, Attempt: m.theirs.ID, State: m.theirs.HeadStateID}},
			Record{Completion: &hop.Completion{StateID: m.own.HeadStateID, FinalResponse: "done"}},
			Record{Check: &lie})
	})
	taken := m.take(t, Incoming{name, tip}, Incoming{line, m.tip(line)})
	if len(taken.Rejected) > 0 {
		t.Fatalf("%+v", taken)
	}
	if a, err := m.l.Attempt(ctx, m.own.ID); err != nil || a != m.own {
		t.Errorf("%+v, %v", a, err)
	}
	if task, err := m.l.Task(ctx, m.own.TaskID); err != nil || task.Title != "work" {
		t.Errorf("%+v, %v", task, err)
	}
	if e, err := m.l.State(ctx, m.own.HeadStateID); err != nil || e.Facts.Origin != "" {
		t.Errorf("%+v, %v", e, err)
	}
	if s, found, err := m.l.Session(ctx, "a", m.own.ID); err != nil || !found || s.Attempt != m.own.ID {
		t.Errorf("%+v, %v", s, err)
	}
	if _, found, err := m.l.Completion(ctx, m.own.HeadStateID); err != nil || found {
		t.Errorf("a completion of ours: %v", err)
	}
	if checks, err := m.l.ChecksOf(ctx, m.own.ID, check.TreeHash); err != nil || len(checks) != 1 || checks[0].ExitCode != 0 {
		t.Errorf("%+v, %v", checks, err)
	}
	m.sound(t)
}

func TestATakeThatWasCutShortIsFinishedByTheNextCommand(t *testing.T) {
	m := twoMachines(t)
	ctx := t.Context()
	var updates []git.RefUpdate
	for _, in := range m.incoming {
		updates = append(updates, git.RefUpdate{Name: in.Name, New: in.Tip})
	}
	if _, err := m.l.db.ExecContext(ctx, `INSERT INTO intents(id, ref, old, new, accepted) VALUES(?,?,'','','')`, machinesPrefix, machinesPrefix); err != nil {
		t.Fatal(err)
	}
	if err := m.l.Git.UpdateRefs(ctx, updates); err != nil {
		t.Fatal(err)
	}
	if err := m.l.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if m.l, err = Open(ctx, m.here.options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.l.Close() })
	m.sound(t)
	if _, err := m.l.State(ctx, m.theirs.HeadStateID); err != nil {
		t.Error(err)
	}
}

func FuzzParseMachineRef(f *testing.F) {
	f.Add("refs/hop/ledger/machines/E_06H2QKHZKNWQZ6PHQ0MHQ70/project")
	f.Add("refs/hop/ledger/machines/E_06H2QKHZKNWQZ6PHQ0MHQ70/attempts/AT_06H2QKHZQHT8Z4RKPYD06DG")
	f.Add("refs/hop/ledger/machines/../project")
	f.Fuzz(func(t *testing.T, name string) {
		machine, attempt, ok := ParseMachineRef(name)
		if ok && MachineRef(machine, attempt) != name {
			t.Errorf("%q was read as %q, %q", name, machine, attempt)
		}
	})
}

func TestFilesForTheProjectsOwnFolderAreNotTakenIn(t *testing.T) {
	for _, name := range []string{".hop", ".HOP"} {
		m := twoMachines(t)
		repo := m.there.options.Git
		batch := repo.NewBatch()
		inner := batch.Tree([]git.Entry{{Mode: git.ModeFile, Name: "config.toml", ID: batch.Blob([]byte("[setup]\n"))}})
		m.there.tree = batch.Tree([]git.Entry{{Mode: git.ModeTree, Name: name, ID: inner}})
		m.there.commit = batch.Commit(git.Commit{Tree: m.there.tree, Author: git.Signature{Name: "n", Email: "e"}, Committer: git.Signature{Name: "n", Email: "e"}, Message: "m\n"})
		if err := batch.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		theirs := m.there.prompt(t, m.other)
		m.there.follow(t, m.other, &theirs, hop.KindCheckpoint)
		m.fetch(t)
		taken := m.take(t, m.incoming...)
		if len(taken.Rejected) != 1 || !strings.Contains(taken.Rejected[0].Reason, "own folder") || !strings.HasSuffix(taken.Rejected[0].Ref, theirs.ID) {
			t.Errorf("%s: %+v", name, taken.Rejected)
		}
		m.sound(t)
	}
}
