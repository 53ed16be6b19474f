package git

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestAPackWithoutItsIndexIsCompleted(t *testing.T) {
	bothFormats(t, "", func(t *testing.T, r *Repository, dir string) {
		fill := func(r *Repository) error {
			b := r.NewBatch()
			for i := range maxLoose + 5 {
				b.Blob(fmt.Appendf(nil, "content %d", i))
			}
			return b.Flush(t.Context())
		}
		ok(t, fill(r))
		packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
		if err != nil || len(packs) != 2 {
			t.Fatalf("%v, %v", packs, err)
		}
		// Killed between the pack and its index.
		ok(t, os.Remove(packs[0]))
		again := opened(t, dir, Options{})
		id := r.Format().ID(KindBlob, []byte("content 3"))
		if missing, err := again.Exists(t.Context(), id); err != nil || len(missing) != 1 {
			t.Errorf("missing %v, %v", missing, err)
		}
		ok(t, fill(again))
		if data, err := again.Blob(t.Context(), id); err != nil || string(data) != "content 3" {
			t.Errorf("%q, %v", data, err)
		}
		sound(t, dir)
	})
}

func TestGitSweepsWhatKilledProcessesLeave(t *testing.T) {
	r, dir := made(t, history)
	objects := filepath.Join(dir, "repo/.git/objects")
	q, err := r.newQuarantine(map[string][]byte{"a/.gitattributes": []byte("x")})
	ok(t, err)
	if _, err := q.put(KindBlob, []byte("x")); err != nil {
		t.Fatal(err)
	}
	ok(t, os.MkdirAll(filepath.Join(objects, "ab"), 0o755))
	write(t, filepath.Join(objects, "ab/tmp_obj_X"), "x")
	write(t, filepath.Join(objects, "pack/tmp_pack_X"), "x")
	write(t, filepath.Join(objects, "pack/tmp_pack_X_idx"), "x")
	script(t, dir, "find repo/.git/objects -exec touch -h -d 2001-01-01 {} +; git -C repo gc -q --prune=now")
	if left := script(t, dir, "find repo/.git/objects -name 'tmp_*'"); left[0] != "" {
		t.Errorf("left behind: %v", left)
	}
	sound(t, filepath.Join(dir, "repo"))
}

func TestAKilledWorktreeIsNoObstacle(t *testing.T) {
	r, dir := made(t, history)
	head, err := r.Head(t.Context())
	ok(t, err)
	// Killed after the place was claimed, and after the working tree was named.
	ok(t, os.MkdirAll(filepath.Join(dir, "repo/.git/worktrees/one"), 0o755))
	half, err := r.register(filepath.Join(dir, "half"), head.Commit)
	ok(t, err)
	w, err := r.AddWorktree(t.Context(), filepath.Join(dir, "one"), head.Commit)
	ok(t, err)
	list, err := r.Worktrees(t.Context())
	if err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	ok(t, half.Checkout(t.Context(), head.Commit))
	for _, w := range []*Worktree{w, half} {
		if diff, err := w.Verify(t.Context(), head.Commit); err != nil || len(diff) > 0 {
			t.Errorf("%v, %v", diff, err)
		}
	}
	script(t, filepath.Join(dir, "repo"), "git worktree prune; git worktree list | grep -c . | grep -x 3")
}
