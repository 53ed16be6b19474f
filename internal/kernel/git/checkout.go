package git

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// CheckoutOptions say how a working tree is brought to a tree.
type CheckoutOptions struct {
	// Index is the private index of the working tree, as for a snapshot. Without
	// one, git's own index of this working tree tells which files have changed.
	Index string
	// Exclude are paths that are left alone, with what is below them.
	Exclude []string
	// Embedded also removes repositories that lie inside, which no tree holds.
	Embedded bool
}

// CheckoutStats count what a checkout did.
type CheckoutStats struct{ Written, Removed int }

// Checkout is CheckoutTree without options.
func (w *Worktree) Checkout(ctx context.Context, tree OID) error {
	_, err := w.CheckoutTree(ctx, tree, CheckoutOptions{})
	return err
}

// CheckoutTree makes the files of a linked working tree those of a tree or
// commit, and tells its index; the head stays. Only files that differ are
// touched. Files that are neither in the tree nor ignored are removed, whatever
// they hold; ignored ones stay unless the tree needs their place. Never is a link
// followed. The repository's own working tree is the user's and is refused.
func (w *Worktree) CheckoutTree(ctx context.Context, tree OID, o CheckoutOptions) (CheckoutStats, error) {
	if !w.Linked() {
		return CheckoutStats{}, fault.Newf(CodeBadWorktree, "the files in %q are the user's own", w.root)
	}
	tree, err := w.repo.treeOf(ctx, tree)
	if err != nil {
		return CheckoutStats{}, err
	}
	s, root, err := w.look(ctx, scanOptions{SnapshotOptions: SnapshotOptions{Index: o.Index, Exclude: o.Exclude}, change: true})
	if err != nil {
		return CheckoutStats{}, err
	}
	defer s.place.close()
	c := &checkout{scan: s, ctx: ctx}
	if o.Embedded {
		if err := c.removeEmbedded(); err != nil {
			return CheckoutStats{}, err
		}
	}
	cached, err := c.compare(root, "", tree, s.rules.attributes)
	if err != nil {
		return CheckoutStats{}, err
	}
	if len(c.removals) == 0 && len(c.jobs) == 0 && !s.stale {
		return CheckoutStats{}, nil
	}
	if err := c.apply(); err != nil {
		return CheckoutStats{}, err
	}
	return CheckoutStats{Written: c.written, Removed: len(c.removals)}, c.finish(cached)
}

// checkout is one change of a working tree.
type checkout struct {
	*scan
	ctx      context.Context //nolint:containedctx // lives for one checkout
	removals []string
	jobs     []checkoutJob // one for each folder with files to write
	entries  []indexEntry

	mu      sync.Mutex
	foreign []string // files that only git can convert
	written int
}

// checkoutJob is what is to be written into one folder.
type checkoutJob struct {
	dir   string // with its slash
	files []checkoutFile
}

type checkoutFile struct {
	name       string
	entry      Entry
	conversion conversion
	replaces   bool // something known is in its place
	place      int  // in entries
}

// compare plans how a folder becomes a tree, and returns what an index remembers
// of it. n is nil where there is no folder.
func (c *checkout) compare(n *node, path string, tree OID, chain *attributeChain) (*cachedTree, error) {
	raw := string(tree.raw())
	if n != nil && n.raw == raw && n.count > 0 {
		c.entries = n.entries(c.entries)
		return n.cached(strings.TrimSuffix(path[strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')+1:], "/")), nil
	}
	target, err := c.w.repo.Tree(c.ctx, tree)
	if err != nil {
		return nil, err
	}
	if chain, err = c.chainOf(target, path, chain); err != nil {
		return nil, err
	}
	p := planner{checkout: c, path: path, chain: chain, job: checkoutJob{dir: path}, cached: &cachedTree{raw: raw}}
	if n != nil {
		p.files, p.dirs = n.files, n.dirs
	}
	first := len(c.entries)
	for _, e := range target {
		if reason := badName(e.Name); reason != "" {
			return nil, fault.Newf(CodeBadObject, "the tree %s cannot be checked out: the name %q %s", tree, e.Name, reason)
		}
		if err := p.take(e); err != nil {
			return nil, err
		}
	}
	p.removeUntil(func(string) bool { return false })
	if len(p.job.files) > 0 {
		c.jobs = append(c.jobs, p.job)
	}
	p.cached.name = strings.TrimSuffix(path, "/")
	p.cached.name = p.cached.name[strings.LastIndexByte(p.cached.name, '/')+1:]
	p.cached.count = len(c.entries) - first
	return p.cached, nil
}

// chainOf adds the attributes that the tree itself brings.
func (c *checkout) chainOf(target []Entry, path string, chain *attributeChain) (*attributeChain, error) {
	i := slices.IndexFunc(target, func(e Entry) bool { return e.Name == ".gitattributes" })
	if i < 0 || target[i].Mode != ModeFile && target[i].Mode != ModeExec {
		return chain, nil
	}
	data, err := c.w.repo.Blob(c.ctx, target[i].ID)
	if err != nil {
		return nil, err
	}
	return &attributeChain{parseAttributes(data, path, path == ""), chain}, nil
}

// planner goes through a folder and its tree side by side; both are in git's
// order.
type planner struct {
	*checkout
	path   string
	chain  *attributeChain
	job    checkoutJob
	cached *cachedTree
	files  []*indexEntry
	dirs   []*node
}

// take plans one entry of the tree.
func (p *planner) take(e Entry) error {
	full := p.path + e.Name
	key := full
	if e.IsTree() {
		key += "/"
	}
	p.removeUntil(func(path string) bool { return path >= key })
	if e.IsTree() {
		var sub *node
		if len(p.dirs) > 0 && p.dirs[0].path == key {
			sub, p.dirs = p.dirs[0], p.dirs[1:]
		}
		if sub != nil && p.isExcluded(full) {
			p.entries = sub.entries(p.entries)
			return nil
		}
		cached, err := p.compare(sub, key, e.ID, p.chain)
		if err == nil && cached.count > 0 {
			p.cached.subs = append(p.cached.subs, cached)
		}
		return err
	}
	entry := indexEntry{path: full, raw: string(e.ID.raw()), mode: e.Mode}
	replaces := false
	if len(p.files) > 0 && p.files[0].path == full {
		have := *p.files[0]
		p.files = p.files[1:]
		if have.raw == entry.raw && have.mode == e.Mode || p.isExcluded(full) {
			have.flags = 0
			p.entries = append(p.entries, have)
			return nil
		}
		replaces = true
	}
	if p.isExcluded(full) {
		return nil
	}
	p.job.files = append(p.job.files, checkoutFile{
		name: e.Name, entry: e, replaces: replaces, place: len(p.entries), conversion: p.rules.conversion(p.chain, full),
	})
	p.entries = append(p.entries, entry)
	return nil
}

// removeUntil plans to remove what the folder has up to a place in the order.
func (p *planner) removeUntil(there func(path string) bool) {
	for len(p.files) > 0 && !there(p.files[0].path) {
		p.remove(*p.files[0])
		p.files = p.files[1:]
	}
	for len(p.dirs) > 0 && !there(p.dirs[0].path) {
		for _, e := range p.dirs[0].entries(nil) {
			p.remove(e)
		}
		p.dirs = p.dirs[1:]
	}
}

func (p *planner) remove(e indexEntry) {
	if p.isExcluded(e.path) {
		return
	}
	p.removals = append(p.removals, e.path)
}

// apply removes and then writes.
func (c *checkout) apply() error {
	for _, path := range c.removals {
		if err := c.place.removeFile(path); err != nil {
			return cannotChange(path, err)
		}
	}
	// Folders that the tree needs are made one after the other, shortest first, so
	// that parallel writers find them.
	slices.SortFunc(c.jobs, func(a, b checkoutJob) int { return strings.Compare(a.dir, b.dir) })
	for _, job := range c.jobs {
		if err := c.place.makeFolder(strings.TrimSuffix(job.dir, "/")); err != nil {
			return cannotChange(job.dir, err)
		}
	}
	return eachOf(c.ctx, len(c.jobs), func(i int) error { return c.fill(c.jobs[i]) })
}

func cannotChange(path string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	explained := durable.Explain("change", path, err)
	switch fault.CodeOf(explained) {
	case durable.CodeDiskFull, durable.CodeReadOnly, durable.CodeNotPermitted, durable.CodeManyFiles:
		return explained
	}
	return fault.Newf(CodeBadWorktree, "%q cannot be changed: %s", path, reasonOf(err)).Because(err).
		WithHint("see what is in its place, and run the command again")
}

// fill writes the files of one folder.
func (c *checkout) fill(job checkoutJob) error {
	f, err := c.place.folder(strings.TrimSuffix(job.dir, "/"))
	if err != nil {
		return cannotChange(job.dir, err)
	}
	defer f.close()
	for _, file := range job.files {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.write(f, job.dir+file.name, file); err != nil {
			return cannotChange(job.dir+file.name, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += len(job.files)
	return nil
}

func (c *checkout) write(f *folder, path string, file checkoutFile) error {
	if file.entry.Mode == ModeGitlink {
		return f.makeSub(file.name)
	}
	data, err := c.w.repo.Blob(c.ctx, file.entry.ID)
	if err != nil {
		return err
	}
	if file.replaces {
		if err := f.remove(file.name); err != nil {
			return err
		}
	}
	if file.entry.Mode == ModeLink {
		if strings.IndexByte(string(data), 0) >= 0 || len(data) == 0 {
			return fault.Newf(CodeBadObject, "the link %q leads to what is no path", path)
		}
		if err := f.makeLink(string(data), file.name); err != nil {
			return err
		}
		info, err := f.info(file.name)
		c.entries[file.place].stat = info.stat
		return err
	}
	conv := file.conversion
	foreign := c.needsGit(conv, data)
	if !foreign && !conv.plain() {
		data = conv.toWorktree(data, file.entry.ID)
	}
	info, err := f.makeFile(file.name, data, file.entry.Mode == ModeExec)
	if !foreign {
		c.entries[file.place].stat = info.stat
		return err
	}
	// Without a state in the index git finds that the file must be written.
	c.mu.Lock()
	defer c.mu.Unlock()
	c.foreign = append(c.foreign, path)
	return err
}

// needsGit says whether a file has an encoding of its own, or a filter that may
// run. Without leave to run, the file holds what the repository holds.
func (c *checkout) needsGit(conv conversion, data []byte) bool {
	if conv.recode {
		return true
	}
	return c.rules.drivers[conv.filter] && c.w.repo.options.Filters && len(data) > 0
}

// finish writes the indexes.
func (c *checkout) finish(cached *cachedTree) error {
	mark, err := c.now()
	if err != nil {
		return err
	}
	for i := range c.entries {
		e := &c.entries[i]
		if e.flags = 0; !e.stat.before(&mark) {
			e.stat = stat{}
		}
	}
	cached.name = ""
	x := &index{format: c.w.repo.format, entries: c.entries, trees: cached}
	own := filepath.Join(c.w.gitDir, "index")
	if err := c.w.replaceOwnIndex(own, encodeIndex(x)); err != nil {
		return err
	}
	if err := c.throughGit(own); err != nil {
		return err
	}
	if c.private == "" {
		return nil
	}
	c.seen = signature(own)
	c.learnRules(func(fn func(*indexEntry)) {
		for i := range c.entries {
			fn(&c.entries[i])
		}
	})
	x.note = c.note()
	return replaceCache(c.private, encodeIndex(x))
}

// throughGit lets git write the files that only it can convert.
func (c *checkout) throughGit(index string) error {
	if len(c.foreign) == 0 {
		return nil
	}
	slices.Sort(c.foreign)
	_, _, err := c.w.git(c.ctx, job{
		args:  []string{"checkout-index", "--force", "-u", "-z", "--stdin"},
		stdin: []byte(strings.Join(c.foreign, "\x00") + "\x00"), env: []string{"GIT_INDEX_FILE=" + index},
	})
	return err
}

// removeEmbedded removes the repositories that lie inside.
func (c *checkout) removeEmbedded() error {
	for _, p := range c.problems {
		if p.Reason != ReasonEmbedded {
			continue
		}
		if err := c.place.removeFile(p.Path); err != nil {
			return cannotChange(p.Path, err)
		}
	}
	return nil
}

// Verify reads every file of the working tree and returns how they differ from a
// tree or commit, the tree being the older side. Ignored files do not count.
func (w *Worktree) Verify(ctx context.Context, tree OID) ([]Change, error) {
	return w.Compare(ctx, tree, SnapshotOptions{}, true)
}

// Compare returns how the working tree differs from a tree or commit, the tree
// being the older side, and stores nothing. With full, every file is read;
// otherwise those whose state has changed since the index was written. A path
// that cannot be compared is a fault.
func (w *Worktree) Compare(ctx context.Context, tree OID, o SnapshotOptions, full bool) ([]Change, error) {
	tree, err := w.repo.treeOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	s, root, err := w.look(ctx, scanOptions{SnapshotOptions: o, full: full})
	if err != nil {
		return nil, err
	}
	defer s.place.close()
	if len(s.problems) > 0 {
		p := s.problems[0]
		return nil, fault.Newf(CodeBadWorktree, "%q cannot be compared: %s", p.Path, p.Reason)
	}
	d := differ{repo: w.repo, ctx: ctx}
	if err := d.withNode("", tree, root); err != nil {
		return nil, err
	}
	d.sort()
	return d.out, nil
}
