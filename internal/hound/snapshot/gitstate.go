package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"bridle/internal/kernel/git"
)

// part is what of git's state a path belongs to.
type part uint8

const (
	partHead part = iota
	partIndex
	partRefs
	partConfig  // configuration, hooks, info
	partControl // everything else in the Git directory
	partObjects
	parts
)

// piece is one path of git's state.
type piece struct {
	path string // begins with ".git/"
	part part
	file File
}

// gitState is a repository's state beside its working tree.
type gitState struct {
	pieces []piece // in the order of their paths
	index  *index
	head   string // commit id; "" while there is none
	branch string // full name; "" when detached
	trees  [2]*tree
	// indexRests says that the index cannot change again without its change time.
	indexRests bool
}

// hookNames are the programs that git runs from a hooks directory.
var hookNames = [...]string{
	"applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
	"p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge",
	"post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit",
	"pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
	"reference-transaction", "sendemail-validate", "update",
}

// executionLock is Hound's own lock in the Git directory.
const executionLock = "hound-execute.lock"

// readState reads everything but the object store's content. The trees of an
// earlier state lend their hashes.
func (r *repository) readState(ctx context.Context, now int64, base *gitState) (*gitState, error) {
	s := &gitState{}
	collected := collector{refs: map[string]string{}, pieces: map[string]piece{}}
	dirs := []string{r.gitDir}
	if r.linked() {
		dirs = append(dirs, r.common)
	}
	for i, dir := range dirs {
		w := walk{root: dir, judge: r.judge(dir), now: now}
		w.base = base.trees[i]
		t, err := w.run(ctx)
		if err != nil {
			return nil, err
		}
		s.trees[i] = t
		if e := t.nodes[""].find("index"); i == 0 && e != nil {
			s.indexRests = w.settled(e)
		}
		prefix := ".git/"
		if dir != r.gitDir {
			prefix = ".git/@common/"
		}
		collected.put(prefix+".", partControl, t.self.file())
		if err := collected.add(dir, prefix, t); err != nil {
			return nil, err
		}
	}
	if err := collected.packed(filepath.Join(r.common, "packed-refs")); err != nil {
		return nil, err
	}
	if err := r.readIndexes(s, base, &collected); err != nil {
		return nil, err
	}
	r.readConfig(&collected)
	if err := s.readHead(r, &collected); err != nil {
		return nil, err
	}
	for name, value := range collected.refs {
		collected.put(".git/"+name, partRefs, File{Kind: Value, Link: value})
	}
	for _, p := range collected.pieces {
		s.pieces = append(s.pieces, p)
	}
	sort.Slice(s.pieces, func(i, j int) bool { return s.pieces[i].path < s.pieces[j].path })
	return s, nil
}

// judge says what of a Git directory is read how.
func (r *repository) judge(dir string) func(path string, isDir bool) look {
	own := ""
	if r.linked() && dir == r.common {
		own, _ = filepath.Rel(r.common, r.gitDir) // it has been walked itself
		own = filepath.ToSlash(own)
	}
	return func(path string, isDir bool) look {
		first, rest, _ := strings.Cut(path, "/")
		switch {
		case path == own, path == executionLock, first == "HEAD" && rest == "" && dir == r.gitDir:
			return skip
		case first == "refs", path == "packed-refs", path == "index":
			return stat // read by value
		case first == "objects":
			if r.whole || rest == "" || rest == "info" || strings.HasPrefix(rest, "info/") && !strings.HasPrefix(rest, "info/commit-graph") {
				return record
			}
			return stat
		case first == "worktrees" && strings.Count(path, "/") == 2 && strings.HasSuffix(path, "/index") && !isDir:
			return skip // read by value
		}
		return record
	}
}

// collector gathers the pieces of a state.
type collector struct {
	refs    map[string]string // the loose ones win
	indexes []string          // of other worktrees
	pieces  map[string]piece
}

func (c *collector) put(path string, p part, f File) { c.pieces[path] = piece{path, p, f} }

// add takes what a walk through a Git directory found.
func (c *collector) add(dir, prefix string, t *tree) error {
	for path, n := range t.nodes {
		if strings.HasPrefix(path, "worktrees/") && strings.Count(path, "/") == 1 {
			c.indexes = append(c.indexes, path)
		}
		for i := range n.entries {
			e := &n.entries[i]
			if err := c.addEntry(dir, prefix, join(path, e.name), e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *collector) addEntry(dir, prefix, path string, e *entry) error {
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case rest == "" && e.kind == Directory && (first == "refs" || first == "objects"):
		c.put(prefix+path, partControl, e.file()) // those below come and go with packing
		return nil
	case first == "refs" && e.kind == Directory, path == "packed-refs", path == "index":
		return nil
	case first == "refs" && !strings.HasSuffix(path, ".lock"):
		value, err := refValue(filepath.Join(dir, filepath.FromSlash(path)), e.kind)
		if err != nil {
			return unreadable(join(dir, path), err)
		}
		c.refs[path] = value
		return nil
	case first == "objects" && rest != "info" && !strings.HasPrefix(rest, "info/"):
		return nil // the store's signature has them
	}
	p := partControl
	if first == "hooks" || first == "info" || path == "config" || path == "config.worktree" {
		p = partConfig
	}
	c.put(prefix+path, p, e.file())
	return nil
}

// maxRef bounds a loose ref's file.
const maxRef = 64 << 10

// refValue reads a loose ref: an id, or the name of another one.
func refValue(path string, kind Kind) (string, error) {
	if kind == Link {
		// Git follows it, and would take a whole folder of anything for refs.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return "", errors.New("it is a link, and not to a file")
		}
		target, err := os.Readlink(path)
		return "link: " + target, err
	}
	if kind != Regular {
		return "", errors.New("it is no ref")
	}
	data, err := git.ReadPlain(path, maxRef)
	return strings.TrimRight(string(data), " \t\r\n"), err
}

// maxPacked and maxIndex bound files that are read whole.
const (
	maxPacked = 1 << 30
	maxIndex  = 2 << 30
)

// packed reads the refs that are kept in one file.
func (c *collector) packed(path string) error {
	data, err := git.ReadPlain(path, maxPacked)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(path, err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || line[0] == '^' {
			continue
		}
		id, name, ok := strings.Cut(line, " ")
		if !ok {
			return damaged(path, "a line is no ref")
		}
		if _, loose := c.refs[name]; !loose {
			c.refs[name] = id
		}
	}
	return nil
}

// readIndexes reads the repository's index, and those of its other worktrees by
// what they say. An index that has not moved is taken from the state before.
func (r *repository) readIndexes(s, base *gitState, c *collector) error {
	x := base.index
	if x == nil || !base.indexRests || !s.indexUnmoved(base) {
		var err error
		if x, err = r.readIndex(filepath.Join(r.gitDir, "index")); err != nil {
			return err
		}
	}
	s.index = x
	c.put(".git/index", partIndex, File{Kind: Value, SHA256: x.sum})
	for _, worktree := range c.indexes {
		if r.linked() && filepath.Join(r.common, filepath.FromSlash(worktree)) == r.gitDir {
			continue
		}
		x, err := r.readIndex(filepath.Join(r.common, filepath.FromSlash(worktree), "index"))
		if err != nil {
			return err
		}
		c.put(".git/"+worktree+"/index", partControl, File{Kind: Value, SHA256: x.sum})
	}
	return nil
}

func (s *gitState) indexUnmoved(base *gitState) bool {
	now, then := s.trees[0].nodes[""].find("index"), base.trees[0].nodes[""].find("index")
	return now != nil && then != nil && now.unmoved(then)
}

func (r *repository) readIndex(path string) (*index, error) {
	data, err := git.ReadPlain(path, maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x := &index{}
		x.sum = x.digest()
		return x, nil
	case err != nil:
		return nil, unreadable(path, err)
	}
	x, err := parseIndex(data, r.idSize)
	switch {
	case errors.Is(err, errSplit):
		return nil, unsupported("has a split index", "join it: git update-index --no-split-index")
	case err != nil:
		return nil, damaged(path, err.Error())
	}
	return x, nil
}

// readConfig records every file that the configuration is or may be taken from,
// and the hooks that it names, by their content.
func (r *repository) readConfig(c *collector) {
	for _, path := range r.config.files {
		if filepath.Dir(path) == r.common && filepath.Base(path) == "config" && !isLink(path) {
			continue // walked
		}
		c.put(".git/@config"+r.placed(path), partConfig, through(path))
	}
	usual, elsewhere := filepath.Join(r.common, "hooks"), r.hooksElsewhere()
	if elsewhere != "" {
		c.put(".git/@hooks", partConfig, File{Kind: Value, Link: r.placed(elsewhere)})
	} else if isLink(usual) {
		elsewhere = usual // what a link leads to was not walked
	}
	for _, name := range hookNames {
		if path := filepath.Join(usual, name); isLink(path) { // others were walked
			c.put(".git/@hooks"+r.placed(path), partConfig, through(path))
		}
		if elsewhere == "" {
			continue
		}
		path := filepath.Join(elsewhere, name)
		if f := through(path); f.Kind != Missing {
			c.put(".git/@hooks"+r.placed(path), partConfig, f)
		}
	}
}

// placed names a file that git is configured by: from the root of the repository
// or of its Git directory where it lies in there, so that the name stays when the
// whole is moved, and by its absolute path elsewhere.
func (r *repository) placed(path string) string {
	for _, at := range []struct{ dir, name string }{{r.gitDir, "/@gitdir/"}, {r.common, "/@common/"}, {r.root, "/@root/"}} {
		if relative, err := filepath.Rel(at.dir, path); err == nil && filepath.IsLocal(relative) {
			return at.name + filepath.ToSlash(relative)
		}
	}
	return filepath.ToSlash(path)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// maxProgram bounds the hooks and configuration outside the Git directory that are
// read; longer ones are known by their size.
const maxProgram = 1 << 30

// through records a file as git would see it, links followed. What cannot be read
// is recorded as that.
func through(path string) File {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Kind: Missing}
	}
	if err != nil {
		return File{Kind: Value, Link: "unreadable: " + cause(err)}
	}
	f := File{Kind: Value, Mode: entryMode(info)}
	if !info.Mode().IsRegular() {
		f.Link = info.Mode().Type().String()
		return f
	}
	if info.Size() > maxProgram {
		f.Link = fmt.Sprintf("%d bytes", info.Size())
		return f
	}
	file, err := os.Open(path)
	if err != nil {
		f.Link = "unreadable: " + cause(err)
		return f
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	if f.Size, err = io.Copy(digest, file); err != nil {
		f.Link = "unreadable: " + cause(err)
		return f
	}
	f.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return f
}

func entryMode(info fs.FileInfo) uint32 {
	mode := uint32(info.Mode().Perm())
	if info.Mode()&fs.ModeSetuid != 0 {
		mode |= 0o4000
	}
	if info.Mode()&fs.ModeSetgid != 0 {
		mode |= 0o2000
	}
	return mode
}

// readHead reads HEAD and finds the commit that it stands for.
func (s *gitState) readHead(r *repository, c *collector) error {
	path := filepath.Join(r.gitDir, "HEAD")
	kind := Regular
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		kind = Link
	}
	value, err := refValue(path, kind)
	if err != nil {
		return unreadable(path, err)
	}
	c.put(".git/HEAD", partHead, File{Kind: Value, Link: value})
	value = strings.Replace(value, "link: ", "ref: ", 1)
	for range 10 { // a ref may name a ref
		name, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			break
		}
		name = strings.TrimSpace(name)
		if s.branch == "" {
			s.branch = name
		}
		value = c.refs[name]
	}
	switch {
	case value == "":
		return nil // unborn
	case len(value) != 2*r.idSize || strings.Trim(value, "0123456789abcdef") != "":
		return damaged(path, "it leads to no commit")
	}
	s.head = value
	return nil
}
