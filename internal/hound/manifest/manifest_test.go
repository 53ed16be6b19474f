package manifest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/hound"
	"bridle/internal/kernel/fault"
	houndspec "bridle/spec/hound"
)

// smallest is the least that a manifest says.
const smallest = `{"schema_version":"hound.driver.v1","id":"a","protocol":"hound.protocol.v1","owner":{"repo":"."},` +
	`"exec":["x"],"capabilities":{"r":{"effect":"read","gate":"none"}}}`

// with returns the smallest manifest with one member set to a JSON text, or
// taken away where the text is empty.
func with(t *testing.T, member, text string) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(smallest), &m); err != nil {
		t.Fatal(err)
	}
	if text == "" {
		delete(m, member)
	} else {
		m[member] = json.RawMessage(text)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, `"`+name+`":`+string(m[name]))
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

func TestSmallestManifestIsAccepted(t *testing.T) {
	m, err := Parse([]byte(smallest))
	if err != nil {
		t.Fatal(err)
	}
	if m.RunRootPath() != ".hound/runs" || len(m.Scopes()) != 0 || m.Timeout("r") != 30*time.Second {
		t.Errorf("defaults: %q, %q, %s", m.RunRootPath(), m.Scopes(), m.Timeout("r"))
	}
}

func TestEveryRequiredMemberIsRequiredAndNotNull(t *testing.T) {
	for _, member := range form.Required {
		for _, text := range []string{"", "null"} {
			if _, err := Parse(with(t, member, text)); err == nil || !strings.Contains(err.Error(), member) {
				t.Errorf("%s = %q: %v", member, text, err)
			}
		}
	}
	for _, member := range form.Optional {
		if _, err := Parse(with(t, member, "null")); err == nil {
			t.Errorf("%s may be null", member)
		}
	}
}

func TestFieldsAreStrict(t *testing.T) {
	for name, c := range map[string]struct{ member, text string }{
		"unknown member":              {"read_scopes", `["a"]`},
		"member in another case":      {"Exec", `["x"]`},
		"other schema":                {"schema_version", `"hound.driver.v2"`},
		"other protocol":              {"protocol", `"hound.protocol.v2"`},
		"id with a space":             {"id", `"a b"`},
		"id that begins with a dot":   {"id", `".a"`},
		"empty id":                    {"id", `""`},
		"id of letters beyond ASCII":  {"id", `"é"`},
		"owner without repo":          {"owner", `{}`},
		"owner with more":             {"owner", `{"repo":".","branch":"main"}`},
		"absolute owner":              {"owner", `{"repo":"/srv"}`},
		"owner on a drive":            {"owner", `{"repo":"C:\\x"}`},
		"empty owner":                 {"owner", `{"repo":""}`},
		"owner with a control":        {"owner", `{"repo":"a\tb"}`},
		"no words in exec":            {"exec", `[]`},
		"empty program":               {"exec", `["","a"]`},
		"exec as a string":            {"exec", `"x -y"`},
		"control in exec":             {"exec", `["x","a\nb"]`},
		"DEL in exec":                 {"exec", `["x","a\u007f"]`},
		"null in exec":                {"exec", `["x",null]`},
		"no capability":               {"capabilities", `{}`},
		"operation with a slash":      {"capabilities", `{"a/b":{"effect":"read","gate":"none"}}`},
		"other effect":                {"capabilities", `{"r":{"effect":"execute","gate":"none"}}`},
		"other gate":                  {"capabilities", `{"r":{"effect":"write","gate":"agent"}}`},
		"gated read":                  {"capabilities", `{"r":{"effect":"read","gate":"human"}}`},
		"capability without gate":     {"capabilities", `{"r":{"effect":"read"}}`},
		"capability with more":        {"capabilities", `{"r":{"effect":"read","gate":"none","timeout":1}}`},
		"null capability":             {"capabilities", `{"r":null}`},
		"PATH in the list":            {"env_allowlist", `["PATH"]`},
		"PATH in a capability's list": {"capabilities", `{"r":{"effect":"read","gate":"none","env_allowlist":["PATH"]}}`},
		"variable twice":              {"env_allowlist", `["A","A"]`},
		"no name of a variable":       {"env_allowlist", `["1A"]`},
		"variable with a value":       {"env_allowlist", `["A=1"]`},
		"scope that leads upwards":    {"write_scopes", `["a/../b"]`},
		"absolute scope":              {"write_scopes", `["/a"]`},
		"scope twice":                 {"write_scopes", `["a","a"]`},
		"exclude of everything":       {"ignored_snapshot_excludes", `["./"]`},
		"exclude that leads upwards":  {"ignored_snapshot_excludes", `[".."]`},
		"exclude twice":               {"ignored_snapshot_excludes", `["a","a"]`},
		"run root that leads upwards": {"run_root", `"../runs"`},
		"run root in git's data":      {"run_root", `".git/runs"`},
		"empty run root":              {"run_root", `""`},
		"no time":                     {"timeouts_seconds", `{"default":0}`},
		"less than no time":           {"timeouts_seconds", `{"default":-1}`},
		"time as a truth":             {"timeouts_seconds", `{"default":true}`},
		"time as a text":              {"timeouts_seconds", `{"default":"5"}`},
		"time beyond all numbers":     {"timeouts_seconds", `{"default":1e400}`},
		"time for no identifier":      {"timeouts_seconds", `{"a b":1}`},
		"extension that is a number":  {"extensions", `{"a":1}`},
		"extension without a name":    {"extensions", `{"":{}}`},
		"extensions as a list":        {"extensions", `[]`},
		"source that is a text":       {"source", `"x"`},
		"member twice":                {"id", `"a","id":"b"`},
		"lone surrogate":              {"id", `"\ud83d"`},
		"member twice deep inside":    {"extensions", `{"a":{"b":1,"b":2}}`},
	} {
		m, err := Parse(with(t, c.member, c.text))
		if err == nil {
			t.Errorf("%s: accepted %+v", name, m.Manifest)
			continue
		}
		if f := fault.From(err); f.Code != hound.CodeBadManifest || f.Exit != hound.ExitRefused {
			t.Errorf("%s: code %q, exit %d", name, f.Code, f.Exit)
		}
	}
}

func TestOddButGoodFieldsAreAccepted(t *testing.T) {
	for name, c := range map[string]struct{ member, text string }{
		"later words may be empty":           {"exec", `["x","","-"]`},
		"owner may lead upwards":             {"owner", `{"repo":"../.."}`},
		"scope of everything":                {"write_scopes", `["."]`},
		"backslashes are slashes":            {"write_scopes", `["a\\b"]`},
		"timeouts of undeclared operations":  {"timeouts_seconds", `{"nowhere":0.001}`},
		"extensions are opaque":              {"extensions", `{"x.y-z":{"any":[1,null,{"a":1.50}]}}`},
		"legacy source":                      {"source", `{"schema_version":"hound.source.v1","anything":1}`},
		"variables in lower case":            {"env_allowlist", `["_a1","Path"]`},
		"empty lists":                        {"env_allowlist", `[]`},
		"a gate for a write":                 {"capabilities", `{"w":{"effect":"write","gate":"human","env_allowlist":["A"]}}`},
		"run root in any other hidden place": {"run_root", `"./.x//runs/"`},
	} {
		if _, err := Parse(with(t, c.member, c.text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNarrowerReadScopesAreNotAccepted(t *testing.T) {
	if _, err := Parse(with(t, "read_scopes", `["src"]`)); err == nil {
		t.Error("read_scopes were accepted, which nothing enforces")
	}
}

func TestHashIsOfTheCanonicalManifestWithExtensions(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/hound-driver.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := "70ea09d9b15560ec15aa57b9e19af5f895956194b658e9fbbdeda6e6336c0160"; m.SHA256 != want {
		t.Errorf("hash %s, not %s", m.SHA256, want)
	}
	again, err := Parse(m.Canonical)
	if err != nil || again.SHA256 != m.SHA256 {
		t.Errorf("another layout has another hash: %v", err)
	}
	other, err := Parse([]byte(strings.Replace(string(data), `"weights"`, `"height"`, 1)))
	if err != nil || other.SHA256 == m.SHA256 {
		t.Errorf("an extension does not count: %v", err)
	}
}

func TestEnvironmentIsTheUnionOfBothLists(t *testing.T) {
	m, err := Parse([]byte(strings.NewReplacer(
		`"gate":"none"`, `"gate":"none","env_allowlist":["B","A"]`, `"id"`, `"env_allowlist":["C","A"],"id"`).Replace(smallest)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.Environment("r"), " "); got != "A B C" {
		t.Errorf("operation: %s", got)
	}
	if got := strings.Join(m.Environment(""), " "); got != "A C" {
		t.Errorf("check: %s", got)
	}
}

func TestTimeoutsAreLookedUpByOperationThenDefault(t *testing.T) {
	m, err := Parse(with(t, "timeouts_seconds", `{"default":2,"r":0.25,"huge":1e300,"tiny":1e-300}`))
	if err != nil {
		t.Fatal(err)
	}
	for operation, want := range map[string]time.Duration{
		"": 2 * time.Second, "r": 250 * time.Millisecond, "other": 2 * time.Second, "huge": longestTimeout, "tiny": 1,
	} {
		if got := m.Timeout(operation); got != want {
			t.Errorf("%q: %s, not %s", operation, got, want)
		}
	}
}

func TestUnknownOperationIsExplained(t *testing.T) {
	m, err := Parse(with(t, "capabilities", `{"note.read":{"effect":"read","gate":"none"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Operation("note.raed"); err == nil || !strings.Contains(fault.From(err).Hint, "note.read") {
		t.Errorf("%v", err)
	}
}

func TestPathsAreReadAsTheVectorsSay(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Path     string  `json:"path"`
			Effect   *string `json:"effect"`
			Relative bool    `json:"relative"`
			Locator  bool    `json:"locator"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.Cases) < 20 {
		t.Fatal(err, len(vectors.Cases))
	}
	for _, c := range vectors.Cases {
		got, err := File(c.Path)
		if c.Effect == nil && err == nil || c.Effect != nil && (err != nil || got != *c.Effect) {
			t.Errorf("effect %q: %q, %v", c.Path, got, err)
		}
		if _, err := Relative(c.Path); (err == nil) != c.Relative {
			t.Errorf("relative %q: %v", c.Path, err)
		}
		if _, err := Locator(c.Path); (err == nil) != c.Locator {
			t.Errorf("locator %q: %v", c.Path, err)
		}
	}
}

func TestGitDataIsOutOfReachInEverySpelling(t *testing.T) {
	for _, path := range []string{
		".git/config", ".GIT/config", ".Git/hooks/x", "./.git", "a/.git/config", ".git\\config", "git~1/config", "GIT~1",
		".git./config", ".git /config", ".git::$INDEX_ALLOCATION/x", ".g\u200cit/config", ".\u200dgit",
	} {
		if got, err := File(path); err == nil {
			t.Errorf("%q is taken as %q", path, got)
		}
	}
	for _, path := range []string{".gitignore", ".github/x", "a.git/x", "git/x", "x.git"} {
		if _, err := File(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestRootFollowsTheLocatorFromTheRealManifest(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(top, "repo")
	if err := os.MkdirAll(filepath.Join(repo, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repo, "tools", "m.json")
	if err := os.WriteFile(file, with(t, "owner", `{"repo":".."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "m.json")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		m, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if root, err := m.Root(); err != nil || root != repo {
			t.Errorf("%s: root %q, %v", path, root, err)
		}
	}
	if err := os.WriteFile(file, with(t, "owner", `{"repo":"../nowhere"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Root(); !fault.Is(err, hound.CodeBadOwner) {
		t.Errorf("a root that is not there: %v", err)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	if _, err := Load(t.TempDir()); !fault.Is(err, hound.CodeBadManifest) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !fault.Is(err, hound.CodeBadManifest) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := Load(os.DevNull); !fault.Is(err, hound.CodeBadManifest) {
		t.Errorf("a device: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(smallest))
	if data, err := houndspec.Interop.ReadFile("interop/elsewhere/hound-driver.json"); err == nil {
		f.Add(data)
	}
	f.Add([]byte(`{"schema_version":"hound.driver.v1","id":"a","owner":{"repo":".."},"exec":["\u0000"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			return
		}
		again, err := Parse(m.Canonical)
		if err != nil || again.SHA256 != m.SHA256 || string(again.Canonical) != string(m.Canonical) {
			t.Errorf("the canonical form is not a fixed point: %v", err)
		}
		if slices.Contains(m.Environment(""), "PATH") {
			t.Error("PATH is handed over")
		}
	})
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{"a/b", "./a//b/", "..", `a\..\b`, "C:a", ".git", "a\x00b", ".g\u200cit"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := File(text)
		if err != nil {
			return
		}
		if again, err := File(path); err != nil || again != path {
			t.Errorf("%q becomes %q and then %q, %v", text, path, again, err)
		}
		if !filepath.IsLocal(filepath.FromSlash(path)) || path == "." {
			t.Errorf("%q is taken as %q", text, path)
		}
	})
}
