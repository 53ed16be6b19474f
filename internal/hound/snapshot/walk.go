package snapshot

import (
	"context"
	"runtime"
	"strings"
	"sync"
)

// look is what a walk does with a path.
type look uint8

const (
	record look = iota // its content, and a directory's entries
	stat               // what the kernel tells of it, and a directory's entries the same way
	skip               // nothing
)

// walk is one walk through a directory tree by several workers.
type walk struct {
	root string
	// judge says what to do with a path; dir says whether it is a directory.
	judge func(path string, dir bool) look
	// base lends the hashes of an earlier walk; nil lends none.
	base *tree
	// now is the kernel's clock for change times at the start, less a margin.
	now int64

	mu      sync.Mutex
	wake    *sync.Cond
	tasks   []task
	busy    int
	failure error
	nodes   map[string]*node
	local   map[uint64]bool // file systems by device: whether their times can be trusted
	self    entry
	fresh   bool // something settled was read that the walk before did not have
}

// task is a directory to list, or some of its files to hash.
type task struct {
	path  string
	how   look
	node  *node
	files []int // indexes into the node's entries; nil means list
}

// run walks with as many workers as there are processors, up to four: beyond
// that they wait for the same locks of the kernel.
func (w *walk) run(ctx context.Context) (*tree, error) {
	w.wake = sync.NewCond(&w.mu)
	w.nodes, w.local = map[string]*node{}, map[uint64]bool{}
	workers, err := w.open(min(runtime.GOMAXPROCS(0), 4))
	if err != nil {
		return nil, err
	}
	w.tasks = append(w.tasks, task{path: ""})
	stop := context.AfterFunc(ctx, func() { w.fail(context.Cause(ctx)) })
	defer stop()
	var group sync.WaitGroup
	for _, worker := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			defer worker.close()
			for {
				t, ok := w.next()
				if !ok {
					return
				}
				if err := worker.perform(t); err != nil {
					w.fail(err)
				}
				w.finished()
			}
		}()
	}
	group.Wait()
	if err := w.failed(); err != nil {
		return nil, err
	}
	return &tree{lent: !w.fresh && w.base != nil, self: w.self, nodes: w.nodes, now: w.now, local: w.local}, nil
}

func (w *walk) next() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.tasks) == 0 && w.busy > 0 && w.failure == nil {
		w.wake.Wait()
	}
	if len(w.tasks) == 0 || w.failure != nil {
		return task{}, false
	}
	last := len(w.tasks) - 1
	t := w.tasks[last]
	w.tasks = w.tasks[:last]
	w.busy++
	return t, true
}

func (w *walk) finished() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	if w.busy == 0 {
		w.wake.Broadcast()
	}
}

// failed is why the walk ended. The caller may give up while the last worker does.
func (w *walk) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failure
}

func (w *walk) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == nil {
		w.failure = err
	}
	w.wake.Broadcast()
}

// way is what is done with an entry of the directory that a task lists.
func (w *walk) way(t *task, name string, dir bool) look {
	if w.judge == nil || t.how != record {
		return t.how
	}
	return w.judge(join(t.path, name), dir)
}

// listed takes a directory's entries and gives out the work that they make.
func (w *walk) listed(n *node, tasks []task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[n.path] = n
	w.tasks = append(w.tasks, tasks...)
	w.wake.Broadcast()
}

// portion is how many files of one directory are hashed in one go.
const portion = 64

// follow makes the tasks that a listed directory leads to, and has the first
// portion of its files hashed by the worker that listed it.
func (w *walk) follow(n *node, ways []look, stale []int) (rest []task, own []int) {
	for i := range n.entries {
		if e := &n.entries[i]; e.kind == Directory && ways[i] != skip {
			rest = append(rest, task{path: join(n.path, e.name), how: ways[i]})
		}
	}
	for len(stale) > portion {
		rest = append(rest, task{path: n.path, node: n, files: stale[:portion]})
		stale = stale[portion:]
	}
	return rest, stale
}

// lender lends hashes of a directory's entries, asked for in the order of their
// names.
type lender struct{ rest []entry }

// lend gives an unmoved entry the hash that it had.
func (l *lender) lend(e *entry) bool {
	for len(l.rest) > 0 && l.rest[0].name < e.name {
		l.rest = l.rest[1:]
	}
	if len(l.rest) == 0 {
		return false
	}
	o := &l.rest[0]
	if o.name != e.name || !o.settled || !e.unmoved(o) {
		return false
	}
	e.sum, e.link, e.settled = o.sum, o.link, true
	return true
}

// below says whether a path is one of the prefixes or lies below it.
func below(path string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(path, prefix); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}
