package git

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// scan compares a working tree with an index, in parallel, one folder at a time.
// A file whose state is the one in the index is not opened.
type scan struct {
	ctx      context.Context //nolint:containedctx // lives for one scan
	w        *Worktree
	place    *place
	old      []indexEntry
	mark     stat // files changed at or after this time may change again unseen
	trust    bool // whether the states in the index count
	change   bool // whether the working tree will be changed
	skipping bool // whether the index has entries that are not checked out
	exclude  []string
	maxFile  int64
	rules    *ruleSet
	sink     *sink

	ownOnce sync.Once
	own     []indexEntry // of git's own index, when they are asked for

	cache      *cachedTree
	private    string // the path of the private index
	seen       string // the state of git's own index that it has followed
	stale      bool   // it must be written even if no file has changed
	digest     string // of the rules it was written under
	ruleDigest string // of the rules that hold now

	mu       sync.Mutex
	problems []Problem
	through  []throughGit
	hashed   int
	fatal    error
	queue    []*node
	busy     int
	wake     *sync.Cond
}

// node is one folder of the working tree.
type node struct {
	path   string // "" or with a slash at the end
	parent *node
	lo, hi int // the entries of the index below it
	cache  *cachedTree
	// absent says that the folder is not there, or not looked at; its entries are
	// kept as the index has them: those that are not checked out, or all.
	absent, keepAll bool

	hasIgnore, hasAttributes  bool
	ignoreOnce, attributeOnce sync.Once
	ignores                   *ignoreChain
	attributes                *attributeChain
	excludedOnce              sync.Once
	excluded                  bool // it is ignored; only tracked files count

	files []*indexEntry
	dirs  []*node
	// kept counts the files below that are as in the index, restated those of
	// them whose state was learned anew.
	kept, restated int
	empty          bool // there is nothing in the folder at all

	raw   string // the id of the tree
	count int    // of files below
}

func (n *node) name() string {
	path := strings.TrimSuffix(n.path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// run looks at everything and returns the root.
func (s *scan) run() (*node, error) {
	s.wake = sync.NewCond(&s.mu)
	root := &node{hi: len(s.old), cache: s.cache}
	s.queue = []*node{root}
	var wait sync.WaitGroup
	for range workers() {
		wait.Go(s.work)
	}
	wait.Wait()
	return root, s.fatal
}

// work takes folders until there are none and nobody is finding more.
func (s *scan) work() {
	buffer := make([]byte, 32<<10)
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && s.busy > 0 {
			s.wake.Wait()
		}
		if len(s.queue) == 0 || s.fatal != nil {
			s.queue = nil
			s.mu.Unlock()
			s.wake.Broadcast()
			return
		}
		n := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		s.busy++
		s.mu.Unlock()

		err := s.ctx.Err()
		if err == nil {
			err = s.visit(n, buffer)
		}

		s.mu.Lock()
		s.busy--
		if err != nil && s.fatal == nil {
			s.fatal = err
		}
		for _, sub := range n.dirs {
			if !sub.absent {
				s.queue = append(s.queue, sub)
			}
		}
		if len(n.dirs) > 0 || s.busy == 0 {
			s.wake.Broadcast()
		}
		s.mu.Unlock()
	}
}

func (s *scan) problem(path, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, Problem{path, reason})
}

// visit looks at one folder.
func (s *scan) visit(n *node, buffer []byte) error {
	f, err := s.place.folder(strings.TrimSuffix(n.path, "/"))
	if err != nil {
		return s.unopened(n, err)
	}
	defer f.close()
	names, err := f.list(buffer)
	if err != nil {
		return s.unopened(n, err)
	}
	slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.text, b.text) })
	n.empty = len(names) == 0
	if n.path != "" && n.lo == n.hi && has(names, ".git") && s.isEmbedded(n) {
		s.problem(strings.TrimSuffix(n.path, "/"), ReasonEmbedded)
		return nil
	}
	n.hasIgnore, n.hasAttributes = has(names, ".gitignore"), has(names, ".gitattributes")
	n.files = make([]*indexEntry, 0, len(names))
	v := visitor{scan: s, node: n, folder: f}
	for _, nm := range names {
		if err := v.take(nm); err != nil {
			return err
		}
	}
	v.unlisted(names)
	return nil
}

func has(names []name, text string) bool {
	_, ok := slices.BinarySearchFunc(names, text, func(n name, t string) int { return strings.Compare(n.text, t) })
	return ok
}

// unopened keeps what the index has of a folder that cannot be looked at. The
// root must be.
func (s *scan) unopened(n *node, err error) error {
	gone := errors.Is(err, fs.ErrNotExist) || isNotDir(err)
	if n.path == "" {
		return unreadable(s.w.root, err)
	}
	n.absent = true
	if !gone {
		n.keepAll = true
		s.problem(strings.TrimSuffix(n.path, "/"), ReasonUnreadable)
	}
	s.retain(n)
	return nil
}

// isEmbedded says whether a folder holds a repository of its own.
func (s *scan) isEmbedded(n *node) bool {
	found, _, err := dataOf(s.w.root + "/" + strings.TrimSuffix(n.path, "/"))
	return found && err == nil
}

// retain fills a folder that is not looked at from the index.
func (s *scan) retain(n *node) {
	n.files, n.dirs = nil, nil
	for at := n.lo; at < n.hi; {
		e := &s.old[at]
		rest := e.path[len(n.path):]
		slash := strings.IndexByte(rest, '/')
		if slash < 0 {
			if (n.keepAll || e.skipped()) && e.stage() == 0 {
				n.files = append(n.files, e)
				n.kept++
			}
			at++
			continue
		}
		sub := s.child(n, rest[:slash], at)
		sub.absent, sub.keepAll = true, n.keepAll
		s.retain(sub)
		n.dirs = append(n.dirs, sub)
		at = sub.hi
	}
}

// child makes the node of a folder whose entries in the index begin at lo, if it
// has any.
func (s *scan) child(n *node, name string, lo int) *node {
	path := n.path + name + "/"
	hi := lo
	if lo < n.hi && strings.HasPrefix(s.old[lo].path, path) {
		hi = lo + search(n.hi-lo, func(i int) bool { return !strings.HasPrefix(s.old[lo+i].path, path) })
	}
	return &node{path: path, parent: n, lo: lo, hi: hi, cache: n.cacheOf(name)}
}

func (n *node) cacheOf(name string) *cachedTree { return n.cache.sub(name) }

// search is sort.Search, which first looks nearby: most folders are small.
func search(n int, f func(int) bool) int {
	step := 1
	lo := 0
	for lo+step < n && !f(lo+step) {
		lo += step
		step *= 2
	}
	hi := min(lo+step, n)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1) //nolint:gosec // cannot overflow
		if f(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
