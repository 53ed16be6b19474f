package git

import (
	"path/filepath"
	"testing"
)

func TestAHeadMovesOnlyFromWhereItIs(t *testing.T) {
	r, dir := made(t, history+`; echo two > a; git commit -qam two; git rev-parse HEAD~1`)
	head, err := r.Head(t.Context())
	ok(t, err)
	before := OID(one(t, filepath.Join(dir, "repo"), "git rev-parse HEAD~1"))
	at := filepath.Join(dir, "linked")
	w, err := r.AddWorktree(t.Context(), at, head.Commit)
	ok(t, err)
	if w.Detach(t.Context(), before, head.Commit) == nil {
		t.Error("it moved from where it was not")
	}
	ok(t, w.Detach(t.Context(), head.Commit, before))
	if h, err := w.Head(t.Context()); err != nil || !h.Detached || h.Commit != before {
		t.Errorf("%+v, %v", h, err)
	}
	if content(t, filepath.Join(at, "a")) != "two" || one(t, at, "git diff --cached --name-only") != "a" {
		t.Error("files or index moved")
	}
	own, err := r.Worktree()
	ok(t, err)
	if own.Detach(t.Context(), head.Commit, before) == nil {
		t.Error("the user's own head moved")
	}
	if now, err := r.Head(t.Context()); err != nil || now != head {
		t.Errorf("%+v, %v", now, err)
	}
}
