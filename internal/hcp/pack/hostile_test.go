package pack_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

func TestTheThreeFilesArePlainFilesOfTheirOwn(t *testing.T) {
	for _, name := range []string{pack.SurfaceFile, pack.PolicyFile, pack.SkillFile} {
		cases := append([]hostileFile{
			{"a folder", func(path string) error { return os.Mkdir(path, 0o755) }, "unsafe_pack", " is not a plain file"},
			{"a link out of the pack", func(path string) error { return os.Symlink("../"+filepath.Base(path), path) }, "unsafe_pack", " is a link: the three files of a pack are plain files"},
			{"a link within the pack", func(path string) error { return os.Symlink("other", path) }, "unsafe_pack", " is a link: the three files of a pack are plain files"},
			{"a link to nothing", func(path string) error { return os.Symlink("nothing", path) }, "unsafe_pack", " is a link: the three files of a pack are plain files"},
			{"100 MB", func(path string) error {
				f, err := os.Create(path)
				if err != nil {
					return err
				}
				defer f.Close()
				return f.Truncate(100 << 20)
			}, "bad_pack", " has 104857600 bytes, more than the "},
		}, hostileFiles...)
		for _, c := range cases {
			t.Run(name+" is "+c.name, func(t *testing.T) {
				dir := write(t, goodSurface, goodPolicy, goodSkill)
				path := filepath.Join(dir, name)
				if err := os.Rename(path, filepath.Join(dir, "other")); err != nil {
					t.Fatal(err)
				}
				if err := c.make(path); err != nil {
					t.Fatal(err)
				}
				for _, load := range []func(string) (*pack.Pack, error){pack.Load, pack.LoadForExec} {
					_, err := load(dir)
					if fault.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), name+c.message) {
						t.Errorf("%s: %v", fault.CodeOf(err), err)
					}
				}
			})
		}
	}
}

// hostileFile is something that may stand in place of a file.
type hostileFile struct {
	name          string
	make          func(path string) error
	code, message string
}

func TestSizesUpToTheBoundAreRead(t *testing.T) {
	pad := func(text string, size int) string { return text + strings.Repeat(" ", size-len(text)) }
	if _, err := pack.Load(write(t, pad(goodSurface, pack.MaxJSON), pad(goodPolicy, pack.MaxJSON), pad(goodSkill, pack.MaxSkill))); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{
		write(t, pad(goodSurface, pack.MaxJSON+1), goodPolicy, goodSkill),
		write(t, goodSurface, pad(goodPolicy, pack.MaxJSON+1), goodSkill),
		write(t, goodSurface, goodPolicy, pad(goodSkill, pack.MaxSkill+1)),
	} {
		if _, err := pack.Load(dir); fault.CodeOf(err) != "bad_pack" || !strings.Contains(err.Error(), "more than the") {
			t.Errorf("%v", err)
		}
	}
}

func TestLoadNeedsADirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, message := range map[string]string{
		filepath.Join(dir, "absent"): `there is no directory "`, file: "is no directory that can be read", dir: `missing surface.json`,
	} {
		if _, err := pack.Load(path); fault.CodeOf(err) != "no_pack" || !strings.Contains(err.Error(), message) || fault.From(err).Hint == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAFileInAnotherCaseIsNamed(t *testing.T) {
	dir := write(t, "", goodPolicy, goodSkill)
	if err := os.WriteFile(filepath.Join(dir, "Surface.json"), []byte(goodSurface), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := pack.Examine(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Problems) != 1 || d.Problems[0].Kind != "missing_surface" || len(d.Notes) != 1 || !strings.Contains(d.Notes[0], `surface.json is there as "Surface.json"`) {
		t.Errorf("%+v %+v", d.Problems, d.Notes)
	}
}

func TestResolveInsideStaysInside(t *testing.T) {
	dir := write(t, goodSurface, goodPolicy, goodSkill)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	for _, path := range []string{filepath.Join(dir, "bin"), outside} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "run"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"within": "bin/run", "file": outside + "/run", "folder": "../outside", "loop": "loop", "up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := pack.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "bin", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rel := range []string{"./bin/run", "bin/run", "bin//run", "bin/../bin/./run", "within"} {
		if got, err := p.ResolveInside(rel); err != nil || got != real {
			t.Errorf("%s: %s, %v", rel, got, err)
		}
	}
	for rel, code := range map[string]string{
		"": "unsafe_pack", ".": "unsafe_pack", "..": "unsafe_pack", "/bin/sh": "unsafe_pack", "../outside/run": "unsafe_pack",
		"bin/../../outside/run": "unsafe_pack", "file": "unsafe_pack", "folder/run": "unsafe_pack", "loop": "unsafe_pack", "up": "unsafe_pack",
		`bin\run`: "unsafe_pack", "C:/run": "unsafe_pack", "bin/run\x00": "unsafe_pack",
		"bin/absent": "bad_pack",
	} {
		got, err := p.ResolveInside(rel)
		if fault.CodeOf(err) != code || got != "" {
			t.Errorf("%q: %q, %s: %v", rel, got, fault.CodeOf(err), err)
		}
	}
	if _, err := p.ResolveInside("bin/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v does not say that nothing is there", err)
	}
}
