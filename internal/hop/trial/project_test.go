package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project is a repository with the programs to work on it.
type project struct {
	t    testing.TB
	dir  string
	bin  string
	home string
}

// newProject makes a git repository with a few files in a folder of its own.
func newProject(t testing.TB, bin string) *project {
	t.Helper()
	base := t.TempDir()
	p := &project{t: t, dir: filepath.Join(base, "project"), bin: bin, home: filepath.Join(base, "home")}
	for _, dir := range []string{p.home, p.dir} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{"a.txt", "b.txt", "src/c.txt", "src/deep/d.txt", ".gitignore"} {
		p.write(name, "first "+name+"\n")
	}
	p.write(".gitignore", "*.out\n")
	p.git("init", "-q", "-b", "main", "--template=")
	p.git("add", "-A")
	p.git("-c", "user.name=User", "-c", "user.email=user@example.com", "commit", "-q", "-m", "first")
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write gives a file a content; a relative name is below the project.
func (p *project) write(name, text string) {
	p.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	must(p.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(p.t, os.WriteFile(name, []byte(text), 0o644))
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// env is what every process of a trial sees.
func (p *project) env(more ...string) []string {
	return append([]string{
		"PATH=" + p.bin + ":" + os.Getenv("PATH"), "HOME=" + p.home, "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + os.TempDir(),
	}, more...)
}

// answer is what a command said.
type answer struct {
	exit           int
	stdout, stderr string
	// body is the JSON object of standard output, nil when there is no whole one.
	body map[string]any
}

// acknowledged reports whether the command said that it is done; a hook says it in
// its client's words.
func (a answer) acknowledged() bool {
	ok, _ := a.body["ok"].(bool)
	return ok || strings.Contains(a.text("hookSpecificOutput.additionalContext"), "Hop recorded this message as")
}

func (a answer) code() string { text, _ := a.body["code"].(string); return text }

// text follows names to a string of the answer.
func (a answer) text(path string) string {
	var at any = a.body
	for _, name := range strings.Split(path, ".") {
		m, _ := at.(map[string]any)
		at = m[name]
	}
	text, _ := at.(string)
	return text
}

// command is a process of hop on the project.
func (p *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, "hop"), args...)
	cmd.Dir, cmd.Env = p.dir, p.env()
	return cmd
}

// run runs a process to its end and reads what it said.
func run(t testing.TB, cmd *exec.Cmd) answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	a := answer{stdout: stdout.String(), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		a.exit = exit.ExitCode()
	case err != nil:
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	if json.Unmarshal(stdout.Bytes(), &a.body) != nil {
		a.body = nil
	}
	return a
}

// hop runs hop with --json.
func (p *project) hop(args ...string) answer {
	p.t.Helper()
	return run(p.t, p.command(append([]string{"--json"}, args...)...))
}

// done is hop for a command that must succeed.
func (p *project) done(args ...string) answer {
	p.t.Helper()
	a := p.hop(args...)
	if a.exit != 0 || !a.acknowledged() {
		p.t.Fatalf("hop %s: exit %d\n%s%s", strings.Join(args, " "), a.exit, a.stdout, a.stderr)
	}
	return a
}

// work is an attempt that is going on.
type work struct{ prompt, attempt, workspace string }

// start begins an attempt.
func (p *project) start(text string, flags ...string) work {
	p.t.Helper()
	a := p.done(append(append([]string{"start", "--agent", "tester"}, flags...), text)...)
	return work{a.text("data.prompt.id"), a.text("data.attempt.id"), a.text("data.workspace")}
}

// propose edits a file of an attempt's workspace and proposes the result.
func (p *project) propose(w work, file, text string) string {
	p.t.Helper()
	p.write(filepath.Join(w.workspace, file), text)
	return p.done("propose", "--summary", "change "+file, w.prompt).text("data.proposal.id")
}

// files are the contents below a folder, by path; what git and Hop keep is left
// out.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		name := filepath.Base(path)
		switch {
		case path != dir && (name == ".git" || name == ".hop"):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			all[path] = "-> " + text
			return err
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return nil
	})
	must(t, err)
	return all
}

// copyTree copies a folder with all there is to a file but its times of change.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(target, info.Mode().Perm()|0o700)
		case d.Type()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(text, target)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, data, info.Mode().Perm()); err != nil {
			return err
		}
		return os.Chtimes(target, info.ModTime(), info.ModTime())
	}))
}

// removeTree removes a folder also where something in it is read-only.
func removeTree(t testing.TB, dir string) {
	t.Helper()
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	must(t, os.RemoveAll(dir))
}
