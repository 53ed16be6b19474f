package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

const plainConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"

// guarded is a world whose project is a repository, with one hook.
func guarded(t *testing.T, script string) (*world, func() (code, message string)) {
	t.Helper()
	w := newWorld(t)
	git := w.repository(filepath.Join(w.project, ".git"))
	w.write(filepath.Join(git, "config"), plainConfig, 0o644)
	w.write(filepath.Join(git, "hooks", "pre-commit"), "#!/bin/sh\nexit 0\n", 0o755)
	w.write(filepath.Join(git, "hooks", "pre-push.sample"), "sample", 0o755)
	w.open()
	p := w.toolPack(script, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	return w, func() (string, string) {
		out := w.run(w.request(p, "x", nil))
		if !out.Started {
			t.Fatalf("did not start: %v", out.Failure)
		}
		if out.Failure == nil {
			return "", ""
		}
		return out.Failure.Code, out.Failure.Message + "; " + out.Failure.Hint
	}
}

// state is everything of the repository as it can be seen from outside.
func (w *world) state(dir string) string {
	w.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all.WriteString(path + " " + info.Mode().String() + "\n")
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			all.WriteString(target + "\n")
		case info.Mode().IsRegular():
			all.WriteString(w.read(path) + "\n")
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all.String()
}

func TestTamperingWithHooksAndConfigurationIsUndone(t *testing.T) {
	for name, script := range map[string]string{
		"new hook":                 `echo evil > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout`,
		"changed hook":             `echo evil > .git/hooks/pre-commit`,
		"removed hook":             `rm .git/hooks/pre-commit`,
		"hook made runnable":       `chmod 0644 .git/hooks/pre-commit`,
		"hook became a link":       `ln -sf /tmp/evil .git/hooks/pre-commit`,
		"hooks became a link":      `mkdir h; mv .git/hooks h/; ln -s "$PWD/h" .git/hooks; rm -r h`,
		"hooks removed":            `rm -r .git/hooks`,
		"fsmonitor":                `printf '[core]\n\tfsmonitor = evil\n' >> .git/config`,
		"hooksPath":                `printf '[core]\n\thooksPath = /tmp/evil\n' >> .git/config`,
		"include":                  `printf '[include]\n\tpath = /tmp/evil\n' >> .git/config`,
		"remote redirected":        `sed 's/example.org/evil.example/' .git/config > c; cat c > .git/config; rm c`,
		"remote that runs":         `printf '[remote "x"]\n\turl = ext::sh -c evil\n' >> .git/config`,
		"tracking moved":           `printf '[branch "main"]\n\tremote = evil\n' >> .git/config`,
		"unknown remote":           `printf '[branch "a"]\n\tremote = https://evil.example/\n' >> .git/config`,
		"pushRemote":               `printf '[branch "a"]\n\tpushRemote = origin\n[user]\n\tname = evil\n' >> .git/config`,
		"remote by an address":     `printf '[remote "https://example.org/x.git"]\n\turl = https://evil.example/\n' >> .git/config`,
		"remote that overwrites":   `printf '[remote "up"]\n\turl = https://x.example/\n\tfetch = +refs/heads/*:refs/heads/evil/*\n' >> .git/config`,
		"remote with a program":    `printf '[remote "up"]\n\turl = https://x.example/\n\tuploadpack = evil\n' >> .git/config`,
		"submodule with a command": `printf '[submodule "m"]\n\tupdate = !evil\n' >> .git/config`,
		"remote of an old form":    `mkdir -p .git/remotes; printf 'URL: https://evil.example/\n' > .git/remotes/evil`,
		"steps of a rebase":        `mkdir -p .git/rebase-merge; printf 'pick 1234 x\nexec evil\n' > .git/rebase-merge/git-rebase-todo`,
		"short step":               `mkdir -p .git/rebase-merge; printf 'x\tevil\n' > .git/rebase-merge/git-rebase-todo`,
		"unknown step":             `mkdir -p .git/rebase-merge; printf 'later evil\n' > .git/rebase-merge/git-rebase-todo.backup`,
		"merge by a program":       `mkdir -p .git/rebase-merge; echo evil > .git/rebase-merge/strategy`,
		"pick by a program":        `mkdir -p .git/sequencer; printf '[options]\n\tstrategy = evil\n' > .git/sequencer/opts`,
		"rebase of a worktree":     `mkdir -p .git/worktrees/w/rebase-merge; echo ../.. > .git/worktrees/w/commondir; echo ref > .git/worktrees/w/HEAD; printf 'x evil\n' > .git/worktrees/w/rebase-merge/git-rebase-todo`,
		"push address":             `printf '[remote "origin"]\n\tpushurl = https://evil.example/\n' >> .git/config`,
		"rewritten addresses":      `printf '[url "https://evil.example/"]\n\tinsteadOf = https://example.org/\n' >> .git/config`,
		"credential helper":        `printf '[credential]\n\thelper = evil\n' >> .git/config`,
		"ssh command":              `printf '[core]\n\tsshCommand = evil\n' >> .git/config`,
		"submodule that runs":      `printf '[submodule "m"]\n\tactive = true\n\turl = ext::evil\n' >> .git/config`,
		"alternates":               `mkdir -p .git/objects/info; echo /evil > .git/objects/info/alternates`,
		"gitdir":                   `echo /evil > .git/gitdir`,
		"hook's helper":            `mkdir .git/hooks/lib; echo evil > .git/hooks/lib/x`,
		"hooks closed":             `chmod 0500 .git/hooks; echo evil > .git/hooks/post-merge`,
		"worktree leads away":      `mkdir -p .git/worktrees/w; echo /evil > .git/worktrees/w/commondir; echo ref > .git/worktrees/w/HEAD`,
		"alias":                    `printf '[alias]\n\tst = !evil\n' >> .git/config`,
		"tracking that hides":      `printf '[branch "a"]\n\tremote = origin\n[core] fsmonitor = evil\n' >> .git/config`,
		"continued line":           `printf '[branch "a"]\n\tremote = \\\n[core] fsmonitor = evil\n' >> .git/config`,
		"configuration removed":    `rm .git/config`,
		"worktree config":          `printf '[core]\n\tfsmonitor = evil\n' > .git/config.worktree`,
		"commondir":                `echo ../evil > .git/commondir`,
		"attributes":               `mkdir -p .git/info; echo '* filter=evil' > .git/info/attributes`,
		"module hook":              `mkdir -p .git/modules/m/hooks; : > .git/modules/m/HEAD; echo evil > .git/modules/m/hooks/post-checkout`,
		"a crowd of hooks":         `i=0; while [ $i -lt 600 ]; do echo evil > .git/hooks/h$i; i=$((i+1)); done`,
		"a crowd of modules":       `i=0; while [ $i -lt 300 ]; do mkdir -p .git/modules/m$i/hooks; : > .git/modules/m$i/HEAD; echo evil > .git/modules/m$i/hooks/post-checkout; i=$((i+1)); done`,
		"deep module":              `d=.git/modules/a/b/c/d/e/f/g/h/i; mkdir -p $d/hooks; : > $d/HEAD; echo evil > $d/hooks/post-checkout`,
		"module elsewhere":         `mkdir -p .git/modules; ln -s "$TMPDIR/evil" .git/modules/m`,
		"worktree elsewhere":       `mkdir -p .git/worktrees; ln -s "$TMPDIR/evil" .git/worktrees/w`,
		"huge configuration":       `{ cat .git/config; printf '[alias]\n\tst = !evil\n'; head -c 2000000 /dev/zero | tr '\0' '#'; } > c; cat c > .git/config; rm c`,
		"pipe as hook":             `mkfifo .git/hooks/pre-push`,
		"unreadable hook":          `echo evil > .git/hooks/pre-push; chmod 0 .git/hooks/pre-push`,
		"hooks out of reach":       `mv .git/hooks h; ln -s "$TMPDIR" .git/hooks`,
		"after a failure":          `echo evil > .git/hooks/post-checkout; exit 3`,
	} {
		t.Run(name, func(t *testing.T) {
			w, run := guarded(t, script)
			git := filepath.Join(w.project, ".git")
			before := w.state(git)
			code, message := run()
			if code != CodeGitConfigChanged || !strings.Contains(message, "undone") {
				t.Fatalf("code %q, %s", code, message)
			}
			after := w.state(git)
			// New directories stay, and samples never run.
			made := []string{
				"attributes", "alternates", "hook's helper", "worktree leads away", "module hook", "a crowd of modules", "deep module", "module elsewhere", "worktree elsewhere",
				"steps of a rebase", "short step", "unknown step", "merge by a program", "pick by a program", "rebase of a worktree", "remote of an old form",
				"remote that overwrites", "remote with a program", "submodule that runs", "tracking that hides",
			}
			if !slices.Contains(made, name) && withoutSamples(after) != withoutSamples(before) {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			if strings.Contains(after, "evil") {
				t.Errorf("still there:\n%s", after)
			}
		})
	}
}

func withoutSamples(state string) string {
	var kept []string
	for line := range strings.Lines(state) {
		if !strings.Contains(line, "sample") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestRepositoryThatCannotBeGuardedIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(w *world, git string){
		"huge configuration": func(w *world, git string) {
			w.write(filepath.Join(git, "config"), plainConfig+strings.Repeat("#", maxGuarded), 0o644)
		},
		"a crowd of hooks": func(w *world, git string) {
			for i := range maxItems {
				w.write(filepath.Join(git, "hooks", strconv.Itoa(i)), "", 0o644)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := guarded(t, "")
			spoil(w, filepath.Join(w.project, ".git"))
			p := w.toolPack(`: > ran`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
			out := w.run(w.request(p, "x", nil))
			if out.Started || out.Failure.Code != CodeGitConfigChanged || !strings.Contains(out.Failure.Message, "cannot be guarded") {
				t.Fatalf("%+v", out)
			}
		})
	}
}

func TestTamperingIsUndoneAfterAKill(t *testing.T) {
	w, _ := guarded(t, `echo evil > .git/hooks/post-checkout; exec sleep 60`)
	before := w.state(filepath.Join(w.project, ".git"))
	w.options.Timeout = 300 * time.Millisecond
	p := w.toolPack(`echo evil > .git/hooks/post-checkout; exec sleep 60`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure == nil || out.Failure.Code != CodeGitConfigChanged {
		t.Fatalf("%+v", out)
	}
	if after := w.state(filepath.Join(w.project, ".git")); after != before {
		t.Errorf("after:\n%s", after)
	}
}

func TestOrdinaryGitWorkPasses(t *testing.T) {
	for name, script := range map[string]string{
		"nothing":        `true`,
		"commit":         `mkdir -p .git/objects/ab; echo x > .git/objects/ab/cd; echo id > .git/refs/heads/main; echo i > .git/index; echo m > .git/COMMIT_EDITMSG`,
		"push -u":        `grep -q branch .git/config || printf '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n' >> .git/config`,
		"remote added":   `grep -q '"up"' .git/config || printf '[remote "up"]\n\turl = git@example.org:me/x.git\n\tfetch = +refs/heads/*:refs/remotes/up/*\n' >> .git/config`,
		"submodule init": `grep -q submodule .git/config || printf '[submodule "m"]\n\tactive = true\n\turl = https://example.org/m.git\n\tupdate = checkout\n' >> .git/config`,
		"rebase":         `mkdir -p .git/rebase-merge; printf '# x evil\npick 1234 one\nf 12 two\nmerge -C 12 topic\n' > .git/rebase-merge/git-rebase-todo; echo ort > .git/rebase-merge/strategy`,
		"sample hook":    `echo other > .git/hooks/pre-push.sample`,
		"worktree added": `mkdir -p .git/worktrees/w; echo ../.. > .git/worktrees/w/commondir; echo /x/.git > .git/worktrees/w/gitdir; echo ref > .git/worktrees/w/HEAD`,
		"project file":   `echo x > file; mkdir -p .husky; echo x > .husky/pre-commit`,
	} {
		t.Run(name, func(t *testing.T) {
			_, run := guarded(t, script)
			for range 2 {
				if code, message := run(); code != "" {
					t.Fatalf("%s: %s", code, message)
				}
			}
		})
	}
}

func TestNewRepositoryMayOnlyHavePlainSettings(t *testing.T) {
	w := newWorld(t)
	w.open()
	initScript := `mkdir -p .git/hooks .git/objects .git/refs; echo 'ref: refs/heads/main' > .git/HEAD; echo s > .git/hooks/x.sample; printf '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n' > .git/config`
	p := w.toolPack(initScript, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	if out := w.run(w.request(p, "x", nil)); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if err := os.RemoveAll(filepath.Join(w.project, ".git")); err != nil {
		t.Fatal(err)
	}
	p = w.toolPack(initScript+`; printf '\tfsmonitor = evil\n' >> .git/config`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	if out := w.run(w.request(p, "x", nil)); out.Failure == nil || out.Failure.Code != CodeGitConfigChanged {
		t.Fatalf("%+v", out)
	}
	if strings.Contains(w.state(filepath.Join(w.project, ".git")), "evil") {
		t.Error("still there")
	}
}

func TestGuardSeesWhatTheConfigurationIncludes(t *testing.T) {
	w, run := guarded(t, `echo '[core] fsmonitor = evil' > .gitconfig`)
	w.write(filepath.Join(w.project, ".git", "config"), plainConfig+"[include]\n\tpath = ../.gitconfig\n", 0o644)
	w.write(filepath.Join(w.project, ".gitconfig"), "[alias]\n\tst = status\n", 0o644)
	if code, _ := run(); code != CodeGitConfigChanged || strings.Contains(w.read(filepath.Join(w.project, ".gitconfig")), "evil") {
		t.Fatalf("code %q", code)
	}
}

func TestGuardOfALinkedWorktreeCoversTheRepository(t *testing.T) {
	w := newWorld(t)
	main := w.repository(filepath.Join(w.home, "main", ".git"))
	data := filepath.Join(main, "worktrees", "project")
	w.write(filepath.Join(data, "HEAD"), "ref: refs/heads/x\n", 0o644)
	w.write(filepath.Join(data, "commondir"), "../..\n", 0o644)
	w.write(filepath.Join(data, "gitdir"), filepath.Join(w.project, ".git")+"\n", 0o644)
	w.write(filepath.Join(w.project, ".git"), "gitdir: "+data+"\n", 0o644)
	w.open()
	before := w.state(main) + w.read(filepath.Join(w.project, ".git"))
	p := w.toolPack(`echo evil > `+main+`/hooks/pre-commit; echo "gitdir: /evil" > .git; echo ../evil > `+data+`/commondir`,
		&hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure == nil || out.Failure.Code != CodeGitConfigChanged {
		t.Fatalf("%+v, %s", out.Failure, out.Stderr.Head)
	}
	if after := w.state(main) + w.read(filepath.Join(w.project, ".git")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// Of two calls at once, one tampers: its change must not become the baseline of
// the other, in whatever order they end.
func TestOverlappingCallsShareOneBaseline(t *testing.T) {
	w, _ := guarded(t, "")
	guard, project := w.local.Guard, w.local.Project
	before := w.state(filepath.Join(w.project, ".git"))
	hook := filepath.Join(w.project, ".git", "hooks", "post-checkout")
	first, _, err := guard.enter(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	w.write(hook, "evil", 0o755)
	second, _, err := guard.enter(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.end(); fault.CodeOf(err) != CodeGitConfigChanged {
		t.Fatalf("first: %v", err)
	}
	if _, err := second.end(); fault.CodeOf(err) != CodeGitConfigChanged {
		t.Fatalf("second: %v", err)
	}
	if after := w.state(filepath.Join(w.project, ".git")); after != before {
		t.Fatalf("after:\n%s", after)
	}
	// With nobody running, what is there is the new baseline.
	w.write(hook, "the user's own", 0o755)
	third, _, err := guard.enter(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := third.end(); err != nil {
		t.Fatal(err)
	}
}

// Nobody can say which of the calls under way made a change. All of them report it,
// also the one that made it and ends after a neighbour has undone it; calls that
// began later, or ended before, do not.
func TestAllCallsUnderWayAnswerForAChange(t *testing.T) {
	w, _ := guarded(t, "")
	guard, project := w.local.Guard, w.local.Project
	hook := filepath.Join(w.project, ".git", "hooks", "post-checkout")
	enter := func() *watch {
		t.Helper()
		call, _, err := guard.enter(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		return call
	}
	early, neighbour, culprit := enter(), enter(), enter()
	if _, err := early.end(); err != nil {
		t.Fatalf("a call that ended before: %v", err)
	}
	w.write(hook, "evil", 0o755)
	_, err := neighbour.end()
	if f := fault.From(err); f.Code != CodeGitConfigChanged || !strings.Contains(f.Hint, "other commands were at work") {
		t.Fatalf("the neighbour: %v, %s", err, f.Hint)
	}
	late := enter()
	_, err = culprit.end()
	if f := fault.From(err); f.Code != CodeGitConfigChanged || !strings.Contains(err.Error(), "post-checkout") || !strings.Contains(f.Hint, "other commands were at work") {
		t.Fatalf("the one that did it: %v, %s", err, f.Hint)
	}
	if _, err := late.end(); err != nil {
		t.Fatalf("a call that began afterwards: %v", err)
	}
	alone := enter()
	w.write(hook, "evil", 0o755)
	_, err = alone.end()
	if f := fault.From(err); f.Code != CodeGitConfigChanged || strings.Contains(f.Hint, "other commands") {
		t.Fatalf("alone: %v, %s", err, f.Hint)
	}
	if left, err := filepath.Glob(filepath.Join(guard.Dir, "*"+toldSuffix)); err != nil || len(left) > 0 {
		t.Fatalf("%q, %v", left, err)
	}
}

func TestManyCallsAtOnceAgree(t *testing.T) {
	w, run := guarded(t, `echo evil > .git/hooks/post-checkout; true`)
	before := w.state(filepath.Join(w.project, ".git"))
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() { run() })
	}
	wait.Wait()
	if after := w.state(filepath.Join(w.project, ".git")); after != before {
		t.Fatalf("before:\n%s\nafter:\n%s", before, after)
	}
}

func FuzzConfigThatDiffersIsOrdinaryOnlyInKnownKeys(f *testing.F) {
	f.Add(plainConfig + "[branch \"a\"]\n\tremote = origin\n")
	f.Add("[core] fsmonitor = x\n")
	f.Add("[remote \"x\"]\nurl=ext::y\n")
	f.Add("\ufeff[core]\nhooksPath=x")
	f.Fuzz(func(t *testing.T, after string) {
		if !onlyOrdinary(plainConfig, after) || after == plainConfig {
			return
		}
		lower := strings.ToLower(after)
		for _, word := range []string{"fsmonitor", "hookspath", "sshcommand", "include", "alias", "filter", "textconv", "credential", "ext::"} {
			if strings.Contains(lower, word) && !strings.Contains(lower, "#") && !strings.Contains(lower, ";") && !strings.Contains(lower, `"`+word) {
				t.Fatalf("accepted %q", after)
			}
		}
	})
}

// A change that may not stay does not take with it what is harmless.
func TestHarmlessSettingsStayWhenOthersAreTakenBack(t *testing.T) {
	w, run := guarded(t, `printf '[remote "up"]\n\turl = https://up.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/up/*\n[core]\n\tfsmonitor = evil\n[submodule "m"]\n\tactive = true\n' >> .git/config`)
	if code, message := run(); code != CodeGitConfigChanged {
		t.Fatalf("code %q, %s", code, message)
	}
	want := plainConfig + "[remote \"up\"]\n\turl = https://up.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/up/*\n[submodule \"m\"]\n\tactive = true\n"
	if got := w.read(filepath.Join(w.project, ".git", "config")); got != want {
		t.Fatalf("left:\n%s", got)
	}
}

// A rebase that somebody began with commands of their own may go on.
func TestCommandsThatWereInARebaseBeforeMayStay(t *testing.T) {
	w, run := guarded(t, `printf 'exec make test\n' > .git/rebase-merge/git-rebase-todo`)
	todo := filepath.Join(w.project, ".git", "rebase-merge", "git-rebase-todo")
	w.write(todo, "pick 1234 one\nexec make test\n", 0o644)
	if code, message := run(); code != "" {
		t.Fatal(message)
	}
	p := w.toolPack(`printf 'exec make test\nexec evil\n' > .git/rebase-merge/git-rebase-todo`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	if out := w.run(w.request(p, "x", nil)); out.Failure == nil || out.Failure.Code != CodeGitConfigChanged || w.read(todo) != "exec make test\n" {
		t.Fatalf("%+v", out.Failure)
	}
}

func TestProgramsInTheTreeThatConfigurationNamesAreGuarded(t *testing.T) {
	for name, c := range map[string]struct{ setting, program string }{
		"monitor":         {"[core]\n\tfsmonitor = ./tools/watch", "tools/watch"},
		"absent so far":   {"[diff \"x\"]\n\ttextconv = tools/missing", "tools/missing"},
		"with words":      {"[filter \"x\"]\n\tclean = tools/clean --fast %f", "tools/clean"},
		"by a language":   {"[filter \"x\"]\n\tsmudge = python3 smudge.py", "smudge.py"},
		"alias":           {"[alias]\n\tgo = !sh tools/go.sh && echo done", "tools/go.sh"},
		"by the top":      {"[alias]\n\tgo = \"!$(git rev-parse --show-toplevel)/tools/go.sh\"", "tools/go.sh"},
		"by a variable":   {"[merge \"x\"]\n\tdriver = $GIT_WORK_TREE/tools/merge %O %A %B", "tools/merge"},
		"editor":          {"[sequence]\n\teditor = tools/editor", "tools/editor"},
		"signing":         {"[gpg]\n\tprogram = tools/gpg", "tools/gpg"},
		"template":        {"[init]\n\ttemplateDir = template", "template/hooks/post-checkout"},
		"a later program": {"[someday]\n\tcommand = tools/later", "tools/later"},
	} {
		t.Run(name, func(t *testing.T) {
			w, run := guarded(t, `mkdir -p "$(dirname `+c.program+`)"; echo evil > `+c.program)
			w.write(filepath.Join(w.project, ".git", "config"), plainConfig+c.setting+"\n", 0o644)
			if name != "absent so far" {
				w.write(filepath.Join(w.project, c.program), "ours", 0o755)
			}
			if code, message := run(); code != CodeGitConfigChanged {
				t.Fatalf("code %q, %s", code, message)
			}
			left, err := os.ReadFile(filepath.Join(w.project, c.program))
			if name == "absent so far" && !os.IsNotExist(err) || name != "absent so far" && string(left) != "ours" {
				t.Fatalf("left %q, %v", left, err)
			}
		})
	}
}

func TestFilesThatConfigurationNamesAsTextAreTheProjects(t *testing.T) {
	w, run := guarded(t, `echo new > .template; echo new > status; echo new > data`)
	w.write(filepath.Join(w.project, ".git", "config"), plainConfig+"[commit]\n\ttemplate = .template\n[alias]\n\tst = status\n[remote \"near\"]\n\turl = ./data\n", 0o644)
	for _, name := range []string{".template", "status", "data"} {
		w.write(filepath.Join(w.project, name), "old", 0o644)
	}
	if code, message := run(); code != "" {
		t.Fatal(message)
	}
}
