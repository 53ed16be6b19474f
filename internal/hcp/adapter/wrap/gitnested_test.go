package wrap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bridle/hcp"
)

// tampered runs a script in a repository that was prepared and reports what the
// project holds afterwards.
func tampered(t *testing.T, prepare func(w *world), script string) (w *world, code, message string) {
	t.Helper()
	w, run := guarded(t, script)
	prepare(w)
	w.open()
	code, message = run()
	return w, code, message
}

func (w *world) config(extra string) {
	w.write(filepath.Join(w.project, ".git", "config"), plainConfig+extra, 0o644)
}

func TestHooksInTheTreeAreGuardedLikeHooks(t *testing.T) {
	named := map[string]func(w *world){
		"relative": func(w *world) { w.config("[core]\n\thooksPath = .husky # ours\n") },
		"quoted":   func(w *world) { w.config("[core]\n\thooksPath = \".hus\"ky\n") },
		"absolute": func(w *world) { w.config("[core]\n\thooksPath = " + w.project + "/.husky\n") },
		"home":     func(w *world) { w.config("[core]\n\thooksPath = ~/project/.husky\n") },
		"a link": func(w *world) {
			w.config("[core]\n\thooksPath = named\n")
			if err := os.Symlink(".husky", filepath.Join(w.project, "named")); err != nil {
				w.t.Fatal(err)
			}
		},
		"included": func(w *world) {
			w.config("[includeIf \"gitdir:/x\"]\n\tpath = ../more/config\n")
			w.write(filepath.Join(w.project, "more", "config"), "[include]\n\tpath = deep\n", 0o644)
			w.write(filepath.Join(w.project, "more", "deep"), "[core]\n\thookspath = .husky\n", 0o644)
		},
		"worktree configuration": func(w *world) {
			w.write(filepath.Join(w.project, ".git", "config.worktree"), "[core] hooksPath = .husky\n", 0o644)
		},
		"the user's configuration": func(w *world) {
			w.write(filepath.Join(w.home, ".gitconfig"), "[core]\n\thooksPath = .husky\n", 0o644)
		},
		"stubs of a hook manager": func(w *world) { w.config("[core]\n\thooksPath = .husky/_\n") },
	}
	scripts := map[string]string{
		"new":     `echo evil > .husky/post-merge`,
		"changed": `echo evil > .husky/pre-commit`,
		"helper":  `echo evil > .husky/lib/helper`,
		"mode":    `chmod 0600 .husky/pre-commit`,
		"removed": `rm .husky/pre-commit`,
		"moved":   `mv .husky h; mkdir .husky; echo evil > .husky/pre-commit; chmod +x .husky/pre-commit; rm -r h`,
		"link":    `cp -r .husky h; rm -r .husky; ln -s h .husky; echo evil > h/pre-commit`,
	}
	for how, name := range named {
		for what, script := range scripts {
			t.Run(how+"/"+what, func(t *testing.T) {
				var before string
				hooks := ""
				w, code, message := tampered(t, func(w *world) {
					hooks = filepath.Join(w.project, ".husky")
					w.write(filepath.Join(hooks, "pre-commit"), "#!/bin/sh\n", 0o755)
					w.write(filepath.Join(hooks, "lib", "helper"), "x", 0o644)
					name(w)
					before = w.state(hooks)
				}, script)
				if code != CodeGitConfigChanged || !strings.Contains(message, "undone") {
					t.Fatalf("code %q, %s", code, message)
				}
				if after := w.state(hooks); after != before {
					t.Fatalf("before:\n%s\nafter:\n%s", before, after)
				}
			})
		}
	}
}

func TestHooksInTheRootDoNotGuardTheWholeProject(t *testing.T) {
	w, code, message := tampered(t, func(w *world) { w.config("[core]\n\thooksPath = .\n") }, `echo x > file`)
	if code != "" {
		t.Fatal(message)
	}
	p := w.toolPack(`echo evil > pre-push`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	if out := w.run(w.request(p, "x", nil)); out.Failure == nil || out.Failure.Code != CodeGitConfigChanged {
		t.Fatalf("%+v", out)
	}
}

// nest prepares what may be nested in a project: a submodule, a repository of
// its own with the user's settings, and a bare one.
func nest(w *world) {
	module := w.repository(filepath.Join(w.project, ".git", "modules", "sub"))
	w.write(filepath.Join(module, "config"), "[core]\n\tworktree = ../../../sub\n\thooksPath = .hooks\n", 0o644)
	w.write(filepath.Join(w.project, "sub", ".git"), "gitdir: ../.git/modules/sub\n", 0o644)
	w.write(filepath.Join(w.project, "sub", ".hooks", "pre-commit"), "ours", 0o755)
	own := w.repository(filepath.Join(w.project, "a", "b", "own", ".git"))
	w.write(filepath.Join(own, "config"), "[core]\n\tfsmonitor = mine\n", 0o644)
	w.write(filepath.Join(own, "hooks", "pre-commit"), "mine", 0o755)
	bare := w.repository(filepath.Join(w.project, "bare"))
	w.write(filepath.Join(bare, "config"), "[core]\n\tbare = true\n", 0o644)
}

func TestNestedRepositoriesAreGuarded(t *testing.T) {
	const make = `mkdir -p %[1]s/objects %[1]s/refs; echo ref: refs/heads/main > %[1]s/HEAD; `
	const evil = `printf '[core]\n\tfsmonitor = evil\n' > `
	for name, script := range map[string]string{
		"submodule's file leads elsewhere":   `echo "gitdir: $TMPDIR/evil" > sub/.git`,
		"submodule's file became a link":     `rm sub/.git; ln -s "$TMPDIR/evil" sub/.git`,
		"submodule's file became repository": `rm sub/.git; ` + fmt.Sprintf(make, "sub/.git") + evil + `sub/.git/config`,
		"submodule's configuration":          `printf '\tfsmonitor = evil\n' >> .git/modules/sub/config`,
		"submodule's hook":                   `mkdir -p .git/modules/sub/hooks; echo evil > .git/modules/sub/hooks/post-checkout`,
		"submodule's hook in the tree":       `echo evil > sub/.hooks/pre-commit`,
		"submodule's commondir":              `echo evil > .git/modules/sub/commondir`,
		"nested configuration":               evil + `a/b/own/.git/config`,
		"nested hook":                        `echo evil > a/b/own/.git/hooks/pre-commit`,
		"nested hook removed":                `rm a/b/own/.git/hooks/pre-commit`,
		"bare configuration":                 evil + `bare/config`,
		"new repository":                     fmt.Sprintf(make, "n/.git") + evil + `n/.git/config`,
		"new hook":                           fmt.Sprintf(make, "n/.git") + `mkdir n/.git/hooks; echo evil > n/.git/hooks/pre-commit`,
		"new bare repository":                fmt.Sprintf(make, "n") + evil + `n/config`,
		"new repository elsewhere":           `mkdir n; ln -s "$TMPDIR/evil" n/.git`,
		"new file leads elsewhere":           `mkdir n; echo "gitdir: $TMPDIR/evil" > n/.git`,
		"new file leads to a link":           `mkdir n; ln -s "$TMPDIR" l; echo "gitdir: ../l/evil" > n/.git`,
		"common directory elsewhere":         `mkdir n; echo x > n/HEAD; echo "$TMPDIR/evil" > n/commondir`,
		"configuration for a worktree":       fmt.Sprintf(make, "n/.git") + evil + `n/.git/config.worktree`,
	} {
		t.Run(name, func(t *testing.T) {
			var before string
			w, code, message := tampered(t, func(w *world) { nest(w); before = w.state(w.project) }, script)
			if code != CodeGitConfigChanged || !strings.Contains(message, "undone") {
				t.Fatalf("code %q, %s", code, message)
			}
			for at, text := range map[string]string{
				"sub/.git": "gitdir: ../.git/modules/sub\n", "sub/.hooks/pre-commit": "ours", "a/b/own/.git/hooks/pre-commit": "mine",
				"a/b/own/.git/config": "[core]\n\tfsmonitor = mine\n", "bare/config": "[core]\n\tbare = true\n",
			} {
				if got := w.read(filepath.Join(w.project, at)); got != text {
					t.Errorf("%s holds %q", at, got)
				}
			}
			for _, at := range []string{"n/.git/config", "n/.git/hooks/pre-commit", "n/config", "n/commondir", "n/.git/config.worktree"} {
				if _, err := os.Lstat(filepath.Join(w.project, at)); err == nil {
					t.Errorf("%s is there", at)
				}
			}
			after := strings.ReplaceAll(w.state(w.project), w.jail().Tmp, "$TMPDIR")
			if name != "submodule's file became repository" && strings.Contains(after, "evil") {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// Someone's repository in the place of a submodule's file is no repository any
// more, but its objects are still there.
func TestRepositoryInThePlaceOfAFileIsMovedAside(t *testing.T) {
	w, code, _ := tampered(t, nest, `rm sub/.git; mkdir -p sub/.git/objects sub/.git/refs; echo r > sub/.git/HEAD; echo work > sub/.git/objects/x`)
	if code != CodeGitConfigChanged {
		t.Fatalf("code %q", code)
	}
	found, err := filepath.Glob(filepath.Join(w.project, "sub", ".git-replaced-*"))
	if err != nil || len(found) != 1 || w.read(filepath.Join(found[0], "objects", "x")) != "work\n" {
		t.Fatalf("%q, %v", found, err)
	}
	if _, err := os.Stat(filepath.Join(found[0], "HEAD")); !os.IsNotExist(err) {
		t.Error("it is a repository still")
	}
}

func TestOrdinaryWorkWithNestedRepositoriesPasses(t *testing.T) {
	const repository = `mkdir -p %[1]s/objects %[1]s/refs %[1]s/hooks; echo ref: refs/heads/main > %[1]s/HEAD; echo s > %[1]s/hooks/x.sample; `
	const cloned = `printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/n.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n' > `
	for name, script := range map[string]string{
		"clone":             fmt.Sprintf(repository, "n/.git") + cloned + `n/.git/config`,
		"clone of a module": fmt.Sprintf(repository, ".git/modules/n") + cloned + `.git/modules/n/config; mkdir n; echo "gitdir: ../.git/modules/n" > n/.git; printf '[submodule "n"]\n\tpath = n\n' > .gitmodules`,
		"clone that shares": fmt.Sprintf(repository, "n/.git") + cloned + `n/.git/config; mkdir -p n/.git/objects/info; echo "$PWD/.git/objects" > n/.git/objects/info/alternates`,
		"removed":           `rm -r a bare sub .git/modules/sub`,
		"worktree":          `mkdir -p .git/worktrees/w n; echo ../.. > .git/worktrees/w/commondir; echo "$PWD/n/.git" > .git/worktrees/w/gitdir; echo ref > .git/worktrees/w/HEAD; echo "gitdir: $PWD/.git/worktrees/w" > n/.git`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, code, message := tampered(t, nest, script); code != "" {
				t.Fatalf("%s: %s", code, message)
			}
		})
	}
}

func TestChangedListOfSubmodulesIsTold(t *testing.T) {
	w, _ := guarded(t, "")
	p := w.toolPack(`echo x > .gitmodules`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure != nil || !strings.Contains(strings.Join(out.Notes, ""), ".gitmodules") {
		t.Fatalf("%v, notes %q", out.Failure, out.Notes)
	}
}

func TestSearchForNestedRepositoriesIsBounded(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		at := filepath.Join(dir, strconv.Itoa(i), "deep", ".git")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found, partial := newTreeMemory().search(nil, dir, ".git", 40+40+40)
	if len(found) != 40 || partial {
		t.Fatalf("%d found, partial %v", len(found), partial)
	}
	if found, partial = newTreeMemory().search(nil, dir, ".git", 40+40+39); len(found) != 39 || !partial {
		t.Fatalf("%d found, partial %v", len(found), partial)
	}
}

// What cannot be looked through before says so; what a command made too large is
// a change.
func TestTreeThatACommandMadeTooLargeIsReported(t *testing.T) {
	w, _ := guarded(t, "")
	b, err := takeBaseline(w.local.Project, &treeFile{path: filepath.Join(t.TempDir(), "tree")})
	if err != nil {
		t.Fatal(err)
	}
	before := b.Trees[0]
	for _, then := range []bool{false, true} {
		before.Partial = then
		now := *before
		now.Partial = true
		if f := before.judge(&now); then == (len(f.stuck) > 0) || then == (len(f.notes) == 0) {
			t.Errorf("before %v: %+v", then, f)
		}
	}
}

func TestGuardIsNotExhausted(t *testing.T) {
	for name, spoil := range map[string]func(w *world, git string){
		"many bytes": func(w *world, git string) {
			for i := range maxBytes/maxGuarded + 1 {
				w.write(filepath.Join(git, "hooks", strconv.Itoa(i)), strings.Repeat("#", maxGuarded), 0o644)
			}
		},
		"many hooks in the tree": func(w *world, _ string) {
			w.config("[core]\n\thooksPath = h\n")
			for i := range maxItems {
				w.write(filepath.Join(w.project, "h", strconv.Itoa(i)), "", 0o644)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := guarded(t, "")
			spoil(w, filepath.Join(w.project, ".git"))
			_, failure := w.next()
			if !strings.Contains(failure, CodeGitConfigChanged) || !strings.Contains(failure, "cannot be guarded") {
				t.Fatalf("%q", failure)
			}
		})
	}
}

// tenThousandFiles is a world with a project of that size.
func tenThousandFiles(tb testing.TB) *world {
	tb.Helper()
	w := newWorld(tb)
	git := w.repository(filepath.Join(w.project, ".git"))
	w.write(filepath.Join(git, "config"), plainConfig, 0o644)
	for i := range 10_000 {
		w.write(filepath.Join(w.project, strconv.Itoa(i/100), strconv.Itoa(i/10), strconv.Itoa(i)), "", 0o644)
	}
	w.open()
	return w
}

func BenchmarkGuardOfTenThousandFiles(b *testing.B) {
	w := tenThousandFiles(b)
	for b.Loop() {
		watch, _, err := w.local.Guard.enter(b.Context(), w.local.Project)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := watch.end(); err != nil {
			b.Fatal(err)
		}
	}
}

// The same with something changed in one directory between the looks.
func BenchmarkGuardWhereOneFileChanges(b *testing.B) {
	w := tenThousandFiles(b)
	for n := 0; b.Loop(); n++ {
		watch, _, err := w.local.Guard.enter(b.Context(), w.local.Project)
		if err != nil {
			b.Fatal(err)
		}
		w.write(filepath.Join(w.project, "7", "70", "new"+strconv.Itoa(n)), "", 0o644)
		if _, err := watch.end(); err != nil {
			b.Fatal(err)
		}
	}
}
