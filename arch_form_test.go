package bridle_test

import (
	"go/ast"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestNoPackageRunsCodeAtStart(t *testing.T) {
	for _, s := range tree(t) {
		if s.test {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: init functions cost every start and hide the order of things", fileSet.Position(d.Pos()))
				}
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					if _, inside := n.(*ast.FuncLit); inside {
						return false
					}
					if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "MustCompile" || sel.Sel.Name == "Must") {
						t.Errorf("%s: compiled at every start; compile when first needed", fileSet.Position(sel.Pos()))
					}
					return true
				})
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	docs := map[string]string{}
	names := map[string]string{}
	for _, s := range tree(t) {
		if s.test {
			continue
		}
		names[s.pkg] = s.file.Name.Name
		if text := s.file.Doc.Text(); len(text) > len(docs[s.pkg]) {
			docs[s.pkg] = text
		}
	}
	for pkg, name := range names {
		start := "Package " + name + " "
		if name == "main" {
			start = "Command " + path.Base(pkg) + " "
		}
		if !strings.HasPrefix(docs[pkg], start) {
			t.Errorf("%s: the package comment must start with %q and say purpose, invariants and sections", pkg, start)
		}
	}
}

func TestPackageNamesSayWhatIsInside(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	banned := map[string]string{}
	for _, name := range []string{"util", "utils", "common", "shared", "helper", "helpers", "misc", "base", "lib", "core", "types", "models", "internal"} {
		banned[name] = "says nothing"
	}
	for line := range strings.Lines(string(out)) {
		if p := strings.TrimSpace(line); !strings.Contains(p, "internal") && !strings.HasPrefix(p, "vendor/") {
			banned[path.Base(p)] = "is the name of the standard package " + p
		}
	}
	for _, s := range tree(t) {
		if why := banned[s.file.Name.Name]; why != "" && !s.test {
			t.Errorf("%s: package name %q %s", s.path, s.file.Name.Name, why)
		}
	}
}

// sizeExceptions lists what may be longer, with the reason.
var sizeExceptions = map[string]string{}

func TestSizes(t *testing.T) {
	const longestFile, longestFunction = 700, 150
	for _, s := range tree(t) {
		if s.lines > longestFile && sizeExceptions[s.path] == "" {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, longestFile)
		}
		for _, decl := range s.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil || s.test {
				continue
			}
			lines := fileSet.Position(f.End()).Line - fileSet.Position(f.Pos()).Line
			if key := s.path + " " + f.Name.Name; lines > longestFunction && sizeExceptions[key] == "" {
				t.Errorf("%s: %s has %d lines, more than %d", fileSet.Position(f.Pos()), f.Name.Name, lines, longestFunction)
			}
		}
	}
}

func TestPublicSignaturesShowNothingInternal(t *testing.T) {
	for _, s := range tree(t) {
		if s.test || within(s.pkg, "internal", "cmd", "bench") {
			continue
		}
		imports := s.imports()
		look := func(where ast.Node) {
			if where == nil {
				return
			}
			ast.Inspect(where, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if name, ok := sel.X.(*ast.Ident); ok && strings.Contains(imports[name.Name]+"/", "/internal/") {
						t.Errorf("%s: %s.%s is internal and shows in a public signature", fileSet.Position(sel.Pos()), name.Name, sel.Sel.Name)
					}
				}
				return true
			})
		}
		for _, part := range publicParts(s.file) {
			look(part)
		}
	}
}

// publicParts returns the parts of a file that callers see.
func publicParts(f *ast.File) []ast.Node {
	var parts []ast.Node
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
				parts = append(parts, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch v := spec.(type) {
				case *ast.TypeSpec:
					if v.Name.IsExported() {
						parts = append(parts, publicType(v.Type)...)
					}
				case *ast.ValueSpec:
					if slices.ContainsFunc(v.Names, (*ast.Ident).IsExported) {
						parts = append(parts, v)
					}
				}
			}
		}
	}
	return parts
}

func exportedReceiver(recv *ast.FieldList) bool {
	found := false
	ast.Inspect(recv, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			found = true
		}
		return true
	})
	return found
}

// publicType returns the visible parts of a type: of a struct its exported and
// embedded fields, of anything else all of it.
func publicType(expr ast.Expr) []ast.Node {
	st, ok := expr.(*ast.StructType)
	if !ok {
		return []ast.Node{expr}
	}
	var parts []ast.Node
	for _, field := range st.Fields.List {
		if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
			parts = append(parts, field.Type)
		}
	}
	return parts
}
