package wrap

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fileid"
)

// treeMemory is what a search of a project's directories found, by directory, so
// that the next search reads only those that changed since: the time of change
// of a directory moves whenever a name in it comes, goes or is exchanged, and no
// program can set it back.
//
// It is a file beside the baseline, of fields that each end in NUL, and no more
// than a shortcut: one that is missing or cannot be read makes the next search
// read everything.
type treeMemory struct {
	// taken is the time before the directories were looked at, in nanoseconds.
	taken int64
	dirs  map[string]seenDir
	// fresh says that something was learned, so that it is worth keeping.
	fresh bool
}

// seenDir is one directory: its identity when it was read, the number of its
// entries, and of those the names that matter.
type seenDir struct {
	id      fileid.Identity
	entries int
	// repository says that it is laid out like one.
	repository bool
	// git are the entries that stand for a repository, dirs the directories.
	git, dirs []string
}

// treeMagic begins the file; another form gets another one.
const treeMagic = "tree 1"

// maxTreeMemory bounds the file.
const maxTreeMemory = 256 << 20

// newTreeMemory returns an empty memory of a search that begins now.
func newTreeMemory() *treeMemory {
	return &treeMemory{taken: clock.System().Now().UnixNano(), dirs: map[string]seenDir{}}
}

// look returns what a directory holds, from memory where it is the same as then.
func (m *treeMemory) look(old *treeMemory, root *rootDir, at string) (seenDir, bool) {
	id, ok := root.stat(at)
	if !ok {
		m.fresh = true
		return seenDir{}, false // gone, or a link meanwhile
	}
	if old != nil {
		if known, ok := old.dirs[at]; ok && known.id == id && id.Settled(old.taken) {
			m.dirs[at] = known
			return known, true
		}
	}
	m.fresh = true
	seen, err := readDir(filepath.Join(root.path, filepath.FromSlash(at)))
	if err != nil {
		return seenDir{}, false // gone, or closed to us: then git finds nothing there either
	}
	seen.id = id
	m.dirs[at] = seen
	return seen, true
}

func readDir(full string) (seenDir, error) {
	entries, err := os.ReadDir(full)
	if err != nil {
		return seenDir{}, err
	}
	seen := seenDir{entries: len(entries)}
	var marks layout
	for _, entry := range entries {
		switch {
		case isGitEntry(entry.Name()):
			seen.git = append(seen.git, entry.Name())
		case entry.IsDir():
			seen.dirs = append(seen.dirs, entry.Name())
		}
		marks.note(entry.Name())
	}
	seen.repository = marks.isRepository()
	return seen, nil
}

// search finds what git takes for a repository below a root, but for the root's
// own: entries named .git, and directories that are laid out like one. It goes
// level by level, so that a bound on the number of entries cuts off the deep ones,
// and follows no link.
func (m *treeMemory) search(old *treeMemory, root, own string, most int) (found []string, partial bool) {
	dir := openRootDir(root)
	defer dir.close()
	level := []string{"."}
	for len(level) > 0 {
		var next []string
		for _, at := range level {
			seen, ok := m.look(old, dir, at)
			if !ok {
				continue
			}
			if most -= seen.entries; most < 0 {
				return found, true
			}
			for _, name := range seen.git {
				if name = path.Join(at, name); name != own && name != ".git" {
					found = append(found, name)
				}
			}
			for _, name := range seen.dirs {
				if name = path.Join(at, name); name != own {
					next = append(next, name)
				}
			}
			if at != "." && seen.repository {
				found = append(found, at)
			}
		}
		level = next
	}
	slices.Sort(found)
	return found, false
}

// treeFile is where the memory of one project is kept.
type treeFile struct {
	path   string
	memory *treeMemory // set once this process has searched
}

// search finds the nested repositories and remembers what it saw.
func (f *treeFile) search(root, own string) (found []string, partial bool) {
	if f.memory == nil {
		f.memory = loadTree(f.path)
	}
	now := newTreeMemory()
	found, partial = now.search(f.memory, root, own, maxWalked)
	now.save(f.path)
	f.memory = now
	return found, partial
}

// loadTree reads a memory; nil where there is none that can be used. The
// identity of the root tells a project that was put in another's place.
func loadTree(file string) *treeMemory {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTreeMemory {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	r := fields{rest: string(data)}
	if r.text() != treeMagic {
		return nil
	}
	m := &treeMemory{taken: r.number(), dirs: make(map[string]seenDir, len(data)/128)}
	for len(r.rest) > 0 && !r.bad {
		at := r.text()
		m.dirs[at] = seenDir{
			id: fileid.Identity{
				Device: uint64(r.number()), Inode: uint64(r.number()), Size: r.number(),
				Mode: uint32(r.number()), Modified: r.number(), Changed: r.number(), //nolint:gosec // written from the same types
			},
			entries: int(r.number()), repository: r.number() == 1, git: r.list(), dirs: r.list(),
		}
	}
	if r.bad {
		return nil
	}
	return m
}

// save keeps what was learned. That it could not be kept costs the next search
// time and nothing else.
func (m *treeMemory) save(file string) {
	if !m.fresh {
		return
	}
	var b bytes.Buffer
	write := func(text string) {
		b.WriteString(text)
		b.WriteByte(0)
	}
	number := func(n int64) { write(strconv.FormatInt(n, 10)) }
	list := func(names []string) {
		number(int64(len(names)))
		for _, name := range names {
			write(name)
		}
	}
	write(treeMagic)
	number(m.taken)
	for at, d := range m.dirs {
		write(at)
		for _, n := range []int64{int64(d.id.Device), int64(d.id.Inode), d.id.Size, int64(d.id.Mode), d.id.Modified, d.id.Changed, int64(d.entries)} { //nolint:gosec // read back into the same types
			number(n)
		}
		if d.repository {
			number(1)
		} else {
			number(0)
		}
		list(d.git)
		list(d.dirs)
	}
	if b.Len() <= maxTreeMemory {
		_ = durable.WriteFile(file, b.Bytes(), fs.FileMode(0o600))
	}
}

// fields reads what save wrote.
type fields struct {
	rest string
	bad  bool
}

func (f *fields) text() string {
	text, rest, ok := strings.Cut(f.rest, "\x00")
	if !ok {
		f.bad, f.rest = true, ""
		return ""
	}
	f.rest = rest
	return text
}

func (f *fields) number() int64 {
	n, err := strconv.ParseInt(f.text(), 10, 64)
	f.bad = f.bad || err != nil
	return n
}

func (f *fields) list() []string {
	n := f.number()
	if n < 0 || n > int64(len(f.rest)) {
		f.bad = true
		return nil
	}
	var names []string
	for range n {
		names = append(names, f.text())
	}
	return names
}
