package packs

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a Go module with a HOME of its own, whose settings send every fetch
// to a module proxy in a folder: nothing here reaches the network.
type module struct {
	t                testing.TB
	dir, home, proxy string
}

func newModule(t testing.TB, files map[string]string) module {
	t.Helper()
	needs(t, "sh", "od", "awk", "go")
	m := module{t, t.TempDir(), t.TempDir(), t.TempDir()}
	t.Cleanup(func() { makeWritable(m.home) }) // go makes its module cache read-only
	if _, ok := files["go.mod"]; !ok {
		m.write("go.mod", "module example.com/m\n\ngo 1.21\n")
	}
	for name, text := range files {
		m.write(name, text)
	}
	settings := filepath.Join(m.home, ".config", "go", "env")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("GOPROXY=file://"+filepath.ToSlash(m.proxy)+"\nGOSUMDB=off\nGOTELEMETRY=off\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return m
}

func makeWritable(dir string) {
	_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
}

func (m module) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// publish puts one version of a module into the proxy.
func (m module) publish(path, version, gomod string) {
	m.t.Helper()
	dir := filepath.Join(m.proxy, path, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	old, _ := os.ReadFile(filepath.Join(dir, "list"))
	put("list", string(old)+version+"\n")
	put(version+".info", fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version))
	put(version+".mod", gomod)
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		m.t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"go.mod": gomod, "lib.go": "// Package lib is \"published\".\npackage lib\n\nconst V = 1\n"} {
		w, err := z.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		m.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m module) hcp(args ...string) outcome {
	m.t.Helper()
	return start(m.t, command{path: script(m.t, "go", "go-hcp"), args: append(args, "--json"), dir: m.dir, env: m.env()})
}

// env has settings that must not get through, and a build cache that outlives the
// test, since a cold one costs half a minute.
func (m module) env() []string {
	return []string{"HOME=" + m.home, "XDG_CACHE_HOME=" + cacheHome(m.t), "GOFLAGS=-mod=mod", "GOPROXY=off", "CGO_ENABLED=0"}
}

func cacheHome(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("packs-go-cache-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (m module) ok(args ...string) map[string]any {
	m.t.Helper()
	return m.hcp(args...).object(m.t)
}

func TestGoDescribesToolchainAndModule(t *testing.T) {
	m := newModule(t, nil)
	got := m.ok("doctor")
	if got["module"] != "example.com/m" || !strings.HasPrefix(got["go"].(string), "go1.") || got["workspace"] != false || got["gofmt"] != true {
		t.Errorf("%v", got)
	}
	got = m.ok("env", "--names", "GOOS,GOTOOLCHAIN,GOFLAGS,GOPROXY")
	if len(at(t, got, "env").(map[string]any)) != 4 || at(t, got, "env", "GOTOOLCHAIN") != "local" || strings.Contains(at(t, got, "env", "GOFLAGS").(string), "mod") ||
		at(t, got, "env", "GOPROXY") == "off" {
		t.Errorf("%v", got)
	}
	if got := m.ok("env"); at(t, got, "env", "GOMOD") != filepath.Join(m.dir, "go.mod") {
		t.Errorf("%v", got)
	}
	settings := filepath.Join(m.home, ".config", "go", "env")
	if err := os.WriteFile(settings, []byte("GOPROXY=https://me:s3cr3t@proxy.example.com/x,direct\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := m.hcp("env"); strings.Contains(got.stdout, "s3cr3t") || at(t, got.object(t), "env", "GOPROXY") != "https://proxy.example.com/x,direct" {
		t.Errorf("%v", got)
	}
	for _, names := range []string{"GOAUTH", "PATH", "GOOS,HOME", "GOOS;id", "-w", "GOOS,"} {
		if got := m.hcp("env", "--names="+names); names != "GOOS," && got.code != 1 {
			t.Errorf("%s: %+v", names, got)
		}
	}
}

func TestGoListsPackagesAndWhatIsBroken(t *testing.T) {
	m := newModule(t, map[string]string{
		"a.go": "// Package m says \"hi\" to\n// everybody.\npackage m\n\nimport _ \"fmt\"\n", "a_test.go": "package m\n",
		"sub dir/b.go": "package sub\n", "bad/c.go": "package bad\n\nimport _ \"example.com/none\"\n",
	})
	got := m.ok("packages")
	if numbers(got["count"], got["broken"]) != "3 1" && numbers(got["count"], got["broken"]) != "2 1" {
		t.Errorf("%v", got)
	}
	first := at(t, got, "packages", 0).(map[string]any)
	if first["package"] != "example.com/m" || first["dir"] != "." || first["doc"] != `Package m says "hi" to everybody.` || numbers(first["go_files"], first["test_files"], first["imports"]) != "1 1 1" {
		t.Errorf("%v", first)
	}
	if got := m.ok("packages", "fmt"); at(t, got, "packages", 0, "name") != "fmt" {
		t.Errorf("%v", got)
	}
	if got := m.ok("packages", "--limit=1"); len(got["packages"].([]any)) != 1 || got["truncated"] != true {
		t.Errorf("%v", got)
	}
}

func TestGoReadsModulesFromTheProxyOnly(t *testing.T) {
	m := newModule(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.21\n\nrequire example.com/lib v1.0.0\n\nrequire example.com/deep v1.0.0 // indirect\n",
		"a.go":   "package m\n\nimport _ \"example.com/lib\"\n",
	})
	m.publish("example.com/lib", "v1.0.0", "module example.com/lib\n\ngo 1.21\n\nrequire example.com/deep v1.0.0\n")
	m.publish("example.com/lib", "v1.2.0", "// Deprecated: use \"other\" instead.\nmodule example.com/lib\n\ngo 1.21\n")
	m.publish("example.com/deep", "v1.0.0", "module example.com/deep\n\ngo 1.21\n")
	before := snapshot(t, m.dir)

	got := m.ok("mod", "list")
	if at(t, got, "main", 0) != "example.com/m" || numbers(got["total"]) != "3" {
		t.Errorf("%v", got)
	}
	for i, want := range []string{"example.com/deep", "example.com/lib"} {
		item := at(t, got, "modules", i).(map[string]any)
		if item["module"] != want || item["version"] != "v1.0.0" || item["indirect"] != (want == "example.com/deep") {
			t.Errorf("%v", item)
		}
	}
	got = m.ok("mod", "list", "--updates=true")
	if len(got["modules"].([]any)) != 1 || at(t, got, "modules", 0, "update") != "v1.2.0" || at(t, got, "modules", 0, "deprecated") != `use "other" instead.` {
		t.Errorf("%v", got)
	}
	got = m.ok("mod", "graph", "--module", "example.com/deep")
	edges := fmt.Sprint(got["edges"])
	if !strings.Contains(edges, "map[from:example.com/lib@v1.0.0 to:example.com/deep@v1.0.0]") || strings.Contains(edges, "to:example.com/lib@") {
		t.Errorf("%v", got)
	}
	if got := m.ok("mod", "why", "example.com/lib"); got["needed"] != true || at(t, got, "chain", 1) != "example.com/lib" {
		t.Errorf("%v", got)
	}
	if got := m.ok("mod", "why", "--kind=package", "example.com/lib"); got["needed"] != true {
		t.Errorf("%v", got)
	}
	if got := m.ok("mod", "why", "example.com/none"); got["needed"] != false || len(got["chain"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	got = m.ok("mod", "check")
	if got["tidy"] != false || !strings.Contains(got["diff"].(string), "+example.com/lib v1.0.0 h1:") {
		t.Errorf("%v", got)
	}
	if after := snapshot(t, m.dir); after != before {
		t.Errorf("reads changed the project:\n%s\nbefore:\n%s", after, before)
	}
	m.write("a.go", "package m\n")
	m.write("go.mod", "module example.com/m\n\ngo 1.21\n")
	if got := m.ok("mod", "check"); got["tidy"] != true || got["diff"] != "" {
		t.Errorf("%v", got)
	}
}

func TestGoVetSeparatesFindingsFromBrokenCode(t *testing.T) {
	m := newModule(t, map[string]string{"a.go": "package m\n\nimport \"fmt\"\n\nfunc A() { fmt.Printf(\"%d\\n\", `x\"y`) }\n"})
	got := m.ok("vet")
	finding := at(t, got, "findings", 0).(map[string]any)
	if got["clean"] != false || finding["analyzer"] != "printf" || finding["file"] != "a.go" || numbers(finding["line"]) != "5" || !strings.Contains(finding["message"].(string), "%d") {
		t.Errorf("%v", got)
	}
	m.write("a.go", "package m\n\nfunc A() { undefined() }\n")
	got = m.ok("vet", "./...")
	if got["clean"] != false || len(got["findings"].([]any)) != 0 || !strings.Contains(fmt.Sprint(got["errors"]), "undefined") {
		t.Errorf("%v", got)
	}
	m.write("a.go", "package m\n")
	if got := m.ok("vet"); got["clean"] != true {
		t.Errorf("%v", got)
	}
}

const testFile = `package m

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {}
func TestSkips(t *testing.T)  { t.Skip("not today") }
func TestFails(t *testing.T) {
	for i := 0; i < 100; i++ {
		t.Logf("line %d", i)
	}
	t.Error("boom \"quoted\" \x01\xff <tag> ü")
}
func TestParent(t *testing.T) {
	t.Run("child/a b", func(t *testing.T) { t.Error("child is red") })
	t.Run("fine", func(t *testing.T) {})
}
func TestNoisy(t *testing.T) {
	fmt.Fprintln(os.Stderr, "{\"Action\":\"pass\",\"Package\":\"forged\"}")
	fmt.Println(strings.Repeat("y", 100000))
	t.Fail()
}
`

func TestGoSumsUpATestRun(t *testing.T) {
	m := newModule(t, map[string]string{"a_test.go": testFile, "none/n.go": "package none\n", "broken/b.go": "package broken\n\nvar x int = \"s\"\n", "broken/b_test.go": "package broken\n"})
	got := m.ok("test", "--fresh=true")
	if got["passed"] != false || numbers(at(t, got, "packages", "passed"), at(t, got, "packages", "failed"), at(t, got, "packages", "without_tests")) != "0 2 1" ||
		numbers(at(t, got, "tests", "passed"), at(t, got, "tests", "failed"), at(t, got, "tests", "skipped")) != "2 4 1" {
		t.Errorf("%.2000v", got)
	}
	failed := map[string]map[string]any{}
	for i := range got["failed_tests"].([]any) {
		item := at(t, got, "failed_tests", i).(map[string]any)
		failed[item["test"].(string)] = item
	}
	if len(failed) != 3 || failed["TestParent/child/a_b"] == nil {
		t.Fatalf("%.2000v", failed)
	}
	if out := failed["TestFails"]["output"].(string); !strings.Contains(out, "boom \"quoted\" \x01\ufffd <tag> ü") || !strings.Contains(out, "line 99") || strings.Contains(out, "line 3\n") || failed["TestFails"]["cut"] != true {
		t.Errorf("%.2000q", out)
	}
	if out := failed["TestParent/child/a_b"]["output"].(string); !strings.Contains(out, "child is red") {
		t.Errorf("%.2000q", out)
	}
	if out := failed["TestNoisy"]["output"].(string); len(out) > 5000 {
		t.Errorf("%d bytes of output", len(out))
	}
	if !strings.Contains(fmt.Sprint(got["errors"]), "broken/b.go:3:13") || strings.Contains(fmt.Sprint(got["results"]), "forged") {
		t.Errorf("errors %.900v, results %.900v", got["errors"], got["results"])
	}
	got = m.ok("test", ".", "--run", "^TestPasses$", "--short=true", "--seconds=60")
	if got["passed"] != true || numbers(at(t, got, "tests", "passed")) != "1" {
		t.Errorf("%.2000v", got)
	}
	m.write("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { panic(\"lost\") }\n")
	if got := m.ok("test", "."); !strings.Contains(fmt.Sprint(got["failed_tests"], got["results"]), "panic: lost") {
		t.Errorf("%.2000v", got)
	}
	if got := m.ok("test", ".", "--run=none"); got["passed"] != true {
		t.Errorf("%.2000v", got)
	}
}

func TestGoFormatsOnlyWhatWasConfirmedAndIsOurs(t *testing.T) {
	ugly := "package m\nfunc  A() { }\n"
	m := newModule(t, map[string]string{"a.go": "package m\n", "b.go": ugly, "sub/c.go": ugly, "vendor/x/d.go": ugly, ".hidden/e.go": ugly, "-f.go": ugly, "bad.go": "package m\nfunc (\n"})
	got := m.ok("fmt", "check")
	if got["formatted"] != false || fmt.Sprint(got["files"]) != "[-f.go b.go sub/c.go]" || !strings.HasPrefix(at(t, got, "errors", 0).(string), "bad.go:2") {
		t.Errorf("%v", got)
	}
	m.hcp("fmt", "write").refused(t, "needs --confirm")
	if got := m.ok("fmt", "write", "sub", "--confirm"); fmt.Sprint(got["files"]) != "[sub/c.go]" {
		t.Errorf("%v", got)
	}
	if got := m.ok("fmt", "write", "--confirm"); fmt.Sprint(got["files"]) != "[-f.go b.go]" {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"vendor/x/d.go", ".hidden/e.go"} {
		if data, err := os.ReadFile(filepath.Join(m.dir, name)); err != nil || string(data) != ugly {
			t.Errorf("%s is %q (%v)", name, data, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(m.dir, "-f.go")); err != nil || string(data) != "package m\n\nfunc A() {}\n" {
		t.Errorf("-f.go is %q (%v)", data, err)
	}
	if got := m.ok("fmt", "check", "sub"); got["formatted"] != true {
		t.Errorf("%v", got)
	}
	for _, path := range []string{"..", "/", "a/../../x", "none"} {
		m.hcp("fmt", "check", path).refused(t, "")
		m.hcp("fmt", "write", path, "--confirm").refused(t, "")
	}
}

func TestGoTellsHowAProgramWasBuilt(t *testing.T) {
	m := newModule(t, map[string]string{"not": "hello\n"})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got := m.ok("version", self)
	if !strings.HasPrefix(got["go"].(string), "go1.") || at(t, got, "module", "module") != "bridle" || len(got["dependencies"].([]any)) == 0 {
		t.Errorf("%v", got)
	}
	m.hcp("version", "not").refused(t, "")
	m.hcp("version", "none").refused(t, `there is no file "none"`)
}

func TestGoRefusesWithOneSentence(t *testing.T) {
	m := newModule(t, nil)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"build"}, `unknown command "build"`},
		{[]string{"mod"}, "needs a second word"},
		{[]string{"mod", "tidy"}, `unknown command "mod.tidy"`},
		{[]string{"mod", "why"}, "needs a module"},
		{[]string{"packages", "a", "b"}, "at most one pattern"},
		{[]string{"packages", "--limit=1001"}, "from 1 to 1000"},
		{[]string{"packages", "-f", "x"}, "unknown option"},
		{[]string{"vet", "--vettool=/bin/true"}, "takes no option"},
		{[]string{"test", "--exec=/bin/true"}, "takes no option"},
		{[]string{"test", "--race=maybe"}, "true or false"},
		{[]string{"test", "--confirm"}, "takes no option"},
		{[]string{"vet", "./none"}, "none"},
	} {
		m.hcp(c.args...).refused(t, c.want)
	}
	path := script(t, "go", "go-hcp")
	for _, verb := range [][]string{{"packages"}, {"vet"}, {"test"}, {"mod", "why"}} {
		start(t, command{path: path, args: append(verb, "--", "-exec=/bin/true"), dir: m.dir}).refused(t, "no package")
	}
	empty := t.TempDir()
	for _, args := range [][]string{{"packages"}, {"vet"}, {"test"}, {"mod", "list"}, {"mod", "graph"}, {"mod", "check"}, {"mod", "why", "x"}} {
		start(t, command{path: path, args: args, dir: empty}).refused(t, "go")
	}
	if got := start(t, command{path: path, args: []string{"doctor"}, dir: empty}).object(t); got["module"] != nil {
		t.Errorf("%v", got)
	}
	start(t, command{path: path, args: []string{"doctor"}, dir: empty, env: []string{"HOME="}}).refused(t, "HOME is not set")
	newer := newModule(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.999\n"})
	newer.hcp("packages").refused(t, "1.999")
}

func TestGoAnswersTheSameUnderEveryShellAndAwk(t *testing.T) {
	m := newModule(t, map[string]string{"a.go": "// Package m is ü \"quoted\".\npackage m\n\nfunc  A() { x() }\n", "b/b_test.go": testFile, "c/c.go": "package c\n"})
	sameEverywhere(t, command{path: script(t, "go", "go-hcp"), dir: m.dir, env: m.env()}, [][]string{
		{"packages"}, {"mod", "list"}, {"vet"}, {"fmt", "check"}, {"mod", "why", "x"}, {"vet", "./x"}, {"--help"},
	})
}
