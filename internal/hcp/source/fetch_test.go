package source

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/netguard"
	"bridle/internal/kernel/redact"
)

// options fetch from loopback servers and leave their temporary files below the
// test's folder.
func options(t *testing.T) Options {
	t.Helper()
	client := netguard.New(netguard.Options{AllowLoopback: true})
	t.Cleanup(client.Close)
	temp := t.TempDir()
	t.Cleanup(func() {
		if entries, _ := os.ReadDir(temp); len(entries) != 0 {
			t.Errorf("left behind: %v", entries)
		}
	})
	return Options{
		Dir: t.TempDir(), Temp: temp, Path: os.Getenv("PATH"), HTTP: client,
		GitHub: Sites{Web: "file:///no/such/place", API: "http://127.0.0.1:1", AllowFile: true},
	}
}

func fetch(t *testing.T, text string, opts Options) *Fetched {
	t.Helper()
	got, err := Fetch(t.Context(), text, opts)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	t.Cleanup(got.Close)
	return got
}

func wantCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("error = %v (code %q), want code %q", err, fault.CodeOf(err), code)
	}
	return fault.From(err)
}

func lay(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// surface is the content of the surface.json in dir.
func surface(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "surface.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFolderIsTakenWhereItIs(t *testing.T) {
	opts := options(t)
	lay(t, opts.Dir, map[string]string{"sub/surface.json": "here"})
	for _, text := range []string{"sub", "./sub", "sub/../sub", filepath.Join(opts.Dir, "sub")} {
		got := fetch(t, text, opts)
		if got.Dir != filepath.Join(opts.Dir, "sub") || got.Source != text || got.Note != "" {
			t.Errorf("%s: %+v", text, got)
		}
		got.Close()
	}
	if surface(t, filepath.Join(opts.Dir, "sub")) != "here" {
		t.Fatal("closing removed the folder")
	}
}

func TestWhatIsNothingToInstallIsSaid(t *testing.T) {
	opts := options(t)
	lay(t, opts.Dir, map[string]string{"file.txt": "x", "bad.zip": "x"})
	for text, code := range map[string]string{"missing": CodeNoPack, "missing.zip": CodeNoPack, "file.txt": CodeBadSource, "bad.zip": CodeBadArchive, "npm:./file.txt": CodeBadSource, "npm:./missing": CodeNoPack} {
		_, err := Fetch(t.Context(), text, opts)
		if f := wantCode(t, err, code); f.Hint == "" {
			t.Errorf("%s: no hint", text)
		}
	}
}

func TestLocalArchivesAreUnpacked(t *testing.T) {
	for _, wrapped := range []string{"", "top/"} {
		for format, data := range formats(t, item{name: wrapped + "surface.json", content: "here"}, item{name: wrapped + "policy.json", content: "x"}) {
			opts := options(t)
			name := "pack." + format
			lay(t, opts.Dir, map[string]string{name: string(data)})
			got := fetch(t, name, opts)
			if surface(t, got.Dir) != "here" {
				t.Errorf("%s", name)
			}
			got.Close()
			if _, err := os.Stat(got.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there", got.Dir)
			}
		}
	}
}

func TestPackageJSONNamesThePack(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"x"}`:                                     "root",
		`{"hcp":{}}`:                                       "root",
		`{"hcp":{"pack":"."}}`:                             "root",
		`{"hcp":{"pack":"./"}}`:                            "root",
		`{"hcp":{"pack":"./packs/demo"}}`:                  "demo",
		`{"hcp":{"pack":"packs/demo/"}}`:                   "demo",
		`{"hcp":{"pack":".."}}`:                            CodeBadSource,
		`{"hcp":{"pack":"../x"}}`:                          CodeBadSource,
		`{"hcp":{"pack":"/etc"}}`:                          CodeBadSource,
		`{"hcp":{"pack":"packs/../.."}}`:                   CodeBadSource,
		`{"hcp":{"pack":"packs\\demo"}}`:                   CodeBadSource,
		`{"hcp":{"pack":"out"}}`:                           CodeBadSource,
		`{"hcp":{"pack":"nothing"}}`:                       CodeNoPack,
		`{"hcp":{"pack":7}}`:                               CodeBadSource,
		`{"hcp":"."}`:                                      CodeBadSource,
		`{"hcp":{"pack":"."},"hcp":{"pack":"packs/demo"}}`: CodeBadSource,
		`not json`:                                         CodeBadSource,
	} {
		opts := options(t)
		dir := lay(t, filepath.Join(opts.Dir, "package"), map[string]string{"package.json": text, "surface.json": "root", "packs/demo/surface.json": "demo"})
		if err := os.Symlink(opts.Temp, filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		got, err := Fetch(t.Context(), "npm:./package", opts)
		if strings.Contains(want, "_") {
			if !fault.Is(err, want) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil || surface(t, got.Dir) != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestPackageFolderIsTakenWithoutItsScripts(t *testing.T) {
	opts := options(t)
	mark := filepath.Join(opts.Dir, "ran")
	lay(t, opts.Dir, map[string]string{"p/package.json": `{"name":"p","version":"1.0.0","scripts":{"prepack":"touch ` + mark + `","prepare":"touch ` + mark + `"},"hcp":{"pack":"."}}`, "p/surface.json": "here"})
	if surface(t, fetch(t, "npm:./p", opts).Dir) != "here" {
		t.Fatal("another folder")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a script ran")
	}
}

// hub is a GitHub with one private repository, whose archives lie on another
// host, as the real one's do.
type hub struct {
	api, files *httptest.Server
	asked      []string
	leaked     []string
}

func newHub(t *testing.T, archive []byte) *hub {
	t.Helper()
	h := &hub{}
	h.files = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, ""), "ghp_") {
				h.leaked = append(h.leaked, name)
			}
		}
		_, _ = w.Write(archive)
	}))
	h.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked = append(h.asked, r.URL.EscapedPath()+" "+r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") != "Bearer ghp_secret" {
			http.NotFound(w, r)
			return
		}
		http.Redirect(w, r, h.files.URL+"/legacy.tar.gz?token=temporary", http.StatusFound)
	}))
	t.Cleanup(h.api.Close)
	t.Cleanup(h.files.Close)
	return h
}

func TestTarballStandsInForTheCloneAndTheTokenStaysAtTheAPI(t *testing.T) {
	h := newHub(t, gzipOf(t, tarOf(t, item{name: "o-r-0123/surface.json", content: "root"}, item{name: "o-r-0123/packs/demo/surface.json", content: "demo"})))
	opts := options(t)
	opts.GitHub.API = h.api.URL
	opts.GitHubToken = redact.NewSecret("ghp_secret")
	for text, want := range map[string]string{"github:o/r": "root", "github:o/r@feature/x": "root", "github:o/r@v1//packs/demo": "demo", "https://github.com/o/r/tree/main/packs/demo": "demo"} {
		got := fetch(t, text, opts)
		if surface(t, got.Dir) != want {
			t.Errorf("%s: %s", text, surface(t, got.Dir))
		}
		got.Close()
	}
	slices.Sort(h.asked)
	want := []string{"/repos/o/r/tarball Bearer ghp_secret", "/repos/o/r/tarball/feature/x Bearer ghp_secret", "/repos/o/r/tarball/main Bearer ghp_secret", "/repos/o/r/tarball/v1 Bearer ghp_secret"}
	if !slices.Equal(h.asked, want) {
		t.Errorf("asked %q", h.asked)
	}
	if len(h.leaked) != 0 {
		t.Errorf("the token went to another host in %q", h.leaked)
	}
	_, err := Fetch(t.Context(), "github:o/r//nothing", opts)
	wantCode(t, err, CodeNoPack)
}

func TestUnreachableRepositoryFailsAndSaysWhy(t *testing.T) {
	h := newHub(t, nil)
	opts := options(t)
	opts.GitHub.API = h.api.URL
	_, err := Fetch(t.Context(), "github:o/r", opts)
	f := wantCode(t, err, CodeFetchFailed)
	if !strings.Contains(f.Message, "git fetch failed") || !strings.Contains(f.Message, "status 404") || !strings.Contains(f.Hint, "GITHUB_TOKEN") {
		t.Fatalf("%q, hint %q", f.Message, f.Hint)
	}
	opts.GitHubToken = redact.NewSecret("ghp_wrong")
	_, err = Fetch(t.Context(), "github:o/r", opts)
	if f := wantCode(t, err, CodeFetchFailed); strings.Contains(fmt.Sprint(f), "ghp_") {
		t.Fatalf("the token is in %q", f.Message)
	}
}

func TestRepositoryIsCloned(t *testing.T) {
	opts := options(t)
	base := t.TempDir()
	lay(t, filepath.Join(base, "o/r.git"), map[string]string{"surface.json": "root", "sub/surface.json": "sub", "package.json": `{"hcp":{"pack":"sub"}}`})
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", `git init -q -b main . && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m one
		git checkout -q -b other && echo other > surface.json && git -c user.name=a -c user.email=a@example.org commit -q -am two && git checkout -q main && ln -s / out && git add out && git -c user.name=a -c user.email=a@example.org commit -q -m three`)
	cmd.Dir, cmd.Env = filepath.Join(base, "o/r.git"), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	opts.GitHub.Web = "file://" + base
	for text, want := range map[string]string{"github:o/r": "sub", "github:o/r//sub": "sub", "github:o/r@other//sub": "sub", "https://github.com/o/r": "sub"} {
		got := fetch(t, text, opts)
		if strings.TrimSpace(surface(t, got.Dir)) != want {
			t.Errorf("%s: %s", text, surface(t, got.Dir))
		}
		got.Close()
	}
	_, err := Fetch(t.Context(), "github:o/r//out", opts)
	wantCode(t, err, CodeBadSource)
	_, err = Fetch(t.Context(), "github:o/r//nothing", opts)
	wantCode(t, err, CodeNoPack)
	_, err = Fetch(t.Context(), "github:o/r@gone", opts)
	wantCode(t, err, CodeFetchFailed)
}

func TestArchiveFromTheWeb(t *testing.T) {
	archive := gzipOf(t, tarOf(t, item{name: "surface.json", content: "here"}))
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pack.tgz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	t.Cleanup(server.Close)
	opts := options(t)
	transport := server.Client().Transport.(*http.Transport)
	client := netguard.New(netguard.Options{AllowLoopback: true, RootCAs: transport.TLSClientConfig.RootCAs})
	t.Cleanup(client.Close)
	opts.HTTP = client
	got := fetch(t, server.URL+"/pack.tgz", opts)
	if surface(t, got.Dir) != "here" {
		t.Fatal("another file")
	}
	got.Close()
	_, err := Fetch(t.Context(), server.URL+"/other.tgz", opts)
	wantCode(t, err, CodeFetchFailed)
	// Without the option, nothing of this machine or the local network is asked.
	opts.HTTP = nil
	_, err = Fetch(t.Context(), server.URL+"/pack.tgz", opts)
	if f := wantCode(t, err, CodeFetchFailed); !strings.Contains(f.Message, "no public address") {
		t.Fatal(f.Message)
	}
}

func TestGoldPackStandsInWithANoteAndOnlyIfAllowed(t *testing.T) {
	h := newHub(t, nil)
	opts := options(t)
	opts.GitHub.API = h.api.URL
	for text, id := range map[string]string{"github:harnesscontextprotocol/hcp-example-transit": "transit", "github:harnesscontextprotocol/hcp//examples/packs/ledger": "ledger"} {
		got := fetch(t, text, opts)
		if !strings.Contains(surface(t, got.Dir), `"id": "`+id+`"`) || !strings.Contains(got.Note, id) || !strings.Contains(got.Note, text) || got.Source != text {
			t.Errorf("%s: %+v", text, got)
		}
		if info, err := os.Stat(filepath.Join(got.Dir, "bin", id)); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%s: the program: %v, %v", text, info, err)
		}
		got.Close()
		strict := opts
		strict.NoFallback = true
		_, err := Fetch(t.Context(), text, strict)
		wantCode(t, err, CodeFetchFailed)
	}
	for _, text := range []string{"github:harnesscontextprotocol/hcp-example-transit@v1", "github:other/hcp-example-transit"} {
		_, err := Fetch(t.Context(), text, opts)
		wantCode(t, err, CodeFetchFailed)
	}
}

// What was fetched and is hostile fails, whatever its name.
func TestHostileGoldPackIsNotReplacedByTheBundledOne(t *testing.T) {
	h := newHub(t, gzipOf(t, tarOf(t, item{name: "../x", content: "x"})))
	opts := options(t)
	opts.GitHub.API, opts.GitHubToken = h.api.URL, redact.NewSecret("ghp_secret")
	_, err := Fetch(t.Context(), "github:harnesscontextprotocol/hcp-example-transit", opts)
	wantCode(t, err, CodeBadArchive)
}

func TestCanceledFetchIsNoFailureAndHasNoStandIn(t *testing.T) {
	opts := options(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"github:harnesscontextprotocol/hcp-example-transit", "npm:@harnesscontextprotocol/pack-transit", "https://example.org/pack.zip"} {
		_, err := Fetch(ctx, text, opts)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// registry is an npm registry with one package.
func registry(t *testing.T, name string, tarball []byte, integrity string) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer npm_secret" {
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		}
		switch {
		case strings.HasSuffix(r.URL.Path, ".tgz"):
			_, _ = w.Write(tarball)
		case r.URL.Path == "/"+name:
			_, _ = fmt.Fprintf(w, `{"name":%q,"dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":%q,"version":"1.0.0","scripts":{"prepare":"exit 9"},"dist":{"tarball":%q,"integrity":%q}}}}`,
				name, name, server.URL+"/files/pack-1.0.0.tgz", integrity)
		default:
			http.Error(w, "{}", http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestPublishedPackageComesThroughNPM(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("npm is missing")
		}
		t.Skip("npm is missing; TestNPMIsCalledWithScriptsOff runs all the same")
	}
	tarball := gzipOf(t, tarOf(
		t,
		item{name: "package/package.json", content: `{"name":"@scope/demo","version":"1.0.0","scripts":{"prepare":"exit 9"},"hcp":{"pack":"pack"}}`},
		item{name: "package/pack/surface.json", content: "here"},
	))
	sum := sha512.Sum512(tarball)
	integrity := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	good := registry(t, "@scope/demo", tarball, integrity)
	opts := options(t)
	opts.UserHome = t.TempDir()
	opts.Lookup = func(name string) (string, bool) {
		value, ok := map[string]string{"REGISTRY_TOKEN": "npm_secret", "OTHER": "ghp_secret"}[name]
		return value, ok
	}
	config := func(server *httptest.Server) {
		host := strings.TrimPrefix(server.URL, "http:")
		lay(t, opts.UserHome, map[string]string{".npmrc": "@scope:registry=" + server.URL + "/\n" + host + "/:_authToken=${REGISTRY_TOKEN}\nfetch-retries=0\nignore-scripts=false\n"})
	}
	config(good)
	got := fetch(t, "npm:@scope/demo", opts)
	if surface(t, got.Dir) != "here" {
		t.Fatal("another file")
	}
	got.Close()
	_, err := Fetch(t.Context(), "npm:@scope/other", opts)
	if f := wantCode(t, err, CodeFetchFailed); !strings.Contains(f.Message, "404") || f.Hint == "" || strings.Contains(f.Message, "npm_secret") {
		t.Fatalf("%q, hint %q", f.Message, f.Hint)
	}
	// What does not have the registry's digest is refused.
	config(registry(t, "@scope/demo", gzipOf(t, tarOf(t, item{name: "package/surface.json", content: "other"})), integrity))
	_, err = Fetch(t.Context(), "npm:@scope/demo@1.0.0", opts)
	if f := wantCode(t, err, CodeFetchFailed); !strings.Contains(f.Message, "EINTEGRITY") {
		t.Fatal(f.Message)
	}
}

// A stand-in for npm writes down how it was called and makes a tarball where it
// was told to.
func TestNPMIsCalledWithScriptsOff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("npm is called another way there")
	}
	opts := options(t)
	bin := t.TempDir()
	tarball := filepath.Join(bin, "made.tgz")
	lay(t, bin, map[string]string{"made.tgz": string(gzipOf(t, tarOf(t, item{name: "package/surface.json", content: "here"})))})
	lay(t, bin, map[string]string{"npm": "#!/bin/sh\nfor word; do echo \"$word\" >> " + bin + "/words; [ \"$last\" != --pack-destination ] || cp " + tarball + " \"$word/\"; last=$word; done\nenv > " + bin + "/env\npwd > " + bin + "/dir\n"})
	if err := os.Chmod(filepath.Join(bin, "npm"), 0o755); err != nil {
		t.Fatal(err)
	}
	opts.Path = "relative:" + bin + ":" + opts.Path
	t.Setenv("npm_config_ignore_scripts", "false")
	t.Setenv("GITHUB_TOKEN", "ghp_secret")
	got := fetch(t, "npm:@scope/demo@^1.2", opts)
	if surface(t, got.Dir) != "here" {
		t.Fatal("another file")
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(bin, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	words := strings.Fields(read("words"))
	if !slices.Contains(words, "--ignore-scripts") || words[0] != "pack" || !slices.Equal(words[len(words)-2:], []string{"--", "@scope/demo@^1.2"}) {
		t.Errorf("words = %q", words)
	}
	if env := read("env"); strings.Contains(env, "ghp_secret") || !strings.Contains(env, "npm_config_ignore_scripts=true") || strings.Contains(env, "=relative") {
		t.Errorf("environment = %q", env)
	}
	if dir := strings.TrimSpace(read("dir")); !strings.HasPrefix(dir, opts.Temp) {
		t.Errorf("ran in %q", dir)
	}
}

func TestNPMSeesOnlyWhatItsConfigurationNames(t *testing.T) {
	home := lay(t, t.TempDir(), map[string]string{".npmrc": "//host/:_authToken=${TOKEN}\n# ${OTHER?} ${NODE_OPTIONS} ${npm_config_git} ${PATH} ${bad name} ${}\ncut=${CUT"})
	f := &fetcher{opts: Options{UserHome: home, Path: "/usr/bin:relative::/bin", Lookup: func(name string) (string, bool) { return "value of " + name, true }}}
	env := f.npmEnvironment("/private")
	var extra []string
	for _, pair := range env {
		if strings.Contains(pair, "value of") {
			extra = append(extra, pair)
		}
	}
	if !slices.Equal(extra, []string{"TOKEN=value of TOKEN", "OTHER=value of OTHER"}) {
		t.Fatalf("%q", extra)
	}
	if !slices.Contains(env, "PATH=/usr/bin:/bin") || !slices.Contains(env, "HOME=/private") || !slices.Contains(env, "npm_config_ignore_scripts=true") {
		t.Fatalf("%q", env)
	}
}

func TestMissingProgramsAreSaid(t *testing.T) {
	opts := options(t)
	opts.Path = t.TempDir()
	_, err := Fetch(t.Context(), "npm:demo", opts)
	if f := wantCode(t, err, CodeFetchFailed); !strings.Contains(f.Message, "npm is not on PATH") || f.Hint == "" {
		t.Fatalf("%+v", f)
	}
	_, err = Fetch(t.Context(), "github:o/r", opts)
	if f := wantCode(t, err, CodeFetchFailed); !strings.Contains(f.Message, "git is not on PATH") {
		t.Fatalf("%+v", f)
	}
}
