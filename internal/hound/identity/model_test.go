package identity

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// model is a file system in memory that forgets what was not synced. A file's
// content and mode are on its disk after a sync of the file, a folder's names
// after a sync of the folder; names that changed since then may be there or not,
// each of its own accord.
type model struct {
	pid    int
	uid    uint32
	dev    uint64
	fsName string
	inodes map[uint64]*node

	open     map[handle]uint64
	readOnly map[handle]bool
	next     handle
	locked   handle

	// What this system does not do.
	noEmptyPath, noProc, noTmpfile, noExchange, noMove, noFlock error
	procLies                                                    bool

	calls []string
	// trouble decides about the n-th call. An error comes instead of its work, or
	// late, after it.
	trouble func(n int, call string) (late bool, err error)
}

type node struct {
	uid    uint32
	kind   kind
	mode   uint32
	data   []byte
	names  map[string]uint64
	synced bool
	// What a power cut leaves, and what changed among the names since.
	diskMode  uint32
	diskData  []byte
	diskNames map[string]uint64
	undone    []edit
}

// edit is a change of names, which can be done again to other names.
type edit struct {
	what string
	a, b string
	ino  uint64
}

func (e edit) do(names map[string]uint64) {
	switch e.what {
	case "add":
		names[e.a] = e.ino
	case "remove":
		delete(names, e.a)
	case "move":
		if ino, there := names[e.a]; there {
			names[e.b] = ino
			delete(names, e.a)
		}
	case "exchange":
		if names[e.a] != 0 && names[e.b] != 0 {
			names[e.a], names[e.b] = names[e.b], names[e.a]
		}
	}
}

const (
	topIno  = 1
	homeIno = 2
)

// newModel has one folder, /home, which belongs to the user.
func newModel() *model {
	m := &model{pid: 100, uid: 1000, dev: 7, fsName: "ext4", inodes: map[uint64]*node{
		topIno:  {kind: folder, mode: 0o755, names: map[string]uint64{"home": homeIno}},
		homeIno: {kind: folder, mode: 0o755, uid: 1000, names: map[string]uint64{}},
	}}
	for _, n := range m.inodes {
		n.settle()
	}
	m.restart()
	return m
}

// settle puts a node on the disk as it is.
func (n *node) settle() {
	n.synced, n.undone = true, nil
	n.diskMode, n.diskData, n.diskNames = n.mode, bytes.Clone(n.data), maps.Clone(n.names)
}

// restart is the end of the process: descriptors and the lock are gone.
func (m *model) restart() {
	m.open, m.readOnly, m.next, m.locked = map[handle]uint64{}, map[handle]bool{}, 3, -1
	m.trouble, m.calls = nil, nil
}

// signature tells states of the file system apart.
func (m *model) signature() string {
	var out strings.Builder
	for _, ino := range slices.Sorted(maps.Keys(m.inodes)) {
		n := m.inodes[ino]
		fmt.Fprintln(&out, ino, n.uid, n.kind, n.mode, n.synced, n.diskMode, string(n.data), string(n.diskData))
		for _, names := range []map[string]uint64{n.names, n.diskNames} {
			for _, name := range slices.Sorted(maps.Keys(names)) {
				out.WriteString(name)
				out.WriteByte(' ')
				out.WriteString(strconv.FormatUint(names[name], 10))
				out.WriteByte('\n')
			}
			out.WriteByte('\n')
		}
		for _, e := range n.undone {
			out.WriteString(e.what + e.a + e.b)
		}
	}
	return out.String()
}

// changes counts the names that a power cut may or may not keep.
func (m *model) changes() int {
	n := 0
	for _, d := range m.inodes {
		n += len(d.undone)
	}
	return n
}

// copy is an independent model of the same state after the end of the process.
func (m *model) copy() *model {
	c := *m
	c.inodes = map[uint64]*node{}
	for ino, n := range m.inodes {
		twin := *n
		twin.data, twin.names = bytes.Clone(n.data), maps.Clone(n.names)
		twin.diskData, twin.diskNames = bytes.Clone(n.diskData), maps.Clone(n.diskNames)
		twin.undone = slices.Clone(n.undone)
		c.inodes[ino] = &twin
	}
	c.restart()
	return &c
}

// powerCut is what the machine finds after its power failed. Bit i of keep says
// whether the i-th unsynced change of a name made it to the disk.
func (m *model) powerCut(keep int) *model {
	c := m.copy()
	bit := 0
	for _, ino := range slices.Sorted(maps.Keys(c.inodes)) {
		n := c.inodes[ino]
		names := maps.Clone(n.diskNames)
		if n.kind == folder && names == nil { // made, and never synced
			names, n.diskMode = map[string]uint64{}, n.mode
		}
		for _, e := range n.undone {
			if keep>>bit&1 == 1 {
				e.do(names)
			}
			bit++
		}
		n.names, n.mode, n.data = names, n.diskMode, n.diskData
		n.settle()
	}
	return c
}

// killed is thrown where a process ends.
type killed struct{}

// call counts a call and says whether it fails before or after its work.
func (m *model) call(format string, args ...any) (before, after error) {
	name := fmt.Sprintf(format, args...)
	m.calls = append(m.calls, name)
	if m.trouble == nil {
		return nil, nil
	}
	late, err := m.trouble(len(m.calls), name)
	if late {
		return nil, err
	}
	return err, nil
}

// fails is call for what only looks: when it fails does not matter.
func (m *model) fails(format string, args ...any) error {
	before, after := m.call(format, args...)
	if before != nil {
		return before
	}
	return after
}

func (m *model) process() int { return m.pid }
func (m *model) user() uint32 { return m.uid }

func (m *model) give(ino uint64) handle {
	m.next++
	m.open[m.next] = ino
	return m.next
}

// make adds a node and returns its number.
func (m *model) make(n node) uint64 {
	ino := uint64(len(m.inodes) + 100)
	m.inodes[ino] = &n
	return ino
}

func (m *model) of(h handle) *node { return m.inodes[m.open[h]] }

func (m *model) top() (handle, error) { return m.give(topIno), nil }

func (m *model) openDir(dir handle, name string) (handle, error) {
	if err := m.fails("opendir %s", name); err != nil {
		return -1, err
	}
	ino, there := m.of(dir).names[name]
	switch {
	case !there:
		return -1, syscall.ENOENT
	case m.inodes[ino].kind != folder:
		return -1, syscall.ENOTDIR
	}
	return m.give(ino), nil
}

func (m *model) openFile(dir handle, name string) (handle, error) {
	if err := m.fails("open %s", role(name)); err != nil {
		return -1, err
	}
	ino, there := m.of(dir).names[name]
	switch {
	case !there:
		return -1, syscall.ENOENT
	case m.inodes[ino].kind == other:
		return -1, syscall.ELOOP
	}
	h := m.give(ino)
	m.readOnly[h] = true
	return h, nil
}

func (m *model) openUnnamed(handle) (handle, error) {
	if err := m.fails("tmpfile"); err != nil {
		return -1, err
	}
	if m.noTmpfile != nil {
		return -1, m.noTmpfile
	}
	// The mode is not the one that is wanted: the process has an odd mask.
	return m.give(m.make(node{uid: m.uid, kind: file, mode: 0o400})), nil
}

func (m *model) makeDir(dir handle, name string) error {
	before, after := m.call("mkdir %s", name)
	if before != nil {
		return before
	}
	if m.of(dir).names[name] != 0 {
		return syscall.EEXIST
	}
	ino := m.make(node{uid: m.uid, kind: folder, mode: 0o700, names: map[string]uint64{}})
	m.change(dir, edit{what: "add", a: name, ino: ino})
	return after
}

func (m *model) close(h handle) error {
	if m.open[h] == 0 {
		return syscall.EBADF
	}
	if m.locked == h {
		m.locked = -1
	}
	delete(m.open, h)
	return nil
}

func (m *model) stat(h handle) (status, error) {
	if err := m.fails("fstat"); err != nil {
		return status{}, err
	}
	return m.statusOf(m.open[h]), nil
}

func (m *model) statusOf(ino uint64) status {
	links := uint64(0)
	for _, d := range m.inodes {
		for _, child := range d.names {
			if child == ino {
				links++
			}
		}
	}
	n := m.inodes[ino]
	return status{dev: m.dev, ino: ino, uid: n.uid, kind: n.kind, mode: n.mode, links: links, size: int64(len(n.data))}
}

func (m *model) statAt(dir handle, name string) (status, error) {
	if err := m.fails("stat %s", role(name)); err != nil {
		return status{}, err
	}
	ino, there := m.of(dir).names[name]
	if !there {
		return status{}, syscall.ENOENT
	}
	return m.statusOf(ino), nil
}

func (m *model) fileSystem(handle) (string, error) {
	if err := m.fails("file system"); err != nil {
		return "", err
	}
	return m.fsName, nil
}

func (m *model) list(dir handle, _ int) ([]string, error) {
	if err := m.fails("getdents"); err != nil {
		return nil, err
	}
	return slices.Collect(maps.Keys(m.of(dir).names)), nil
}

func (m *model) read(h handle, limit int) ([]byte, error) {
	if err := m.fails("read"); err != nil {
		return nil, err
	}
	data := m.of(h).data
	return bytes.Clone(data[:min(len(data), limit+1)]), nil
}

func (m *model) write(h handle, data []byte) error {
	before, after := m.call("write")
	if before != nil {
		return before
	}
	if m.readOnly[h] {
		return syscall.EBADF
	}
	m.of(h).data = bytes.Clone(data)
	return after
}

func (m *model) chmod(h handle, mode uint32) error {
	before, after := m.call("fchmod")
	if before != nil {
		return before
	}
	m.of(h).mode = mode
	return after
}

func (m *model) sync(h handle) error {
	n := m.of(h)
	what := "fsync file"
	if n.kind == folder {
		what = "fsync folder"
	}
	before, after := m.call("%s", what)
	if before != nil {
		return before
	}
	n.settle()
	return after
}

func (m *model) lock(h handle) error {
	if err := m.fails("flock"); err != nil {
		return err
	}
	switch {
	case m.noFlock != nil:
		return m.noFlock
	case m.locked >= 0:
		return syscall.EWOULDBLOCK
	}
	m.locked = h
	return nil
}

func (m *model) link(source, dir handle, name string) error {
	before, after := m.call("link %s", role(name))
	if before != nil {
		return before
	}
	if m.noEmptyPath != nil {
		return m.noEmptyPath
	}
	return m.addName(source, dir, name, after)
}

func (m *model) addName(source, dir handle, name string, after error) error {
	if m.of(dir).names[name] != 0 {
		return syscall.EEXIST
	}
	m.change(dir, edit{what: "add", a: name, ino: m.open[source]})
	return after
}

func (m *model) openProc() (handle, error) {
	if err := m.fails("open procfs"); err != nil {
		return -1, err
	}
	if m.noProc != nil {
		return -1, m.noProc
	}
	return m.give(topIno), nil
}

func (m *model) statProc(_, source handle) (status, error) {
	if err := m.fails("stat procfs"); err != nil {
		return status{}, err
	}
	s := m.statusOf(m.open[source])
	if m.procLies {
		s.ino++
	}
	return s, nil
}

func (m *model) linkProc(_, source, dir handle, name string) error {
	before, after := m.call("link by procfs %s", role(name))
	if before != nil {
		return before
	}
	return m.addName(source, dir, name, after)
}

func (m *model) exchange(dir handle, a, b string) error {
	before, after := m.call("exchange %s %s", role(a), role(b))
	if before != nil {
		return before
	}
	if m.noExchange != nil {
		return m.noExchange
	}
	if names := m.of(dir).names; names[a] == 0 || names[b] == 0 {
		return syscall.ENOENT
	}
	m.change(dir, edit{what: "exchange", a: a, b: b})
	return after
}

func (m *model) move(dir handle, from, to string) error {
	before, after := m.call("move %s", role(from))
	if before != nil {
		return before
	}
	names := m.of(dir).names
	switch {
	case m.noMove != nil:
		return m.noMove
	case names[from] == 0:
		return syscall.ENOENT
	case names[to] != 0:
		return syscall.EEXIST
	}
	m.change(dir, edit{what: "move", a: from, b: to})
	return after
}

func (m *model) unlink(dir handle, name string) error {
	before, after := m.call("unlink %s", role(name))
	if before != nil {
		return before
	}
	if m.of(dir).names[name] == 0 {
		return syscall.ENOENT
	}
	m.change(dir, edit{what: "remove", a: name})
	return after
}

// change does something to the names of a folder, and notes that it is not on
// the disk yet.
func (m *model) change(dir handle, e edit) {
	d := m.of(dir)
	e.do(d.names)
	d.undone = append(d.undone, e)
}

// role shortens the names of a change, which are random.
func role(name string) string {
	if _, role, trashed, ok := parseName(name); ok {
		if trashed {
			return "trash." + role
		}
		return role
	}
	return name
}

// folder finds a folder by its path.
func (m *model) folder(path string) *node {
	ino := uint64(topIno)
	for name := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if ino = m.inodes[ino].names[name]; ino == 0 {
			return nil
		}
	}
	return m.inodes[ino]
}
