package store

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/packs"
)

func TestInstallCopiesThePackAsItIs(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo").with(
		"lib/deep/data.json", "{}", "README.md", "read me", "node_modules/.bin/tool", "-> ../tool/run", "node_modules/tool/run", "#!/bin/sh\n",
		".hidden", "kept", "empty/", "-",
	)
	dir := source(t, files)
	result := install(t, s, dir)
	if result.Installed != "demo" || result.Dest != s.PackDir("demo") || !slices.Equal(result.Verbs, []string{"show", "drop"}) ||
		!slices.Equal(result.Next, []string{"hcpx activate demo", "hcpx availability demo"}) || result.Replaced || result.Deactivated || result.Unchanged {
		t.Fatalf("result = %+v", result)
	}
	for path := range files {
		if strings.HasSuffix(path, "/") {
			if info, err := os.Stat(filepath.Join(result.Dest, path)); err != nil || !info.IsDir() {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if got := read(t, filepath.Join(result.Dest, path)); got != read(t, filepath.Join(dir, path)) {
			t.Errorf("%s differs", path)
		}
	}
	info, err := os.Stat(filepath.Join(result.Dest, "bin/demo"))
	if err != nil || enforceModes && info.Mode().Perm() != 0o700 {
		t.Errorf("bin/demo: %v, %v", info.Mode(), err)
	}
	if read(t, s.SkillPath("demo")) != files["HARNESS.md"] {
		t.Error("the Skill's copy differs")
	}
	st, err := s.State()
	if err != nil || len(st.Activated) != 0 {
		t.Errorf("state = %+v, %v", st, err)
	}
}

func TestInstallLeavesVersionControlOut(t *testing.T) {
	s := newStore(t)
	result := install(t, s, source(t, wrapPack("demo", "./bin/demo").with(
		".git/hooks/post-checkout", "#!/bin/sh\n", ".git/config", "x", "sub/.git", "gitdir: ../../x", "sub/.hg/x", "x", ".svn/x", "x", ".jj/x", "x", "CVS/x", "x", ".gitignore", "x",
	)))
	var found []string
	for path := range snapshot(t, result.Dest) {
		found = append(found, path)
	}
	slices.Sort(found)
	want := []string{".", ".gitignore", "HARNESS.md", "bin", "bin/demo", "policy.json", "sub", "surface.json"}
	if !slices.Equal(found, want) {
		t.Fatalf("installed %v", found)
	}
}

func TestGoldPacksInstall(t *testing.T) {
	s := newStore(t)
	for _, id := range packs.IDs() {
		dir := filepath.Join(t.TempDir(), id)
		tree, _ := packs.Pack(id)
		if err := os.CopyFS(dir, tree); err != nil {
			t.Fatal(err)
		}
		if result := install(t, s, dir); result.Installed != id || len(result.Verbs) == 0 {
			t.Errorf("%s: %+v", id, result)
		}
		activate(t, s, id)
		if _, err := s.Verify(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestWhatIsNoPackIsSaidSo(t *testing.T) {
	s := newStore(t)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing"), file} {
		_, err := s.Install(t.Context(), dir, InstallOptions{})
		f := wantCode(t, err, CodeNoPack)
		if f.Hint == "" || len(f.Next) == 0 || !strings.Contains(f.Message, dir) {
			t.Errorf("%s: %+v", dir, f)
		}
	}
}

func TestPackThatFailsLintIsNotInstalled(t *testing.T) {
	s := newStore(t)
	before := snapshot(t, s.Home())
	files := wrapPack("demo", "./bin/demo")
	files["policy.json"] = strings.ReplaceAll(strings.ReplaceAll(files["policy.json"], `"show"`, `"shown"`), `"drop"`, `"dropped"`)
	_, err := s.Install(t.Context(), source(t, files), InstallOptions{})
	f := wantCode(t, err, CodeLintFailed)
	if !strings.HasPrefix(f.Message, "lint failed: ") || !strings.Contains(f.Message, "; ") || !strings.Contains(f.Message, `verb "show" missing from policy.json`) {
		t.Fatalf("message = %q", f.Message)
	}
	if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
		t.Fatal("something stayed in the store")
	}
}

func TestReinstallingTheSameContentKeepsTheActivation(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	if _, err := s.SetConnected(t.Context(), "demo", true); err != nil {
		t.Fatal(err)
	}
	result := install(t, s, source(t, files))
	if !result.Unchanged || result.Replaced || result.Deactivated {
		t.Fatalf("result = %+v", result)
	}
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	if is, _ := s.Connected("demo"); !is {
		t.Fatal("the connection is gone")
	}
}

func TestReinstallingOtherContentDeactivates(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	if _, err := s.SetConnected(t.Context(), "demo", true); err != nil {
		t.Fatal(err)
	}
	other := files.with("bin/demo", "#!/bin/sh\necho other\n", "HARNESS.md", files["HARNESS.md"]+"\n")
	result := install(t, s, source(t, other))
	if !result.Replaced || !result.Deactivated || len(result.Notes) == 0 {
		t.Fatalf("result = %+v", result)
	}
	st, err := s.State()
	if err != nil || len(st.Activated) != 0 || len(st.Connected) != 0 {
		t.Fatalf("state = %+v, %v", st, err)
	}
	_, err = s.Verify(t.Context(), "demo")
	wantCode(t, err, CodeNotActivated)
	if read(t, filepath.Join(s.PackDir("demo"), "bin/demo")) != other["bin/demo"] || read(t, s.SkillPath("demo")) != other["HARNESS.md"] {
		t.Fatal("the old content is still there")
	}
	if result := install(t, s, source(t, files)); !result.Replaced || result.Deactivated {
		t.Fatalf("over a pack that is not activated: %+v", result)
	}
}

func TestPackThatHoldsTheStoreIsRefused(t *testing.T) {
	dir := source(t, wrapPack("demo", "./bin/demo"))
	s := openAt(t, filepath.Join(dir, ".hcp"), Options{})
	_, err := s.Install(t.Context(), dir, InstallOptions{})
	if f := wantCode(t, err, pack.CodeUnsafePack); f.Hint == "" {
		t.Error("no hint")
	}
}

// What was installed and activated works on where the store is moved to, and
// where it is reached through a link above it.
func TestStoreMayBeMoved(t *testing.T) {
	base := t.TempDir()
	s := openAt(t, filepath.Join(base, "one", "home"), Options{})
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	move(t, filepath.Join(base, "one"), filepath.Join(base, "two"))
	linkTo(t, filepath.Join(base, "two"), filepath.Join(base, "link"))
	for _, home := range []string{filepath.Join(base, "two", "home"), filepath.Join(base, "link", "home")} {
		moved := openAt(t, home, Options{})
		for range 2 {
			ready, err := moved.Verify(t.Context(), "demo")
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(moved.PackDir("demo"), "bin", "demo"); ready.Bin.Path != want {
				t.Fatalf("runs %s, want %s", ready.Bin.Path, want)
			}
			// Again after a new activation, and after what it replaced is gone.
			activate(t, moved, "demo")
		}
		install(t, moved, source(t, wrapPack("demo", "./bin/other")))
		if _, err := moved.Activate(t.Context(), []string{"demo"}, ActivateOptions{AcceptInstalled: true}); err != nil {
			t.Fatal(err)
		}
		ready, err := moved.Verify(t.Context(), "demo")
		if err != nil || ready.Bin.Path != filepath.Join(moved.PackDir("demo"), "bin", "other") {
			t.Fatalf("%+v, %v", ready, err)
		}
		install(t, moved, source(t, wrapPack("demo", "./bin/demo")))
		if _, err := moved.Activate(t.Context(), []string{"demo"}, ActivateOptions{AcceptInstalled: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// An installation that is cut off between the record and the folder is finished
// or forgotten by the next command, by what is really there.
func TestInterruptedInstallationSettles(t *testing.T) {
	for _, moved := range []bool{false, true} {
		s := newStore(t)
		files := wrapPack("demo", "./bin/demo")
		install(t, s, source(t, files))
		rec, err := s.readRecord("demo")
		if err != nil {
			t.Fatal(err)
		}
		other := openAt(t, filepath.Join(t.TempDir(), "home"), Options{})
		install(t, other, source(t, files.with("extra", "x")))
		coming, err := other.readRecord("demo")
		if err != nil {
			t.Fatal(err)
		}
		rec.Incoming = coming.Installed
		if err := s.writeRecord(rec); err != nil {
			t.Fatal(err)
		}
		if moved {
			if err := os.RemoveAll(s.PackDir("demo")); err != nil {
				t.Fatal(err)
			}
			move(t, other.PackDir("demo"), s.PackDir("demo"))
		}
		activate(t, s, "demo")
		if _, err := s.Verify(t.Context(), "demo"); err != nil {
			t.Errorf("moved %v: %v", moved, err)
		}
	}
}

// The same over an activated pack: until the installation is settled nothing
// runs, and then the pack is off the session if its content is another.
func TestInterruptedInstallationOverAnActivatedPack(t *testing.T) {
	for _, moved := range []bool{false, true} {
		s := newStore(t)
		files := wrapPack("demo", "./bin/demo")
		install(t, s, source(t, files))
		activate(t, s, "demo")
		rec, err := s.readRecord("demo")
		if err != nil {
			t.Fatal(err)
		}
		other := openAt(t, filepath.Join(t.TempDir(), "home"), Options{})
		install(t, other, source(t, files.with("extra", "x")))
		coming, err := other.readRecord("demo")
		if err != nil {
			t.Fatal(err)
		}
		rec.Incoming = coming.Installed
		if err := s.writeRecord(rec); err != nil {
			t.Fatal(err)
		}
		if moved {
			if err := os.RemoveAll(s.PackDir("demo")); err != nil {
				t.Fatal(err)
			}
			move(t, other.PackDir("demo"), s.PackDir("demo"))
		}
		_, err = s.Verify(t.Context(), "demo")
		if moved {
			wantCode(t, err, CodePackChanged)
		} else if err != nil {
			t.Fatal(err)
		}
		changes, err := s.Review(t.Context(), []string{"demo"}, ActivateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		st, err := s.State()
		if err != nil || st.IsActivated("demo") == moved || len(changes) != 0 != moved {
			t.Fatalf("moved %v: %+v, changes %+v, %v", moved, st, changes, err)
		}
		if moved && (changes[0].Origin != OriginInstalled || !slices.Equal(changes[0].Files, []string{"extra"})) {
			t.Fatalf("%+v", changes)
		}
	}
}

func TestBootstrapPackCannotBeReplaced(t *testing.T) {
	s := newStore(t)
	dir := filepath.Join(t.TempDir(), "hcp-cli")
	own, _ := packs.Pack(hcp.BootstrapPack)
	if err := os.CopyFS(dir, own); err != nil {
		t.Fatal(err)
	}
	if result := install(t, s, dir); !result.Unchanged {
		t.Fatalf("the same content: %+v", result)
	}
	write(t, filepath.Join(dir, "extra"), "x")
	_, err := s.Install(t.Context(), dir, InstallOptions{})
	if f := wantCode(t, err, CodeBootstrapPack); f.Message != "cannot replace bootstrap pack hcp-cli" {
		t.Fatalf("message = %q", f.Message)
	}
}

// A later program brings a later bootstrap pack; where the old one was
// activated the new one is, since the program vouches for both.
func TestBootstrapPackFollowsTheProgram(t *testing.T) {
	s := newStore(t)
	activate(t, s, hcp.BootstrapPack)
	own, _ := packs.Pack(hcp.BootstrapPack)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, hcp.BootstrapPack), own); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, hcp.BootstrapPack, "NEWS.md"), "news")
	later := openAt(t, s.Home(), Options{Bundled: os.DirFS(dir)})
	if _, err := later.Verify(t.Context(), hcp.BootstrapPack); err != nil {
		t.Fatal(err)
	}
	if read(t, filepath.Join(later.PackDir(hcp.BootstrapPack), "NEWS.md")) != "news" {
		t.Fatal("the old pack is still there")
	}
	if _, err := later.Verify(t.Context(), hcp.BootstrapPack); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(later.PackDir(hcp.BootstrapPack), "NEWS.md"), "edited")
	_, err := later.Verify(t.Context(), hcp.BootstrapPack)
	wantCode(t, err, CodePackChanged)
	activate(t, later, hcp.BootstrapPack)
	if read(t, filepath.Join(later.PackDir(hcp.BootstrapPack), "NEWS.md")) != "news" {
		t.Fatal("an edited bootstrap pack was accepted")
	}
}

func TestCanceledInstallationLeavesNothing(t *testing.T) {
	s := newStore(t)
	before := snapshot(t, s.Home())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Install(ctx, source(t, wrapPack("demo", "./bin/demo")), InstallOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error = %v", err)
	}
	if after := snapshot(t, s.Home()); !maps.Equal(before, after) {
		t.Fatal("something stayed in the store")
	}
}
