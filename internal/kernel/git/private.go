package git

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// A private index is an index file of version 2 or 3 with a note that says which
// state of the working tree's own index it has followed, and what decided about
// content. It is a cache: its checksum is verified, and one that cannot be read
// is begun anew, so it need not be flushed. States of files that could still
// change unseen are left out of it, so that those files are read again.

// remembered loads what is known of the working tree.
func (s *scan) remembered() error {
	ownPath := filepath.Join(s.w.gitDir, "index")
	now := signature(ownPath)
	known, followed := s.readPrivate()
	if known != nil && followed == now {
		s.seen = now
		s.use(known)
		return nil
	}
	own, err := s.ownIndex(ownPath)
	if err != nil {
		return err
	}
	s.seen, s.stale = now, true
	if known == nil {
		s.use(own)
		return nil
	}
	s.use(mergeIndexes(own, known))
	return nil
}

// readPrivate returns the private index, and the state of git's own index that
// it has followed. One that is damaged, or another working tree's, is none.
func (s *scan) readPrivate() (known *index, followed string) {
	if s.private == "" {
		return nil, ""
	}
	known, err := readIndexFile(s.w.repo.format, s.private)
	if err != nil || known == nil {
		return nil, ""
	}
	note := strings.Split(known.note, "\n")
	if len(note) != 3 || note[0] != strconv.Quote(s.w.root) {
		return nil, ""
	}
	s.digest = note[2]
	return known, note[1]
}

func (s *scan) note() string {
	return strconv.Quote(s.w.root) + "\n" + s.seen + "\n" + s.ruleDigest
}

func (s *scan) use(x *index) {
	s.old = x.entries
	s.cache = x.trees
	s.skipping = slices.ContainsFunc(x.entries, func(e indexEntry) bool { return e.skipped() })
}

// signature identifies a state of a file.
func signature(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "none"
	}
	defer func() { _ = f.Close() }()
	info, err := infoOfFile(f)
	if err != nil {
		return "none"
	}
	return fmt.Sprintf("%+v", info.stat)
}

// ownIndex is the index that git uses in this working tree. States that git
// itself would not believe are taken out.
func (s *scan) ownIndex(path string) (*index, error) {
	x, err := readIndexFile(s.w.repo.format, path)
	if errors.Is(err, errPartial) {
		return s.listedIndex()
	}
	if err != nil {
		return nil, err
	}
	if x == nil && s.change {
		return &index{format: s.w.repo.format}, nil
	}
	if x == nil {
		return s.headIndex()
	}
	for i := range x.entries {
		e := &x.entries[i]
		if e.flags&flagAssumed != 0 {
			e.flags &^= flagAssumed
		}
		if !e.stat.before(&x.written) {
			e.stat = stat{}
		}
	}
	return x, nil
}

// listedIndex asks git for the entries of an index that is spread over several
// files or stands for trees. It knows no states of files.
func (s *scan) listedIndex() (*index, error) {
	out, _, err := s.w.git(s.ctx, job{args: []string{"ls-files", "--stage", "-t", "-z"}, limit: 1 << 30})
	if err != nil {
		return nil, err
	}
	x := &index{format: s.w.repo.format}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		head, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head) // tag, mode, id, stage
		bad := fault.New(CodeFailed, "git ls-files printed what cannot be read")
		if !ok || len(fields) != 4 || !safePath(path) || s.w.repo.format.Check(OID(fields[2])) != nil {
			return nil, bad
		}
		var mode uint32
		var stage uint16
		if _, err := fmt.Sscanf(fields[1]+" "+fields[3], "%o %d", &mode, &stage); err != nil || stage > 3 {
			return nil, bad
		}
		e := indexEntry{path: path, raw: string(OID(fields[2]).raw()), mode: mode, flags: stage << 12}
		if fields[0] == "S" {
			e.flags |= flagSkip
		}
		x.entries = append(x.entries, e)
	}
	return x, nil
}

// mergeIndexes joins what git tracks now with what the last snapshot has seen.
// Whether a path is tracked, git's index says; the state of its file, the private
// one, which is younger and has no guesses in it.
func mergeIndexes(own, private *index) *index {
	out := &index{format: own.format, trees: private.trees}
	a, b := own.entries, private.entries
	same := true
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) == 0 || len(b) > 0 && compareIndex(&b[0], &a[0]) < 0:
			e := b[0]
			same = same && e.flags&flagUntracked != 0
			e.flags = flagUntracked
			out.entries = append(out.entries, e)
			b = b[1:]
		case len(b) == 0 || compareIndex(&a[0], &b[0]) < 0:
			same = false
			out.entries = append(out.entries, a[0])
			a = a[1:]
		default:
			e := b[0]
			if e.stat == (stat{}) || a[0].skipped() {
				same = same && e.raw == a[0].raw && e.mode == a[0].mode
				e = a[0]
			}
			e.flags = a[0].flags
			out.entries = append(out.entries, e)
			a, b = a[1:], b[1:]
		}
	}
	out.entries = dropUnmergedTwins(out.entries)
	if !same {
		out.trees = nil
	}
	return out
}

// dropUnmergedTwins removes what one index has as merged where the other has
// stages.
func dropUnmergedTwins(entries []indexEntry) []indexEntry {
	out := entries[:0]
	for i, e := range entries {
		if e.stage() == 0 && i+1 < len(entries) && entries[i+1].path == e.path {
			continue
		}
		out = append(out, e)
	}
	return out
}

// now is the time as the file system has it: a file that is changed later has
// this time or a later one.
func (s *scan) now() (stat, error) {
	path := s.private
	if path == "" {
		path = filepath.Join(s.w.gitDir, "index")
	}
	path += ".now-" + rand.Text()
	if err := put(path, nil); err != nil {
		return stat{}, durable.Explain("write beside", s.private, err)
	}
	defer func() { _ = os.Remove(path) }()
	info, err := os.Open(path)
	if err != nil {
		return stat{}, unreadable(path, err)
	}
	defer func() { _ = info.Close() }()
	mark, err := infoOfFile(info)
	if err != nil {
		return stat{}, unreadable(path, err)
	}
	if root, err := os.Open(s.w.root); err == nil {
		if at, err := infoOfFile(root); err != nil || at.device != mark.device {
			mark.stat.mtimeS -= 2 // another file system may have another clock
		}
		_ = root.Close()
	}
	return mark.stat, nil
}

// rulesChanged says whether what decides about content differs from what the
// private index was written under: then its ids are those of other conversions.
func (s *scan) rulesChanged(root *node) bool {
	s.learnRules(root.each)
	return s.trust && s.digest != "" && s.digest != s.ruleDigest
}

// learnRules computes a digest of what decides about content.
func (s *scan) learnRules(each func(fn func(*indexEntry))) {
	var files []string
	each(func(e *indexEntry) {
		if e.path == ".gitattributes" || strings.HasSuffix(e.path, "/.gitattributes") {
			files = append(files, e.path+"\x00"+e.raw)
		}
	})
	s.ruleDigest = s.rules.digest
	if len(files) == 0 {
		return
	}
	slices.Sort(files)
	h := s.w.repo.format.hash()
	for _, f := range files {
		h.Write([]byte(f))
	}
	s.ruleDigest += string(s.w.repo.format.sum(h))
}

// remember writes the private index if it would say something new.
func (s *scan) remember(root *node) error {
	if !s.stale && root.kept == len(s.old) && root.count == root.kept && root.restated == 0 && s.cache != nil && s.cache.count == root.count {
		return nil
	}
	x := &index{format: s.w.repo.format, entries: root.entries(make([]indexEntry, 0, root.count)), trees: root.cached(""), note: s.note()}
	return replaceCache(s.private, encodeIndex(x))
}

// replaceCache replaces a file that may be lost but is never half written.
func replaceCache(path string, data []byte) error {
	temp := path + ".new-" + rand.Text()
	err := put(temp, data)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return durable.Explain("write", path, err)
	}
	sweepCache(path)
	return nil
}

// replaceOwnIndex replaces the index that git uses in this working tree, under
// git's own lock. The lock is a second name of a file of ours, so that one which
// a killed process of ours left is told from a living git's; the caller keeps
// others of ours away.
func (w *Worktree) replaceOwnIndex(path string, data []byte) error {
	lock, own := path+".lock", path+".ours"
	if mine, err := os.Lstat(own); err == nil {
		if held, err := os.Lstat(lock); err == nil && os.SameFile(mine, held) {
			_ = os.Remove(lock)
		}
		_ = os.Remove(own)
	}
	err := put(own, data)
	defer func() { _ = os.Remove(own) }()
	if err == nil {
		err = os.Link(own, lock)
	}
	if errors.Is(err, fs.ErrExist) {
		return fault.Newf(CodeBadWorktree, "the index of %q is locked", w.root).
			WithHint("if no git runs there, a crash left the lock; then remove %q", lock)
	}
	if err != nil {
		return durable.Explain("write", path, err)
	}
	if err := os.Rename(lock, path); err != nil {
		_ = os.Remove(lock)
		return durable.Explain("write", path, err)
	}
	return nil
}

// sweepCache removes what killed processes have left beside the file.
func sweepCache(path string) {
	if err := os.Remove(path + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, kind := range []string{".new-*", ".now-*"} {
		left, _ := filepath.Glob(escapeGlob(path) + kind)
		for _, old := range left {
			_ = os.Remove(old)
		}
	}
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
