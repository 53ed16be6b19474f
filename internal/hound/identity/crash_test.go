package identity

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

const modelRoot = "/home/identity"

// counter is a source of bytes that never repeats itself.
type counter struct{ n uint64 }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c.n>>(8*(i%8))) ^ byte(i*31)
	}
	c.n++
	return len(p), nil
}

func on(m *model, random io.Reader) Options { return Options{system: m, Random: random} }

// state is what a store holds, as text: its identity.json, or nothing.
func state(s *Store) string {
	data, err := s.identity.encode()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

const nothing = "no identity"

// act is a change under test, from a state to another.
type act struct {
	name    string
	prepare func(t *testing.T, m *model)
	run     func(o Options) error
}

func inStore(change func(*Store) error) func(Options) error {
	return func(o Options) error {
		s, err := Open(modelRoot, o)
		if err != nil {
			return err
		}
		err = change(s)
		if closed := s.Close(); closed != nil {
			return closed
		}
		return err
	}
}

// acts are all ways to change a store.
func acts() []act {
	empty := func(*testing.T, *model) {}
	made := func(t *testing.T, m *model) {
		t.Helper()
		o := on(m, &counter{n: 1})
		s, err := Create(modelRoot, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Rotate(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return []act{
		{"create", empty, func(o Options) error {
			s, err := Create(modelRoot, o)
			if err != nil {
				return err
			}
			return s.Close()
		}},
		{"rotate", made, inStore((*Store).Rotate)},
		{"retire", made, inStore(func(s *Store) error {
			for _, kid := range s.identity.ids() {
				if kid != s.identity.active {
					return s.Retire(kid)
				}
			}
			return errors.New("no key to retire")
		})},
		{"roll", made, inStore((*Store).Roll)},
	}
}

// reopened is what a new process finds, after recovery.
func reopened(t *testing.T, m *model) string {
	t.Helper()
	s, err := Open(modelRoot, on(m, &counter{n: 1 << 40}))
	if fault.Is(err, CodeMissing) {
		return nothing
	}
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer func() { _ = s.Close() }()
	service := m.folder(modelRoot + "/service")
	for name := range service.names {
		if name != lockName && name != identityName {
			t.Errorf("recovery left %q", role(name))
		}
	}
	return state(s)
}

// judged remembers what was found for a state of the file system: most calls
// change none, so that few states are different.
type judged map[string]string

// found is what a new process finds, and every one after it, whenever the power
// fails.
func (j judged) found(t *testing.T, m *model) string {
	t.Helper()
	key := m.signature()
	if got, known := j[key]; known {
		return got
	}
	got := reopened(t, m)
	for _, later := range cuts(m) {
		if again := reopened(t, later); again != got {
			t.Errorf("what was loaded is lost with the power: %s, then %s", got, again)
		}
	}
	j[key] = got
	return got
}

// attempt runs an act with trouble at a call and says how it ended.
func attempt(a act, m *model, trouble func(int, string) (bool, error)) (died bool, err error) {
	m.trouble = trouble
	defer func() {
		if p := recover(); p != nil {
			if _, ours := p.(killed); !ours {
				panic(p)
			}
			died = true
		}
		m.trouble = nil
	}()
	return false, a.run(on(m, &counter{n: 1 << 20}))
}

// scene is an act with what is before and after it, and its calls.
type scene struct {
	act
	start    *model
	old, new string
	calls    []string
	judged   judged
}

func scenes(t *testing.T) []scene {
	t.Helper()
	var list []scene
	for _, a := range acts() {
		m := newModel()
		a.prepare(t, m)
		s := scene{act: a, start: m.copy(), judged: judged{}}
		s.old = reopened(t, m.copy())
		m.restart()
		if err := a.run(on(m, &counter{n: 1 << 20})); err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		s.calls = m.calls
		s.new = reopened(t, m.copy())
		if s.new == s.old || s.new == nothing {
			t.Fatalf("%s changes nothing", a.name)
		}
		list = append(list, s)
	}
	return list
}

func TestAnErrorAtAnyCallLeavesTheOldIdentityOrTheNewOne(t *testing.T) {
	for _, s := range scenes(t) {
		for n := range s.calls {
			for _, number := range []syscall.Errno{syscall.EIO, syscall.ENOSPC} {
				for _, late := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%d %s/%v/late=%v", s.name, n, s.calls[n], number, late), func(t *testing.T) {
						m := s.start.copy()
						_, err := attempt(s.act, m, func(i int, _ string) (bool, error) {
							if i == n+1 {
								return late, number
							}
							return false, nil
						})
						s.judge(t, m, err)
					})
				}
			}
		}
	}
}

// judge opens what an attempt left, as it is and after a power cut.
func (s scene) judge(t *testing.T, m *model, err error) {
	t.Helper()
	for _, after := range append(cuts(m), m.copy()) {
		got := s.judged.found(t, after)
		if got != s.old && got != s.new {
			t.Errorf("neither old nor new: %s", got)
		}
		if err == nil && got != s.new {
			t.Error("a change that was acknowledged is lost")
		}
	}
}

// cuts are the states that a power cut can leave.
func cuts(m *model) []*model {
	var list []*model
	for keep := range 1 << m.changes() {
		list = append(list, m.powerCut(keep))
	}
	return list
}

func TestADeathAtAnyCallLeavesTheOldIdentityOrTheNewOne(t *testing.T) {
	for _, s := range scenes(t) {
		for n := range s.calls {
			t.Run(fmt.Sprintf("%s/%d %s", s.name, n, s.calls[n]), func(t *testing.T) {
				m := s.start.copy()
				died, _ := attempt(s.act, m, dieAt(n+1))
				if !died {
					t.Fatal("the process lived on")
				}
				s.judge(t, m, errors.New("died"))
			})
		}
	}
}

func dieAt(n int) func(int, string) (bool, error) {
	return func(i int, _ string) (bool, error) {
		if i == n {
			panic(killed{})
		}
		return false, nil
	}
}

// Recovery itself may be cut off, fail, or lose its power, at any of its calls.
func TestATroubledRecoveryLeavesTheOldIdentityOrTheNewOne(t *testing.T) {
	open := act{run: inStore(func(*Store) error { return nil })}
	for _, s := range scenes(t) {
		t.Run(s.name, func(t *testing.T) {
			seen := map[string]bool{}
			for n := range s.calls {
				m := s.start.copy()
				attempt(s.act, m, dieAt(n+1))
				for _, left := range append(cuts(m), m.copy()) {
					if key := left.signature(); !seen[key] {
						seen[key] = true
						s.troubleRecovery(t, open, left)
					}
				}
			}
		})
	}
}

func (s scene) troubleRecovery(t *testing.T, open act, left *model) {
	t.Helper()
	for k := 1; ; k++ {
		reached := false
		for _, how := range []string{"death", "before", "after"} {
			m := left.copy()
			attempt(open, m, func(i int, _ string) (bool, error) {
				if i != k {
					return false, nil
				}
				reached = true
				if how == "death" {
					panic(killed{})
				}
				return how == "after", syscall.EIO
			})
			s.judge(t, m, errors.New("cut off"))
		}
		if !reached {
			return
		}
	}
}

// A double that keeps everything could not show a missing sync. This one must:
// without the folder's syncs, acknowledged changes get lost.
func TestTheDoubleForgetsWhatWasNotSynced(t *testing.T) {
	for _, what := range []string{"fsync file", "fsync folder"} {
		lost := 0
		for _, s := range scenes(t) {
			m := s.start.copy()
			forgetful := &forgetful{model: m, what: what}
			if err := s.run(Options{system: forgetful, Random: &counter{n: 1 << 20}}); err != nil {
				t.Fatal(err)
			}
			after := m.powerCut(0)
			if what == "fsync file" {
				after = m.powerCut(1<<m.changes() - 1)
			}
			store, err := Open(modelRoot, on(after, &counter{n: 1 << 40}))
			if err != nil || state(store) != s.new {
				lost++
			}
		}
		if lost == 0 {
			t.Errorf("without %q nothing is lost", what)
		}
	}
}

// forgetful is a system whose syncs of one kind do nothing.
type forgetful struct {
	*model
	what string
}

func (f *forgetful) sync(h handle) error {
	if f.of(h).kind == folder == (f.what == "fsync folder") {
		return nil
	}
	return f.model.sync(h)
}

// The order is the claim: content before names, a sync of the folder after each
// name, the marker first and last.
func TestStepsComeInTheOrderThatSurvivesACrash(t *testing.T) {
	draft := "tmpfile, fchmod, write, fsync file"
	named := func(role string) string { return "link " + role + ", fsync folder" }
	gone := func(role string) string { return "move " + role + ", unlink trash." + role + ", fsync folder" }
	want := map[string][]string{
		"create": {
			draft, draft, named("marker"), named("new"), named("identity.json"), gone("new"), gone("marker"),
		},
		"rotate": {
			draft, draft, named("marker"), named("new"), named("old"), named("swap"),
			"exchange swap identity.json, fsync folder",
			gone("old"), gone("swap"), gone("new"), gone("marker"),
		},
	}
	for _, s := range scenes(t) {
		if want[s.name] == nil {
			continue
		}
		var writes []string
		for _, call := range s.calls {
			switch strings.Fields(call)[0] {
			case "tmpfile", "fchmod", "write", "fsync", "link", "move", "unlink", "exchange":
				writes = append(writes, call)
			}
		}
		if s.name == "create" { // the folders and the lock come first
			from := slices.Index(writes, "link lock")
			writes = writes[from+2:]
		}
		if got, want := strings.Join(writes, ", "), strings.Join(want[s.name], ", "); got != want {
			t.Errorf("%s\n got %s\nwant %s", s.name, got, want)
		}
	}
}

// A clean store is loaded without a single call that writes: what publication
// needs is not asked for before.
func TestALoadOfACleanStoreWritesNothing(t *testing.T) {
	m := newModel()
	acts()[1].prepare(t, m)
	m.noExchange, m.noMove, m.noTmpfile, m.noEmptyPath = syscall.ENOSYS, syscall.ENOSYS, syscall.ENOSYS, syscall.ENOSYS
	m.restart()
	s, err := Open(modelRoot, on(m, &counter{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if s.Recovered() != RecoveredNothing {
		t.Errorf("recovered %q", s.Recovered())
	}
	for _, call := range m.calls {
		switch strings.Fields(call)[0] {
		case "opendir", "open", "fstat", "stat", "file", "getdents", "read", "flock":
		default:
			t.Errorf("a load calls %q", call)
		}
	}
}

func TestTheVectorIsReadAndWrittenByteForByte(t *testing.T) {
	text := goodIdentity
	id, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := id.encode(); err != nil || string(again) != text {
		t.Errorf("written as %s, %v", again, err)
	}
	key, err := id.key(id.active)
	if err != nil || key.Name() != "k-202122232425262728292a2b" {
		t.Errorf("the active key is %v, %v", key, err)
	}
	seed := make([]byte, 32)
	for i := range seed {
		seed[i] = byte(0x30 + i)
	}
	if want, err := seal.NewKey(key.Name(), seed); err != nil || want.Public() != key.Public() {
		t.Errorf("the public key is %s, %v", key.Public(), err)
	}
}
