package hcpruntime

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/adapter/wrap"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// local is the reference-local driver: packs from directories, wrapped programs
// in a sandbox, composite commands in process.
type local struct {
	order  []string
	packs  map[string]*entry
	search executable.Search
	allow  []string
	runs   map[hcp.Kind]adapter.Adapter
	hubs   binding.Hub
	jails  *jails
	turns  atomic.Int64 // counts activations, so that their order is known
}

// entry is a pack of the catalog. What it was when it was activated is pinned:
// a pack or executable that changes afterwards is refused until it is activated
// again.
type entry struct {
	dir  string
	pack *pack.Pack

	mu      sync.Mutex
	active  int64 // the turn in which it was activated, 0 when it is not
	content pack.Content
	file    *executable.File
}

// plainSearch is where bare names are looked up when the options name no path.
const plainSearch = "/usr/local/bin:/usr/bin:/bin"

func newLocal(o Options) (*local, error) {
	if len(o.PackDirs) == 0 {
		return nil, fault.New("usage", "local runtime requires packDirs").
			WithHint("name the directories of the packs in Options.PackDirs")
	}
	l := &local{packs: map[string]*entry{}, allow: o.AllowBins, search: executable.Search{Path: o.SearchPath}}
	if l.search.Path == "" {
		l.search.Path = plainSearch
	}
	for _, dir := range o.PackDirs {
		if err := l.load(dir); err != nil {
			return nil, err
		}
	}
	if err := l.wire(o); err != nil {
		if l.jails != nil {
			_ = l.jails.close() // a temporary directory that nobody will use
		}
		return nil, err
	}
	return l, nil
}

// load adds a pack to the catalog, if lint has nothing to say.
func (l *local) load(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fault.Newf("no_pack", "the pack directory %q cannot be found", dir).Because(err)
	}
	report, err := lint.Dir(abs)
	if err != nil {
		return err
	}
	if err := linted(report.Issues); err != nil {
		return err
	}
	p, err := pack.Load(abs)
	if err != nil {
		return err
	}
	if l.packs[p.ID] != nil {
		return twice(p.ID)
	}
	l.packs[p.ID] = &entry{dir: abs, pack: p}
	l.order = append(l.order, p.ID)
	return nil
}

// wire builds the adapters and the hub.
func (l *local) wire(o Options) error {
	jails, err := newJails(o.StateDir)
	if err != nil {
		return err
	}
	l.jails = jails
	// What the runtime keeps is as closed to programs as a store, also where it
	// is a temporary directory.
	limits := wrap.Limits{Home: o.Home, Store: jails.dir}
	driver := &wrap.Local{Limits: limits}
	if o.ProjectDir != "" {
		project, err := wrap.OpenProject(o.ProjectDir, limits)
		if err != nil {
			return err
		}
		driver.Project = project
		l.search.Avoid = append(l.search.Avoid, project.Root)
	}
	driver.Jails = jails
	driver.Guard = &wrap.GitGuard{Dir: filepath.Join(jails.dir, "guard"), Holder: "hcp runtime"}
	handlers := map[string]composite.Handlers{composite.EchoPack: composite.Echo()}
	maps.Copy(handlers, inwardHandlers(o.Handlers))
	l.runs = map[hcp.Kind]adapter.Adapter{
		hcp.KindWrap: wrap.New(wrap.Options{
			Driver: driver, Limits: limits, Timeout: o.Timeout,
			Host: wrap.Host{Path: o.SearchPath, Home: o.Home, Zone: o.Zone, Certificates: o.Certificates},
		}),
		hcp.KindComposite: composite.New(clock.System(), handlers),
	}
	hub := &binding.Local{Links: &binding.Memory{}}
	if o.Hub != nil {
		hub.Credentials = inwardHub{o.Hub}
	}
	l.hubs = hub
	return nil
}

func (l *local) id() (string, string) { return "reference-local", "reference-local" }

func (l *local) list(context.Context) ([]*pack.Pack, error) {
	packs := make([]*pack.Pack, len(l.order))
	for i, id := range l.order {
		packs[i] = l.packs[id].loaded()
	}
	return packs, nil
}

func (l *local) get(_ context.Context, id string) (*pack.Pack, error) {
	e := l.packs[id]
	if e == nil {
		return nil, nil
	}
	return e.loaded(), nil
}

func (l *local) Installed(_ context.Context, id string) (bool, error) { return l.packs[id] != nil, nil }

func (l *local) IDs(context.Context) []string { return l.order }

// Activated returns the pack as it was activated, if it still is that.
func (l *local) Activated(_ context.Context, id string) (*pipeline.Activation, error) {
	e := l.packs[id]
	if e == nil {
		return nil, nil
	}
	return e.verified()
}

// activate loads and pins packs anew, all of them or none.
func (l *local) activate(_ context.Context, ids []string) error {
	pinned := make([]func(turn int64), 0, len(ids))
	for _, id := range ids {
		e := l.packs[id]
		if e == nil {
			return unknown(id)
		}
		commit, err := l.pin(e)
		if err != nil {
			return err
		}
		pinned = append(pinned, commit)
	}
	for _, commit := range pinned {
		commit(l.turns.Add(1))
	}
	return nil
}

// pin takes the pack's content and executable as they are now.
func (l *local) pin(e *entry) (commit func(turn int64), err error) {
	content, err := pack.Hash(e.dir)
	if err != nil {
		return nil, err
	}
	report, err := lint.Dir(e.dir)
	if err != nil {
		return nil, err
	}
	if err := linted(report.Issues); err != nil {
		return nil, err
	}
	p, err := pack.Load(e.dir)
	if err != nil {
		return nil, err
	}
	if p.ID != e.loaded().ID {
		return nil, fault.Newf("pack_changed", "the pack in %q now calls itself %q", e.dir, p.ID)
	}
	sums := make(map[string]string, len(content.Files))
	for _, file := range content.Files {
		sums[file.Path] = file.SHA256
	}
	file, err := executable.Resolve(p, sums, l.searchFor(p))
	if err != nil {
		return nil, err
	}
	return func(turn int64) { e.accept(p, content, file, turn) }, nil
}

// searchFor is the search path for a pack's executable. An absolute entry of the
// allow-list says where the name of its file comes from.
func (l *local) searchFor(p *pack.Pack) executable.Search {
	s := l.search
	w := p.Manifest.Wrap
	if w == nil || strings.ContainsAny(w.Bin, `/\`) {
		return s
	}
	for _, allowed := range l.allow {
		if filepath.IsAbs(allowed) && filepath.Base(allowed) == w.Bin {
			s.Path = filepath.Dir(allowed)
			return s
		}
	}
	return s
}

func (l *local) activated() []string {
	var ids []string
	turn := map[string]int64{}
	for id, e := range l.packs {
		e.mu.Lock()
		if e.active > 0 {
			ids = append(ids, id)
			turn[id] = e.active
		}
		e.mu.Unlock()
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(turn[a], turn[b]) })
	return ids
}

func (l *local) deactivate(ids []string) {
	for _, id := range ids {
		if e := l.packs[id]; e != nil {
			e.mu.Lock()
			e.active = 0
			e.mu.Unlock()
		}
	}
}

func (l *local) hub() binding.Hub { return l.hubs }

func (l *local) adapters() map[hcp.Kind]adapter.Adapter { return l.runs }

// unable says why commands of an activated pack cannot run here.
func (l *local) unable(p *pack.Pack) string {
	if l.runs[p.Kind] == nil {
		return "adapter " + string(p.Kind) + " not executable in " + runtimeName
	}
	e := l.packs[p.ID]
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.Kind == hcp.KindWrap && e.active > 0 && !e.file.Runnable() {
		return `sandbox: bin "` + p.Manifest.Wrap.Bin + `" not allowlisted`
	}
	return ""
}

func (l *local) close() error { return l.jails.close() }

func (e *entry) loaded() *pack.Pack {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pack
}

func (e *entry) accept(p *pack.Pack, content pack.Content, file *executable.File, turn int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pack, e.content, e.file = p, content, file
	if e.active == 0 {
		e.active = turn
	}
}

func (e *entry) verified() (*pipeline.Activation, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active == 0 {
		return nil, nil
	}
	changed, _, err := e.content.Changed(e.dir)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		return nil, fault.Newf("pack_changed", "the files of pack %q changed after it was activated: %s", e.pack.ID, strings.Join(changed, ", ")).
			WithHint("nothing ran; look at the change, then activate the pack again")
	}
	file, _, err := e.file.Check(e.pack.ID)
	if err != nil {
		return nil, err
	}
	e.file = file
	return &pipeline.Activation{Pack: e.pack, Digest: e.content.Digest, Bin: adapter.BinOf(file)}, nil
}

// jails keeps the private places of wrapped programs below one directory.
type jails struct {
	dir  string
	temp bool
	made sync.Map
}

func newJails(stateDir string) (*jails, error) {
	if stateDir != "" {
		abs, err := filepath.Abs(stateDir)
		if err != nil {
			return nil, fault.Newf("bad_home", "the state directory %q cannot be found", stateDir).Because(err)
		}
		return &jails{dir: abs}, nil
	}
	dir, err := os.MkdirTemp("", "hcp-runtime-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fault.New("bad_home", "no temporary directory can be made").Because(err).
			WithHint("name a directory in Options.StateDir")
	}
	return &jails{dir: dir, temp: true}, nil
}

func (j *jails) close() error {
	if !j.temp {
		return nil
	}
	return os.RemoveAll(j.dir)
}

// Jail returns the lasting jail of a pack for one owner.
func (j *jails) Jail(packID, owner string) (wrap.Jail, error) {
	dir := filepath.Join(j.dir, "jails", packID, ownerName(owner))
	if made, ok := j.made.Load(dir); ok {
		if jail, ok := made.(wrap.Jail); ok {
			return jail, nil
		}
	}
	jail, err := j.at(dir)
	if err == nil {
		j.made.Store(dir, jail)
	}
	return jail, err
}

// Ephemeral returns a jail for one call.
func (j *jails) Ephemeral() (wrap.Jail, error) {
	calls := filepath.Join(j.dir, "calls")
	err := os.MkdirAll(calls, 0o700)
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(calls, "call-")
	}
	if err != nil {
		return wrap.Jail{}, unusable(calls, err)
	}
	jail, err := j.at(dir)
	jail.Close = func() { _ = os.RemoveAll(dir) }
	return jail, err
}

func (j *jails) at(dir string) (wrap.Jail, error) {
	jail := wrap.Jail{Home: filepath.Join(dir, "home"), Tmp: filepath.Join(dir, "tmp"), Work: filepath.Join(dir, "work")}
	for _, part := range []string{jail.Home, jail.Tmp, jail.Work} {
		if err := os.MkdirAll(part, 0o700); err != nil {
			return wrap.Jail{}, unusable(part, err)
		}
	}
	return jail, nil
}

func unusable(dir string, err error) error {
	return fault.Newf("bad_home", "the directory %q cannot be made", dir).Because(err).
		WithHint("name a directory of your own in Options.StateDir")
}
