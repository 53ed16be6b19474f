package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bridle/internal/kernel/durable"
)

func TestJailIsPrivateAndLasting(t *testing.T) {
	s := newStore(t)
	jail, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(jail.Home, "kept"), "x")
	jail.Close()
	again, err := s.Jail("demo", "ada")
	if err != nil || again.Home != jail.Home || read(t, filepath.Join(again.Home, "kept")) != "x" {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, dir := range []string{jail.Dir, jail.Home, jail.Tmp, jail.Work} {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || enforceModes && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
		if !within(dir, s.path(jailsDir, "demo")) {
			t.Errorf("%s lies outside", dir)
		}
	}
}

func TestOwnersNeverShareAJail(t *testing.T) {
	s := newStore(t)
	seen := map[string]string{}
	for _, owner := range []string{"ada", "Ada", "ADA", "", "a/da", "../ada", "ada.", "u-ada", "x-ada", "ädä", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("a", 300), "con", "tenant/ada", "tenant\x00ada", ownerName("Ada")} {
		jail, err := s.Jail("demo", owner)
		if err != nil {
			t.Fatal(err)
		}
		key := strings.ToLower(jail.Dir)
		if other, taken := seen[key]; taken {
			t.Errorf("%q and %q share %s", owner, other, jail.Dir)
		}
		seen[key] = owner
		if filepath.Dir(jail.Dir) != s.path(jailsDir, "demo") {
			t.Errorf("%q has %s", owner, jail.Dir)
		}
	}
	_, err := s.Jail("../demo", "ada")
	wantCode(t, err, CodeUnknownPack)
}

func TestOwnerNamesAreDistinctOnEveryFileSystem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		if a != b && strings.EqualFold(ownerName(a), ownerName(b)) {
			t.Fatalf("%q and %q have one name", a, b)
		}
	})
}

func TestJailThatWasExchangedIsRefused(t *testing.T) {
	s := newStore(t)
	jail, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.RemoveAll(jail.Home); err != nil {
		t.Fatal(err)
	}
	linkTo(t, elsewhere, jail.Home)
	_, err = s.Jail("demo", "ada")
	wantCode(t, err, CodeUnsafeStore)
	remove(t, jail.Home)
	write(t, jail.Home, "a file")
	if _, err := s.Jail("demo", "ada"); err == nil {
		t.Fatal("a file was taken for a home")
	}
}

func TestOldTemporaryFilesGo(t *testing.T) {
	clock := &movable{time.Now()}
	s := openAt(t, filepath.Join(t.TempDir(), "home"), Options{Clock: clock})
	jail, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(jail.Tmp, "old"), "x")
	tree{"dir/file": "x"}.write(t, jail.Tmp)
	clock.now = clock.now.Add(tmpAge - time.Minute)
	if _, err := s.Jail("demo", "ada"); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(jail.Tmp); len(entries) != 2 {
		t.Fatalf("too early: %v", entries)
	}
	clock.now = clock.now.Add(time.Hour)
	if _, err := s.Jail("demo", "ada"); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(jail.Tmp); len(entries) != 0 {
		t.Fatalf("left: %v", entries)
	}
}

func TestEphemeralJailGoesWithItsUse(t *testing.T) {
	s := newStore(t)
	first, err := s.Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	if first.Dir == second.Dir {
		t.Fatal("two calls share a jail")
	}
	tree{"a/b": "x"}.write(t, first.Work)
	chmod(t, filepath.Join(first.Work, "a"), 0o500)
	first.Close()
	first.Close()
	if _, err := os.Lstat(first.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s is still there: %v", first.Dir, err)
	}
	if _, err := os.Lstat(second.Home); err != nil {
		t.Fatalf("another call's jail went too: %v", err)
	}
	second.Close()
	if entries, _ := os.ReadDir(s.path(locksDir)); len(entries) != 1 {
		t.Fatalf("locks = %v", entries)
	}
}

// What a process that died left is removed; what a living one uses is not.
func TestAbandonedAreasAreSwept(t *testing.T) {
	s := newStore(t)
	abandoned, used := s.path(ephemeralDir, "call_dead"), s.path(ephemeralDir, "call_alive")
	for _, dir := range []string{abandoned, used} {
		tree{"home/x": "x"}.write(t, dir)
	}
	unlock, ok, err := durable.TryLock(s.areaLock("call_alive"), "other")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer unlock()
	jail, err := s.Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	defer jail.Close()
	if _, err := os.Lstat(abandoned); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the abandoned one is there: %v", err)
	}
	if _, err := os.Lstat(used); err != nil {
		t.Errorf("the used one is gone: %v", err)
	}
}

// Removing an area follows no link out of it.
func TestRemovalStaysInside(t *testing.T) {
	s := newStore(t)
	outside := tree{"locked/file": "x"}.write(t, filepath.Join(t.TempDir(), "outside"))
	chmod(t, filepath.Join(outside, "locked"), 0o500)
	defer chmod(t, filepath.Join(outside, "locked"), 0o700)
	jail, err := s.Ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	linkTo(t, filepath.Join(outside, "locked"), filepath.Join(jail.Home, "link"))
	jail.Close()
	info, err := os.Stat(filepath.Join(outside, "locked"))
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Fatalf("%v, %v", info, err)
	}
	if read(t, filepath.Join(outside, "locked/file")) != "x" {
		t.Fatal("a file outside is gone")
	}
}
