package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withoutUpdates opens a repository with a git that cannot change refs.
func withoutUpdates(t *testing.T, dir string) *Repository {
	t.Helper()
	bin := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\nfor a; do test \"$a\" = version && echo git version 2.39.5 && exit 0; done; exit 7\n"), 0o755))
	p, err := Find(bin)
	ok(t, err)
	r, err := Open(t.Context(), dir, Options{Program: p})
	ok(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestChangesThatAreSimpleStartNoGitAndOthersDo(t *testing.T) {
	const start = "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && " +
		"git update-ref refs/hop/a HEAD~ && git update-ref refs/hop/packed HEAD~ && git pack-refs --all && git update-ref refs/hop/loose HEAD~ && "
	for name, c := range map[string]struct {
		prepare string
		updates []RefUpdate // to HEAD from HEAD~ unless said otherwise
		simple  bool
	}{
		"a file":                {"true", []RefUpdate{{Name: "refs/hop/loose"}}, true},
		"a packed one":          {"true", []RefUpdate{{Name: "refs/hop/packed"}}, true},
		"a new one":             {"true", []RefUpdate{{Name: "refs/hop/new/and/deep", Any: true}}, true},
		"several":               {"true", []RefUpdate{{Name: "refs/hop/packed"}, {Name: "refs/hop/loose"}, {Name: "refs/hop/x/y", Any: true}}, true},
		"a branch":              {"true", []RefUpdate{{Name: "refs/heads/main", Any: true}}, false},
		"one with a log":        {"git update-ref --create-reflog -m x refs/hop/loose HEAD && git update-ref refs/hop/loose HEAD~", []RefUpdate{{Name: "refs/hop/loose"}}, false},
		"one that names one":    {"git symbolic-ref refs/hop/symbolic refs/hop/a", []RefUpdate{{Name: "refs/hop/symbolic", Any: true}}, false},
		"the head's":            {"git symbolic-ref HEAD refs/hop/loose", []RefUpdate{{Name: "refs/hop/loose"}}, false},
		"in an empty folder":    {"mkdir -p .git/refs/hop/b/c", []RefUpdate{{Name: "refs/hop/b", Any: true}}, false},
		"a shared repository":   {"git config core.sharedRepository group", []RefUpdate{{Name: "refs/hop/loose"}}, false},
		"one with a simple one": {"true", []RefUpdate{{Name: "refs/hop/loose"}, {Name: "refs/heads/main", Any: true}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			whole, dir := made(t, start+c.prepare)
			repo := filepath.Join(dir, "repo")
			for i := range c.updates {
				c.updates[i].New = OID(one(t, repo, "git rev-parse refs/heads/main"))
				if !c.updates[i].Any {
					c.updates[i].Old = OID(one(t, repo, "git rev-parse refs/heads/main~"))
				}
			}
			if err := withoutUpdates(t, repo).UpdateRefs(t.Context(), c.updates); (err == nil) != c.simple {
				t.Errorf("without git: %v", err)
			}
			if !c.simple {
				ok(t, whole.UpdateRefs(t.Context(), c.updates))
			}
			for _, u := range c.updates {
				if is := OID(one(t, repo, "git rev-parse "+u.Name)); is != u.New {
					t.Errorf("%s is at %s", u.Name, is)
				}
			}
			if locks := script(t, repo, "find .git -name '*.lock'"); strings.Join(locks, "") != "" {
				t.Errorf("left: %q", locks)
			}
		})
	}
}

func TestRefsInEachOthersWayAreRefused(t *testing.T) {
	for name, prepare := range map[string]string{
		"files":  "git update-ref refs/hop/a/b HEAD; git update-ref refs/hop/c HEAD",
		"packed": "git update-ref refs/hop/a/b HEAD; git update-ref refs/hop/c HEAD; git pack-refs --all",
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := made(t, "git init -q -b main repo; cd repo; git commit -q --allow-empty -m one; "+prepare)
			head, err := r.Head(t.Context())
			ok(t, err)
			for _, ref := range []string{"refs/hop/a", "refs/hop/c/d", "refs/hop/a/b/c/d"} {
				// The other change may not be made, either.
				err := r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/hop/0", New: head.Commit}, {Name: ref, New: head.Commit}})
				if err == nil {
					t.Errorf("%s was made", ref)
				}
			}
			if got := script(t, filepath.Join(dir, "repo"), "git for-each-ref --format='%(refname)' refs/hop"); strings.Join(got, " ") != "refs/hop/a/b refs/hop/c" {
				t.Errorf("refs: %q", got)
			}
		})
	}
}

func TestARefThatWasNotMovedKeepsEachOther(t *testing.T) {
	r, dir := made(t, "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && git update-ref refs/hop/a HEAD~ && git update-ref refs/hop/b HEAD~ && touch .git/refs/hop/b.lock")
	repo := filepath.Join(dir, "repo")
	first, second := OID(one(t, repo, "git rev-parse HEAD~")), OID(one(t, repo, "git rev-parse HEAD"))
	both := []RefUpdate{{Name: "refs/hop/a", New: second, Old: first}, {Name: "refs/hop/b", New: second, Old: first}}
	wantCode(t, r.UpdateRefs(t.Context(), both), CodeRefLocked)
	if id, _, _ := r.Ref(t.Context(), "refs/hop/a"); id != first {
		t.Errorf("a is at %s", id)
	}
	if left := script(t, repo, "find .git -name '*.lock'"); strings.Join(left, " ") != ".git/refs/hop/b.lock" {
		t.Errorf("locks: %q", left)
	}
}
