package identity

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

func TestAStoreThatIsNotItsUsersAloneIsRefused(t *testing.T) {
	lockOf := func(m *model) *node { return m.inodes[m.service().names[lockName]] }
	fileOf := func(m *model) *node { return m.inodes[m.service().names[identityName]] }
	for name, c := range map[string]struct {
		change func(*model)
		code   string
	}{
		"the root is readable":            {func(m *model) { m.folder(modelRoot).mode = 0o750 }, CodeInsecure},
		"the root has the sticky bit":     {func(m *model) { m.folder(modelRoot).mode = 0o1700 }, CodeInsecure},
		"the root is another's":           {func(m *model) { m.folder(modelRoot).uid = 1 }, CodeInsecure},
		"the service folder is readable":  {func(m *model) { m.service().mode = 0o755 }, CodeInsecure},
		"the service folder is another's": {func(m *model) { m.service().uid = 0 }, CodeInsecure},
		"the service folder is closed":    {func(m *model) { m.service().mode = 0o500 }, CodeInsecure},
		"a parent is another's":           {func(m *model) { m.folder("/home").uid = 5 }, CodeInsecure},
		"a parent is everybody's":         {func(m *model) { m.folder("/home").mode = 0o777 }, CodeInsecure},
		"a parent is a group's":           {func(m *model) { m.folder("/home").mode = 0o775 }, CodeInsecure},
		"the lock is readable":            {func(m *model) { lockOf(m).mode = 0o644 }, CodeInsecure},
		"the lock is another's":           {func(m *model) { lockOf(m).uid = 0 }, CodeInsecure},
		"the lock is not empty":           {func(m *model) { lockOf(m).data = []byte("x") }, CodeInsecure},
		"the lock has two names":          {func(m *model) { m.folder("/home").names["l"] = m.service().names[lockName] }, CodeInsecure},
		"the lock is a link":              {func(m *model) { m.put(lockName, node{uid: m.uid, kind: other}) }, CodeInsecure},
		"the lock is gone":                {func(m *model) { delete(m.service().names, lockName) }, CodeTampered},
		"the identity is readable":        {func(m *model) { fileOf(m).mode = 0o640 }, CodeInsecure},
		"the identity may be run":         {func(m *model) { fileOf(m).mode = 0o700 }, CodeInsecure},
		"the identity is another's":       {func(m *model) { fileOf(m).uid = 0 }, CodeInsecure},
		"the identity has two names":      {func(m *model) { m.folder("/home").names["i"] = m.service().names[identityName] }, CodeInsecure},
		"the identity is a link":          {func(m *model) { m.put(identityName, node{uid: m.uid, kind: other}) }, CodeInsecure},
		"the identity is a folder":        {func(m *model) { m.put(identityName, node{uid: m.uid, kind: folder, mode: 0o600}) }, CodeInsecure},
		"the identity is empty":           {func(m *model) { fileOf(m).data = nil }, CodeBad},
		"the identity is gone":            {func(m *model) { delete(m.service().names, identityName) }, CodeMissing},
		"the service folder is gone":      {func(m *model) { delete(m.folder(modelRoot).names, serviceName) }, CodeMissing},
		"the service folder is a file":    {func(m *model) { m.service().kind = file }, CodeInsecure},
	} {
		t.Run(name, func(t *testing.T) {
			m := made(t)
			c.change(m)
			wantCode(t, opened(m), c.code)
		})
	}
	sticky := made(t)
	sticky.folder("/home").mode, sticky.folder("/home").uid = 0o1777, 0
	if err := opened(sticky); err != nil {
		t.Errorf("below a folder like /tmp: %v", err)
	}
}

func TestOddPathsAreRefused(t *testing.T) {
	for _, path := range []string{"", "/", "home/identity", "./x", "/home/../home/identity", "/home/./identity", "//home/identity", "/home/identity/", "/home//identity", "/home/a\x00b"} {
		for _, use := range []func(string, Options) (*Store, error){Open, Create, Look} {
			_, err := use(path, on(newModel(), &counter{}))
			wantCode(t, err, CodeInsecure)
		}
	}
}

func TestOnlyCertifiedFileSystemsAreAccepted(t *testing.T) {
	for _, name := range []string{"ext4", "xfs", "btrfs"} {
		m := newModel()
		m.fsName = name
		if s, err := Create(modelRoot, on(m, &counter{})); err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			_ = s.Close()
		}
	}
	for _, name := range []string{"ext2", "ext3", "nfs", "nfs4", "cifs", "fuse.sshfs", "9p", "overlay", "tmpfs", "ceph", "f2fs", "zfs", ""} {
		m := newModel()
		m.fsName = name
		_, err := Create(modelRoot, on(m, &counter{}))
		wantCode(t, err, CodeUncertified)
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q is not named in %q", name, err)
		}
		if have, want := len(m.inodes), len(newModel().inodes); have != want {
			t.Errorf("%q: a refused creation leaves %d things behind", name, have-want)
		}
	}
	m := made(t)
	m.fsName = "tmpfs"
	o := on(m, &counter{})
	o.FileSystems = []string{"tmpfs"}
	if s, err := Open(modelRoot, o); err != nil {
		t.Error(err)
	} else {
		_ = s.Close()
	}
}

func TestASecondOpenerIsToldThatTheStoreIsInUse(t *testing.T) {
	m := made(t)
	first, err := Open(modelRoot, on(m, &counter{}))
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, opened(m), CodeLocked)
	wantCode(t, checkedRest(m), CodeLocked)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := opened(m); err != nil {
		t.Error(err)
	}
	if len(m.open) > 0 {
		t.Errorf("%d descriptors are still open", len(m.open))
	}
}

func TestNoPathOutOfAFailureKeepsADescriptorOrTheLock(t *testing.T) {
	for _, s := range scenes(t) {
		for n := range s.calls {
			m := s.start.copy()
			_, _ = attempt(s.act, m, func(i int, _ string) (bool, error) {
				if i == n+1 {
					return false, syscall.EIO
				}
				return false, nil
			})
			if len(m.open) > 0 {
				t.Errorf("%s: after a failing %q %d descriptors are open", s.name, s.calls[n], len(m.open))
			}
		}
	}
}

func TestALockThatIsReplacedWhileItIsTakenIsRefused(t *testing.T) {
	m := made(t)
	m.trouble = func(_ int, call string) (bool, error) {
		if call == "flock" {
			m.plant(lockName, "")
		}
		return false, nil
	}
	wantCode(t, opened(m), CodeTampered)
}

func TestAnotherProcessCannotUseAnInheritedStore(t *testing.T) {
	m := made(t)
	s, err := Open(modelRoot, on(m, &counter{}))
	if err != nil {
		t.Fatal(err)
	}
	m.pid++
	before := m.signature()
	for _, err := range uses(s) {
		wantCode(t, err, CodeClosed)
	}
	if m.signature() != before {
		t.Error("it changed the store")
	}
	m.pid--
	if err := s.Rotate(); err != nil {
		t.Errorf("its own process: %v", err)
	}
}

// uses is everything that can be asked of a store.
func uses(s *Store) []error {
	_, key := s.Key()
	_, keys := s.Keys()
	_, generation := s.Generation()
	return []error{key, keys, generation, s.Rotate(), s.Roll(), s.Retire("k-0")}
}
