package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKindsOfRepositoriesAreRefusedByName(t *testing.T) {
	p := find(t)
	for word, lines := range map[string]string{
		"version":     "git init -q repo; git -C repo config core.repositoryformatversion 7",
		"surprise":    "git init -q repo; git -C repo config core.repositoryformatversion 1; git -C repo config extensions.surprise 1",
		"reftable":    "git init -q repo; git -C repo config core.repositoryformatversion 1; git -C repo config extensions.refStorage reftable",
		"md5":         "git init -q repo; git -C repo config core.repositoryformatversion 1; git -C repo config extensions.objectFormat md5",
		"two object":  "git init -q repo; git -C repo config core.repositoryformatversion 1; git -C repo config extensions.compatObjectFormat sha256",
		"places the":  "git init -q repo; mkdir else; git -C repo config core.worktree ../../else",
		"cannot be r": "git init -q repo; echo '[broken' > repo/.git/config",
	} {
		dir := real(t, t.TempDir())
		script(t, dir, lines)
		_, err := Open(t.Context(), filepath.Join(dir, "repo"), Options{Program: p})
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

func TestABareRepositoryIsOpenedByItsOwnFolderOnly(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, "git init -q --bare bare.git; mkdir -p bare.git/sub; git init -q repo; cp -r bare.git repo/planted")
	r := opened(t, filepath.Join(dir, "bare.git"), Options{})
	if !r.Bare() || r.Root() != "" {
		t.Errorf("root %q", r.Root())
	}
	_, err := r.Worktree()
	wantCode(t, err, CodeBadWorktree)
	_, err = Open(t.Context(), filepath.Join(dir, "bare.git/sub"), Options{Program: find(t)})
	wantCode(t, err, CodeNoRepository)
	inside := opened(t, filepath.Join(dir, "repo/planted"), Options{})
	if inside.Root() != filepath.Join(dir, "repo") {
		t.Errorf("a planted repository was opened: %q", inside.GitDir())
	}
}

func TestTheOwnerOfTheSharedFolderCounts(t *testing.T) {
	if os.Geteuid() != 0 {
		if _, err := commonDir("/proc/self"); err == nil {
			_, err = bareAt("/")
			if err == nil {
				return // nothing of another user's looks like a repository here
			}
		}
		return
	}
	dir := real(t, t.TempDir())
	script(t, dir, "git init -q repo; git -C repo commit -q --allow-empty -m x; git -C repo worktree add -q ../linked; chown 65534 repo/.git")
	_, err := Open(t.Context(), filepath.Join(dir, "linked"), Options{Program: find(t)})
	wantCode(t, err, CodeForeign)
	script(t, dir, "git init -q --bare bare; chown 65534 bare")
	_, err = Open(t.Context(), filepath.Join(dir, "bare"), Options{Program: find(t)})
	wantCode(t, err, CodeForeign)
}

func TestAnOldGitIsNamed(t *testing.T) {
	dir := real(t, t.TempDir())
	ok(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\nfor a; do test \"$a\" = version && echo git version 2.20.1 && exit 0; done; echo fatal: what >&2; exit 129\n"), 0o755))
	script(t, dir, "PATH=/usr/bin:/bin git init -q repo; PATH=/usr/bin:/bin git -C repo commit -q --allow-empty -m x")
	old, err := Find(dir + ":/usr/bin:/bin")
	ok(t, err)
	r, err := Open(t.Context(), filepath.Join(dir, "repo"), Options{Program: old})
	ok(t, err)
	head, err := r.Head(t.Context())
	ok(t, err)
	err = r.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/heads/x", New: head.Commit}})
	if f := wantCode(t, err, CodeOldGit); !strings.Contains(f.Message, "2.20.1") || f.Hint == "" {
		t.Errorf("%q, hint %q", f.Message, f.Hint)
	}
	for version, older := range map[string]bool{"2.38.9": true, "1.99": true, "2.39.0": false, "2.40.1 (Apple Git-1)": false, "3.0": false, "odd": false} {
		if olderThan(version, 2, 39) != older {
			t.Errorf("%q", version)
		}
	}
}
