package lint

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// Bounds of the look into the other files of a pack.
const (
	largestScanned = 256 << 10
	mostScanned    = 8 << 20
)

// files looks at the rest of the directory: for what no pack may have, for files
// whose name says that they hold credentials, and for credentials of known form
// in text files (§2.8, §8.1). Nothing else about these files matters.
func (f *findings) files(d *pack.Draft) {
	root, err := os.OpenRoot(d.Dir)
	if err != nil {
		return
	}
	defer root.Close()
	f.paths(d)
	scanned, foreign := int64(0), ""
	err = pack.Walk(d.Dir, func(e pack.Entry) error {
		name := path.Base(e.Path)
		switch {
		case e.Info.IsDir() && pack.IsVersionControl(name):
			return fs.SkipDir
		case e.Info.IsDir() && name == "node_modules" && foreign == "":
			foreign = e.Path + "/"
		case holdsCredentials(e.Info.IsDir(), name):
			f.add(hcp.LintBinding, "secret", "%s is where credentials are kept; the runtime's hub gives them, not the pack", quoted(e.Path))
		}
		// What others wrote comes with their test data.
		if !e.Info.Mode().IsRegular() || foreign != "" && strings.HasPrefix(e.Path, foreign) || isPackFile(e.Path) || e.Info.Size() > largestScanned {
			return nil
		}
		if scanned += e.Info.Size(); scanned <= mostScanned {
			f.scan(root, e.Path)
		}
		return nil
	}, func(p pack.TreeProblem) error {
		f.add(hcp.LintInvalidMeta, p.Path, "%s %s", quoted(p.Path), p.Reason)
		return nil
	})
	if scanned > mostScanned {
		f.note("not every file was searched for credentials: there are too many")
	}
	if err != nil {
		f.add(hcp.LintInvalidMeta, pack.SurfaceFile, "%s", fault.From(err).Message)
	}
}

func isPackFile(p string) bool {
	return p == pack.SurfaceFile || p == pack.PolicyFile || p == pack.SkillFile
}

// holdsCredentials knows files by their name.
func holdsCredentials(isFolder bool, name string) bool {
	lower := strings.ToLower(name)
	if isFolder {
		return lower == "secrets"
	}
	switch lower {
	case ".netrc", ".git-credentials", ".pypirc", ".pgpass":
		return true
	case ".env.example", ".env.sample", ".env.template":
		return false
	}
	return lower == ".env" || strings.HasPrefix(lower, ".env.")
}

func (f *findings) scan(root *os.Root, name string) {
	file, err := root.Open(name)
	if err != nil {
		return // Walk said what it is; whether it can be read is not lint's to say
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestScanned))
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return
	}
	number := 0
	for l := range bytes.Lines(text) {
		number++
		if what := tokenShape(string(l)); what != "" {
			f.add(hcp.LintBinding, "secret", "%s line %d holds what looks like %s; the runtime's hub gives credentials, not the pack", quoted(name), number, what)
			return
		}
	}
}

// paths follows what the manifest names within the pack. That a path leaves by
// its text was found when the manifest was read.
func (f *findings) paths(d *pack.Draft) {
	check := func(field, rel string, kind hcp.LintKind, key string) {
		file, err := d.ResolveInside(rel)
		switch {
		case err == nil:
			f.named(field, rel, file, kind, key)
		case errors.Is(err, fs.ErrNotExist):
			f.note("%s %s is not in the pack", field, quoted(rel))
		case !slices.ContainsFunc(f.issues, func(i hcp.LintIssue) bool { return i.Kind == kind && i.Key == key }):
			f.add(kind, key, "%s: %s", field, fault.From(err).Message)
		}
	}
	if w := d.Manifest.Wrap; w != nil && pack.IsPath(w.Bin) {
		check("wrap.bin", w.Bin, hcp.LintWrap, "bin")
	}
	if o := d.Manifest.OpenAPI; o != nil && o.Path != "" {
		check("openapi.path", o.Path, hcp.LintInvalidMeta, "openapi")
	}
}

// named looks at what a path of the manifest leads to. A folder can never be
// run or read; a file that nobody may execute yet may be given that right, and
// some archives lose it.
func (f *findings) named(field, rel, file string, kind hcp.LintKind, key string) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		f.note("%s %s cannot be looked at", field, quoted(rel))
	case !info.Mode().IsRegular():
		f.add(kind, key, "%s %s is not a file", field, quoted(rel))
	case kind == hcp.LintWrap && runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		f.note("%s %s is not executable, so no command can run; chmod +x makes it so", field, quoted(rel))
	}
}
