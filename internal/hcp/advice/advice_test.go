package advice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bridle/internal/hcp/advice"
)

// general is what a code without an entry gets.
var general = advice.For("no such code")

// TestEveryFaultWithoutAHintIsAdvised reads the code that HCP's programs are made
// of: each fault that is made without a hint of its own has one here.
func TestEveryFaultWithoutAHintIsAdvised(t *testing.T) {
	seen := 0
	for _, root := range []string{"..", "../../kernel/durable", "../../kernel/journal", "../../kernel/cli"} {
		for _, s := range sources(t, root) {
			for _, f := range s.hintless() {
				code, ok := s.value(f.code)
				if !ok {
					continue // a code that is passed on: whoever names it is found there
				}
				seen++
				if advice.For(code) == general {
					t.Errorf("%s: code %q is made without a hint and has no advice", f.at, code)
				}
			}
		}
	}
	if seen < 50 {
		t.Fatalf("only %d faults were found", seen)
	}
}

// source is one package's files, and the constants of all.
type source struct {
	set    *token.FileSet
	files  []*ast.File
	consts map[string]string // by name, which is one of Code…
}

type hintless struct {
	code ast.Expr
	at   string
}

// codes are the constants of all packages that were read, by package and name.
var codes = map[string]string{}

func sources(t *testing.T, root string) []*source {
	t.Helper()
	byDir := map[string]*source{}
	var list []*source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		s := byDir[filepath.Dir(path)]
		if s == nil {
			s = &source{set: token.NewFileSet(), consts: map[string]string{}}
			byDir[filepath.Dir(path)], list = s, append(list, s)
		}
		file, err := parser.ParseFile(s.set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files = append(s.files, file)
		s.collect(file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (s *source) collect(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range v.Names {
			if i >= len(v.Values) {
				continue
			}
			if text, ok := literal(v.Values[i]); ok {
				s.consts[name.Name] = text
				codes[file.Name.Name+"."+name.Name] = text
			}
		}
		return true
	})
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

func (s *source) value(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e)
	case *ast.Ident:
		text, ok := s.consts[e.Name]
		return text, ok
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			text, ok := codes[pkg.Name+"."+e.Sel.Name]
			return text, ok
		}
	}
	return "", false
}

// hintless are the calls of fault.New and fault.Newf whose chain has no WithHint.
func (s *source) hintless() []hintless {
	var found []hintless
	for _, file := range s.files {
		hinted := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if hinted[call] || method.Sel.Name == "WithHint" {
				hinted[method.X] = true
			}
			if pkg, ok := method.X.(*ast.Ident); ok && pkg.Name == "fault" && strings.HasPrefix(method.Sel.Name, "New") && !hinted[call] && len(call.Args) > 0 {
				found = append(found, hintless{call.Args[0], s.set.Position(call.Pos()).String()})
			}
			return true
		})
	}
	return found
}
