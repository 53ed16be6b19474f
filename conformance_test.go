package bridle_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// numbered lists how many numbered sentences each section of the specification
// has. Sections 6.3 and 2.7 number the rows of a table.
var numbered = map[string]int{
	"2.1": 5, "2.2": 5, "2.3": 5, "2.4": 3, "2.5": 4, "2.6": 3,
	"3.5": 2,
	"4.2": 6, "4.3": 3, "4.4": 5, "4.5": 5,
	"5.1": 3, "5.2": 8, "5.3": 3, "5.4": 3,
	"6.3": 9, "6.4": 8, "6.5": 5, "6.6": 2,
	"7.1": 4, "7.2": 5, "7.3": 4, "7.4": 3, "7.5": 3, "7.7": 3, "7.9": 2,
	"8.1": 3, "8.2": 3, "8.3": 4, "8.4": 4, "8.5": 4, "8.6": 3, "8.7": 2,
	"9.1": 3, "9.2": 4, "9.4": 4, "9.6": 4,
	"10.1": 2, "10.2": 5, "10.3": 4, "10.4": 2,
	"11.1": 6, "11.2": 3, "11.4": 3,
	"12.1": 9, "12.2": 6, "12.4": 2, "12.5": 5,
	"13.1": 5, "13.2": 4, "13.3": 3,
	"14.2": 7, "14.3": 10, "14.4": 4,
}

// statements are further obligations of the text that no number marks.
var statements = strings.Fields("2.7.P1 2.7.P2 2.7.P3 2.7.P4 2.7.P5 2.7.P6 2.7.P7 2.7.P8 3 3.1 3.3 3.4 3.6 4 4.1 5.5 6.1 6.2 8.8 9.3 9.5 9.7 9.8 12.6 13.6 14.5")

// claim is one row of docs/conformance.md with a "Held by" column.
type claim struct{ section, heldBy string }

func claims(t *testing.T) []claim { return claimsOf(t, "docs/conformance.md") }

// claimsOf reads the claims of a page.
func claimsOf(t *testing.T, page string) []claim {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows []claim
	columns := 0 // of the table that the line belongs to, when it has holders
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case strings.HasSuffix(line, "| Held by |"):
			columns = len(cells)
		case columns == 0 || strings.HasPrefix(line, "|---"):
		case len(cells) != columns:
			t.Errorf("a row has %d cells instead of %d: %s", len(cells), columns, line)
		default:
			rows = append(rows, claim{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[len(cells)-1])})
		}
	}
	return rows
}

func TestEverySentenceOfTheSpecificationHasARow(t *testing.T) {
	there := map[string]bool{}
	for _, c := range claims(t) {
		there[c.section] = true
	}
	want := slices.Clone(statements)
	for section, count := range numbered {
		for i := range count {
			want = append(want, fmt.Sprintf("%s.%d", section, i+1))
		}
	}
	slices.Sort(want)
	for _, section := range want {
		if !there[section] {
			t.Errorf("docs/conformance.md has no row for §%s", section)
		}
	}
}

// A row is held by tests, scripts and vectors, or says in one of two forms why
// there is nothing to hold.
func TestEveryRowOfTheConformancePageIsHeld(t *testing.T) {
	rows := claims(t)
	checkHeld(t, rows)
	if len(rows) < 250 {
		t.Errorf("only %d rows were read", len(rows))
	}
}

// The Access page has no numbered sentences: a row stands for each of them, in
// the order of the page.
func TestEveryRowOfTheAccessPageIsHeld(t *testing.T) {
	rows := claimsOf(t, "docs/conformance-access.md")
	checkHeld(t, rows)
	if len(rows) < 70 {
		t.Errorf("only %d rows were read", len(rows))
	}
}

// The page of Hop has a row for each sentence of the protocol's text.
func TestEveryRowOfTheHopPageIsHeld(t *testing.T) {
	rows := claimsOf(t, "docs/hop-conformance.md")
	checkHeld(t, rows)
	if len(rows) < 110 {
		t.Errorf("only %d rows were read", len(rows))
	}
}

// The Hound protocol's sentences are counted section by section.
func TestEveryRowOfTheHoundPageIsHeld(t *testing.T) {
	rows := claimsOf(t, "docs/hound-conformance.md")
	checkHeld(t, rows)
	there := map[string]bool{}
	for _, c := range rows {
		there[c.section] = true
	}
	for section, count := range map[string]int{
		"JSON": 4, "Manifest": 20, "Request": 5, "Response": 9, "Effects": 8, "Plan": 12, "Approval": 5, "Invocation": 5, "Run": 11, "Trust": 24,
		"Commands": 16, "Supervisor": 4, "Snapshots": 4, "Kit": 4, "Public": 3, "Hold": 23, "Interop": 10,
	} {
		for i := range count {
			if name := fmt.Sprintf("%s %d", section, i+1); !there[name] {
				t.Errorf("docs/hound-conformance.md has no row for %s", name)
			}
		}
	}
}

func checkHeld(t *testing.T, rows []claim) {
	t.Helper()
	holders := testNames(t)
	excuse := regexp.MustCompile(`^not (in this runtime|a runtime's to hold): [^ ].{10,}$`)
	list := regexp.MustCompile("^`[^`]+`(, `[^`]+`)*$")
	for _, c := range rows {
		if excuse.MatchString(c.heldBy) {
			continue
		}
		if !list.MatchString(c.heldBy) {
			t.Errorf("§%s is held by nothing that can be looked up: %q", c.section, c.heldBy)
			continue
		}
		for name := range strings.SplitSeq(c.heldBy, ", ") {
			if name = strings.Trim(name, "`"); !holders[name] {
				t.Errorf("§%s names %q, which is not there", c.section, name)
			}
		}
	}
}

// isRun reports whether go test runs a function of this name.
func isRun(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Example")
}

// Each name of the SDK's sections on access and titles has its names in Go, and
// they are there.
func TestEveryNameOfTheAccessSDKIsInGo(t *testing.T) {
	text, err := os.ReadFile("docs/conformance-access.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := exported(t, "hcp/runtime")
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]+) \\| .+ \\|$")
	there := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		there[m[1]] = true
		for name := range strings.SplitSeq(m[2], ", ") {
			if name = strings.Trim(name, "`"); !declared[name] {
				t.Errorf("%s: hcp/runtime has no %s", m[1], name)
			}
		}
	}
	for name := range strings.FieldsSeq(`withAccess gateCommand decideAccess describeCommand mergeAccess loadEffectiveAccess
		accessFiles readAccessFile writeAccessFile envAccess requestApproval consumeApproval decideApproval
		memoryApprovalStore fileApprovalStore fileAuditSink readAudit argsHash approvalView suggestPreview
		lintApprovalPreview formatApprovalView DEFAULT_VIEW_RULES DEFAULT_SIGNAL_RULES APPROVAL_VIEW_KINDS
		APPROVAL_VIEW_FIELDS approvalOptions argsFromArgv verbArguments commandTitle lintCommandTitle`) {
		if !there[name] {
			t.Errorf("docs/conformance-access.md has no row for %s", name)
		}
	}
}

// exported lists what a package declares for others, methods as Type.Name.
func exported(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, s := range tree(t) {
		if s.test || s.pkg != folder {
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					of := d.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					if id, ok := of.(*ast.Ident); ok {
						name = id.Name + "." + name
					}
				}
				names[name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if of, ok := spec.(*ast.TypeSpec); ok {
						names[of.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// testNames lists what can hold a row: tests as package.Name, the scripts of
// the command line, and the vectors.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, s := range tree(t) {
		if !s.test {
			continue
		}
		pkg := strings.TrimSuffix(s.file.Name.Name, "_test")
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && isRun(f.Name.Name) {
				names[pkg+"."+f.Name.Name] = true
			}
		}
	}
	for _, folder := range []string{"internal/hcp/hcpx/testdata/script", "internal/hop/hopcli/testdata/script", "internal/hound/houndcli/testdata/script"} {
		scripts, err := fs.Glob(os.DirFS(folder), "*.txtar")
		if err != nil || len(scripts) == 0 {
			t.Fatal("no scripts found", err)
		}
		for _, name := range scripts {
			names[name] = true
		}
	}
	vectors, err := filepath.Glob("spec/hcp/vectors/*.json")
	if err != nil || len(vectors) == 0 {
		t.Fatal("no vectors found", err)
	}
	name := regexp.MustCompile(`(?m)^ {6}"name": "([^"]+)",$`)
	for _, file := range vectors {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			names["vector "+m[1]] = true
		}
	}
	return names
}
