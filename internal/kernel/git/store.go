package git

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/inflate"
)

// store reads objects: loose ones and packs, of the repository and of those it
// borrows from. Objects never change, so what was found stays true; only "it is
// not there" is looked up again.
type store struct {
	format Format
	clock  clock.Clock // nil when nothing is written
	dirs   []string    // folders of objects, the repository's own first

	mu     sync.RWMutex
	packs  []*pack
	opened map[string]bool
	loaded bool
	bad    error // the first pack that could not be opened
}

// maxBorrowing is how many folders of objects one repository may use.
const maxBorrowing = 64

func openStore(format Format, objects string) (*store, error) {
	s := &store{format: format, opened: map[string]bool{}}
	if err := s.borrow(objects, 0); err != nil {
		return nil, err
	}
	return s, nil
}

// borrow adds a folder of objects and those that it names as alternates.
func (s *store) borrow(dir string, depth int) error {
	dir = filepath.Clean(dir)
	if slices.Contains(s.dirs, dir) {
		return nil
	}
	if depth > 5 || len(s.dirs) >= maxBorrowing {
		return fault.New(CodeUnsupported, "the repository borrows objects over too many others")
	}
	s.dirs = append(s.dirs, dir)
	list, err := ReadPlain(filepath.Join(dir, "info", "alternates"), maxRules)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return unreadable(filepath.Join(dir, "info", "alternates"), err)
	}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '"' {
			return fault.New(CodeUnsupported, "the repository names in quotes another one that it borrows objects from")
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if info, err := os.Stat(line); err != nil || !info.IsDir() {
			continue // git goes on without it, too; a missing object is said when it is asked for
		}
		if err := s.borrow(line, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs = nil
}

// loosePath is where an object lies that is in no pack.
func loosePath(dir string, id OID) string {
	return filepath.Join(dir, string(id[:2]), string(id[2:]))
}

// load opens the packs that are not open yet and says whether there were any.
func (s *store) load() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.bad = true, nil
	more := false
	for _, dir := range s.dirs {
		names, err := os.ReadDir(filepath.Join(dir, "pack"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.bad = unreadable(filepath.Join(dir, "pack"), err)
		}
		for _, entry := range names {
			path := filepath.Join(dir, "pack", entry.Name())
			if !strings.HasPrefix(entry.Name(), "pack-") || filepath.Ext(path) != ".idx" || s.opened[path] {
				continue
			}
			p, err := openPack(s.format, strings.TrimSuffix(path, ".idx")+".pack")
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) {
					s.bad = err
				}
				continue
			}
			s.opened[path], more = true, true
			s.packs = append(s.packs, p)
		}
	}
	return more
}

// inPacks finds an object in a pack that is open.
func (s *store) inPacks(raw []byte) (*pack, int64, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.packs {
		if n, ok := p.index.find(raw); ok {
			if at, ok := p.index.offset(n); ok {
				return p, at, true
			}
		}
	}
	return nil, 0, false
}

// locate finds an object in the packs, opening them when that has not happened
// and again when nothing has the object: others repack meanwhile.
func (s *store) locate(id OID, again bool) (*pack, int64, bool) {
	s.mu.RLock()
	loaded := s.loaded
	s.mu.RUnlock()
	if !loaded {
		s.load()
	}
	raw := id.raw()
	p, at, ok := s.inPacks(raw)
	if !ok && again && loaded && s.load() {
		p, at, ok = s.inPacks(raw)
	}
	return p, at, ok
}

// has says whether the object is there.
func (s *store) has(id OID) bool {
	if _, _, ok := s.locate(id, false); ok {
		return true
	}
	if s.loose(id) != "" {
		return true
	}
	_, _, ok := s.locate(id, true)
	return ok
}

// loose is the file that holds an object alone, or "". An empty file is no
// object: a crash leaves such files.
func (s *store) loose(id OID) string {
	for _, dir := range s.dirs {
		path := loosePath(dir, id)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return path
		}
	}
	return ""
}

// read returns an object whose bytes have been compared with its name.
func (s *store) read(id OID) (Kind, []byte, error) {
	if err := s.format.Check(id); err != nil {
		return "", nil, err
	}
	kind, data, err := s.find(id)
	if err != nil {
		return "", nil, err
	}
	if s.format.ID(kind, data) != id {
		return "", nil, fault.Newf(CodeCorrupt, "the object %s of the repository is damaged", id).
			WithHint("look at the whole repository with \"git fsck\"")
	}
	return kind, data, nil
}

func (s *store) find(id OID) (Kind, []byte, error) {
	for _, again := range []bool{false, true} {
		if p, at, ok := s.locate(id, again); ok {
			object, err := p.read(at)
			return object.kind, object.data, err
		}
		for _, dir := range s.dirs {
			kind, data, err := readLoose(loosePath(dir, id))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return kind, data, err
			}
		}
	}
	if s.bad != nil {
		return "", nil, s.bad
	}
	if s.format.EmptyTree() == id {
		return KindTree, nil, nil // git knows it without having it
	}
	return "", nil, fault.Newf(CodeMissingObject, "the object %s is not in the repository", id).
		WithHint("a partial or damaged clone lacks objects; bring them here with git fetch --refetch --no-filter, then try again")
}

// readLoose reads an object that is a file of its own.
func readLoose(path string) (Kind, []byte, error) {
	compressed, err := ReadPlain(path, maxLooseRaw)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
		return "", nil, unreadable(path, err)
	}
	kind, data, err := parseLoose(compressed)
	if err != nil {
		id := filepath.Base(filepath.Dir(path)) + filepath.Base(path)
		return "", nil, fault.Newf(CodeCorrupt, "the object %s of the repository is damaged", id).Because(err).
			WithHint("look at the whole repository with \"git fsck\"")
	}
	return kind, data, nil
}

func parseLoose(compressed []byte) (Kind, []byte, error) {
	// How large it is says the object itself. Most are not packed more than this.
	out := make([]byte, min(4*len(compressed)+64, 1<<20))
	n, err := inflate.Into(out, compressed)
	more := errors.Is(err, inflate.ErrFull)
	if err != nil && !more {
		return "", nil, err
	}
	head, _, ok := bytes.Cut(out[:min(n, 64)], []byte{0})
	kind, digits, both := strings.Cut(string(head), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	if !ok || !both || err != nil || size < 0 || !isKind(Kind(kind)) {
		return "", nil, malformed("an object", "does not begin as one")
	}
	if size > maxObject {
		return "", nil, tooLarge()
	}
	if size > int64(len(compressed))*1040 {
		return "", nil, io.ErrUnexpectedEOF
	}
	start := len(head) + 1
	if more && start+int(size) > n {
		out = make([]byte, start+int(size))
		if n, err = inflate.Into(out, compressed); err != nil {
			return "", nil, err
		}
		more = false
	}
	if more || n != start+int(size) {
		return "", nil, io.ErrUnexpectedEOF
	}
	return Kind(kind), out[start:n:n], nil
}
