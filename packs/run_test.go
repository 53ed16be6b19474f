package packs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// command is one call of a program as a runtime makes it: a small environment,
// no input, no terminal.
type command struct {
	path  string
	args  []string
	dir   string   // "" is a fresh directory
	env   []string // added to the small environment; a later value wins
	path0 string   // directory put before the usual PATH
}

// outcome is what came of it.
type outcome struct {
	stdout, stderr string
	code           int
}

// needs skips a test whose tools are missing, but never in CI.
func needs(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not on PATH", tool)
		}
		t.Skipf("%s is not on PATH", tool)
	}
}

// script is the absolute path of a file in a pack's bin directory.
func script(t testing.TB, pack, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(pack, "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start runs a command to its end. A hang is a failure of the script, so the
// deadline is generous and only there to end it.
func start(t testing.TB, c command) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, c.args...)
	cmd.Dir = c.dir
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	search := "/usr/local/bin:/usr/bin:/bin"
	if c.path0 != "" {
		search = c.path0 + ":" + search
	}
	cmd.Env = append([]string{"PATH=" + search, "HOME=" + cmd.Dir, "TMPDIR=" + os.TempDir()}, c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %q: %v", c.path, c.args, err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// object decodes stdout as exactly one JSON object.
func (o outcome) object(t testing.TB) map[string]any {
	t.Helper()
	if o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	dec := json.NewDecoder(strings.NewReader(o.stdout))
	dec.UseNumber()
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("stdout is no JSON object: %v\n%s", err, o.stdout)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("stdout holds more than one object:\n%s", o.stdout)
	}
	if v["ok"] != true {
		t.Fatalf(`"ok" is %v`, v["ok"])
	}
	return v
}

// refused checks that a call failed the way an agent can read: exit 1, nothing
// on stdout, one sentence on stderr that contains want.
func (o outcome) refused(t testing.TB, want string) {
	t.Helper()
	if o.code != 1 || o.stdout != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", o.code, o.stdout, o.stderr)
	}
	if strings.Count(strings.TrimRight(o.stderr, "\n"), "\n") != 0 || !strings.Contains(o.stderr, want) {
		t.Errorf("stderr %q does not hold one sentence with %q", o.stderr, want)
	}
}

// at walks into decoded JSON: names for objects, numbers for arrays.
func at(t testing.TB, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%v: %q of no object", path, s)
			}
			if v, ok = m[s]; !ok {
				t.Fatalf("%v: no member %q in %v", path, s, m)
			}
		case int:
			a, ok := v.([]any)
			if !ok || s >= len(a) {
				t.Fatalf("%v: no element %d in %v", path, s, v)
			}
			v = a[s]
		}
	}
	return v
}

// interpreters lists the shells and awks of this machine, for scripts that must
// give the same answer under all of them.
func interpreters(t testing.TB) (shells [][]string, awks []string) {
	t.Helper()
	for _, argv := range [][]string{{"dash"}, {"bash", "--posix"}, {"bash"}, {"busybox", "sh"}, {"ksh"}, {"zsh", "--emulate", "sh"}} {
		if path, err := exec.LookPath(argv[0]); err == nil {
			shells = append(shells, append([]string{path}, argv[1:]...))
		}
	}
	for _, name := range []string{"mawk", "gawk", "original-awk", "bwk", "busybox"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		dir := t.TempDir()
		if err := os.Symlink(path, filepath.Join(dir, "awk")); err != nil {
			t.Fatal(err)
		}
		awks = append(awks, dir)
	}
	return shells, awks
}

// sameEverywhere runs calls of one program under each shell and each awk and
// wants one answer.
func sameEverywhere(t *testing.T, base command, calls [][]string) {
	t.Helper()
	shells, awks := interpreters(t)
	for _, args := range calls {
		plain := base
		plain.args = args
		want := start(t, plain)
		for _, shell := range shells {
			other := base
			other.path = shell[0]
			other.args = append(append(shell[1:len(shell):len(shell)], base.path), args...)
			if got := start(t, other); got != want {
				t.Errorf("%v %q:\ngot  %.2000v\nwant %.2000v", shell, args, got, want)
			}
		}
		for _, first := range awks {
			other := plain
			other.path0 = first
			if got := start(t, other); got != want {
				t.Errorf("awk in %s %q:\ngot  %.2000v\nwant %.2000v", first, args, got, want)
			}
		}
	}
}
