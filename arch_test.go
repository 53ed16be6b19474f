// Package bridle_test keeps the architecture: it reads the whole source tree
// and the import graph, and fails when a rule of ARCHITECTURE.md is broken. Each
// rule is a table with its exceptions and their reasons, so that a change of the
// architecture is a change of this file, seen in review.
package bridle_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "bridle"

// source is one parsed Go file. Its package is named by its folder, relative to
// the module's root.
type source struct {
	path, pkg string
	test      bool
	file      *ast.File
	lines     int
}

// imports returns the files' imports, by the name they have in the file.
func (s source) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range s.file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(target)
		if strings.HasPrefix(name, "v") && len(name) == 2 {
			name = path.Base(path.Dir(target))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = target
	}
	return names
}

var fileSet = token.NewFileSet()

// tree parses every Go file of the module, for all platforms alike.
func tree(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && p != "." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fileSet, p, data, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{
			path: filepath.ToSlash(p), pkg: path.Dir(filepath.ToSlash(p)),
			test: strings.HasSuffix(p, "_test.go"), file: f, lines: strings.Count(string(data), "\n"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d files found: the test runs in the wrong folder", len(all))
	}
	return all
}

// within reports whether pkg is one of the folders or below one.
func within(pkg string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
}

// commandSets are the packages that hold verbs; only they know the kit.
var commandSets = []string{
	"internal/hcp/hcpx", "internal/hcp/kit", "internal/hop/hopcli", "internal/hound/houndcli",
	"internal/bridge", "internal/console", "internal/tour",
}

type importRule struct {
	folder  string
	allowed []string
	reason  string
}

// importRules say what a folder may import of this module. The first rule whose
// folder matches decides.
var importRules = []importRule{
	{"cmd", append([]string{"internal/kernel/cli", "internal/kernel/single"}, commandSets...), "a main calls one command set, and may say that it runs on one processor"},
	{"internal/ci", nil, "the checks must run on a tree that does not build"},
	{"internal/bridge", []string{"hcp", "hop", "hound", "internal/kernel", "internal/bridge"}, "bridges see protocols through façades"},
	{"internal/console", []string{"hcp", "hop", "hound", "internal/kernel", "internal/bridge", "internal/console"}, "the console sees protocols through façades"},
	{"internal/tour", []string{"hcp", "hop", "hound", "internal/kernel", "internal/bridge", "internal/tour"}, "the tour sees protocols through façades"},
	{"internal/kernel", []string{"internal/kernel"}, "the kernel knows no protocol"},
	{"internal/hcp", []string{"hcp", "internal/hcp", "internal/kernel", "packs", "spec"}, "protocols do not import each other"},
	{"internal/hop", []string{"hop", "internal/hop", "internal/kernel", "spec"}, "protocols do not import each other"},
	{"internal/hound", []string{"hound", "internal/hound", "internal/kernel", "spec"}, "protocols do not import each other"},
	{"hcp/runtime", []string{"hcp", "internal/hcp", "internal/kernel", "packs"}, "a façade sees its own protocol"},
	{"hop/repo", []string{"hop", "internal/hop", "internal/kernel"}, "a façade sees its own protocol"},
	{"hound/guard", []string{"hound", "internal/hound", "internal/kernel"}, "a façade sees its own protocol"},
	{"hound/driverkit", []string{"hound", "internal/kernel/canon", "internal/kernel/durable"}, "a driver needs the vocabulary, JSON and files"},
	{"hound/research", []string{"hound", "internal/hound", "internal/kernel"}, "a façade sees its own protocol"},
	{"hcp", nil, "a vocabulary imports nothing of ours"},
	{"hop", nil, "a vocabulary imports nothing of ours"},
	{"hound", nil, "a vocabulary imports nothing of ours"},
	{"packs", nil, "packs are data"},
	{"spec", nil, "schemas and vectors are data"},
	{"bench", []string{"hcp", "hop", "hound", "internal", "packs"}, "a comparison may look at anything"},
	{".", nil, "the root holds this test, and the sources as data"},
}

func TestImportsRunOneWay(t *testing.T) {
	for _, s := range tree(t) {
		if s.test {
			continue
		}
		i := slices.IndexFunc(importRules, func(r importRule) bool { return within(s.pkg, r.folder) })
		if i < 0 {
			t.Errorf("%s: no rule says what %q may import; add one to importRules", s.path, s.pkg)
			continue
		}
		for _, target := range s.imports() {
			local, ours := strings.CutPrefix(target, module+"/")
			if ours && !within(local, importRules[i].allowed...) {
				t.Errorf("%s imports %s: %s", s.path, local, importRules[i].reason)
			}
			if ours && local == "internal/kernel/cli" && !within(s.pkg, append(commandSets, "cmd", "internal/kernel/cli/screenshot")...) {
				t.Errorf("%s imports the command-line kit: only command sets may, and what draws their screens; take plain values instead", s.path)
			}
			if ours && within(local, commandSets[:4]...) && !within(s.pkg, append(commandSets, "cmd")...) {
				t.Errorf("%s imports the command set %s: nothing is built on one", s.path, local)
			}
		}
	}
}

func TestProtocolsDoNotImportEachOtherInTestsEither(t *testing.T) {
	protocols := []string{"hcp", "hop", "hound"}
	for _, s := range tree(t) {
		for _, own := range protocols {
			if !within(s.pkg, own, "internal/"+own) {
				continue
			}
			for _, target := range s.imports() {
				for _, other := range protocols {
					local, _ := strings.CutPrefix(target, module+"/")
					if other != own && within(local, other, "internal/"+other) {
						t.Errorf("%s imports %s of another protocol", s.path, local)
					}
				}
			}
		}
	}
}

// doors are the packages that only a few folders may import, outside of tests.
var doors = []struct {
	pkg    string
	rooms  []string
	reason string
}{
	{"os/exec", []string{"internal/kernel/proc", "internal/ci"}, "processes start in internal/kernel/proc; internal/ci is a tool of this repository"},
	{"net/http", []string{"internal/kernel/netguard"}, "HTTP goes through internal/kernel/netguard"},
	{"database/sql", []string{"internal/hop"}, "only Hop has an index in a database"},
	{"unsafe", []string{"internal/kernel/proc", "internal/kernel/sandbox"}, "system calls without a wrapper"},
	{"plugin", nil, "no code is loaded at run time"},
	{"C", nil, "no cgo"},
	{"log", nil, "output goes through the streams that a caller hands in"},
	{"math/rand", nil, "ids come from the system's random source"},
	{"math/rand/v2", nil, "ids come from the system's random source"},
}

func TestDoors(t *testing.T) {
	for _, s := range tree(t) {
		for _, target := range s.imports() {
			for _, d := range doors {
				if s.test || target != d.pkg || within(s.pkg, d.rooms...) {
					continue
				}
				t.Errorf("%s imports %s: %s", s.path, target, d.reason)
			}
		}
	}
}
