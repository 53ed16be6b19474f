package snapshot

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Options say how a snapshot is taken.
type Options struct {
	// Git checks object stores and tells what is ignored.
	Git git.Program
	// Home is the user's home folder, for the configuration that git takes from
	// there; "" takes none.
	Home string
	// Excludes are relative prefixes below which ignored files are left out.
	Excludes []string
	// CacheDir is a directory of the user's own, outside the repository, where hashes
	// are kept between calls; "" keeps none.
	CacheDir string
	// Base is an earlier snapshot of the same place; hashes of what has not moved
	// since are taken from it.
	Base *Snapshot
	// Paranoid hashes everything and checks the object store, whatever is known. A
	// second look with the first as its Base reads the store's files again, and
	// checks them again unless they hold the same bytes.
	Paranoid bool
}

// Snapshot is what a repository was at one time.
type Snapshot struct {
	repository *repository
	files      *tree
	git        *gitState
	signature  string // of the object store
	rests      bool   // an equal signature later means an equal store
	integrity  error  // what a full check of it found
	excludes   []string
	options    Options
}

// Take records the repository whose working tree has its root at a place.
func Take(ctx context.Context, root string, o Options) (*Snapshot, error) {
	r, err := locate(root, o.Home)
	if err != nil {
		return nil, err
	}
	now, err := kernelTime()
	if err != nil {
		return nil, fault.New(fault.CodeInternal, "the kernel's clock cannot be read").Because(err)
	}
	r.whole = o.Paranoid
	s := &Snapshot{repository: r, excludes: cleaned(o.Excludes), options: o}
	if below(realPlace(o.CacheDir), []string{r.root, r.gitDir, r.common}) {
		s.options.CacheDir = "" // what is kept there would be a change of the repository
	}
	base := s.lender()
	if err := s.readAll(ctx, now, base); err != nil {
		return nil, err
	}
	if dir := s.options.CacheDir; dir != "" && o.Base == nil && !o.Paranoid && !s.known(base) {
		// What cannot be kept makes the next call slow and nothing else.
		_ = s.keep(dir)
	}
	return s, nil
}

// realPlace is a directory without links, as far as it is there.
func realPlace(dir string) string {
	for at, rest := dir, ""; filepath.IsAbs(at); at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}

// readAll reads git's state and the working tree, at once unless the one decides
// what is read of the other. The object store is checked as soon as its state is
// known: git does that with one processor, and the others go on with the files.
func (s *Snapshot) readAll(ctx context.Context, now int64, base *Snapshot) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	read := func() (err error) {
		s.git, err = s.repository.readState(ctx, now, base.git)
		return err
	}
	if len(s.excludes) > 0 {
		if err := read(); err != nil {
			return err
		}
		read = func() error { return nil }
	}
	state := make(chan error, 1)
	go func() {
		err := read()
		if err == nil {
			err = s.checkObjects(ctx, now, base)
		}
		state <- err
	}()
	err := s.walkFiles(ctx, now, base.files)
	if err != nil {
		stop() // what is read beside it is of no use
	}
	beside := <-state
	if err != nil {
		return err
	}
	return beside
}

// lender is the snapshot whose hashes are reused: the one that was given, or what
// is remembered.
func (s *Snapshot) lender() *Snapshot {
	r, base := s.repository, s.options.Base
	switch {
	case s.options.Paranoid:
		base = nil
	case base == nil:
		base = remember(s.options.CacheDir, r)
	case place(base.repository) != place(r):
		base = nil
	}
	if base == nil {
		return &Snapshot{git: &gitState{}}
	}
	return base
}

// checkObjects has the object store checked unless nothing of it has moved since
// it was.
func (s *Snapshot) checkObjects(ctx context.Context, now int64, base *Snapshot) (err error) {
	if s.signature, s.rests, err = s.repository.signature(ctx, s.git, now); err != nil {
		return err
	}
	if base.signature == s.signature && base.rests {
		s.integrity = base.integrity
		return nil
	}
	if before := s.options.Base; s.repository.whole && before != nil && before.repository.whole && before.signature == s.signature {
		s.integrity = before.integrity // of the same bytes, in the same places
		return nil
	}
	s.integrity = s.options.Git.Fsck(ctx, s.repository.root)
	if s.integrity != nil && (!fault.Is(s.integrity, git.CodeFailed) || ctx.Err() != nil) {
		return errors.Join(s.integrity, context.Cause(ctx))
	}
	if s.integrity != nil {
		// A check that git did not even begin says nothing of the objects.
		if err := s.options.Git.Configured(ctx, s.repository.root); err != nil {
			return misconfigured(err)
		}
	}
	return nil
}

// known says whether remembering would keep what is remembered already.
func (s *Snapshot) known(base *Snapshot) bool {
	return base.signature == s.signature && base.rests && s.integrity == nil &&
		s.files.lent && s.git.trees[0].lent && (s.git.trees[1] == nil || s.git.trees[1].lent)
}

// walkFiles walks through the working tree. Below an excluded prefix only what
// git tracks or does not ignore is recorded.
func (s *Snapshot) walkFiles(ctx context.Context, now int64, base *tree) error {
	kept, err := s.kept(ctx)
	if err != nil {
		return err
	}
	w := walk{root: s.repository.root, now: now, base: base, judge: func(path string, dir bool) look {
		switch {
		case path == ".git" && dir:
			return skip
		case below(path, s.excludes) && !kept.allows(path):
			return skip
		}
		return record
	}}
	s.files, err = w.run(ctx)
	return err
}

// kept is what is recorded below excluded prefixes.
type kept struct {
	paths map[string]bool // files and the directories above them
	whole []string        // nested repositories
}

func (k *kept) allows(path string) bool { return k.paths[path] || below(path, k.whole) }

func (s *Snapshot) kept(ctx context.Context) (*kept, error) {
	k := &kept{paths: map[string]bool{}}
	if len(s.excludes) == 0 {
		return k, nil
	}
	const nestedRepository = 0o160000
	for i := range s.git.index.entries {
		if e := &s.git.index.entries[i]; below(e.path, s.excludes) {
			k.add(e.path, e.mode == nestedRepository)
		}
	}
	untracked, err := s.options.Git.Untracked(ctx, s.repository.root, s.excludes...)
	if err != nil {
		return nil, err
	}
	for _, path := range untracked {
		trimmed := strings.TrimSuffix(path, "/")
		k.add(trimmed, trimmed != path)
	}
	return k, nil
}

func (k *kept) add(path string, whole bool) {
	if whole {
		k.whole = append(k.whole, path)
	}
	for at := path; at != "." && at != "/" && !k.paths[at]; at = filepath.ToSlash(filepath.Dir(at)) {
		k.paths[at] = true
	}
}

// cleaned brings excludes into the form of snapshot paths.
func cleaned(excludes []string) []string {
	var clean []string
	for _, exclude := range excludes {
		exclude = strings.TrimRight(strings.ReplaceAll(exclude, `\`, "/"), "/")
		if exclude != "" && exclude != "." {
			clean = append(clean, exclude)
		}
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}
