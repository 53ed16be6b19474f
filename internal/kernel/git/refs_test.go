package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

func TestHeadInEveryState(t *testing.T) {
	r, dir := made(t, "git init -q -b main repo")
	repo := filepath.Join(dir, "repo")
	head := func() Head {
		t.Helper()
		h, err := r.Head(t.Context())
		ok(t, err)
		return h
	}
	if h := head(); !h.Unborn || h.Branch != "refs/heads/main" || h.Commit != "" || h.Detached {
		t.Errorf("unborn: %+v", h)
	}
	script(t, repo, "git commit -q --allow-empty -m one")
	first := OID(one(t, repo, "git rev-parse HEAD"))
	if h := head(); h != (Head{Commit: first, Branch: "refs/heads/main"}) {
		t.Errorf("on a branch: %+v", h)
	}
	script(t, repo, "git pack-refs --all")
	if h := head(); h != (Head{Commit: first, Branch: "refs/heads/main"}) {
		t.Errorf("packed: %+v", h)
	}
	script(t, repo, "git checkout -q --detach")
	if h := head(); h != (Head{Commit: first, Detached: true}) {
		t.Errorf("detached: %+v", h)
	}
}

func TestRefsAreThoseThatGitLists(t *testing.T) {
	bothFormats(t, `
git commit -q --allow-empty -m one; git branch a/b; git tag v1; git tag -a -m x v2; git pack-refs --all
git commit -q --allow-empty -m two; git branch -f a/b; git branch c; git symbolic-ref refs/heads/sym refs/heads/c; git update-ref refs/hop/x HEAD`,
		func(t *testing.T, r *Repository, dir string) {
			for _, prefix := range []string{"refs/", "refs/heads/", "refs/tags/", "refs/hop/", "refs/none/", "refs/heads/a/"} {
				refs, err := r.Refs(t.Context(), prefix)
				ok(t, err)
				var got strings.Builder
				for _, ref := range refs {
					fmt.Fprintf(&got, "%s %s\n", ref.ID, ref.Name)
					id, found, err := r.Ref(t.Context(), ref.Name)
					if err != nil || !found || id != ref.ID {
						t.Errorf("%s: %s, %v, %v", ref.Name, id, found, err)
					}
				}
				want := strings.Join(script(t, dir, "git for-each-ref --format='%(objectname) %(refname)' "+prefix), "\n")
				if strings.TrimSpace(got.String()) != want {
					t.Errorf("%s:\n%s\ngit says\n%s", prefix, got.String(), want)
				}
			}
			if _, found, err := r.Ref(t.Context(), "refs/heads/none"); found || err != nil {
				t.Errorf("%v, %v", found, err)
			}
			if _, found, err := r.Ref(t.Context(), "refs/heads/a"); found || err != nil {
				t.Errorf("a folder: %v, %v", found, err)
			}
		})
}

func TestAnEmptiedRefIsSaid(t *testing.T) {
	r, dir := made(t, "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one")
	ok(t, os.WriteFile(filepath.Join(dir, "repo/.git/refs/heads/main"), nil, 0o644))
	_, _, err := r.Ref(t.Context(), "refs/heads/main")
	wantCode(t, err, CodeCorrupt)
	_, err = r.Refs(t.Context(), "refs/")
	wantCode(t, err, CodeCorrupt)
}

func TestHalfMovedRefsAreNoRefusal(t *testing.T) {
	r, dir := made(t, "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one && git commit -q --allow-empty -m two && git update-ref refs/hop/a HEAD && git update-ref refs/hop/b HEAD~")
	first, second := OID(one(t, dir, "git -C repo rev-parse HEAD~")), OID(one(t, dir, "git -C repo rev-parse HEAD"))
	both := []RefUpdate{{Name: "refs/hop/a", New: second, Old: first}, {Name: "refs/hop/b", New: second, Old: first}}
	cause := fault.New(CodeFailed, "git broke off")
	if err := r.explainRefs(t.Context(), both, cause); !errors.Is(err, cause) {
		t.Errorf("one ref where it was to go: %v", err)
	}
	wantCode(t, r.explainRefs(t.Context(), both[:1], cause), CodeRefMoved)
	killed := fault.New(CodeFailed, "git was killed").Because(ErrKilled)
	if err := r.explainRefs(t.Context(), both[:1], killed); !errors.Is(err, ErrKilled) {
		t.Errorf("after a kill: %v", err)
	}
}

func TestRefsChangeAllOrNone(t *testing.T) {
	bothFormats(t, "git commit -q --allow-empty -m one; git commit -q --allow-empty -m two", func(t *testing.T, r *Repository, dir string) {
		first, second := OID(one(t, dir, "git rev-parse HEAD~")), OID(one(t, dir, "git rev-parse HEAD"))
		update := func(u ...RefUpdate) error { return r.UpdateRefs(t.Context(), u) }
		ok(t, update(RefUpdate{Name: "refs/hop/a", New: first}, RefUpdate{Name: "refs/hop/b/c", New: second}))
		wantCode(t, update(RefUpdate{Name: "refs/hop/d", New: first}, RefUpdate{Name: "refs/hop/a", New: second}), CodeRefMoved)
		if _, found, _ := r.Ref(t.Context(), "refs/hop/d"); found {
			t.Error("half of a transaction was made")
		}
		wantCode(t, update(RefUpdate{Name: "refs/hop/a", New: second, Old: second}), CodeRefMoved)
		wantCode(t, update(RefUpdate{Name: "refs/hop/none", New: second, Old: second}), CodeRefMoved)
		wantCode(t, update(RefUpdate{Name: "refs/hop/a", Old: second}), CodeRefMoved)
		wantCode(t, update(RefUpdate{Name: "refs/hop/a"}), CodeRefMoved)
		ok(t, update(RefUpdate{Name: "refs/hop/a", New: second, Old: first}, RefUpdate{Name: "refs/hop/new"}, RefUpdate{Name: "refs/hop/b/c", Old: second}))
		if id, _, _ := r.Ref(t.Context(), "refs/hop/a"); id != second {
			t.Errorf("a = %s", id)
		}
		if _, found, _ := r.Ref(t.Context(), "refs/hop/b/c"); found {
			t.Error("a removed ref is there")
		}
		ok(t, update(RefUpdate{Name: "refs/hop/a", New: first, Any: true}))
		ok(t, update(RefUpdate{Name: "refs/hop/a", Any: true}))
		wantCode(t, update(RefUpdate{Name: "refs/hop/a", New: r.Format().ID(KindBlob, []byte("x"))}), CodeMissingObject)
		for _, name := range []string{"", "x", "refs/../x", "refs/a b", "refs/a\x00b", "refs/a\nb", "refs/a.lock", "refs//a"} {
			wantCode(t, update(RefUpdate{Name: name, New: first}), CodeBadRef)
		}
		sound(t, dir)
	})
}

func TestALockedRefIsSaid(t *testing.T) {
	r, dir := made(t, "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one && mkdir -p .git/refs/hop && touch .git/refs/hop/a.lock")
	head, err := r.Head(t.Context())
	ok(t, err)
	err = r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/hop/a", New: head.Commit}})
	if f := wantCode(t, err, CodeRefLocked); !strings.Contains(f.Hint, "a.lock") {
		t.Errorf("hint = %q", f.Hint)
	}
	if !exists(filepath.Join(dir, "repo/.git/refs/hop/a.lock")) {
		t.Error("the lock of another was removed")
	}
}

func TestOfManyWritersOneWins(t *testing.T) {
	r, _ := made(t, "git init -q -b main repo && cd repo && git commit -q --allow-empty -m one")
	head, err := r.Head(t.Context())
	ok(t, err)
	results := make(chan error, 8)
	for range 8 {
		go func() {
			results <- r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/hop/accepted", New: head.Commit}})
		}()
	}
	won := 0
	for range 8 {
		switch err := <-results; {
		case err == nil:
			won++
		case !fault.Is(err, CodeRefMoved) && !fault.Is(err, CodeRefLocked) && !fault.Is(err, CodeFailed):
			t.Errorf("error = %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers won", won)
	}
}
