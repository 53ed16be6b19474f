package bridle_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists of linked packages anew")

// forbiddenLinks are packages that a program must not link: each costs start-up
// time, size, or trust that the program has no need of.
var forbiddenLinks = map[string][]string{
	"hcpx": {
		"net/http", "crypto/tls", "html/template", "database/sql", "encoding/xml", "go/ast", "testing",
		"github.com/santhosh-tekuri/jsonschema/v6", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk/mcp",
	},
	"hop":   {"net/http", "html/template", "github.com/santhosh-tekuri/jsonschema/v6", "testing"},
	"hound": {"net/http", "html/template", "database/sql", "github.com/santhosh-tekuri/jsonschema/v6", "modernc.org/sqlite", "testing"},
}

func TestLinkedPackagesAreTheListedOnes(t *testing.T) {
	mains, err := filepath.Glob("cmd/*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatal("no programs found", err)
	}
	for _, main := range mains {
		program := filepath.Base(filepath.Dir(main))
		linked := linkedBy(t, program)
		for _, banned := range forbiddenLinks[program] {
			if slices.Contains(linked, banned) {
				t.Errorf("%s links %s, which it must not; `go list -deps` and `go mod why` show the way", program, banned)
			}
		}
		compareList(t, program, linked)
	}
}

// linkedBy returns the packages that a program links on Linux.
func linkedBy(t *testing.T, program string) []string {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "./cmd/"+program)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps ./cmd/%s: %v", program, err)
	}
	return strings.Fields(string(out))
}

// compareList compares our own and third-party packages with the checked-in
// list. The standard library is left out, since it differs between releases, and
// so are the insides of other modules.
func compareList(t *testing.T, program string, linked []string) {
	t.Helper()
	var own []string
	for _, pkg := range linked {
		ours := strings.HasPrefix(pkg, module+"/")
		first, _, _ := strings.Cut(pkg, "/")
		if ours || strings.Contains(first, ".") && !strings.Contains(pkg, "/internal/") {
			own = append(own, pkg)
		}
	}
	slices.Sort(own)
	list := filepath.Join("testdata", "deps", program+".txt")
	text := strings.Join(own, "\n") + "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(list), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.ReadFile(list)
	if string(want) == text {
		return
	}
	before := strings.Fields(string(want))
	for _, pkg := range own {
		if !slices.Contains(before, pkg) {
			t.Errorf("%s now links %s", program, pkg)
		}
	}
	for _, pkg := range before {
		if !slices.Contains(own, pkg) {
			t.Errorf("%s no longer links %s", program, pkg)
		}
	}
	t.Errorf("if that is meant: go test . -run TestLinkedPackages -update, and commit %s", list)
}
