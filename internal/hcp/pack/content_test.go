package pack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
)

// plant writes files; a name that ends in a slash is a folder.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(full, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func hash(t testing.TB, dir string) Content {
	t.Helper()
	c, err := Hash(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var someFiles = map[string]string{"surface.json": "{}", "bin/run": "#!/bin/sh\n", "bin/lib/a.txt": "a", "z": "", "B": "b", "empty/": ""}

func TestHashIsOfTheContentAlone(t *testing.T) {
	c := hash(t, plant(t, someFiles))
	if len(c.Digest) != 64 || len(c.Files) != 5 || len(c.Folders) != 4 {
		t.Errorf("%+v", c)
	}
	if !slices.IsSortedFunc(c.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("the files are not in order")
	}
	if other := hash(t, plant(t, someFiles)); other.Digest != c.Digest {
		t.Error("a copy has another digest")
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Content
	if err := json.Unmarshal(text, &back); err != nil || back.Digest != c.Digest || !slices.Equal(back.Files, c.Files) || !slices.Equal(back.Folders, c.Folders) {
		t.Errorf("a record of it reads back as %+v, %v", back, err)
	}
}

func TestEveryChangeOfContentIsSeen(t *testing.T) {
	in := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, c := range []struct {
		name    string
		change  func(dir string) error
		changed string // paths; empty: nothing of the content changed
		moved   bool
	}{
		{"nothing", func(string) error { return nil }, "", false},
		{"same size", func(d string) error { return os.WriteFile(in(d, "bin/lib/a.txt"), []byte("b"), 0o644) }, "bin/lib/a.txt", false},
		{"longer", func(d string) error { return os.WriteFile(in(d, "surface.json"), []byte("{} "), 0o644) }, "surface.json", false},
		{"same size, times put back", func(d string) error {
			info, err := os.Stat(in(d, "bin/run"))
			if err != nil {
				return err
			}
			if err := os.WriteFile(in(d, "bin/run"), []byte("#!/bin/cp\n"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(in(d, "bin/run"), info.ModTime(), info.ModTime())
		}, "bin/run", false},
		{"made executable", func(d string) error { return os.Chmod(in(d, "z"), 0o755) }, "z", false},
		{"added", func(d string) error { return os.WriteFile(in(d, "bin/lib/new"), nil, 0o644) }, "bin/lib/new", false},
		{"added in a new folder", func(d string) error {
			if err := os.Mkdir(in(d, "new"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(in(d, "new/file"), nil, 0o644)
		}, "new/file", false},
		{"added a link", func(d string) error { return os.Symlink("z", in(d, "y")) }, "y", false},
		{"added a link that leaves", func(d string) error { return os.Symlink("/etc/passwd", in(d, "y")) }, "y", false},
		{"removed", func(d string) error { return os.Remove(in(d, "z")) }, "z", false},
		{"removed a folder", func(d string) error { return os.RemoveAll(in(d, "bin")) }, "bin/lib/a.txt bin/run", false},
		{"renamed", func(d string) error { return os.Rename(in(d, "z"), in(d, "y")) }, "y z", false},
		{"swapped", func(d string) error {
			if err := os.Rename(in(d, "B"), in(d, "tmp")); err != nil {
				return err
			}
			if err := os.Rename(in(d, "z"), in(d, "B")); err != nil {
				return err
			}
			return os.Rename(in(d, "tmp"), in(d, "z"))
		}, "B z", false},
		{"a file replaced by a link to a copy of it", func(d string) error {
			if err := os.Rename(in(d, "z"), in(d, "empty/z")); err != nil {
				return err
			}
			return os.Symlink("empty/z", in(d, "z"))
		}, "empty/z z", false},
		{"a folder replaced by a link to a copy of it", func(d string) error {
			if err := os.Rename(in(d, "bin"), in(d, "empty/bin")); err != nil {
				return err
			}
			return os.Symlink("empty/bin", in(d, "bin"))
		}, "bin empty/bin/lib/a.txt empty/bin/run", false},
		{"a file replaced by a folder", func(d string) error {
			if err := os.Remove(in(d, "z")); err != nil {
				return err
			}
			return os.Mkdir(in(d, "z"), 0o755)
		}, "z", false},
		{"touched", func(d string) error {
			return os.Chtimes(in(d, "z"), time.Unix(1, 0), time.Unix(1, 0))
		}, "", true},
		{"written again", func(d string) error {
			if err := os.Remove(in(d, "z")); err != nil {
				return err
			}
			return os.WriteFile(in(d, "z"), nil, 0o644)
		}, "", true},
		{"an empty folder added", func(d string) error { return os.Mkdir(in(d, "more"), 0o755) }, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t, someFiles)
			content := hash(t, dir)
			settle(&content)
			before := content.Digest
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			changed, moved, err := content.Changed(dir)
			if err != nil || strings.Join(changed, " ") != c.changed || moved != c.moved {
				t.Fatalf("changed %v, moved %v, %v; want %q, %v", changed, moved, err, c.changed, c.moved)
			}
			again, err := Hash(dir)
			if c.name == "added a link that leaves" {
				if fault.CodeOf(err) != CodeUnsafePack {
					t.Errorf("Hash took it: %v", err)
				}
				return
			}
			if err != nil || (again.Digest == before) != (c.changed == "") || content.Digest != before {
				t.Errorf("Hash says %s, %v after %s", again.Digest, err, before)
			}
			if c.changed == "" {
				settle(&content)
				if changed, moved, err := content.Changed(dir); len(changed) > 0 || moved || err != nil {
					t.Errorf("after it was brought up to date: %v, %v, %v", changed, moved, err)
				}
			}
		})
	}
}

// settle makes the content look as if it had been taken long after the files
// were written.
func settle(c *Content) { c.Taken += int64(time.Hour) }

func TestAnUnmovedIdentityIsTrustedOnceItSettled(t *testing.T) {
	dir := plant(t, someFiles)
	c := hash(t, dir)
	// The change that a clock tick hides: other bytes behind the same identity.
	i := slices.IndexFunc(c.Files, func(f File) bool { return f.Path == "bin/run" })
	c.Files[i].SHA256 = strings.Repeat("0", 64)
	settled := c
	settle(&settled)
	if changed, moved, err := settled.Changed(dir); len(changed) > 0 || moved || err != nil {
		t.Errorf("a settled identity was not trusted: %v, %v, %v", changed, moved, err)
	}
	if changed, _, err := c.Changed(dir); !slices.Equal(changed, []string{"bin/run"}) || err != nil {
		t.Errorf("a fresh identity was trusted: %v, %v", changed, err)
	}
}

// The same for names: one that came within the tick in which the folder was
// looked at.
func TestAFreshFolderIsListed(t *testing.T) {
	dir := plant(t, someFiles)
	c := hash(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "bin", "new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(c.Folders, func(f Folder) bool { return f.Path == "bin" })
	info, err := os.Stat(filepath.Join(dir, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	c.Folders[i].Identity = fileid.Of(info)
	c.Taken = c.Folders[i].Identity.Changed
	if changed, _, err := c.Changed(dir); !slices.Equal(changed, []string{"bin/new"}) || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
}

func TestAFileThatChangesWhileItIsReadIsRefused(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"replaced by one of the same size": func(path string) error {
			if err := os.WriteFile(path+"2", []byte("#!/bin/cp\n"), 0o644); err != nil {
				return err
			}
			return os.Rename(path+"2", path)
		},
		"replaced by a folder": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		},
		"shortened":    func(path string) error { return os.Truncate(path, 1) },
		"lengthened":   func(path string) error { return os.Truncate(path, 100) },
		"made private": func(path string) error { return os.Chmod(path, 0o600) },
		"removed":      os.Remove,
	} {
		dir := plant(t, someFiles)
		path := filepath.Join(dir, "bin", "run")
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if f, err := hashFile(dir, "bin/run", before); fault.CodeOf(err) != CodeUnsafePack {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

func TestChangedNeedsTheDirectory(t *testing.T) {
	dir := plant(t, someFiles)
	c := hash(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Changed(dir); fault.CodeOf(err) != CodeNoPack {
		t.Errorf("%v", err)
	}
	if _, err := Hash(dir); fault.CodeOf(err) != CodeNoPack {
		t.Errorf("%v", err)
	}
}

func TestAContentWithoutFoldersIsListed(t *testing.T) {
	dir := plant(t, someFiles)
	c := hash(t, dir)
	c.Folders = nil
	if changed, moved, err := c.Changed(dir); len(changed) > 0 || !moved || err != nil || len(c.Folders) != 4 {
		t.Errorf("%v, %v, %v, %v", changed, moved, err, c.Folders)
	}
	var none Content
	if changed, _, err := none.Changed(dir); len(changed) != 5 || err != nil {
		t.Errorf("%v, %v", changed, err)
	}
}

// inSomeFiles is the number of entries that someFiles makes.
const inSomeFiles = 8

func many(dir string, n int) error {
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(i)), nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func TestWhatNoPackMayHaveIsRefused(t *testing.T) {
	link := func(target string) func(string) error {
		return func(d string) error { return os.Symlink(target, filepath.Join(d, "x")) }
	}
	file := func(name string) func(string) error {
		return func(d string) error { return os.WriteFile(filepath.Join(d, filepath.FromSlash(name)), nil, 0o644) }
	}
	cases := []struct {
		name   string
		make   func(dir string) error
		reason string
	}{
		{"link to an absolute path", link("/etc/passwd"), `"x" in the pack is a link to an absolute path`},
		{"link that leaves", link("../../outside"), `"x" in the pack is a link that leads nowhere`},
		{"link to the folder above", link(".."), `"x" in the pack is a link that leaves the pack`},
		{"link that leaves and comes back", link("../p/z"), ""},
		{"link within", link("bin/run"), ""},
		{"link to the pack itself", link("."), ""},
		{"link to itself", link("x"), `"x" in the pack is a link that cannot be followed`},
		{"link through a link", func(d string) error {
			if err := os.Symlink("..", filepath.Join(d, "bin", "up")); err != nil {
				return err
			}
			return os.Symlink("bin/up/../..", filepath.Join(d, "x"))
		}, `"x" in the pack is a link that leaves the pack`},
		{"names equal but for case", file("b"), `"b" in the pack differs from "B" only in case`},
		{"names equal but for case, not ASCII", func(d string) error {
			if err := file("STRAßE")(d); err != nil {
				return err
			}
			return file("straẞe")(d)
		}, `"stra\u1e9ee" in the pack differs from "STRA\u00dfE" only in case`},
		{"name of a device", file("bin/CON.txt"), `"bin/CON.txt" in the pack has a name that not every platform allows`},
		{"name with a colon", file("a:b"), `"a:b" in the pack has a name that not every platform allows`},
		{"name with a trailing space", file("a "), `"a " in the pack has a name that not every platform allows`},
		{"name with a line end", file("a\nb"), `"a\nb" in the pack has a name that not every platform allows`},
		{"name that is not UTF-8", file("a\xffb"), `"a\xffb" in the pack has a name that is not UTF-8`},
		{"name with a hidden character", file("a\u200bb"), `"a\u200bb" in the pack has a name with characters that cannot be seen`},
		{"name that runs backwards", file("a\u202eb"), `"a\u202eb" in the pack has a name with characters that cannot be seen`},
		{"name with a decomposed letter", file("e\u0301"), `"e\u0301" in the pack has a name with characters that cannot be seen or have two spellings`},
		{"name in another script", file("日本語"), ""},
		{"too deep", func(d string) error {
			deep := strings.Repeat("d/", MaxDepth+1)
			return os.MkdirAll(filepath.Join(d, filepath.FromSlash(deep)), 0o755)
		}, `is nested deeper than 16 folders`},
		{"deep, but not too deep", func(d string) error {
			deep := strings.Repeat("d/", MaxDepth)
			return os.MkdirAll(filepath.Join(d, filepath.FromSlash(deep)), 0o755)
		}, ""},
		{"as many as may be", func(d string) error { return many(d, MaxEntries-inSomeFiles) }, ""},
		{"one too many", func(d string) error { return many(d, MaxEntries-inSomeFiles+1) }, `is one file too many: a pack has at most 2000`},
		{"too large", func(d string) error {
			f, err := os.Create(filepath.Join(d, "large"))
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(MaxBytes + 1)
		}, `"large" in the pack brings the files to more than the 67108864 bytes that a pack may have`},
	}
	for _, c := range append(cases, platformCases()...) {
		t.Run(c.name, func(t *testing.T) {
			dir := plant(t, someFiles)
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Hash(dir)
			switch {
			case c.reason == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.reason != "" && (fault.CodeOf(err) != CodeUnsafePack || !strings.Contains(err.Error(), c.reason)):
				t.Errorf("got %s: %v\nwant %s", fault.CodeOf(err), err, c.reason)
			}
		})
	}
}

func BenchmarkChanged(b *testing.B) {
	dir := plant(b, map[string]string{"surface.json": "{}", "policy.json": "{}", "HARNESS.md": "#", "hcp.eval.json": "{}", "bin/run": "#!"})
	c := hash(b, dir)
	settle(&c)
	for b.Loop() {
		if changed, moved, err := c.Changed(dir); len(changed) > 0 || moved || err != nil {
			b.Fatal(changed, moved, err)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	dir := plant(b, map[string]string{"surface.json": strings.Repeat("{}", 2000), "policy.json": "{}", "HARNESS.md": "#", "hcp.eval.json": "{}", "bin/run": strings.Repeat("#!", 5000)})
	for b.Loop() {
		if _, err := Hash(dir); err != nil {
			b.Fatal(err)
		}
	}
}
