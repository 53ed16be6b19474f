package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

// house is a made-up machine: a home with programs in it, below a directory that
// stands for the root. Names ending in "/" are directories, "a -> b" links.
type house struct {
	t    *testing.T
	root string
}

func newHouse(t *testing.T, entries ...string) house {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := house{t, root}
	for _, entry := range entries {
		name, content, _ := strings.Cut(entry, " = ")
		link, target, isLink := strings.Cut(name, " -> ")
		path := h.at(link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		switch {
		case isLink && strings.HasPrefix(target, "/"):
			err = os.Symlink(h.at(target), path)
		case isLink:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(strings.ReplaceAll(content, "{root}", root)), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h house) at(name string) string { return filepath.Join(h.root, name) }

func (h house) tool(executable string) Tool {
	return Tool{
		Executable: h.at(executable), Path: h.at("/home/me/.pyenv/shims") + ":" + h.at("/opt-like/node/bin") + ":relative",
		RealHome: h.at("/home/me"), Protected: []string{h.at("/home/me/.bridle")},
	}
}

// granted is what a profile has beyond Base, relative to the house.
func (h house) granted(p Profile) []string {
	var out []string
	for _, list := range [][]string{p.ReadExec, p.ReadOnly, p.ReadWrite} {
		for _, path := range list {
			if inside, ok := strings.CutPrefix(path, h.root); ok {
				out = append(out, inside)
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestInstallationComesWithItsProgram(t *testing.T) {
	for _, c := range []struct {
		name       string
		entries    []string
		executable string
		want       []string
	}{
		{
			"a prefix with libraries",
			[]string{"/data/tool/bin/tool = x", "/data/tool/lib/"},
			"/data/tool/bin/tool",
			[]string{"/data/tool", "/data/tool/bin/tool"},
		}, {
			"a folder of programs",
			[]string{"/data/tools/bin/tool = x", "/data/tools/notes = private"},
			"/data/tools/bin/tool",
			[]string{"/data/tools/bin", "/data/tools/bin/tool", "/data/tools/lib"},
		}, {
			"a single file",
			[]string{"/home/me/Downloads/tool = x", "/home/me/Downloads/letter = private"},
			"/home/me/Downloads/tool",
			[]string{"/home/me/Downloads/tool"},
		}, {
			"the home's own folder of programs",
			[]string{"/home/me/bin/tool = x", "/home/me/lib/", "/home/me/letter = private"},
			"/home/me/bin/tool",
			[]string{"/home/me/bin", "/home/me/bin/tool", "/home/me/lib"},
		}, {
			"a hidden folder that holds a token beside its programs",
			[]string{"/home/me/.cloud/bin/tool = x", "/home/me/.cloud/lib/", "/home/me/.cloud/credentials = token"},
			"/home/me/.cloud/bin/tool",
			[]string{"/home/me/.cloud/bin", "/home/me/.cloud/bin/tool", "/home/me/.cloud/lib"},
		}, {
			"a toolchain manager that keeps a token beside its programs",
			[]string{"/home/me/.cargo/bin/rustup = x", "/home/me/.cargo/bin/cargo -> rustup", "/home/me/.cargo/credentials.toml = token", "/home/me/.rustup/"},
			"/home/me/.cargo/bin/cargo",
			[]string{"/home/me/.cargo/bin", "/home/me/.cargo/bin/rustup", "/home/me/.rustup"},
		}, {
			"an installation in the home",
			[]string{"/home/me/conda/bin/tool = x", "/home/me/conda/lib/"},
			"/home/me/conda/bin/tool",
			[]string{"/home/me/conda", "/home/me/conda/bin/tool"},
		}, {
			"a version manager's shim, which leads to a shell script of its own",
			[]string{"/home/me/.pyenv/shims/python3 = #!/usr/bin/env bash\nexec pyenv", "/home/me/.pyenv/versions/3.1/bin/python3 = x"},
			"/home/me/.pyenv/shims/python3",
			[]string{"/home/me/.pyenv", "/home/me/.pyenv/shims/python3"},
		}, {
			"a link into a version manager",
			[]string{"/home/me/.nvm/versions/20/bin/node = x", "/links/node -> /home/me/.nvm/versions/20/bin/node"},
			"/links/node",
			[]string{"/home/me/.nvm", "/home/me/.nvm/versions/20/bin/node"},
		}, {
			"a script of a package, run by a node found through the search path",
			[]string{
				"/home/me/.npm-packages/lib/node_modules/cli/bin/cli.js = #!/usr/bin/env -S node --flag\n",
				"/home/me/.npm-packages/bin/cli -> ../lib/node_modules/cli/bin/cli.js",
				"/opt-like/node/bin/node = x", "/opt-like/node/lib/",
			},
			"/home/me/.npm-packages/bin/cli",
			[]string{
				"/home/me/.npm-packages/lib/node_modules", "/home/me/.npm-packages/lib/node_modules/cli/bin/cli.js",
				"/opt-like/node", "/opt-like/node/bin/node",
			},
		}, {
			"packages that a manager keeps beside each other",
			[]string{"/data/global/.pnpm/cli@1/node_modules/cli/cli.js = #!{root}/opt-like/node/bin/node\n", "/opt-like/node/bin/node = x", "/opt-like/node/lib/"},
			"/data/global/.pnpm/cli@1/node_modules/cli/cli.js",
			[]string{"/data/global", "/data/global/.pnpm/cli@1/node_modules/cli/cli.js", "/opt-like/node", "/opt-like/node/bin/node"},
		}, {
			"a python environment and the installation that it was made from",
			[]string{
				"/home/me/.venvs/a/pyvenv.cfg = version = 3\nhome = {root}/data/python/bin\n",
				"/home/me/.venvs/a/bin/tool = #!{root}/home/me/.venvs/a/bin/python\n",
				"/home/me/.venvs/a/bin/python -> /data/python/bin/python3",
				"/data/python/bin/python3 = x", "/data/python/lib/",
			},
			"/home/me/.venvs/a/bin/tool",
			[]string{"/data/python", "/data/python/bin/python3", "/home/me/.venvs/a", "/home/me/.venvs/a/bin/tool"},
		}, {
			"interpreters that call each other for ever",
			[]string{"/data/x/one = #!{root}/data/x/two\n", "/data/x/two = #!{root}/data/x/one\n"},
			"/data/x/one",
			[]string{"/data/x/one", "/data/x/two"},
		}, {
			"a link to itself",
			[]string{"/data/x/loop -> loop"},
			"/data/x/loop",
			[]string{"/data/x/loop"},
		}, {
			"nothing there",
			nil, "/data/missing",
			[]string{"/data/missing"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, append(c.entries, "/home/me/.ssh/id = private", "/home/me/.bridle/state = x")...)
			p, err := ForTool(h.tool(c.executable))
			if err != nil {
				t.Fatal(err)
			}
			got := h.granted(p)
			if !slices.Equal(got, c.want) {
				t.Fatalf("granted %q, want %q", got, c.want)
			}
			for _, path := range got {
				if within(h.at("/home/me/.ssh"), h.at(path)) || within(h.at("/home/me/.bridle"), h.at(path)) {
					t.Fatalf("%s opens what is private", path)
				}
			}
		})
	}
}

func TestSystemProgramsAddNothing(t *testing.T) {
	base, err := ForTool(Tool{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ForTool(Tool{Executable: "/bin/sh", Path: "/usr/bin:/bin"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.ReadExec) != len(base.ReadExec) {
		t.Fatalf("%q, without a program %q", p.ReadExec, base.ReadExec)
	}
}

func TestGrantsThatWouldOpenTheHomeOrTheStoreAreRefused(t *testing.T) {
	h := newHouse(t, "/home/me/project/", "/home/me/.bridle/packs/p/", "/way-home -> /home/me", "/data/")
	for _, c := range []struct {
		path string
		ok   bool
	}{
		{"/home/me", false},
		{"/home", false},
		{"/", false},
		{"/way-home", false},
		{"/home/me/project/..", false},
		{"/home/me/.bridle", false},
		{"/home/me/project", true},
		{"/home/me/project/not-there-yet", true},
		{"/home/me/.bridle/packs/p", true},
		{"/way-home/project", true},
		{"/data", true},
	} {
		for name, with := range map[string]func(*Tool){
			"read-write": func(tool *Tool) { tool.ReadWrite = []string{h.root + c.path} },
			"read-exec":  func(tool *Tool) { tool.ReadExec = []string{h.root + c.path} },
			"read-only":  func(tool *Tool) { tool.ReadOnly = []string{h.root + c.path} },
			"home":       func(tool *Tool) { tool.Home = h.root + c.path },
			"temp":       func(tool *Tool) { tool.Temp = h.root + c.path },
		} {
			tool := h.tool("/data/none")
			with(&tool)
			p, err := ForTool(tool)
			if c.ok != (err == nil) || err != nil && !fault.Is(err, CodeTooWide) {
				t.Errorf("%s %s: %v", name, c.path, err)
			}
			if c.ok && !slices.Contains(p.Required, h.root+c.path) {
				t.Errorf("%s %s is not required to exist", name, c.path)
			}
		}
	}
	if _, err := ForTool(Tool{ReadWrite: []string{"relative"}}); err == nil {
		t.Error("a relative path was granted")
	}
}

func TestTrustStoresOfTheEnvironmentMayBeRead(t *testing.T) {
	h := newHouse(t, "/certs/one.pem = x", "/certs/dir/", "/home/me/.ssh/id = private")
	tool := h.tool("/data/none")
	tool.Env = []string{
		"SSL_CERT_FILE=" + h.at("/certs/one.pem"),
		"SSL_CERT_DIR=" + h.at("/certs/dir") + ":" + h.at("/certs/missing"),
		"NODE_EXTRA_CA_CERTS=relative.pem",
		"CURL_CA_BUNDLE=" + h.at("/home/me"),
		"OTHER=" + h.at("/certs"),
		"REQUESTS_CA_BUNDLE=",
		"odd",
	}
	p, err := ForTool(tool)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := h.granted(p), []string{"/certs/dir", "/certs/one.pem", "/data/none"}; !slices.Equal(got, want) {
		t.Fatalf("granted %q, want %q", got, want)
	}
}

func TestToolchainsOfTheEnvironmentMayBeRun(t *testing.T) {
	h := newHouse(t, "/jdk/", "/home/me/.rustup/")
	tool := h.tool("/data/none")
	tool.Env = []string{
		"JAVA_HOME=" + h.at("/jdk"), "RUSTUP_HOME=" + h.at("/home/me/.rustup"),
		"GOROOT=" + h.at("/missing"), "NVM_DIR=" + h.at("/home"), "HOME=" + h.at("/home/me/.ssh"),
	}
	p, err := ForTool(tool)
	if err != nil {
		t.Fatal(err)
	}
	for path, granted := range map[string]bool{"/jdk": true, "/home/me/.rustup": true, "/missing": false, "/home": false, "/home/me/.ssh": false} {
		if slices.Contains(p.ReadExec, h.at(path)) != granted {
			t.Errorf("%s granted: %v", path, !granted)
		}
	}
}

func TestSettingsOfASystemProgramComeWithIt(t *testing.T) {
	for _, paths := range [][]string{
		{"/usr/bin/ssh", "/etc/ssh"},
		{"/usr/bin/passwd", "/etc/passwd"},
		{"/usr/share/shadow/bin/x", "/etc/shadow"},
		{"/usr/lib/ssl/misc/CA.pl", "/etc/ssl"},
		{"/", "/etc/"},
		{"", "/etc/."},
		// A name of its author's choice is no reason to open anything.
		{"/data/pack/hosts", "/etc/hosts"},
		{"/home/me/usr/share/hosts/x", "/etc/hosts"},
	} {
		if got := settings([]link{{hops: []string{paths[0]}, file: paths[0]}}, guard{}); slices.Contains(got, paths[1]) || slices.Contains(got, "/etc") {
			t.Errorf("%s: %q", paths[0], got)
		}
	}
	// /etc/hosts stands for the settings of a program of that name.
	for _, l := range []link{
		{hops: []string{"/usr/bin/hosts"}, file: "/usr/bin/x"},
		{hops: []string{"/usr/bin/x"}, file: "/usr/bin/hosts"},
		{hops: []string{"/data/x", "/usr/share/hosts/bin/x"}, file: "/data/y"},
		{hops: []string{"/usr/bin/x"}, file: "/usr/lib/hosts/x"},
	} {
		if got := settings([]link{l, l}, guard{}); !slices.Equal(got, []string{"/etc/hosts"}) {
			t.Errorf("%v: %q", l, got)
		}
		if got := settings([]link{l}, guard{protected: []string{"/etc/hosts"}}); len(got) != 0 {
			t.Errorf("%v: %q although protected", l, got)
		}
	}
}

// A program inside what the caller grants, such as one that came with a pack,
// must not open other places by what it names.
func TestProgramOfAPackChoosesNoGrants(t *testing.T) {
	for _, c := range []struct {
		name    string
		entries []string
		want    []string
	}{
		{
			"an interpreter somewhere",
			[]string{"/pack/run = #!{root}/srv/app/bin/run\n"},
			[]string{"/pack", "/pack/run"},
		}, {
			"an interpreter somewhere by way of env",
			[]string{"/pack/run = #!/usr/bin/env {root}/srv/app/bin/run\n"},
			[]string{"/pack", "/pack/run"},
		}, {
			"a roundabout way through a system directory",
			[]string{"/pack/run = #!/usr/..{root}/srv/app/bin/run\n"},
			[]string{"/pack", "/pack/run"},
		}, {
			"a roundabout way through a version manager",
			[]string{"/pack/run = #!{root}/home/me/.nvm/../../../srv/app/bin/run\n", "/home/me/.nvm/"},
			[]string{"/pack", "/pack/run"},
		}, {
			"a link out",
			[]string{"/pack/run = #!{root}/pack/sh\n", "/pack/sh -> /srv/app/bin/run"},
			[]string{"/pack", "/pack/run"},
		}, {
			"a python environment that names a base",
			[]string{"/pack/bin/python = x", "/pack/pyvenv.cfg = home = {root}/srv/app/bin\n", "/srv/app/bin/python3 = x", "/pack/run = #!{root}/pack/bin/python\n"},
			[]string{"/pack", "/pack/bin/python", "/pack/run"},
		}, {
			"an interpreter of the search path",
			[]string{"/pack/run = #!/usr/bin/env node\n", "/opt-like/node/bin/node = x", "/opt-like/node/lib/"},
			[]string{"/opt-like/node", "/opt-like/node/bin/node", "/pack", "/pack/run"},
		}, {
			"an interpreter of a version manager",
			[]string{"/pack/run = #!{root}/home/me/.nvm/v1/bin/node\n", "/home/me/.nvm/v1/bin/node = x"},
			[]string{"/home/me/.nvm", "/home/me/.nvm/v1/bin/node", "/pack", "/pack/run"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, append(c.entries, "/srv/app/bin/run = x", "/srv/app/lib/", "/srv/app/secret = x")...)
			tool := h.tool("/pack/run")
			tool.ReadExec = []string{h.at("/pack")}
			p, err := ForTool(tool)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.granted(p); !slices.Equal(got, c.want) {
				t.Fatalf("granted %q, want %q", got, c.want)
			}
		})
	}
}

func TestNetworkAndUnixSocketsAreTakenOver(t *testing.T) {
	p, err := ForTool(Tool{Network: NetworkNone, Unix: true})
	if err != nil {
		t.Fatal(err)
	}
	if p.Network != NetworkNone || !p.Unix {
		t.Fatalf("%+v", p)
	}
}

func TestBaseGrantsNoSecretsAndNothingToWriteIn(t *testing.T) {
	p := Base()
	if len(p.ReadWrite) > 0 || p.Unix {
		t.Fatalf("%+v", p)
	}
	secrets := []string{
		"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d/x", "/etc/ssh/ssh_host_ed25519_key",
		"/etc/ssl/private/key.pem", "/etc/pki/tls/private/key.pem", "/etc/kubernetes/admin.conf",
		"/root/.ssh/id_ed25519", "/home/me/.ssh/id_ed25519", "/dev/mem", "/dev/sda", "/dev/tty", "/dev/ptmx",
		"/dev/pts/0", "/dev/shm/x", "/run/docker.sock", "/var/run/docker.sock", "/tmp/x", "/var/lib/x",
	}
	for _, list := range [][]string{p.ReadExec, p.ReadOnly, p.Devices} {
		for _, grant := range list {
			for _, secret := range secrets {
				if within(secret, grant) {
					t.Errorf("%s is granted with %s", secret, grant)
				}
			}
		}
	}
	for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"} {
		if !slices.Contains(p.Devices, device) {
			t.Errorf("%s is missing", device)
		}
	}
}
