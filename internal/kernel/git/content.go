package git

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// throughGit is a file whose content only git can convert, and where its entry
// stands.
type throughGit struct {
	node *node
	file int
}

// largeFile is the size above which a file is not held in memory as a whole.
const largeFile = 64 << 20

// symlink takes a link: its text is its content.
func (v *visitor) symlink(name, path string, e *indexEntry, info fileInfo) error {
	text, err := v.folder.link(name)
	if err != nil {
		return v.unseen(path, err)
	}
	raw, err := v.sink.blob([]byte(text))
	if err != nil {
		return err
	}
	v.count()
	v.put(path, e, raw, ModeLink, &info)
	return nil
}

func (s *scan) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hashed++
}

// regular reads a file.
func (v *visitor) regular(name, path string, e *indexEntry, info fileInfo) error {
	if v.maxFile > 0 && info.size > v.maxFile {
		v.cannot(path, ReasonTooLarge)
		return nil
	}
	file, info, err := v.folder.open(name)
	if err != nil {
		return v.unseen(path, err)
	}
	defer func() { _ = file.Close() }()
	if !info.isRegular() {
		v.cannot(path, ReasonSpecial)
		return nil
	}
	c := conversion{}
	if chain := v.attributesOf(v.node); chain != nil || v.rules.own != nil || v.rules.ends.autocrlf != "" {
		c = v.rules.conversion(chain, path)
	}
	mode := v.modeOf(e, info)
	if c.filter != "" || c.recode {
		done, err := v.foreign(file, path, e, mode, &info, c)
		if done || err != nil {
			return err
		}
	}
	raw, err := v.hash(file, path, &info, c)
	if err != nil || raw == "" {
		return err
	}
	v.count()
	v.put(path, e, raw, mode, &info)
	return nil
}

// modeOf is the mode of a file in a tree. Where the file system has no
// executable bit, the index remembers it.
func (v *visitor) modeOf(e *indexEntry, info fileInfo) uint32 {
	switch {
	case v.rules.fileMode && info.mode&0o100 != 0:
		return ModeExec
	case v.rules.fileMode:
		return ModeFile
	case e != nil && e.mode == ModeExec:
		return ModeExec
	}
	return ModeFile
}

// hash reads the content until it has held still, stores it and returns its id.
// An empty id says that the file has been named as a problem.
func (v *visitor) hash(file *os.File, path string, info *fileInfo, c conversion) (string, error) {
	for range 3 {
		var raw string
		var err error
		if info.size > largeFile && c.plain() {
			raw, err = v.sink.large(v.ctx, file, info.size)
		} else {
			raw, err = v.small(file, path, info, c)
		}
		if errors.Is(err, errChanging) {
			raw, err = "", nil
		}
		if err != nil {
			if isReadError(err) {
				v.cannot(path, ReasonUnreadable)
				return "", nil
			}
			return "", err
		}
		now, err := infoOfFile(file)
		if err != nil {
			v.cannot(path, ReasonUnreadable)
			return "", nil //nolint:nilerr // named as a problem
		}
		if raw != "" && now.stat == info.stat {
			return raw, nil
		}
		*info = now
	}
	v.cannot(path, ReasonChanging)
	return "", nil
}

// errChanging says that a file changed under our eyes.
var errChanging = errors.New("the file changes while it is read")

// isReadError tells a file that cannot be read from a repository that cannot be
// written.
func isReadError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Op == "read"
}

func (v *visitor) small(file *os.File, path string, info *fileInfo, c conversion) (string, error) {
	data := make([]byte, info.size)
	if _, err := io.ReadFull(io.NewSectionReader(file, 0, info.size), data); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return "", errChanging
		}
		return "", err
	}
	if !c.plain() {
		data = c.toRepository(data, func() []byte { return v.before(path) })
	}
	return v.sink.blob(data)
}

// before is what git's own index has for a path. The private one may have what
// was taken under other rules.
func (v *visitor) before(path string) []byte {
	v.ownOnce.Do(func() {
		if x, err := v.ownIndex(filepath.Join(v.w.gitDir, "index")); err == nil {
			v.own = x.entries
		}
	})
	at := search(len(v.own), func(i int) bool { return v.own[i].path >= path })
	if at >= len(v.own) || v.own[at].path != path || v.own[at].mode != ModeFile && v.own[at].mode != ModeExec {
		return nil
	}
	data, err := v.w.repo.Blob(v.ctx, oidOf([]byte(v.own[at].raw)))
	if err != nil {
		return nil
	}
	return data
}

// foreign handles a file with a filter or an encoding, which only git converts.
// A filter without a program does nothing. Where programs may not run, a file is
// its own content if it is the one that the index has, unfiltered as our checkout
// leaves it, or a pointer to a large file that is not here; else it is named.
func (v *visitor) foreign(file *os.File, path string, e *indexEntry, mode uint32, info *fileInfo, c conversion) (done bool, err error) {
	runs := v.rules.drivers[c.filter]
	if !runs && !c.recode {
		return false, nil
	}
	if runs && !v.w.repo.options.Filters {
		if isPointer(file, info.size) {
			return false, nil
		}
		if e != nil && v.isStored(file, info.size, e.raw) {
			v.put(path, e, e.raw, mode, info)
			return true, nil
		}
		v.cannot(path, ReasonFilter)
		return true, nil
	}
	v.put(path, e, "", mode, info)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.through = append(v.through, throughGit{v.node, len(v.node.files) - 1})
	return true, nil
}

// isStored says whether the bytes of a file are those of an object.
func (v *visitor) isStored(file *os.File, size int64, raw string) bool {
	h := v.w.repo.format.hash()
	h.Write(header(KindBlob, size))
	n, err := io.Copy(h, io.NewSectionReader(file, 0, size))
	return err == nil && n == size && string(h.Sum(nil)) == raw
}

// isPointer knows the small file that stands for one in a large file storage.
func isPointer(file *os.File, size int64) bool {
	const start = "version https://git-lfs.github.com/spec/v1\n"
	if size < int64(len(start)) || size > 1024 {
		return false
	}
	var head [len(start)]byte
	n, _ := file.ReadAt(head[:], 0)
	return bytes.Equal(head[:n], []byte(start))
}
