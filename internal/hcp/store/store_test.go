package store

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

func TestHomeFollowsHCPHome(t *testing.T) {
	for _, c := range []struct{ value, userHome, want, code string }{
		{"", "/home/ada", "/home/ada/.hcp", ""},
		{"/srv/store", "/home/ada", "/srv/store", ""},
		{"/srv//store/../other/", "", "/srv/other", ""},
		{"~", "/home/ada", "/home/ada", ""},
		{"~/.hcp", "/home/ada", "/home/ada/.hcp", ""},
		{"~ada/x", "/home/ada", "", CodeBadHome},
		{"ci/store", "/home/ada", "", CodeBadHome},
		{"../store", "/home/ada", "", CodeBadHome},
		{".", "/home/ada", "", CodeBadHome},
		{"", "", "", CodeBadHome},
		{"~/x", "", "", CodeBadHome},
		{"", "ada", "", CodeBadHome},
	} {
		got, err := Home(c.value, c.userHome)
		if got != c.want || fault.CodeOf(err) != c.code {
			t.Errorf("Home(%q, %q) = %q, %v", c.value, c.userHome, got, err)
		}
	}
}

func TestFirstUseMakesAStoreWithTheBootstrapPack(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a", "b", "home")
	s := openAt(t, home, Options{})
	st, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Activated) != 0 || len(st.Connected) != 0 || st.Grants != nil {
		t.Fatalf("state = %+v", st)
	}
	installed, err := s.InstalledIDs()
	if err != nil || !slices.Equal(installed, []string{hcp.BootstrapPack}) {
		t.Fatalf("installed = %v, %v", installed, err)
	}
	p, err := s.Pack(hcp.BootstrapPack)
	if err != nil || len(p.Keys()) != 18 {
		t.Fatalf("pack = %v, %v", p, err)
	}
	if got := read(t, s.path(stateFile)); got != "{\n  \"activated\": [],\n  \"connected\": []\n}\n" {
		t.Fatalf("state.json = %q", got)
	}
	if skill := read(t, s.SkillPath(hcp.BootstrapPack)); skill != read(t, filepath.Join(s.PackDir(hcp.BootstrapPack), harnessFile)) {
		t.Fatal("the Skill's copy differs")
	}
}

func TestOpeningAgainChangesNothing(t *testing.T) {
	s := newStore(t)
	before := snapshot(t, s.Home())
	openAt(t, s.Home(), Options{})
	if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
		t.Fatalf("before %v\nafter %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

func TestEverythingInTheStoreIsPrivate(t *testing.T) {
	if !enforceModes {
		t.Skip("permission bits mean nothing here")
	}
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	if _, err := s.Jail("demo", "ada"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(s.Home(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestInterruptedCreationIsCompleted(t *testing.T) {
	whole := newStore(t)
	for _, cut := range []string{formatFile, stateFile + " " + formatFile, packsDir + " " + formatFile, packsDir, activationsDir + " " + formatFile, skillsDir + " " + packsDir + " " + formatFile} {
		home := filepath.Join(t.TempDir(), "home")
		openAt(t, home, Options{})
		for name := range strings.FieldsSeq(cut) {
			if err := os.RemoveAll(filepath.Join(home, name)); err != nil {
				t.Fatal(err)
			}
		}
		s := openAt(t, home, Options{})
		if _, err := s.State(); err != nil {
			t.Errorf("without %s: %v", cut, err)
		}
		got, want := slices.Sorted(maps.Keys(snapshot(t, home))), slices.Sorted(maps.Keys(snapshot(t, whole.Home())))
		if !slices.Equal(got, want) {
			t.Errorf("without %s: %v, want %v", cut, got, want)
		}
	}
}

func TestLostStateIsReportedAndNotReset(t *testing.T) {
	s := newStore(t)
	if err := os.Remove(s.path(stateFile)); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, s.Home(), Options{})
	_, err := again.State()
	wantCode(t, err, CodeBadState)
	err = again.Update(t.Context(), func(*State) error { return nil })
	wantCode(t, err, CodeBadState)
	if _, err := os.Lstat(s.path(stateFile)); err == nil {
		t.Fatal("state.json was made anew")
	}
}

func TestHomeThatHoldsMoreThanTheStoreIsRefused(t *testing.T) {
	userHome := t.TempDir()
	for _, home := range []string{"/", userHome, filepath.Dir(userHome), "relative/home"} {
		_, err := Open(t.Context(), home, Options{UserHome: userHome})
		if !fault.Is(err, CodeBadHome) {
			t.Errorf("%s: %v", home, err)
		}
	}
	if entries, _ := os.ReadDir(userHome); len(entries) != 0 {
		t.Fatalf("something was made in %s: %v", userHome, entries)
	}
	openAt(t, filepath.Join(userHome, ".hcp"), Options{UserHome: userHome})
}

// One chmod -R over a store opens it to readers; the next call closes it again,
// and everything goes on.
func TestStoreThatWasOpenedToReadersIsClosedAgain(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	everything := func(do func(path string, info os.FileInfo)) {
		t.Helper()
		err := filepath.Walk(s.Home(), func(path string, info os.FileInfo, err error) error {
			if err == nil && info.Mode()&os.ModeSymlink == 0 {
				do(path, info)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	everything(func(path string, info os.FileInfo) { chmod(t, path, info.Mode().Perm()|0o055) })
	again := openAt(t, s.Home(), Options{})
	if _, err := again.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	everything(func(path string, info os.FileInfo) {
		if enforceModes && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is still %v", path, info.Mode())
		}
	})
}

func TestUnsafeHomeIsRefusedAndUntouched(t *testing.T) {
	if !enforceModes {
		t.Skip("permission bits mean nothing here")
	}
	make := func(t *testing.T) string { return newStore(t).Home() }
	for name, c := range map[string]struct {
		spoil func(t *testing.T, home string)
		code  string
	}{
		"writable by group":  {func(t *testing.T, home string) { chmod(t, home, 0o770) }, CodeUnsafeStore},
		"writable by others": {func(t *testing.T, home string) { chmod(t, home, 0o702) }, CodeUnsafeStore},
		"a link": {func(t *testing.T, home string) {
			move(t, home, home+"-real")
			if err := os.Symlink(home+"-real", home); err != nil {
				t.Fatal(err)
			}
		}, CodeUnsafeStore},
		"a file": {func(t *testing.T, home string) { move(t, home, home+"-real"); write(t, home, "") }, CodeUnsafeStore},
		"parent open to all": {func(t *testing.T, home string) {
			chmod(t, filepath.Dir(home), 0o777)
			t.Cleanup(func() { chmod(t, filepath.Dir(home), 0o755) })
		}, CodeUnsafeStore},
		"state is a link": {func(t *testing.T, home string) {
			move(t, filepath.Join(home, stateFile), home+"-state")
			if err := os.Symlink(home+"-state", filepath.Join(home, stateFile)); err != nil {
				t.Fatal(err)
			}
		}, CodeUnsafeStore},
		"state writable by others": {func(t *testing.T, home string) { chmod(t, filepath.Join(home, stateFile), 0o666) }, CodeUnsafeStore},
		"format is a folder": {func(t *testing.T, home string) {
			move(t, filepath.Join(home, formatFile), home+"-format")
			if err := os.Mkdir(filepath.Join(home, formatFile), 0o700); err != nil {
				t.Fatal(err)
			}
		}, CodeUnsafeStore},
	} {
		t.Run(name, func(t *testing.T) {
			home := make(t)
			c.spoil(t, home)
			s, err := Open(t.Context(), home, Options{})
			if err == nil {
				_, err = s.State()
			}
			f := wantCode(t, err, c.code)
			if f.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestHomeOfAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		// An ordinary user cannot give a folder away, but the root folder's
		// children belong to another user.
		_, err := Open(t.Context(), "/usr", Options{})
		wantCode(t, err, CodeUnsafeStore)
		return
	}
	s := newStore(t)
	if err := os.Lchown(s.Home(), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), s.Home(), Options{})
	wantCode(t, err, CodeUnsafeStore)
	if err := os.Lchown(s.Home(), 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(s.path(stateFile), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err = s.State()
	wantCode(t, err, CodeUnsafeStore)
}

func TestReadableHomeIsMadePrivate(t *testing.T) {
	if !enforceModes {
		t.Skip("permission bits mean nothing here")
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	openAt(t, home, Options{})
	info, err := os.Stat(home)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
}

func TestFolderOfTheStoreThatIsNoneOfItsOwnIsRefused(t *testing.T) {
	for _, dir := range folders() {
		t.Run(dir, func(t *testing.T) {
			s := newStore(t)
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(s.path(dir), elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, s.path(dir)); err == nil { // not every system lets anyone make links
				_, err := Open(t.Context(), s.Home(), Options{})
				wantCode(t, err, CodeUnsafeStore)
				if err := os.Remove(s.path(dir)); err != nil {
					t.Fatal(err)
				}
			}
			write(t, s.path(dir), "a file")
			_, err := Open(t.Context(), s.Home(), Options{})
			wantCode(t, err, CodeUnsafeStore)
		})
	}
}

func TestFolderOfTheStoreThatIsGoneIsMadeAgain(t *testing.T) {
	for _, dir := range folders() {
		t.Run(dir, func(t *testing.T) {
			s := newStore(t)
			if err := os.RemoveAll(s.path(dir)); err != nil {
				t.Fatal(err)
			}
			again := openAt(t, s.Home(), Options{})
			source := wrapPack("demo", "./bin/demo").write(t, filepath.Join(t.TempDir(), "source"))
			if _, err := again.Install(t.Context(), source, InstallOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := again.Activate(t.Context(), []string{"demo"}, ActivateOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestStoreOfALaterVersionIsLeftAlone(t *testing.T) {
	for _, name := range []string{formatFile, filepath.Join(activationsDir, hcp.BootstrapPack+".json")} {
		s := newStore(t)
		path := s.path(name)
		write(t, path, strings.Replace(read(t, path), `"format":1`, `"format":`+strconv.Itoa(format+1), 1))
		before := snapshot(t, s.Home())
		again, err := Open(t.Context(), s.Home(), Options{})
		if err == nil {
			_, err = again.Activate(t.Context(), []string{hcp.BootstrapPack}, ActivateOptions{})
		}
		wantCode(t, err, CodeTooNew)
		if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
			t.Errorf("%s: something was written", name)
		}
	}
}

func TestBrokenFormatFileIsReported(t *testing.T) {
	for _, content := range []string{"", "{}", `{"format":0}`, `{"format":"1"}`, `{"format":1,"format":1}`, "[]"} {
		s := newStore(t)
		write(t, s.path(formatFile), content)
		_, err := Open(t.Context(), s.Home(), Options{})
		if !fault.Is(err, CodeBadRecord) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestOnlyFoldersThatCanBePacksAreListed(t *testing.T) {
	s := newStore(t)
	tree{"Upper/": "", ".durable-x-old/": "", "two words/": "", "file": "x", "linked": "-> " + hcp.BootstrapPack}.write(t, s.path(packsDir))
	installed, err := s.InstalledIDs()
	if err != nil || !slices.Equal(installed, []string{hcp.BootstrapPack}) {
		t.Fatalf("installed = %v, %v", installed, err)
	}
}

func TestFactsTellTheStoreAsItIs(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "no-such-program")))
	activate(t, s, "demo")
	if err := s.Update(t.Context(), func(st *State) error {
		st.Activated = append(st.Activated, "ghost")
		st.Grants = []hcp.Grant{}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	facts, err := s.Facts()
	if err != nil {
		t.Fatal(err)
	}
	if facts.Home != s.Home() || facts.Format != format || !slices.Equal(facts.Installed, []string{"demo", hcp.BootstrapPack}) ||
		!slices.Equal(facts.Activated, []string{"demo", "ghost"}) || len(facts.Connected) != 0 || !facts.Grants ||
		!slices.Equal(facts.Unpinned, []string{"ghost"}) || !slices.Equal(facts.Unresolved, []string{"demo"}) || !facts.Writable {
		t.Fatalf("facts = %+v", facts)
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
