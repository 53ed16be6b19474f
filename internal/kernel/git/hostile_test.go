package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// trap is a repository in which everything that git would run leaves a mark.
const trap = `
mark=$PWD/ran
git init -q -b main repo && cd repo
mkdir -p d && echo one > a && echo two > d/b && git add -A && git commit -qm one
run="touch $mark;"
for h in applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update post-receive reference-transaction post-update push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change proc-receive; do
  printf '#!/bin/sh\ntouch %s\n' "$mark" > .git/hooks/$h; chmod +x .git/hooks/$h
done
mkdir ../evil; cp -r .git/hooks ../evil/hooks
cat > ../evil/included <<END
[core]
	hooksPath = $PWD/../evil/hooks
	fsmonitor = $run true
	fsmonitorHookVersion = 2
	sshCommand = $run false
	editor = $run true
	pager = $run cat
	askPass = $PWD/../evil/hooks/update
	gitProxy = $PWD/../evil/hooks/update
	alternateRefsCommand = $run true
[diff]
	external = $PWD/../evil/hooks/update
[diff "evil"]
	command = $PWD/../evil/hooks/update
	textconv = $PWD/../evil/hooks/update
[merge "evil"]
	driver = $run true
[filter "evil"]
	clean = $run cat
	smudge = $run cat
	process = $run false
	required = true
[gpg]
	program = $PWD/../evil/hooks/update
[commit]
	gpgSign = true
[alias]
	add = !$run
	write-tree = !$run
	update-ref = !$run
	merge-tree = !$run
	diff-tree = !$run
[credential]
	helper = !$run
[uploadpack]
	packObjectsHook = $run
[interactive]
	diffFilter = $run
[sequence]
	editor = $run
[gc]
	auto = 1
[maintenance]
	auto = true
[include]
	path = /dev/null
END
git config include.path ../../evil/included
printf '* filter=evil diff=evil merge=evil\n' > .gitattributes
printf '[submodule "s"]\n\tpath = s\n\turl = ext::sh -c touch%%20%s\n\tupdate = !touch %s\n' "$mark" "$mark" > .gitmodules
`

func TestNothingOfTheRepositoryRuns(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, trap)
	mark := filepath.Join(dir, "ran")
	for name, value := range map[string]string{
		"GIT_DIR": filepath.Join(dir, "elsewhere"), "GIT_WORK_TREE": dir, "GIT_INDEX_FILE": filepath.Join(dir, "index"), "GIT_OBJECT_DIRECTORY": dir,
		"GIT_SSH_COMMAND": "touch " + mark, "GIT_EXTERNAL_DIFF": "touch " + mark, "GIT_EDITOR": "touch " + mark, "GIT_PAGER": "touch " + mark,
		"GIT_ASKPASS": "touch " + mark, "GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='touch " + mark + "'", "GIT_EXEC_PATH": filepath.Join(dir, "evil/hooks"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "touch " + mark, "GIT_TRACE": filepath.Join(dir, "ran"),
	} {
		t.Setenv(name, value)
	}
	r := opened(t, filepath.Join(dir, "repo"), Options{})
	head, err := r.Head(t.Context())
	ok(t, err)
	w := worktree(t, r)
	write(t, filepath.Join(r.Root(), "a"), "changed")
	s, err := w.Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "private")})
	ok(t, err)
	if !slices.ContainsFunc(s.Problems, func(p Problem) bool { return p.Path == "a" && p.Reason == ReasonFilter }) {
		t.Errorf("problems %v", s.Problems)
	}
	b := r.NewBatch()
	blob := b.Blob([]byte("three\n"))
	attributes := b.Blob([]byte("* filter=evil diff=evil merge=evil\n"))
	side := b.Tree([]Entry{{ModeFile, "a", blob}, {ModeFile, ".gitattributes", attributes}})
	other := b.Tree([]Entry{{ModeFile, "a", b.Blob([]byte("four\n"))}, {ModeFile, ".gitattributes", attributes}})
	commit := b.Commit(Commit{Tree: side, Parents: []OID{head.Commit}, Author: Signature{"a", "a", noon}, Committer: Signature{"a", "a", noon}})
	ok(t, b.Flush(t.Context()))
	ok(t, r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/heads/x", New: commit}}))
	ok(t, r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/heads/main", New: commit, Old: head.Commit}}))
	ok(t, r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/heads/main", New: head.Commit, Old: commit}, {Name: "refs/heads/x", Old: commit}}))
	if _, err := r.Patch(t.Context(), head.Commit, commit); err != nil {
		t.Error(err)
	}
	if m, err := r.MergeTrees(t.Context(), head.Commit, side, other); err != nil || m.Clean {
		t.Errorf("%+v, %v", m, err)
	}
	linked, err := r.AddWorktree(t.Context(), filepath.Join(dir, "linked"), commit)
	ok(t, err)
	ok(t, linked.Checkout(t.Context(), head.Commit))
	if diff, err := linked.Verify(t.Context(), head.Commit); err != nil || len(diff) > 0 {
		t.Errorf("%v, %v", diff, err)
	}
	ok(t, linked.Remove(t.Context()))
	if exists(mark) {
		t.Fatal("something ran")
	}
}

// TestTheTrapWorks keeps the test above honest: with git itself, the mark
// appears.
func TestTheTrapWorks(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, trap+"\ngit add a 2>/dev/null || true; git -c core.fsmonitor=false update-ref refs/heads/y HEAD || true")
	if !exists(filepath.Join(dir, "ran")) {
		t.Fatal("the trap did not close")
	}
}

func TestFiltersRunWhenTheOwnerSaysSo(t *testing.T) {
	lines := `git init -q repo; cd repo; git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'
printf '*.up filter=up\n*.none filter=none\n*.wide working-tree-encoding=UTF-16LE\n' > .gitattributes
echo text > x.up; echo text > "$(printf 'n\nl.up')"; echo text > x.none; printf 'h\0i\0' > x.wide
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n' > pointer.up`
	_, dir := made(t, lines)
	with := opened(t, filepath.Join(dir, "repo"), Options{Filters: true})
	agree(t, with, dir, "with filters")
	without := opened(t, filepath.Join(dir, "repo"), Options{})
	s, err := worktree(t, without).Snapshot(t.Context(), SnapshotOptions{Index: filepath.Join(dir, "other")})
	ok(t, err)
	if want := []Problem{{"n\nl.up", ReasonFilter}, {"x.up", ReasonFilter}}; !slices.Equal(s.Problems, want) {
		t.Errorf("problems %v, want %v", s.Problems, want)
	}
	for path, want := range map[string]string{"x.none": "text", "x.wide": "hi", "pointer.up": "size 1"} {
		if got := one(t, without.Root(), "git show "+string(s.Tree)+":"+path); got != want {
			t.Errorf("%s = %q", path, got)
		}
	}
}

func TestCheckoutConvertsAsGitDoes(t *testing.T) {
	r, dir := made(t, `git init -q -b main repo; cd repo
git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'
mkdir d e; printf '*.crlf eol=crlf\n*.auto text=auto eol=crlf\n*.lf text eol=lf\n*.id ident\n*.up filter=up\n*.wide working-tree-encoding=UTF-16LE\n' > .gitattributes
printf '* -text\n' > d/.gitattributes
for p in . d e; do printf 'a\nb\n' > $p/x.crlf; printf 'a\nb\n' > $p/x.auto; printf 'a\0\n' > $p/bin.auto; printf 'a\nb\n' > $p/x.lf; printf '$Id$ $Id: foreign thing here $\n' > $p/x.id; echo text > $p/x.up; printf 'h\0i\0' > $p/x.wide; ln -s x.lf $p/link.crlf; done
git add -A 2>/dev/null; git commit -qm one; git worktree add -q --detach ../theirs`)
	head, err := r.Head(t.Context())
	ok(t, err)
	for filters, lines := range map[bool]string{
		true:  "diff -r --no-dereference -x .git ../theirs ../ours-true",
		false: "diff -r --no-dereference -x .git -x '*.up' ../theirs ../ours-false; cat ../ours-false/x.up",
	} {
		repo := opened(t, r.Root(), Options{Filters: filters})
		at := filepath.Join(dir, "ours-"+map[bool]string{true: "true", false: "false"}[filters])
		w, err := repo.AddWorktree(t.Context(), at, head.Commit)
		ok(t, err)
		out := strings.Join(script(t, r.Root(), lines), "\n")
		if out != "" && out != "TEXT" {
			t.Errorf("filters %v: %s", filters, out)
		}
		if diff, err := w.Compare(t.Context(), head.Commit, SnapshotOptions{}, false); err != nil || len(diff) > 0 {
			t.Errorf("filters %v: %v, %v", filters, diff, err)
		}
		if filters {
			if out := script(t, at, "git status --porcelain"); out[0] != "" {
				t.Errorf("git says %q", out)
			}
		}
	}
}

func TestCheckoutFollowsNoLink(t *testing.T) {
	r, dir := made(t, `git init -q -b main repo; cd repo; mkdir -p d/e f; echo in > d/e/x; echo f > f/y; echo g > g; git add -A; git commit -qm one
mkdir ../outside; echo mine > ../outside/x; echo mine > ../outside/y`)
	head, err := r.Head(t.Context())
	ok(t, err)
	w, err := r.AddWorktree(t.Context(), filepath.Join(dir, "linked"), head.Commit)
	ok(t, err)
	for name, lines := range map[string]string{
		"a link for a folder":            "rm -r d; ln -s ../outside d; rm -r f; ln -s ../outside f",
		"a link deeper":                  "rm -r d/e; ln -s ../../outside d/e",
		"an ignored link":                "rm -r d; ln -s ../outside d; printf 'd\\n' > .gitignore",
		"a link for a file":              "rm g; ln -s ../outside/x g",
		"a hard link":                    "rm g; ln ../outside/x g",
		"a file for a folder":            "rm -r d; echo x > d",
		"a folder for a file":            "rm g; mkdir -p g/h; echo x > g/h/i",
		"an ignored folder for a file":   "rm g; mkdir -p g/h; echo x > g/h/i; printf 'g\\n' > .gitignore",
		"a folder that is in use by git": "mkdir -p new/deep; echo x > new/deep/y; chmod 700 new",
	} {
		script(t, w.Root(), lines)
		ok(t, w.Checkout(t.Context(), head.Commit))
		if diff, err := w.Verify(t.Context(), head.Commit); err != nil || len(diff) > 0 {
			t.Errorf("%s: %v, %v", name, diff, err)
		}
		if out := script(t, w.Root(), "git status --porcelain --ignored; cat ../outside/x ../outside/y; ls -A ../outside | wc -l"); !slices.Equal(out, []string{"mine", "mine", "2"}) {
			t.Errorf("%s: %q", name, out)
		}
	}
}

func TestCheckoutOfATrapIsRefused(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	w, err := r.AddWorktree(t.Context(), filepath.Join(dir, "linked"), head.Commit)
	ok(t, err)
	blob := r.NewBatch()
	id := blob.Blob([]byte("evil\n"))
	ok(t, blob.Flush(t.Context()))
	for _, name := range []string{".git", ".GIT", "git~1", "..", "."} {
		data := append([]byte("100644 "+name+"\x00"), id.raw()...)
		tree := SHA1.ID(KindTree, data)
		ok(t, r.objects.writeLoose(pending{tree, KindTree, data}))
		err := w.Checkout(t.Context(), tree)
		wantCode(t, err, CodeBadObject)
	}
	if diff, err := w.Verify(t.Context(), head.Commit); err != nil || len(diff) > 0 {
		t.Errorf("%v, %v", diff, err)
	}
	wantCode(t, worktree(t, r).Checkout(t.Context(), head.Commit), CodeBadWorktree)
	ok(t, os.WriteFile(filepath.Join(w.GitDir(), "index.lock"), nil, 0o644))
	write(t, filepath.Join(w.Root(), "a"), "changed")
	wantCode(t, w.Checkout(t.Context(), head.Commit), CodeBadWorktree)
	if !exists(filepath.Join(w.GitDir(), "index.lock")) {
		t.Error("the lock of another was removed")
	}
}
