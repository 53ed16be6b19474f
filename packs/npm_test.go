package packs

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// packageDir is an npm project with a HOME of its own and a registry that speaks
// the real protocol on the loopback.
type packageDir struct {
	t         testing.TB
	dir, home string
	registry  *httptest.Server
	asked     func() []string
}

func newPackage(t testing.TB, files map[string]string) packageDir {
	t.Helper()
	needs(t, "sh", "node", "npm")
	p := packageDir{t: t, dir: t.TempDir(), home: t.TempDir()}
	requests := make(chan string, 1000)
	p.registry = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r.Method + " " + r.URL.Path
		registryAnswer(w, r)
	}))
	t.Cleanup(p.registry.Close)
	p.asked = func() (all []string) {
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
	p.write(".npmrc", "registry="+p.registry.URL+"/\n"+files[".npmrc"])
	delete(files, ".npmrc")
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func registryAnswer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	release := func(version string, more map[string]any) map[string]any {
		out := map[string]any{"name": "left", "version": version, "description": `pads "left" ü`, "license": "MIT", "dist": map[string]any{"tarball": "http://127.0.0.1/left.tgz", "shasum": "x", "unpackedSize": 1234}}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	var answer any
	switch {
	case r.URL.Path == "/left":
		answer = map[string]any{
			"_id": "left", "name": "left", "dist-tags": map[string]any{"latest": "2.1.0"}, "description": `pads "left" ü`,
			"repository": map[string]any{"type": "git", "url": "git+https://example.com/left.git"},
			"time":       map[string]any{"1.0.0": "2020-01-01T00:00:00.000Z", "1.2.0": "2021-01-01T00:00:00.000Z", "2.1.0": "2022-01-01T00:00:00.000Z"},
			"versions": map[string]any{
				"1.0.0": release("1.0.0", map[string]any{"deprecated": "too old"}), "1.2.0": release("1.2.0", nil),
				"2.1.0": release("2.1.0", map[string]any{"engines": map[string]any{"node": ">=18"}, "dependencies": map[string]any{"pad": "^1.0.0"}}),
			},
		}
	case r.URL.Path == "/many":
		// Encoded in the order of the text, in which 1.9.1 comes last.
		versions := map[string]any{}
		for _, version := range []string{"1.9.0", "1.9.1", "1.10.0", "1.10.0-rc.2", "1.10.0-rc.10", "1.2.0", "2.0.0"} {
			one := release(version, nil)
			one["name"] = "many"
			versions[version] = one
		}
		answer = map[string]any{"_id": "many", "name": "many", "dist-tags": map[string]any{"latest": "2.0.0"}, "versions": versions}
	case r.URL.Path == "/private":
		w.WriteHeader(http.StatusUnauthorized)
		answer = map[string]any{"error": "login first"}
	case r.URL.Path == "/-/v1/search":
		answer = map[string]any{"total": 1, "time": "now", "objects": []any{map[string]any{"package": map[string]any{
			"name": "left", "version": "2.1.0", "description": strings.Repeat("long ", 200), "date": "2022-01-01T00:00:00.000Z",
			"maintainers": []any{}, "keywords": []any{}, "links": map[string]any{"npm": "https://example.com"}, "publisher": map[string]any{"username": "u", "email": "e@example.com"},
		}}}}
	case r.Method == http.MethodPost && r.URL.Path == "/-/npm/v1/security/advisories/bulk":
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		var names map[string][]string
		if err := json.NewDecoder(body).Decode(&names); err != nil || len(names["left"]) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer = map[string]any{"left": []any{map[string]any{"id": 1, "url": "https://example.com/advisory", "title": `Left "pads" too far`, "severity": "high", "vulnerable_versions": "<1.2.0", "cwe": []any{}, "cvss": map[string]any{"score": 7, "vectorString": nil}}}}
	default:
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{"error": "Not found"}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (p packageDir) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p packageDir) hcp(args ...string) outcome {
	p.t.Helper()
	return start(p.t, command{
		path: script(p.t, "npm", "npm-hcp"), args: append([]string{args[0], "--json"}, args[1:]...), dir: p.dir,
		env: []string{"HOME=" + p.home, "npm_config_registry=http://127.0.0.1:9/", "NPM_CONFIG_OFFLINE=true"},
	})
}

// two is for commands of two words, whose second must follow the first.
func (p packageDir) two(args ...string) outcome {
	p.t.Helper()
	return start(p.t, command{path: script(p.t, "npm", "npm-hcp"), args: append(args, "--json"), dir: p.dir, env: []string{"HOME=" + p.home}})
}

func (p packageDir) ok(args ...string) map[string]any {
	p.t.Helper()
	return p.hcp(args...).object(p.t)
}

const demoManifest = `{ "name": "demo", "version": "1.0.0", "private": true, "engines": { "node": ">=18" }, "files": ["lib"],
  "scripts": { "build": "echo \"hi\" && exit", "prepack": "touch TRACE", "prepare": "touch TRACE", "preinstall": "touch TRACE" },
  "dependencies": { "left": "^1.0.0", "gone": "1.0.0" } }`

const demoLock = `{ "name": "demo", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
  "": { "name": "demo", "version": "1.0.0", "dependencies": { "left": "^1.0.0" } },
  "node_modules/left": { "version": "1.0.0", "resolved": "http://127.0.0.1/left.tgz", "integrity": "sha512-AAAA" } } }`

func demo(t testing.TB) packageDir {
	return newPackage(t, map[string]string{
		"package.json": demoManifest, "package-lock.json": demoLock, "lib/a.js": "1\n", "lib/ü \"b\".js": "2\n",
		"node_modules/left/package.json":                  `{"name":"left","version":"1.0.0","dependencies":{"pad":"^1.0.0"}}`,
		"node_modules/left/node_modules/pad/package.json": `{"name":"pad","version":"1.5.0"}`,
		"node_modules/extra/package.json":                 `{"name":"extra","version":"0.1.0"}`,
	})
}

func TestNpmDescribesTheProject(t *testing.T) {
	p := demo(t)
	got := p.ok("doctor")
	if !strings.HasPrefix(got["node"].(string), "v") || got["lockfile"] != "package-lock.json" || got["installed"] != true || at(t, got, "package", "name") != "demo" {
		t.Errorf("%v", got)
	}
	got = p.ok("scripts")
	if item := at(t, got, "scripts", 0).(map[string]any); item["script"] != "build" || item["command"] != `echo "hi" && exit` {
		t.Errorf("%v", got)
	}
	for field, want := range map[string]any{"engines.node": ">=18", "files[0]": "lib", "name": "demo", "none": nil, "dependencies.left": "^1.0.0"} {
		got := p.two("pkg", "get", field).object(t)
		if got["value"] != want || got["found"] != (want != nil) || got["field"] != field {
			t.Errorf("%s: %v", field, got)
		}
	}
	if asked := p.asked(); len(asked) != 0 {
		t.Errorf("the registry was asked %v", asked)
	}
}

func TestNpmListsWhatIsInstalledAndWhatIsWrong(t *testing.T) {
	p := demo(t)
	got := p.ok("ls", "--depth=5")
	if got["sound"] != false || !strings.Contains(fmt.Sprint(got["problems"]), "missing: gone@1.0.0") || strings.Contains(fmt.Sprint(got), p.dir) {
		t.Errorf("%v", got)
	}
	packages := got["packages"].([]any)
	if pad := find(t, packages, "pad"); pad["version"] != "1.5.0" || fmt.Sprint(pad["chain"]) != "[left]" {
		t.Errorf("%v", pad)
	}
	if find(t, packages, "gone")["missing"] != true || find(t, packages, "extra")["extraneous"] != true {
		t.Errorf("%v", packages)
	}
	if got := p.ok("ls", "left"); len(got["packages"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	if got := p.ok("ls", "--lock=true"); find(t, got["packages"].([]any), "left")["version"] != "1.0.0" {
		t.Errorf("%v", got)
	}
	if got := p.ok("ls", "--limit", "1"); len(got["packages"].([]any)) != 1 || got["truncated"] != true || numbers(got["count"]) != "3" {
		t.Errorf("%v", got)
	}
}

func TestNpmAsksTheRegistryOfTheProject(t *testing.T) {
	p := demo(t)
	got := p.ok("outdated", "left")
	if item := at(t, got, "packages", 0).(map[string]any); item["name"] != "left" || item["current"] != "1.0.0" || item["wanted"] != "1.2.0" || item["latest"] != "2.1.0" {
		t.Errorf("%v", got)
	}
	got = p.ok("view", "left")
	if got["version"] != "2.1.0" || got["description"] != `pads "left" ü` || at(t, got, "engines", "node") != ">=18" || got["published"] != "2022-01-01T00:00:00.000Z" ||
		numbers(got["versions"], got["unpacked_size"]) != "3 1234" || got["repository"] != "git+https://example.com/left.git" {
		t.Errorf("%v", got)
	}
	if got := p.ok("view", "left@^1.0.0"); got["version"] != "1.2.0" {
		t.Errorf("%v", got)
	}
	for word, want := range map[string]string{
		"many@1": "1.10.0", "many@>=1.10.0-rc.1 <1.10.0": "1.10.0-rc.10", "many@>=1.2.0": "2.0.0", "many@~1.9.0": "1.9.1",
	} {
		if got := p.ok("view", word); got["version"] != want {
			t.Errorf("%s: %v, want %s", word, got["version"], want)
		}
	}
	if got := p.ok("view", "left@1.0.0"); got["deprecated"] != "too old" {
		t.Errorf("%v", got)
	}
	got = p.ok("search", "pad left")
	if item := at(t, got, "packages", 0).(map[string]any); item["name"] != "left" || len(item["description"].(string)) > 310 {
		t.Errorf("%v", got)
	}
	got = p.ok("audit")
	if item := at(t, got, "vulnerabilities", 0).(map[string]any); got["clean"] != false || item["severity"] != "high" || item["direct"] != true || at(t, item, "fix", "available") != true ||
		at(t, item, "advisories", 0, "title") != `Left "pads" too far` || numbers(at(t, got, "counts", "high"), at(t, got, "counts", "total")) != "1 1" {
		t.Errorf("%v", got)
	}
	if asked := strings.Join(p.asked(), " "); !strings.Contains(asked, "GET /left") || !strings.Contains(asked, "GET /-/v1/search") || !strings.Contains(asked, "POST /-/npm/v1/security/advisories/bulk") {
		t.Errorf("the registry was asked %s", asked)
	}
}

func TestNpmExplainsWhyAPackageIsThere(t *testing.T) {
	p := demo(t)
	got := p.ok("explain", "pad")
	because := at(t, got, "copies", 0, "because", 0).(map[string]any)
	if fmt.Sprint(because["chain"]) != "[demo left@1.0.0 pad@1.5.0]" || because["type"] != "prod" || because["spec"] != "^1.0.0" || at(t, got, "copies", 0, "location") != "node_modules/left/node_modules/pad" {
		t.Errorf("%v", got)
	}
	p.hcp("explain", "none").refused(t, "No dependencies found matching none")
}

// preparing says what an npm before 11 would do, which runs "prepare" for a list of
// files, and whether the one of this machine is such.
func preparing(p packageDir) (refusal string, old bool) {
	p.t.Helper()
	out := start(p.t, command{path: "/bin/sh", args: []string{"-c", "npm --version"}, dir: p.dir, env: []string{"HOME=" + p.home}})
	major, err := strconv.Atoi(strings.Split(strings.TrimSpace(out.stdout), ".")[0])
	if err != nil {
		p.t.Fatalf("npm --version: %s%s", out.stdout, out.stderr)
	}
	return `would run the "prepare" script of this project`, major < 11
}

// An npm of Debian 12 is played by a program that leaves a trace when it is asked for
// anything but its version.
func TestNpmThatWouldRunAScriptIsNotAskedForFiles(t *testing.T) {
	p := demo(t)
	refusal, _ := preparing(p)
	bin := t.TempDir()
	fake := "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.2.0 && exit\ntouch '" + p.dir + "/TRACE'\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, p.dir)
	start(t, command{path: script(t, "npm", "npm-hcp"), args: []string{"pack", "files"}, dir: p.dir, path0: bin, env: []string{"HOME=" + p.home}}).refused(t, refusal)
	if after := snapshot(t, p.dir); after != before {
		t.Error("it was asked")
	}
}

func TestNpmListsWhatAPackageWouldContain(t *testing.T) {
	p := demo(t)
	if refusal, old := preparing(p); old {
		p.two("pack", "files").refused(t, refusal)
		p.write("package.json", strings.Replace(demoManifest, `"prepare": "touch TRACE", `, "", 1))
	}
	got := p.two("pack", "files").object(t)
	if got["name"] != "demo" || got["filename"] != "demo-1.0.0.tgz" || numbers(got["count"]) != "3" || find(t, got["files"].([]any), `lib/ü "b".js`)["size"] == nil {
		t.Errorf("%v", got)
	}
	if got := p.two("pack", "files", "--limit=1").object(t); len(got["files"].([]any)) != 1 || got["truncated"] != true {
		t.Errorf("%v", got)
	}
}

// Whatever a project can set to make npm start a program is set.
func TestNpmRunsNothingAndChangesNothing(t *testing.T) {
	p := demo(t)
	trap := filepath.Join(p.dir, "trap.js")
	p.write("trap.js", "require('fs').writeFileSync(__dirname + '/TRACE', '')\n")
	p.write("trap.sh", "#!/bin/sh\ntouch '"+p.dir+"/TRACE'\n")
	if err := os.Chmod(filepath.Join(p.dir, "trap.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write(".npmrc", "registry="+p.registry.URL+"/\nignore-scripts=false\nnode-options=--require "+trap+"\nscript-shell="+p.dir+"/trap.sh\ngit="+p.dir+"/trap.sh\nonload-script="+trap+"\nviewer="+p.dir+"/trap.sh\n")
	before := snapshot(t, p.dir)
	for _, args := range [][]string{{"doctor"}, {"ls"}, {"outdated", "left"}, {"view", "left"}, {"search", "x"}, {"audit"}, {"explain", "left"}, {"pkg", "get", "name"}, {"scripts"}, {"pack", "files"}} {
		out := start(t, command{path: script(t, "npm", "npm-hcp"), args: args, dir: p.dir, env: []string{"HOME=" + p.home, "NODE_OPTIONS=--require " + trap, "npm_config_script_shell=" + p.dir + "/trap.sh"}})
		if refusal, old := preparing(p); old && args[0] == "pack" {
			out.refused(t, refusal)
			continue
		}
		out.object(t)
	}
	if after := snapshot(t, p.dir); after != before {
		t.Errorf("the project changed:\n%s\nbefore:\n%s", after, before)
	}
}

func TestNpmRefusesWithOneSentence(t *testing.T) {
	p := demo(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"install"}, `unknown command "install"`},
		{[]string{"constructor"}, `unknown command "constructor"`},
		{[]string{"view"}, "needs a package"},
		{[]string{"view", "a", "b"}, "needs a package"},
		{[]string{"view", "nothing-here"}, `the registry has no "nothing-here"`},
		{[]string{"view", "left@9"}, "no"},
		{[]string{"view", "private"}, "without a login"},
		{[]string{"view", "https://example.com/x.tgz"}, "no package name"},
		{[]string{"view", "git+ssh://example.com/x"}, "no package name"},
		{[]string{"view", "user/repo"}, "no package name"},
		{[]string{"view", "./lib"}, "no package name"},
		{[]string{"view", "left@file:../x"}, "no package name"},
		{[]string{"view", "--", "-x"}, "no package name"},
		{[]string{"explain", "../x"}, "no package name"},
		{[]string{"ls", "--depth=21"}, "from 0 to 20"},
		{[]string{"ls", "--limit=x"}, "from 1 to 1000"},
		{[]string{"ls", "--lock=maybe"}, "true or false"},
		{[]string{"ls", "--prefix=/"}, "takes no option"},
		{[]string{"ls", "-g"}, "takes no option"},
		{[]string{"ls", "--limit"}, "needs a value"},
		{[]string{"audit", "--fix=true"}, "takes no option"},
	} {
		p.hcp(c.args...).refused(t, c.want)
	}
	start(t, command{path: script(t, "npm", "npm-hcp"), args: []string{"pkg", "get", "--", "--workspace=x"}, dir: p.dir}).refused(t, "no field")
	p.two("pkg", "set", "a=b").refused(t, `unknown command "pkg"`)
	p.registry.Close()
	p.hcp("view", "never-asked-before").refused(t, "the registry cannot be reached")

	empty := newPackage(t, map[string]string{})
	for _, args := range [][]string{{"ls"}, {"outdated"}, {"audit"}, {"explain", "x"}, {"scripts"}} {
		empty.hcp(args...).refused(t, "")
	}
	if got := empty.ok("doctor"); got["package"] != nil || got["lockfile"] != nil {
		t.Errorf("%v", got)
	}
	empty.write("package.json", `{"name":"x"}`)
	empty.hcp("audit").refused(t, "no lockfile")
	empty.write("package.json", "{ nonsense")
	for _, args := range [][]string{{"ls"}, {"scripts"}, {"doctor"}} {
		empty.hcp(args...).refused(t, "package.json is no valid JSON")
	}
}

func TestNpmHelpAndLinks(t *testing.T) {
	p := demo(t)
	for _, args := range [][]string{{"--help"}, {"help"}, {"ls", "--help"}, {"pack", "files", "-h"}} {
		if got := start(t, command{path: script(t, "npm", "npm-hcp"), args: args, dir: p.dir}); got.code != 0 || !strings.HasPrefix(got.stdout, "usage: npm-hcp") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	link := filepath.Join(t.TempDir(), "npm-hcp")
	if err := os.Symlink(script(t, "npm", "npm-hcp"), link); err != nil {
		t.Fatal(err)
	}
	start(t, command{path: link, args: []string{"scripts"}, dir: p.dir}).object(t)
	bare := t.TempDir()
	for _, tool := range []string{"sh", "readlink"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(dir + "/" + tool); err == nil {
				_ = os.Symlink(dir+"/"+tool, bare+"/"+tool)
			}
		}
	}
	if _, err := os.Stat("/usr/local/bin/node"); err != nil {
		if _, err := os.Stat("/opt/homebrew/bin/node"); err != nil {
			start(t, command{path: script(t, "npm", "npm-hcp"), args: []string{"doctor"}, dir: p.dir, env: []string{"PATH=" + bare}}).refused(t, "node is not installed")
		}
	}
}
