package packs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitCommitsOnlyWhatWasConfirmed(t *testing.T) {
	r := newRepo(t)
	r.write("tracked", "1\n")
	r.commit("first")
	r.write("tracked", "2\n")
	r.write("new", "n\n")
	r.hcp("commit", "--message", "x").refused(t, "needs --confirm")
	r.hcp("commit", "--confirm").refused(t, "needs --message")
	r.hcp("commit", "--confirm", "--message= \n\t").refused(t, "needs --message")
	r.hcp("commit", "--message=x", "--confirm").refused(t, "nothing to commit with --include staged")
	r.hcp("commit", "--message=x", "--confirm", "--include=some").refused(t, "staged, tracked or all")
	message := "# not a comment\n\nbody with \"quotes\" ü\n--all\n$(id)"
	got := r.ok("commit", "--message", message, "--include=tracked", "--confirm")
	if got["verb"] != "commit" || got["subject"] != "# not a comment" || !strings.Contains(got["body"].(string), "--all\n$(id)") || len(got["files"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	if got := r.ok("status"); len(got["untracked"].([]any)) != 1 || len(got["unstaged"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	got = r.ok("commit", "--message=-m", "--include", "all", "--confirm", "--author-name", "Eve", "--author-email=eve@example.com")
	if at(t, got, "files", 0, "path") != "new" || at(t, got, "author", "name") != "Eve" || at(t, got, "committer", "email") != "eve@example.com" || got["subject"] != "-m" {
		t.Errorf("%v", got)
	}
	r.hcp("commit", "--message=x", "--include=all", "--confirm").refused(t, "nothing to commit")
	r.hcp("commit", "--message=x", "--confirm", "--author-name=Eve").refused(t, "go together")
	r.git("config", "--unset", "user.email")
	r.write("new", "m\n")
	r.hcp("commit", "--message=x", "--include=all", "--confirm").refused(t, "does not know whose commit")
}

func TestGitCommitObeysTheProjectsHooks(t *testing.T) {
	r := newRepo(t)
	r.write("f", "1\n")
	r.commit("first")
	hook := filepath.Join(r.dir, ".git", "hooks", "pre-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'tests are red' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("f", "2\n")
	r.hcp("commit", "--message=x", "--include=tracked", "--confirm").refused(t, "nothing was committed: tests are red")
}

func TestGitCreatesABranchAndStaysWhereItIs(t *testing.T) {
	r := newRepo(t)
	r.write("f", "1")
	first := r.commit("first")
	r.write("f", "2")
	head := r.commit("second")
	if got := r.ok("branch", "create", "fix/ü"); got["name"] != "fix/ü" || got["hash"] != head || got["verb"] != "branch.create" {
		t.Errorf("%v", got)
	}
	if got := r.ok("branch", "create", "old", "--at", first); got["hash"] != first {
		t.Errorf("%v", got)
	}
	if got := r.git("branch", "--show-current"); got != "main" {
		t.Errorf("now on %s", got)
	}
	r.hcp("branch", "create", "old").refused(t, "already")
	for _, name := range []string{"a..b", "@{-1}", "a b", "x.lock", "a~1", "/a", "a/", "HEAD^"} {
		r.hcp("branch", "create", name).refused(t, "no branch name")
	}
	start(t, command{path: script(t, "git", "git-hcp"), args: []string{"branch", "create", "--", "-x"}, dir: r.dir}).refused(t, "no branch name")
	r.hcp("branch", "create", "n", "--at=none").refused(t, "names no commit")
	r.hcp("branch").refused(t, "branch needs")
	r.hcp("branch", "delete", "old").refused(t, "branch needs")
}
