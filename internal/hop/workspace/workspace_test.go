package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func TestConfigurationHasDefaultsAndRefusesWhatItDoesNotKnow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	c, err := ReadConfig(file)
	if err != nil || c.FileLimit() != DefaultMaxFile || c.Check.Limit() != DefaultTimeout || c.GC.Idle() != DefaultIdleAfter || c.Outside() {
		t.Fatalf("%+v, %v", c, err)
	}
	write(t, file, "workspaces = \"outside\"\noverlap = \"content\"\nmax_file = 7\n[check]\ntimeout = \"5m\"\ncaches = [\"target\"]\n[seed]\ncopy = [\".env\", \"conf/*.local\"]\n[gc]\nidle_after = \"1h\"\n")
	c, err = ReadConfig(file)
	if err != nil || !c.Outside() || c.FileLimit() != 7 || c.Check.Limit() != 5*time.Minute || c.GC.Idle() != time.Hour {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, bad := range []string{
		"workspace = \"outside\"", "workspaces = \"there\"", "overlap = 1", "overlap = \"bytes\"", "max_file = -1", "not toml",
		"[check]\ntimeout = \"5\"", "[check]\ntimeout = \"-5m\"", "[gc]\nidle_after = \"soon\"",
		"[seed]\ncopy = [\"../x\"]", "[seed]\ncopy = [\"/etc/passwd\"]", "[seed]\nlink = [\".git/config\"]", "[seed]\nlink = [\"./.HOP/x\"]",
		"[seed]\ncopy = [\"a/../../x\"]", "[check]\ncaches = [\".\"]",
	} {
		write(t, file, bad+"\n")
		if _, err := ReadConfig(file); !fault.Is(err, CodeBadConfig) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestProjectFolderIsHiddenOnceAndKeepsWhatIsThere(t *testing.T) {
	l := Layout{Root: t.TempDir()}
	common := filepath.Join(l.Root, ".git")
	write(t, filepath.Join(common, "info", "exclude"), "# mine\n*.log")
	for range 2 {
		if err := l.Prepare(common); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(common, "info", "exclude"))
	if err != nil || string(data) != "# mine\n*.log\n.hop/\n" {
		t.Errorf("%q, %v", data, err)
	}
	info, err := os.Stat(l.Dir())
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	other := Layout{Root: t.TempDir()}
	write(t, other.Dir(), "a file")
	if err := other.Prepare(common); err == nil {
		t.Error("a file in the folder's place is taken for it")
	}
}

func TestSeedsAreCopiedForWorkAndProtectedForChecks(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".env"), "secret")
	write(t, filepath.Join(root, "node_modules", "x", "y.js"), "y")
	write(t, filepath.Join(root, "conf", "a.local"), "a")
	write(t, filepath.Join(root, "tracked"), "root's")
	write(t, filepath.Join(root, IncludeFile), "# other tools read this\n\nconf/*.local\n")
	if err := os.Symlink("x", filepath.Join(root, "node_modules", "bin")); err != nil {
		t.Fatal(err)
	}
	c := Config{Seed: SeedConfig{Copy: []string{".env", "tracked", "absent"}, Link: []string{"node_modules"}}}
	want := []string{".env", "conf/a.local", "node_modules"}

	work := t.TempDir()
	write(t, filepath.Join(work, "tracked"), "its own")
	done, err := Seed(Layout{Root: root}, c, work)
	if err != nil || !slices.Equal(done, want) {
		t.Fatalf("%q, %v", done, err)
	}
	if text, err := os.Readlink(filepath.Join(work, "node_modules")); err != nil || text != filepath.Join(root, "node_modules") {
		t.Errorf("%q, %v", text, err)
	}
	if data, err := os.ReadFile(filepath.Join(work, "tracked")); err != nil || string(data) != "its own" {
		t.Errorf("what was there is replaced: %q, %v", data, err)
	}

	check := t.TempDir()
	if done, _, err = seed(root, check, c, forCheck, nil); err != nil || !slices.Equal(done, append(slices.Clone(want), "tracked")) {
		t.Fatalf("%q, %v", done, err)
	}
	info, err := os.Lstat(filepath.Join(check, "node_modules", "x", "y.js"))
	if err != nil || info.Mode().Perm()&0o222 != 0 {
		t.Errorf("a check can write the seed: %v, %v", info.Mode(), err)
	}
	if text, err := os.Readlink(filepath.Join(check, "node_modules", "bin")); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
	if err := unlockTree(check); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, IncludeFile), "../outside\n")
	if _, err := Seed(Layout{Root: root}, Config{}, t.TempDir()); !fault.Is(err, CodeBadConfig) {
		t.Errorf("a seed from outside: %v", err)
	}
}

func TestTheIncludeFileIsReadAsGitReadsIgnoreFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{".env", "app/.env", "app/keep.env", "app/deep/x.local", "conf/a.pem", "other/conf/a.pem", "vendor/.env", "vendor/lib/wanted", ".hop/.env", "nested/.git/HEAD", "nested/.env", ".git/.env"} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), name)
	}
	write(t, filepath.Join(root, ".gitignore"), "vendor/\n")
	if err := os.Symlink("..", filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	for rules, want := range map[string][]string{
		".env":                        {".env", "app/.env"},
		"/.env":                       {".env"},
		"**/.env":                     {".env", "app/.env"},
		"*.env\n!keep.env":            {".env", "app/.env"},
		"conf/a.pem":                  {"conf/a.pem"},
		"/conf/*.pem\n!/conf/a.pem":   nil,
		"app/**/*.local":              {"app/deep/x.local"},
		"deep/":                       {"app/deep"},
		"vendor/lib/wanted":           {"vendor/lib/wanted"},
		"away/" + filepath.Base(root): nil,
	} {
		write(t, filepath.Join(root, IncludeFile), "# a comment\n"+rules+"\n")
		work := t.TempDir()
		if err := os.Symlink("..", filepath.Join(work, "away")); err != nil {
			t.Fatal(err)
		}
		done, err := Seed(Layout{Root: root}, Config{}, work)
		if err != nil || !slices.Equal(done, want) {
			t.Errorf("%q: %q, %v; want %q", rules, done, err, want)
		}
	}
}

func TestPatternsOfARootWithSpecialCharactersMatchItself(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a[b]*c?")
	write(t, filepath.Join(root, ".env"), "x")
	done, err := Seed(Layout{Root: root}, Config{Seed: SeedConfig{Copy: []string{".env"}}}, t.TempDir())
	if err != nil || !slices.Equal(done, []string{".env"}) {
		t.Fatalf("%q, %v", done, err)
	}
}

func TestTransferReplacesFilesAndLinksAndDiscardsEmptyFolders(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "d", "file"), "new")
	write(t, filepath.Join(to, "d", "file"), "old")
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, outside, "untouched")
	if err := os.Symlink("target", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(from, "was-link"), "file now")
	if err := os.Symlink(outside, filepath.Join(to, "was-link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"d/file", "link", "was-link"} {
		if err := Transfer(from, to, path); err != nil {
			t.Fatal(err)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(to, "d", "file")); string(data) != "new" {
		t.Errorf("%q", data)
	}
	if data, _ := os.ReadFile(outside); string(data) != "untouched" {
		t.Errorf("the write went through a link: %q", data)
	}
	if text, _ := os.Readlink(filepath.Join(to, "link")); text != "target" {
		t.Errorf("%q", text)
	}
	if err := Discard(to, "d/file"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(to, "d")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder is left: %v", err)
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add("workspaces = \"outside\"\n[check]\ntimeout = \"5m\"\n")
	f.Add("[seed]\ncopy = [\"../x\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "config.toml")
		write(t, file, text)
		c, err := ReadConfig(file)
		if err != nil {
			if !fault.Is(err, CodeBadConfig) {
				t.Fatal(err)
			}
			return
		}
		for _, p := range slices.Concat(c.Seed.Copy, c.Seed.Link, c.Check.Caches) {
			if clean := filepath.Clean(p); filepath.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
				t.Fatalf("%q leads out", p)
			}
		}
	})
}
