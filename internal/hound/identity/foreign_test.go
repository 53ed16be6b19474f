package identity

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bridle/internal/kernel/fault"
)

const intruder = "intruder"

// made is a model with a store that has two keys.
func made(t *testing.T) *model {
	t.Helper()
	m := newModel()
	acts()[1].prepare(t, m)
	m.restart()
	return m
}

// halfway is a model in which a rotation died before its n-th call of a kind.
func halfway(t *testing.T, call string) *model {
	t.Helper()
	m := made(t)
	died, _ := attempt(acts()[1], m, func(_ int, made string) (bool, error) {
		if made == call {
			panic(killed{})
		}
		return false, nil
	})
	if !died {
		t.Fatalf("a rotation makes no call %q", call)
	}
	return m.copy()
}

func (m *model) service() *node { return m.folder(modelRoot + "/service") }

// put gives a name to a new node, durably.
func (m *model) put(name string, n node) uint64 {
	ino := m.make(n)
	m.service().names[name] = ino
	m.inodes[ino].settle()
	m.service().settle()
	return ino
}

func (m *model) plant(name, data string) uint64 {
	return m.put(name, node{uid: m.uid, kind: file, mode: 0o600, data: []byte(data)})
}

func (m *model) holds(data string) bool {
	for _, ino := range m.service().names {
		if string(m.inodes[ino].data) == data {
			return true
		}
	}
	return false
}

// byRole finds the name of a role in an unfinished change.
func (m *model) byRole(want string) string {
	for name := range m.service().names {
		if role(name) == want {
			return name
		}
	}
	return ""
}

func opened(m *model) error {
	s, err := Open(modelRoot, on(m, &counter{n: 1 << 40}))
	if err != nil {
		return err
	}
	return s.Close()
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("got %v (code %q), want the code %q", err, fault.CodeOf(err), code)
	}
}

// Whenever somebody replaces identity.json while it changes, theirs is kept and
// never loaded.
func TestAForeignReplacementIsKeptAsEvidenceAndNeverLoaded(t *testing.T) {
	for _, s := range scenes(t) {
		if s.name == "create" {
			continue
		}
		for n := range s.calls {
			t.Run(fmt.Sprintf("%s/%d %s", s.name, n, s.calls[n]), func(t *testing.T) {
				m := s.start.copy()
				_, err := attempt(s.act, m, func(i int, _ string) (bool, error) {
					if i == n+1 {
						m.plant(identityName, intruder)
					}
					return false, nil
				})
				if err == nil && n < len(s.calls)-1 {
					t.Error("nobody noticed")
				}
				m.restart()
				for range 2 { // a second opening must not be fooled either
					err := opened(m)
					if !fault.Is(err, CodeBad) && !fault.Is(err, CodeQuarantined) && !fault.Is(err, CodeTampered) {
						t.Errorf("opened with %v", err)
					}
				}
				if !m.holds(intruder) {
					t.Error("the evidence is gone")
				}
				s.removeEvidence(t, m)
			})
		}
	}
}

// removeEvidence is what a person does; then old or new is back, or the store
// says that it cannot tell.
func (s scene) removeEvidence(t *testing.T, m *model) {
	t.Helper()
	for name := range maps.Clone(m.service().names) {
		if isQuarantine(name) {
			delete(m.service().names, name)
			m.service().settle()
		}
	}
	store, err := Open(modelRoot, on(m, &counter{n: 1 << 41}))
	if err != nil {
		if !fault.Is(err, CodeBad) && !fault.Is(err, CodeTampered) {
			t.Errorf("opened with %v", err)
		}
		return
	}
	if got := state(store); got != s.old && got != s.new {
		t.Errorf("neither old nor new: %s", got)
	}
	_ = store.Close()
}

func TestAFileThatWasExchangedOutIsPutAside(t *testing.T) {
	m := made(t)
	_, err := attempt(acts()[1], m, func(_ int, call string) (bool, error) {
		if call == "exchange swap identity.json" {
			m.plant(identityName, intruder)
		}
		return false, nil
	})
	wantCode(t, err, CodeQuarantined)
	m.restart()
	wantCode(t, opened(m), CodeQuarantined)
	for name, ino := range m.service().names {
		if string(m.inodes[ino].data) == intruder && !isQuarantine(name) {
			t.Errorf("it lies at %q", name)
		}
	}
}

func TestLeftoversOfNamedFilesCloseTheStoreUntilAPersonRemovesThem(t *testing.T) {
	m := made(t)
	m.plant(leftoverPrefix+"xyz", intruder)
	wantCode(t, checkedRest(m), CodePending)
	for range 3 {
		wantCode(t, opened(m), CodeQuarantined)
	}
	if !m.holds(intruder) || m.service().names[leftoverPrefix+"xyz"] != 0 {
		t.Error("it was not moved aside")
	}
	wantCode(t, checkedRest(m), CodeQuarantined)
	for name := range maps.Clone(m.service().names) {
		if isQuarantine(name) {
			delete(m.service().names, name)
		}
	}
	if err := opened(m); err != nil {
		t.Error(err)
	}
}

func checkedRest(m *model) error {
	s, err := Look(modelRoot, on(m, nil))
	if err != nil {
		return err
	}
	return s.Close()
}

func TestLookingChangesNothing(t *testing.T) {
	m := halfway(t, "exchange swap identity.json")
	before := m.signature()
	wantCode(t, checkedRest(m), CodePending)
	if m.signature() != before {
		t.Error("looking changed the store")
	}
}

func TestWhatDoesNotBelongToTheStoreRefusesIt(t *testing.T) {
	tx := strings.Repeat("0", 32)
	for name, plant := range map[string]func(*model){
		"an unknown name":            func(m *model) { m.plant("notes", "x") },
		"a hidden name":              func(m *model) { m.plant(".identity", "x") },
		"a quarantine's likeness":    func(m *model) { m.plant(quarantinePrefix+"x", "x") },
		"an odd transaction":         func(m *model) { m.plant(txPrefix+tx+".more", "x") },
		"a short transaction":        func(m *model) { m.plant(txPrefix+"00.json", "x") },
		"a witness without a marker": func(m *model) { m.plant(nameOf(tx, roleNew), "x") },
		"an empty marker":            func(m *model) { m.plant(nameOf(tx, roleMarker), "") },
		"two transactions": func(m *model) {
			m.plant(nameOf(tx, roleMarker), "x")
			m.plant(nameOf(strings.Repeat("1", 32), roleMarker), "x")
		},
		"a hundred names": func(m *model) {
			for i := range 100 {
				m.plant(fmt.Sprintf("%s%d", leftoverPrefix, i), "x")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := made(t)
			plant(m)
			before := m.signature()
			wantCode(t, opened(m), CodeTampered)
			if m.signature() != before {
				t.Error("the store was changed")
			}
		})
	}
}

// Each of these is done to a change that died just before its exchange.
func TestAChangedWitnessRefusesRecovery(t *testing.T) {
	reoccupy := func(role string) func(*model) {
		return func(m *model) {
			twin := *m.inodes[m.service().names[m.byRole(role)]]
			m.put(m.byRole(role), twin)
		}
	}
	for name, change := range map[string]func(*model){
		"the marker is a copy":       reoccupy(roleMarker),
		"the new witness is a copy":  reoccupy(roleNew),
		"the old witness is a copy":  reoccupy(roleOld),
		"the swap is a copy":         reoccupy(roleSwap),
		"the new bytes were changed": func(m *model) { m.inodes[m.service().names[m.byRole(roleNew)]].data[20] ^= 1 },
		"the mode was changed":       func(m *model) { m.inodes[m.service().names[m.byRole(roleNew)]].mode = 0o644 },
		"the marker was edited": func(m *model) {
			n := m.inodes[m.service().names[m.byRole(roleMarker)]]
			n.data = []byte(strings.Replace(string(n.data), `"kind":"replace"`, `"kind":"create"`, 1))
		},
		"the marker is readable by others": func(m *model) { m.inodes[m.service().names[m.byRole(roleMarker)]].mode = 0o640 },
		"the old witness is a link":        func(m *model) { m.put(m.byRole(roleOld), node{uid: m.uid, kind: other}) },
		"the new witness is a folder": func(m *model) {
			m.put(m.byRole(roleNew), node{uid: m.uid, kind: folder, names: map[string]uint64{}})
		},
		"the new file has a name elsewhere": func(m *model) {
			m.folder("/home").names["stolen"] = m.service().names[m.byRole(roleNew)]
		},
		"the old file has a name elsewhere": func(m *model) {
			m.folder("/home").names["stolen"] = m.service().names[identityName]
		},
		"a role is there twice": func(m *model) {
			name := m.byRole(roleNew)
			m.service().names[strings.Replace(name, ".new", ".trash.new", 1)] = m.service().names[name]
		},
		"the marker went first": func(m *model) {
			name := m.byRole(roleMarker)
			m.service().names[strings.Replace(name, ".json", ".trash.marker", 1)] = m.service().names[name]
			delete(m.service().names, name)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := halfway(t, "exchange swap identity.json")
			change(m)
			names := slices.Sorted(maps.Keys(m.service().names))
			err := opened(m)
			if !fault.Is(err, CodeTampered) && !fault.Is(err, durableLoop) {
				t.Errorf("opened with %v (code %q)", err, fault.CodeOf(err))
			}
			if !slices.Equal(names, slices.Sorted(maps.Keys(m.service().names))) {
				t.Error("something was moved or removed")
			}
		})
	}
}

// durableLoop is what the double says of a link.
const durableLoop = CodeInsecure

func TestACopyOfAStoreIsGoodOnlyIfMadeAtRest(t *testing.T) {
	duplicate := func(m *model) *model {
		c := m.copy()
		twins := map[uint64]uint64{}
		for name, ino := range maps.Clone(c.service().names) {
			twin, known := twins[ino]
			if !known {
				twin = c.make(*c.inodes[ino])
				twins[ino] = twin
			}
			c.service().names[name] = twin
		}
		return c
	}
	if err := opened(duplicate(made(t))); err != nil {
		t.Errorf("a copy made at rest: %v", err)
	}
	wantCode(t, opened(duplicate(halfway(t, "exchange swap identity.json"))), CodeTampered)
}

// File systems may get another number when the machine starts again.
func TestRecoveryWorksWhenTheFileSystemHasAnotherNumber(t *testing.T) {
	for _, call := range []string{"link new", "exchange swap identity.json", "move marker"} {
		m := halfway(t, call)
		m.dev++
		if err := opened(m); err != nil {
			t.Errorf("before %q: %v", call, err)
		}
	}
}

func TestAnIdentityThatIsGoneComesBackFromItsWitness(t *testing.T) {
	rotated := scenes(t)[1]
	for call, want := range map[string]string{
		"link swap":                   rotated.old,
		"exchange swap identity.json": rotated.old,
		"move old":                    rotated.new,
		"move swap":                   rotated.new,
	} {
		m := rotated.start.copy()
		_, _ = attempt(rotated.act, m, func(_ int, c string) (bool, error) {
			if c == call {
				panic(killed{})
			}
			return false, nil
		})
		m = m.copy()
		delete(m.service().names, identityName)
		if got := reopened(t, m); got != want {
			t.Errorf("before %q: %s", call, got)
		}
	}
	m := halfway(t, "link old")
	delete(m.service().names, identityName)
	wantCode(t, opened(m), CodeTampered)
}

func TestAnUncertainChangeClosesTheStoreUntilItIsOpenedAnew(t *testing.T) {
	for _, call := range []string{"link marker", "link swap", "exchange swap identity.json", "move old", "unlink trash.marker"} {
		for _, late := range []bool{false, true} {
			m := made(t)
			s, err := Open(modelRoot, on(m, &counter{n: 1 << 30}))
			if err != nil {
				t.Fatal(err)
			}
			m.trouble = func(_ int, c string) (bool, error) {
				if c == call {
					return late, syscall.EIO
				}
				return false, nil
			}
			if err := s.Rotate(); !errors.Is(err, syscall.EIO) || len(fault.From(err).Next) == 0 {
				t.Errorf("%s: %v", call, err)
			}
			m.trouble = nil
			for _, err := range uses(s) {
				wantCode(t, err, CodeUncertain)
			}
			_ = s.Close()
			for _, err := range uses(s) {
				wantCode(t, err, CodeClosed)
			}
			if err := opened(m); err != nil {
				t.Errorf("%s: %v", call, err)
			}
		}
	}
}

// Before the first name is given nothing has happened, and the store goes on.
func TestAFailureBeforeTheFirstNameChangesNothing(t *testing.T) {
	for _, call := range []string{"tmpfile", "fchmod", "write", "fsync file"} {
		m := made(t)
		s, err := Open(modelRoot, on(m, &counter{n: 1 << 30}))
		if err != nil {
			t.Fatal(err)
		}
		before := state(s)
		m.trouble = func(_ int, c string) (bool, error) {
			if c == call {
				return false, syscall.ENOSPC
			}
			return false, nil
		}
		if err := s.Rotate(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v", call, err)
		}
		m.trouble = nil
		if _, err := s.Key(); err != nil || state(s) != before {
			t.Errorf("%s: the store is not as it was: %v", call, err)
		}
		if err := s.Rotate(); err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func TestLinkingGoesByTheHeldFileAndThroughProcfsOnlyWhereTheKernelRefuses(t *testing.T) {
	rotate := func(m *model) error { return acts()[1].run(on(m, &counter{n: 1 << 30})) }
	for _, number := range []error{syscall.ENOENT, syscall.EPERM} {
		m := made(t)
		m.noEmptyPath = number
		if err := rotate(m); err != nil {
			t.Errorf("%v: %v", number, err)
		}
		if !slices.Contains(m.calls, "link by procfs marker") {
			t.Errorf("%v: procfs was not used", number)
		}
		direct := slices.Index(m.calls, "link marker")
		if open := slices.Index(m.calls, "open procfs"); open < direct || m.calls[open+1] != "stat procfs" {
			t.Errorf("%v: %q", number, m.calls)
		}
	}
	for _, number := range []error{syscall.EIO, syscall.EACCES, syscall.EINVAL, syscall.ENOSYS, syscall.EXDEV, syscall.EMLINK} {
		m := made(t)
		m.noEmptyPath = number
		if err := rotate(m); err == nil || slices.Contains(m.calls, "open procfs") {
			t.Errorf("%v: %v, procfs used: %v", number, err, slices.Contains(m.calls, "open procfs"))
		}
	}
	m := made(t)
	m.noEmptyPath, m.procLies = syscall.ENOENT, true
	wantCode(t, rotate(m), CodeTampered)
	if slices.Contains(m.calls, "link by procfs marker") {
		t.Error("a wrong entry was linked")
	}
}

func TestWhatTheSystemLacksIsUnavailable(t *testing.T) {
	for name, lack := range map[string]func(*model){
		"O_TMPFILE, by file system": func(m *model) { m.noTmpfile = syscall.EOPNOTSUPP },
		"O_TMPFILE, by kernel":      func(m *model) { m.noTmpfile = syscall.EISDIR },
		"linkat and procfs":         func(m *model) { m.noEmptyPath, m.noProc = syscall.ENOENT, syscall.ENOENT },
		"procfs is another thing":   func(m *model) { m.noEmptyPath, m.noProc = syscall.EPERM, syscall.ENOSYS },
		"linkat with an empty path": func(m *model) { m.noEmptyPath = syscall.EINVAL },
		"exchange, by kernel":       func(m *model) { m.noExchange = syscall.ENOSYS },
		"exchange, by file system":  func(m *model) { m.noExchange = syscall.EINVAL },
		"no-replace":                func(m *model) { m.noMove = syscall.EINVAL },
		"flock":                     func(m *model) { m.noFlock = syscall.ENOLCK },
		"sync of a folder": func(m *model) {
			m.trouble = func(_ int, call string) (bool, error) {
				if call == "fsync folder" {
					return false, syscall.EINVAL
				}
				return false, nil
			}
		},
		"the name of the file system": func(m *model) {
			m.trouble = func(_ int, call string) (bool, error) {
				if call == "file system" {
					return false, syscall.ENOENT
				}
				return false, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := made(t)
			lack(m)
			wantCode(t, acts()[1].run(on(m, &counter{n: 1 << 30})), CodeUnavailable)
			before := scenes(t)[1].old
			if got := reopened(t, m.copyWithEverything()); got != before && name != "no-replace" {
				t.Errorf("the identity is not the old one: %s", got)
			}
		})
	}
	m := made(t)
	_, err := Open(modelRoot, on(m, &counter{}))
	if err != nil {
		t.Error(err)
	}
	if err := acts()[1].run(on(made(t), broken{})); !fault.Is(err, CodeUnavailable) {
		t.Errorf("without a random source: %v", err)
	}
}

// copyWithEverything is the store on a system that can do everything.
func (m *model) copyWithEverything() *model {
	c := m.copy()
	c.noTmpfile, c.noEmptyPath, c.noProc, c.noExchange, c.noMove, c.noFlock = nil, nil, nil, nil, nil, nil
	return c
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestCreationRefusesWhereAnIdentityIs(t *testing.T) {
	m := made(t)
	before := m.signature()
	_, err := Create(modelRoot, on(m, &counter{n: 9}))
	wantCode(t, err, CodeExists)
	if m.signature() != before {
		t.Error("it changed the store")
	}
}

// Whoever gives a file of a change another name, while it goes on, could change
// it later by that name.
func TestAFileThatGetsANameElsewhereMeanwhileIsRefused(t *testing.T) {
	for _, c := range []struct{ call, role string }{
		{"link old", roleNew},
		{"link swap", roleNew},
		{"link swap", roleOld},
		{"exchange swap identity.json", roleSwap},
		{"move old", roleNew},
		{"move swap", roleNew},
		{"move marker", identityName},
	} {
		t.Run(c.call+" "+c.role, func(t *testing.T) {
			m := made(t)
			_, err := attempt(acts()[1], m, func(_ int, call string) (bool, error) {
				if call == c.call {
					name := c.role
					if name != identityName {
						name = m.byRole(c.role)
					}
					m.folder("/home").names["elsewhere"] = m.service().names[name]
				}
				return false, nil
			})
			wantCode(t, err, CodeTampered)
		})
	}
}

func TestWhateverKindOfThingReplacesTheIdentityIsPutAside(t *testing.T) {
	for name, foreign := range map[string]node{
		"a link":          {kind: other},
		"a folder":        {kind: folder, mode: 0o700, names: map[string]uint64{}},
		"a file":          {kind: file, mode: 0o600, data: []byte(intruder)},
		"another's file":  {kind: file, mode: 0o600, uid: 5},
		"an identity":     {kind: file, mode: 0o600, data: []byte(goodIdentity)},
		"the same inside": {kind: file, mode: 0o600},
	} {
		t.Run(name, func(t *testing.T) {
			m := halfway(t, "exchange swap identity.json")
			if foreign.uid == 0 {
				foreign.uid = m.uid
			}
			if name == "the same inside" {
				foreign.data = m.inodes[m.service().names[identityName]].data
			}
			ino := m.put(identityName, foreign)
			wantCode(t, opened(m), CodeQuarantined)
			for name, at := range m.service().names {
				if at == ino && !isQuarantine(name) {
					t.Errorf("it lies at %q", name)
				}
			}
		})
	}
}

// What is removed is what was looked at: a file that somebody puts in the place
// of a witness at the last moment stays.
func TestAForeignFileInThePlaceOfAWitnessIsNotRemoved(t *testing.T) {
	for _, role := range []string{roleOld, roleSwap, roleNew, roleMarker} {
		t.Run(role, func(t *testing.T) {
			m := made(t)
			_, err := attempt(acts()[1], m, func(_ int, call string) (bool, error) {
				if call == "move "+role {
					m.plant(m.byRole(role), intruder)
				}
				return false, nil
			})
			wantCode(t, err, CodeTampered)
			m.restart()
			for range 2 {
				wantCode(t, opened(m), CodeTampered)
			}
			if !m.holds(intruder) {
				t.Error("the evidence is gone")
			}
		})
	}
}

func TestAnIdentityWhoseBytesChangedDuringAChangeIsPutAside(t *testing.T) {
	for _, call := range []string{"link new", "exchange swap identity.json", "move old", "move marker"} {
		m := halfway(t, call)
		ino := m.service().names[identityName]
		m.inodes[ino].data = []byte(goodIdentity)
		wantCode(t, opened(m), CodeQuarantined)
		if m.service().names[identityName] == ino {
			t.Errorf("before %q: it is still in its place", call)
		}
	}
}
