package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// holdsBytes reports whether the content can be had from anything in the object
// store, packs and loose, also by git.
func holdsBytes(t *testing.T, repo, text string) bool {
	t.Helper()
	all := script(t, repo, "git cat-file --batch-all-objects --batch --unordered 2>&1; true")
	return strings.Contains(strings.Join(all, "\n"), text)
}

func TestErasedObjectsAreGoneFromPacksAndLooseFilesAndTheRestStays(t *testing.T) {
	r, dir := made(t, history)
	repo := filepath.Join(dir, "repo")
	script(t, repo, `i=0; while [ $i -lt 30 ]; do printf 'line %s\nthe secret word is sesame-open\n' $i > v; git add v; i=$((i+1)); done
		git commit -qm versions; git repack -adq; git reset -q --hard HEAD~; git reflog expire --expire=now --all; git repack -adkq; git commit-graph write --reachable`)
	head, err := r.Head(t.Context())
	ok(t, err)
	b := r.NewBatch()
	loose, bystander := b.Blob([]byte("sesame-open alone")), b.Blob([]byte("somebody else's, and nothing leads to it"))
	ok(t, b.Flush(t.Context()))
	var ids []OID
	for _, line := range script(t, repo, `git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)'`) {
		id, kind, _ := strings.Cut(line, " ")
		if kind != "blob" {
			continue
		}
		data, err := r.Blob(t.Context(), OID(id))
		ok(t, err)
		if bytes.Contains(data, []byte("sesame-open")) {
			ids = append(ids, OID(id))
		}
	}
	if len(ids) < 20 || !holdsBytes(t, repo, "sesame-open") {
		t.Fatalf("%d objects hold the word", len(ids))
	}
	left, err := r.Erase(t.Context(), ids)
	if err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if holdsBytes(t, repo, "sesame-open") {
		t.Error("the word is still there")
	}
	again := opened(t, repo, Options{})
	for _, look := range []*Repository{r, again} {
		if missing, err := look.Exists(t.Context(), ids...); err != nil || len(missing) != len(ids) {
			t.Errorf("%d of %d are gone, %v", len(missing), len(ids), err)
		}
		if missing, err := look.Exists(t.Context(), bystander, head.Commit); err != nil || len(missing) > 0 {
			t.Errorf("missing %v, %v", missing, err)
		}
	}
	if exists(loosePath(filepath.Join(repo, ".git/objects"), loose)) {
		t.Error("the loose object is there")
	}
	if left, err := r.Erase(t.Context(), ids); err != nil || len(left) > 0 {
		t.Errorf("erasing again: %q, %v", left, err)
	}
	script(t, repo, "git fsck --connectivity-only --no-dangling $(git rev-parse HEAD) 2>&1")
}

func TestWhatErasureCannotReachIsNamed(t *testing.T) {
	r, dir := made(t, history)
	repo := filepath.Join(dir, "repo")
	blob := OID(one(t, repo, "echo kept | git hash-object -w --stdin"))
	script(t, repo, "git update-ref refs/kept/blob "+string(blob)+"; git repack -adq; for p in .git/objects/pack/*.pack; do : > ${p%.pack}.keep; done; : > .git/objects/tmp_obj_x")
	left, err := r.Erase(t.Context(), []OID{blob})
	if err != nil || len(left) != 2 || !strings.Contains(left[0], "marked to be kept") || !strings.Contains(left[1], "tmp_obj_x") {
		t.Errorf("left %q, %v", left, err)
	}
}

func TestEverythingThatKeepsObjectsIsAHolder(t *testing.T) {
	r, dir := made(t, history)
	repo := filepath.Join(dir, "repo")
	script(t, repo, `git config user.name u; git config user.email u@example.com
		echo staged > staged.txt; git add staged.txt; git tag -am tagged v1
		git worktree add -q --detach ../linked; cd ../linked; echo linked > linked.txt; git add linked.txt; git commit -qm linked; git reset -q --hard HEAD~`)
	wanted := map[OID]bool{}
	names := map[string]string{}
	for _, text := range []string{"staged", "linked"} {
		id := OID(one(t, repo, "echo "+text+" | git hash-object --stdin"))
		wanted[id], names[string(id)] = true, text
	}
	lost := OID(one(t, repo, "echo lost | git hash-object -w --stdin"))
	wanted[lost] = true
	roots, err := r.Holders(t.Context())
	ok(t, err)
	found, err := r.Reaches(t.Context(), roots, wanted)
	ok(t, err)
	if len(found) != 2 || found[lost] != "" {
		t.Errorf("%v", found)
	}
	for id, root := range found {
		switch names[string(id)] {
		case "staged":
			if root != "index" {
				t.Errorf("staged is kept by %q", root)
			}
		case "linked":
			if !strings.HasPrefix(root, "logs/") {
				t.Errorf("linked is kept by %q", root)
			}
		}
	}
	ok(t, os.Remove(filepath.Join(repo, ".git/index")))
	if _, err := r.Holders(t.Context()); err != nil {
		t.Error(err)
	}
}
