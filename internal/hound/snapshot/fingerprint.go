package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Fingerprint is what a plan is bound to: everything that a snapshot records but
// ignored files. Hashes are lower-case hex SHA-256.
type Fingerprint struct {
	// Head is the commit that is checked out, or "unborn" and the branch.
	Head string
	// Index is a hash of the index by its entries and flags, Refs of all refs, HEAD
	// and everything in the Git directory that no other part has, Sensitive of
	// configuration, hooks and info files.
	Index, Refs, Sensitive string
	// Integrity is "intact", or what a check of the object store found.
	Integrity string
	// Staged and Unstaged stand for the differences between HEAD and the index, and
	// between the index and the working tree, as hashes of both sides: equal sides
	// have equal differences.
	Staged, Unstaged string
	// Tracked and Untracked hold, by path, a hash of kind, mode and content, or
	// "missing".
	Tracked, Untracked map[string]string
}

// missingPath is the hash of a tracked path that is not there.
const missingPath = "missing"

// Fingerprint returns what a plan is bound to, without what lies below a prefix
// of the working tree when one is given.
func (s *Snapshot) Fingerprint(ctx context.Context, without string) (Fingerprint, error) {
	untracked, err := s.untracked(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	f := Fingerprint{
		Head: s.git.head, Index: s.git.index.sum, Sensitive: s.part(partConfig), Integrity: integrityText(s),
		Refs:    hashAll(s.part(partHead), s.part(partRefs), s.part(partControl)),
		Tracked: map[string]string{}, Untracked: map[string]string{},
	}
	if f.Head == "" {
		f.Head = "unborn " + s.git.branch
	}
	left := func(path string) bool { return without != "" && below(path, []string{without}) }
	for i := range s.git.index.entries {
		if path := s.git.index.entries[i].path; !left(path) {
			f.Tracked[strings.TrimSuffix(path, "/")] = s.pathHash(path)
		}
	}
	for _, path := range untracked {
		if !left(path) {
			f.Untracked[path] = s.pathHash(path)
		}
	}
	f.Staged, f.Unstaged = hashAll(f.Head, f.Index), hashAll(f.Index, hashMap(f.Tracked))
	return f, nil
}

// untracked lists the files that are neither tracked nor ignored, those of nested
// repositories one by one.
func (s *Snapshot) untracked(ctx context.Context) ([]string, error) {
	listed, err := s.options.Git.Untracked(ctx, s.repository.root)
	if err != nil {
		return nil, err
	}
	var paths, nested []string
	for _, path := range listed {
		if trimmed, whole := strings.CutSuffix(path, "/"); whole {
			nested = append(nested, trimmed)
		} else {
			paths = append(paths, path)
		}
	}
	if len(nested) == 0 {
		return paths, nil
	}
	for path, file := range s.Files() {
		if file.Kind != Directory && below(path, nested) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// pathHash is a hash of what is at a path: a nested repository that is tracked by
// its commit is one path and counts as its directory.
func (s *Snapshot) pathHash(path string) string {
	f, ok := s.File(strings.TrimSuffix(path, "/"))
	if !ok {
		return missingPath
	}
	return hashAll(f.Kind.String(), f.ModeText(), f.SHA256, f.Link)
}

func hashAll(texts ...string) string {
	var buf []byte
	for _, text := range texts {
		buf = appendText(buf, text)
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:])
}

func hashMap(m map[string]string) string {
	paths := make([]string, 0, len(m))
	for path := range m {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	h := sha256.New()
	var buf []byte
	for _, path := range paths {
		buf = appendText(appendText(buf[:0], path), m[path])
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil))
}
