package proc_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// searchPath is where the tools' own helpers are found.
const searchPath = "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin"

// workshop is the place of an ordinary tool: a project, a private home and a
// private directory for temporary files.
type workshop struct{ project, home, temp string }

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	base := t.TempDir()
	w := workshop{filepath.Join(base, "project"), filepath.Join(base, "home"), filepath.Join(base, "tmp")}
	for _, dir := range []string{w.project, w.home, w.temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w workshop) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.project, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// run runs a tool in its default profile and returns what it printed.
func (w workshop) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	env := []string{
		"PATH=" + searchPath, "HOME=" + w.home, "TMPDIR=" + w.temp, "LANG=C.UTF-8",
		"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local",
	}
	path := name
	if !filepath.IsAbs(name) {
		path = tool(t, name)
	}
	p, err := sandbox.ForTool(sandbox.Tool{
		Executable: path, Path: searchPath, Env: env, Home: w.home, Temp: w.temp, ReadWrite: []string{w.project},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := mustRun(t, proc.Spec{
		Path: path, Args: args, Env: env, Dir: w.project, Timeout: limit, Profile: &p,
	})
	if r.ExitCode != 0 || r.Held {
		t.Fatalf("%s %s: exit %d %s\nstdout: %s\nstderr: %s", name, strings.Join(args, " "), r.ExitCode, r.Signal, r.Stdout.Head, r.Stderr.Head)
	}
	return strings.TrimSpace(string(r.Stdout.Head) + string(r.Stderr.Head))
}

func want(t *testing.T, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Fatalf("%q is not in: %s", part, got)
	}
}

func TestGitWorksInside(t *testing.T) {
	w := newWorkshop(t)
	w.write(t, "file", "text\n")
	w.run(t, "git", "init", "-q", "-b", "main", ".")
	w.run(t, "git", "add", "file")
	w.run(t, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first")
	w.write(t, "file", "other\n")
	want(t, w.run(t, "git", "status", "--short"), "M file")
	want(t, w.run(t, "git", "log", "--format=%an %s"), "A first")
	want(t, w.run(t, "git", "diff"), "+other")
	w.run(t, "git", "stash", "list")
	w.run(t, "git", "gc", "-q")
}

func TestNodeAndNpmWorkInside(t *testing.T) {
	w := newWorkshop(t)
	w.write(t, "package.json", `{"name":"x","version":"1.0.0","scripts":{"hello":"node -p 6*7"}}`)
	want(t, w.run(t, "node", "-e", `
		const fs = require("fs"), os = require("os"), path = require("path"), cp = require("child_process");
		require("crypto").randomBytes(8); require("https"); os.cpus(); os.networkInterfaces();
		const dir = fs.mkdtempSync(path.join(os.tmpdir(), "x-"));
		fs.writeFileSync(path.join(dir, "f"), "1");
		console.log("child says", cp.execFileSync("/bin/echo", ["hello"]).toString());
		new (require("worker_threads").Worker)("console.log('worker')", {eval: true});
	`), "child says hello")
	want(t, w.run(t, "npm", "ls"), "x@1.0.0")
	want(t, w.run(t, "npm", "run", "--silent", "hello"), "42")
}

func TestPythonWorksInside(t *testing.T) {
	w := newWorkshop(t)
	got := w.run(t, "python3", "-c", `
import ssl, subprocess, tempfile, os, sqlite3, pwd, uuid, hashlib, random
context = ssl.create_default_context()
print("certificates", len(context.get_ca_certs()) >= 0)
with tempfile.NamedTemporaryFile() as f:
    f.write(b"x")
print(subprocess.check_output(["/bin/echo", "hello"]).decode())
pwd.getpwuid(os.getuid()); uuid.uuid4(); open(os.devnull, "w").write("x")
sqlite3.connect("data.db").execute("create table t(a)")
`)
	want(t, got, "certificates True")
	want(t, got, "hello")
	if strings.Contains(got, "sitecustomize") {
		t.Fatalf("python complains: %s", got)
	}
	venv := filepath.Join(w.home, "venv")
	w.run(t, "python3", "-m", "venv", "--without-pip", venv)
	want(t, w.run(t, filepath.Join(venv, "bin", "python"), "-c", "import sys; print(sys.prefix)"), venv)
}

func TestCurlReachesALoopbackServerInside(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("served"))
	}))
	defer server.Close()
	w := newWorkshop(t)
	want(t, w.run(t, "curl", "-sS", "--max-time", "60", server.URL), "served")
	w.run(t, "curl", "-sS", "--max-time", "60", "-o", "page", strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
}

func TestGoWorksInside(t *testing.T) {
	w := newWorkshop(t)
	w.write(t, "go.mod", "module example.org/x\n\ngo 1.26.0\n")
	w.write(t, "x.go", "package x\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n")
	want(t, w.run(t, "go", "list", "./..."), "example.org/x")
	want(t, w.run(t, "go", "env", "GOVERSION"), "go1.")
}

func TestSmallToolsWorkInside(t *testing.T) {
	w := newWorkshop(t)
	want(t, w.run(t, "ssh", "-V"), "OpenSSH")
	want(t, w.run(t, "mktemp"), w.temp)
	want(t, w.run(t, "getent", "hosts", "localhost"), "localhost")
	want(t, w.run(t, "date"), "20")
	got := w.run(t, "sh", "-c", `
		echo lost >/dev/null 2>/dev/null </dev/null
		head -c 3 /dev/zero | wc -c
		head -c 5 /dev/urandom | wc -c
		echo kept | tee /dev/stderr | cat
		: > "$TMPDIR/a" && : > "$HOME/b" && : > c && mkfifo fifo && ln -s c d && ln c e && mv e f && rm d
		id -u >/dev/null && nproc >/dev/null && uname -a >/dev/null && test -r /proc/self/status
		printf '#!/bin/sh\necho own\n' > tool && chmod +x tool && ./tool
	`)
	for _, part := range []string{"3", "5", "kept", "own"} {
		want(t, got, part)
	}
	want(t, w.run(t, "bash", "-c", `cat <(echo substituted)`), "substituted")
	want(t, w.run(t, "tar", "-cf", "-", "--exclude=fifo", "."), "tool")
}

// What ordinary tools do to modes, times and attributes works in their own places
// and reaches no file elsewhere.
func TestToolsChangeAttributesOfTheirOwnFilesOnly(t *testing.T) {
	w := newWorkshop(t)
	foreign := filepath.Join(filepath.Dir(w.project), "foreign")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(foreign)
	if err != nil {
		t.Fatal(err)
	}
	got := w.run(t, "sh", "-c", `
		: > own && chmod 0751 own && touch -d @1000 own && chown "$(id -u)" own && cp -p own copy && touch copy
		mkdir -p d && cp -a own d/ && chmod -R go-rwx d && ls -ld own | cut -c1-10
		ln -s "$1" link
		for try in 'chmod 0666' 'touch -d @1000' 'touch' "chown $(id -u)" 'touch -h'; do
			for at in "$1" link ../foreign; do
				[ "$try" = 'touch -h' ] && [ "$at" = link ] && continue
				$try "$at" 2>/dev/null && echo "changed by $try $at"
			done; :
		done
		tar -cf t.tar own && rm own && tar -xpf t.tar && date -r own +%s
	`, "sh", foreign)
	if strings.Contains(got, "changed") {
		t.Fatal(got)
	}
	want(t, got, "-rwxr-x--x")
	want(t, got, "1000")
	after, err := os.Stat(foreign)
	if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
		t.Fatalf("%v %v, %v", after.Mode(), after.ModTime(), err)
	}
}
