package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

func TestVerifySaysWhereAPackStands(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	_, err := s.Verify(t.Context(), "nothing")
	if f := wantCode(t, err, CodeUnknownPack); f.Message != "unknown pack nothing" {
		t.Errorf("message = %q", f.Message)
	}
	_, err = s.Verify(t.Context(), "demmo")
	if f := wantCode(t, err, CodeUnknownPack); f.Hint != `did you mean "demo"?` {
		t.Errorf("hint = %q", f.Hint)
	}
	_, err = s.Verify(t.Context(), "../packs/demo")
	wantCode(t, err, CodeUnknownPack)
	_, err = s.Verify(t.Context(), "demo")
	if f := wantCode(t, err, CodeNotActivated); f.Message != "pack demo is installed but not activated" || len(f.Next) != 1 {
		t.Errorf("%+v", f)
	}
	activate(t, s, "demo")
	ready, err := s.Verify(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	if ready.Pack.ID != "demo" || !ready.Bin.Runnable() || len(ready.Digest) != 64 || !ready.State.IsActivated("demo") {
		t.Fatalf("ready = %+v", ready)
	}
}

func TestEveryChangeOfAPackIsNoticedAndNamed(t *testing.T) {
	same := strings.Repeat("x", 64)
	files := wrapPack("demo", "./bin/demo").with("lib/data", same, "lib/link", "-> data")
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		names  string
	}{
		"surface":         {func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "surface.json"), "\n") }, "surface.json"},
		"policy":          {func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "policy.json"), "\n") }, "policy.json"},
		"skill":           {func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "HARNESS.md"), "\n") }, "HARNESS.md"},
		"program":         {func(t *testing.T, dir string) { appendTo(t, filepath.Join(dir, "bin/demo"), "#\n") }, "bin/demo"},
		"same size":       {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "lib/data"), strings.Repeat("y", 64)) }, "lib/data"},
		"same size, time": {func(t *testing.T, dir string) { keepTime(t, filepath.Join(dir, "lib/data"), strings.Repeat("y", 64)) }, "lib/data"},
		"added":           {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "lib/more"), "x") }, "lib/more"},
		"removed":         {func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "lib/data")) }, "lib/data"},
		"executable":      {func(t *testing.T, dir string) { chmod(t, filepath.Join(dir, "lib/data"), 0o700) }, "lib/data"},
		"link elsewhere": {func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "lib/link"))
			tree{"link": "-> ../HARNESS.md"}.write(t, filepath.Join(dir, "lib"))
		}, "lib/link"},
		"file to link": {func(t *testing.T, dir string) {
			move(t, filepath.Join(dir, "lib/data"), filepath.Join(filepath.Dir(dir), "data"))
			tree{"data": "-> ../../data"}.write(t, filepath.Join(dir, "lib"))
		}, "lib/data"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			install(t, s, source(t, files))
			activate(t, s, "demo")
			if _, err := s.Verify(t.Context(), "demo"); err != nil {
				t.Fatal(err)
			}
			before := read(t, s.recordPath("demo"))
			c.change(t, s.PackDir("demo"))
			for range 2 {
				_, err := s.Verify(t.Context(), "demo")
				f := wantCode(t, err, CodePackChanged)
				if !strings.Contains(f.Message, fmt.Sprintf("%q", c.names)) || f.Hint == "" || len(f.Next) == 0 {
					t.Fatalf("%+v", f)
				}
			}
			if read(t, s.recordPath("demo")) != before {
				t.Fatal("a refused call renewed the record")
			}
		})
	}
}

// Listing a pack as activated by hand accepts nothing.
func TestStateAloneAcceptsNoContent(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	install(t, s, source(t, files.with("extra", "x")))
	if err := s.Update(t.Context(), func(st *State) error { st.activate("demo"); return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := s.Verify(t.Context(), "demo")
	if f := wantCode(t, err, CodePackChanged); f.Hint == "" {
		t.Error("no hint")
	}
}

// A change that makes the pack unreadable is refused as well, whatever the
// code.
func TestBrokenPackIsRefused(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, dir string){
		"surface cut":  func(t *testing.T, dir string) { write(t, filepath.Join(dir, "surface.json"), "{") },
		"surface gone": func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "surface.json")) },
		"other id": func(t *testing.T, dir string) {
			for path, content := range wrapPack("other", "./bin/demo") {
				write(t, filepath.Join(dir, path), content)
			}
		},
		"folder gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
		"folder linked": func(t *testing.T, dir string) {
			move(t, dir, dir+"-real")
			tree{filepath.Base(dir): "-> " + dir + "-real"}.write(t, filepath.Dir(dir))
		},
	} {
		s := newStore(t)
		install(t, s, source(t, wrapPack("demo", "./bin/demo")))
		activate(t, s, "demo")
		change(t, s.PackDir("demo"))
		if ready, err := s.Verify(t.Context(), "demo"); err == nil {
			t.Errorf("%s: %+v", name, ready)
		}
	}
}

func TestTouchedButEqualFilesPassAndAreRecorded(t *testing.T) {
	dir := tools(t, tree{"demo": program})
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "demo")))
	mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: dir}})
	old := bin(t, s, "demo").Identity
	for _, path := range []string{filepath.Join(dir, "demo"), filepath.Join(s.PackDir("demo"), "policy.json")} {
		content := read(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		chmod(t, filepath.Join(s.PackDir("demo"), "policy.json"), 0o600)
	}
	for range 2 {
		if _, err := s.Verify(t.Context(), "demo"); err != nil {
			t.Fatal(err)
		}
	}
	now := bin(t, s, "demo").Identity
	if now == old {
		t.Fatal("the new identity was not recorded")
	}
	rec, err := s.readRecord("demo")
	if err != nil {
		t.Fatal(err)
	}
	content := rec.Installed.content()
	if changed, _, err := content.Changed(s.PackDir("demo")); err != nil || len(changed) != 0 {
		t.Fatalf("changed %v, %v", changed, err)
	}
}

func TestEveryChangeOfAnExecutableIsNoticed(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"content":    func(t *testing.T, path string) { appendTo(t, path, "#\n") },
		"same size":  func(t *testing.T, path string) { keepTime(t, path, strings.Replace(program, "{}", "[]", 1)) },
		"exchanged":  func(t *testing.T, path string) { remove(t, path); write(t, path, program+"#") },
		"gone":       func(t *testing.T, path string) { remove(t, path) },
		"now a link": func(t *testing.T, path string) { move(t, path, path+"-real"); linkTo(t, path+"-real", path) },
		"a folder": func(t *testing.T, path string) {
			remove(t, path)
			tree{filepath.Base(path) + "/": ""}.write(t, filepath.Dir(path))
		},
	} {
		dir := tools(t, tree{"demo": program})
		s := newStore(t)
		install(t, s, source(t, wrapPack("demo", "demo")))
		mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: dir}})
		change(t, filepath.Join(dir, "demo"))
		_, err := s.Verify(t.Context(), "demo")
		if f := wantCode(t, err, CodeBinChanged); !strings.Contains(f.Message, filepath.Join(dir, "demo")) || f.Hint == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestGoneInterpreterIsNoticed(t *testing.T) {
	dir := tools(t, tree{"runner": "\x7fELF"})
	chmod(t, filepath.Join(dir, "runner"), 0o755)
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo").with("bin/demo", "#!"+filepath.Join(dir, "runner")+"\n")))
	activate(t, s, "demo")
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	remove(t, filepath.Join(dir, "runner"))
	_, err := s.Verify(t.Context(), "demo")
	wantCode(t, err, CodeBinChanged)
}

func TestBrokenRecordIsRefused(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	good := read(t, s.recordPath("demo"))
	for name, content := range map[string]string{
		"empty":      "",
		"cut":        good[:len(good)/2],
		"another's":  strings.Replace(good, `"pack_id":"demo"`, `"pack_id":"other"`, 1),
		"no format":  strings.Replace(good, `"format":1,`, ``, 1),
		"other type": `[]`,
	} {
		write(t, s.recordPath("demo"), content)
		_, err := s.Verify(t.Context(), "demo")
		if f := wantCode(t, err, CodeBadRecord); f.Hint == "" {
			t.Errorf("%s: no hint", name)
		}
		_, err = activateWith(t, s, "demo", ActivateOptions{})
		wantCode(t, err, CodeBadRecord)
		if read(t, s.recordPath("demo")) != content {
			t.Errorf("%s: the record was changed", name)
		}
	}
	// Uninstalling clears it away.
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{}); err != nil {
		t.Fatal(err)
	}
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
}

func TestVerifyWorksWhileTheStoreIsLocked(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	err := s.Update(t.Context(), func(*State) error {
		touch(t, filepath.Join(s.PackDir("demo"), "policy.json"))
		_, err := s.Verify(t.Context(), "demo")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestActivationTellsThePins(t *testing.T) {
	clock := &movable{at}
	s := openAt(t, filepath.Join(t.TempDir(), "home"), Options{Clock: clock})
	_, err := s.Activation("demo")
	wantCode(t, err, CodeUnknownPack)
	if _, err := s.Install(t.Context(), source(t, wrapPack("demo", "./bin/demo")), InstallOptions{Source: "npm:@scope/demo"}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Activation("demo")
	wantCode(t, err, CodeNotActivated)
	activate(t, s, "demo")
	got, err := s.Activation("demo")
	if err != nil || got.PackID != "demo" || got.At != "2026-11-30T12:00:00.000Z" || got.Source != "npm:@scope/demo" || len(got.Digest) != 64 || !got.Bin.Runnable() {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestUninstallRemovesThePackAndItsTraces(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	if _, err := s.SetConnected(t.Context(), "demo", true); err != nil {
		t.Fatal(err)
	}
	result, err := s.Uninstall(t.Context(), "demo", UninstallOptions{})
	if err != nil || result.Uninstalled != "demo" || !result.Deactivated || result.DataKept != "" {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, path := range []string{s.PackDir("demo"), s.path(skillsDir, "demo"), s.recordPath("demo")} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	st, err := s.State()
	if err != nil || len(st.Activated) != 0 || len(st.Connected) != 0 {
		t.Fatalf("state = %+v, %v", st, err)
	}
}

func TestUninstallRefusals(t *testing.T) {
	s := newStore(t)
	_, err := s.Uninstall(t.Context(), "hcp-cli", UninstallOptions{})
	if f := wantCode(t, err, CodeBootstrapPack); f.Message != "cannot uninstall bootstrap pack hcp-cli" {
		t.Errorf("message = %q", f.Message)
	}
	_, err = s.Uninstall(t.Context(), "nothing", UninstallOptions{})
	if f := wantCode(t, err, CodeNotInstalled); f.Message != "pack not installed: nothing" {
		t.Errorf("message = %q", f.Message)
	}
	// Names that are paths reach no file.
	tree{"keep/me": "x"}.write(t, s.path(tmpDir))
	for _, id := range []string{"../tmp/keep", "..", ".", "", "a/b", "demo\x00", `..\tmp`} {
		_, err := s.Uninstall(t.Context(), id, UninstallOptions{RemoveData: true})
		wantCode(t, err, CodeNotInstalled)
	}
	if read(t, s.path(tmpDir, "keep", "me")) != "x" {
		t.Fatal("something else was removed")
	}
}

func TestUninstallKeepsDataUnlessAsked(t *testing.T) {
	s := newStore(t)
	for _, removeData := range []bool{false, true} {
		install(t, s, source(t, wrapPack("demo", "./bin/demo")))
		activate(t, s, "demo")
		jail, err := s.Jail("demo", "ada")
		if err != nil {
			t.Fatal(err)
		}
		tree{"config/token": "x"}.write(t, jail.Home)
		chmod(t, filepath.Join(jail.Home, "config"), 0o500)
		jail.Close()
		result, err := s.Uninstall(t.Context(), "demo", UninstallOptions{RemoveData: removeData})
		if err != nil {
			t.Fatal(err)
		}
		_, statErr := os.Stat(filepath.Join(jail.Home, "config/token"))
		if removeData {
			if !errors.Is(statErr, fs.ErrNotExist) || result.DataKept != "" {
				t.Fatalf("%v, %+v", statErr, result)
			}
			continue
		}
		if statErr != nil || result.DataKept != s.path(jailsDir, "demo") || len(result.Notes) == 0 {
			t.Fatalf("%v, %+v", statErr, result)
		}
		chmod(t, filepath.Join(jail.Home, "config"), 0o700)
	}
}

// What was kept can be removed later as the note says it, and only once.
func TestKeptDataIsRemovedAfterwards(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	jail, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	tree{"config/token": "x"}.write(t, jail.Home)
	jail.Close()
	result, err := s.Uninstall(t.Context(), "demo", UninstallOptions{})
	if err != nil || !strings.Contains(strings.Join(result.Notes, ""), "hcpx uninstall demo --data") {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{}); !fault.Is(err, CodeNotInstalled) {
		t.Fatal(err)
	}
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{RemoveData: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(jail.Home); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("the data is still there")
	}
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{RemoveData: true}); !fault.Is(err, CodeNotInstalled) {
		t.Fatal(err)
	}
}

// A command that runs keeps its home: removing the data is refused, and then
// nothing of the pack is removed.
func TestDataInUseIsNotRemoved(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	first, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatalf("two calls at once: %v", err)
	}
	write(t, filepath.Join(first.Home, "token"), "x")
	first.Close()
	_, err = s.Uninstall(t.Context(), "demo", UninstallOptions{RemoveData: true})
	wantCode(t, err, durable.CodeLocked)
	if _, err := os.Stat(filepath.Join(first.Home, "token")); err != nil || !s.Installed("demo") {
		t.Fatalf("%v, installed %v", err, s.Installed("demo"))
	}
	release, err := s.seizeJail("other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Jail("other", "ada"); !fault.Is(err, durable.CodeLocked) {
		t.Fatalf("a jail while its data goes: %v", err)
	}
	release()
	second.Close()
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{RemoveData: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first.Home); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("the data is still there")
	}
}

func TestEmptyFolderIsNoPack(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	if err := os.Mkdir(s.PackDir("stray"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ids, err := s.InstalledIDs(); err != nil || !slices.Equal(ids, []string{"demo", "hcp-cli"}) {
		t.Fatalf("%q, %v", ids, err)
	}
	entries, err := os.ReadDir(s.PackDir("demo"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(s.PackDir("demo"), entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := s.InstalledIDs(); err != nil || !slices.Equal(ids, []string{"demo", "hcp-cli"}) {
		t.Fatalf("a pack that was emptied: %q, %v", ids, err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// keepTime rewrites a file in place and sets its time of writing back.
func keepTime(t *testing.T, path, content string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(content); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	past := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func linkTo(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
