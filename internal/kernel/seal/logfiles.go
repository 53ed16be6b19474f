package seal

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// state is the log's two files, open.
type state struct {
	dir          string
	leaves, tree *os.File
	size         int64  // whole leaves
	ragged       bool   // a part of one follows
	stored       int64  // hashes in the tree's file
	over         memory // the tree, where the file cannot be used
}

func (l *Log) open(flag int) (*state, error) {
	s := &state{dir: l.dir}
	for name, f := range map[string]**os.File{leavesName: &s.leaves, treeName: &s.tree} {
		opened, err := openRegular(filepath.Join(l.dir, name), flag)
		if err != nil {
			s.close()
			return nil, err
		}
		*f = opened
	}
	leaves, err := s.leaves.Stat()
	if err != nil {
		s.close()
		return nil, err
	}
	tree, err := s.tree.Stat()
	if err != nil {
		s.close()
		return nil, err
	}
	s.size, s.stored = leaves.Size()/int64(leafSize), tree.Size()/int64(leafSize)
	s.ragged = leaves.Size()%int64(leafSize) != 0
	return s, nil
}

// openRegular refuses what is no plain file: a link could lead an append out of
// the folder.
func openRegular(path string, flag int) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, durable.Explain("open", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, badLog(filepath.Dir(path))
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, durable.Explain("open", path, err)
	}
	return f, nil
}

func (s *state) close() {
	for _, f := range []*os.File{s.leaves, s.tree} {
		if f != nil {
			f.Close()
		}
	}
}

// usable makes the tree anew in memory where its file is not that of the leaves.
func (s *state) usable() (err error) {
	if s.behind() {
		s.over, err = s.rebuilt()
	}
	return err
}

// behind reports that the tree's file is not that of the leaves.
func (s *state) behind() bool { return s.stored != tlog.StoredHashCount(s.size) }

// mend takes back half a leaf, which was never acknowledged, and brings the
// tree in line with the leaves.
func (s *state) mend() error {
	if s.ragged {
		if err := s.leaves.Truncate(s.size * int64(leafSize)); err != nil {
			return durable.Explain("mend", s.dir, err)
		}
	}
	if !s.behind() {
		return nil
	}
	anew, err := s.rebuilt()
	if err != nil {
		return err
	}
	if err := s.tree.Truncate(0); err != nil {
		return durable.Explain("mend", s.dir, err)
	}
	if err := writeHashes(s.tree, 0, anew); err != nil {
		return durable.Explain("mend", s.dir, err)
	}
	s.stored = int64(len(anew))
	return nil
}

// add writes leaves, synced, and then the hashes that they complete.
func (s *state) add(digests []Digest) error {
	grown := overlay{below: s}
	raw := make([]byte, 0, len(digests)*leafSize)
	for i, d := range digests {
		raw = append(raw, d[:]...)
		more, err := tlog.StoredHashesForRecordHash(s.size+int64(i), d.leaf(), &grown)
		if err != nil {
			return err
		}
		grown.more = append(grown.more, more...)
	}
	if _, err := s.leaves.WriteAt(raw, s.size*int64(leafSize)); err != nil {
		return errors.Join(err, s.leaves.Truncate(s.size*int64(leafSize)))
	}
	if err := s.leaves.Sync(); err != nil {
		return errors.Join(err, s.leaves.Truncate(s.size*int64(leafSize)))
	}
	s.size += int64(len(digests))
	// A tree that falls behind is made anew by the next one who opens the log.
	if writeHashes(s.tree, s.stored, grown.more) == nil {
		s.stored += int64(len(grown.more))
	}
	return nil
}

func writeHashes(f *os.File, at int64, all []tlog.Hash) error {
	raw := make([]byte, 0, len(all)*leafSize)
	for _, h := range all {
		raw = append(raw, h[:]...)
	}
	_, err := f.WriteAt(raw, at*int64(leafSize))
	return err
}

// rebuilt is the tree made from the leaves alone.
func (s *state) rebuilt() (memory, error) {
	var tree memory
	raw, err := io.ReadAll(io.NewSectionReader(s.leaves, 0, s.size*int64(leafSize)))
	if err != nil {
		return nil, durable.Explain("read", s.dir, err)
	}
	for i := range s.size {
		d := Digest(raw[i*int64(leafSize):])
		more, err := tlog.StoredHashesForRecordHash(i, d.leaf(), tree)
		if err != nil {
			return nil, err
		}
		tree = append(tree, more...)
	}
	return tree, nil
}

// ReadHashes is what the tlog package asks of a tree's keeper.
func (s *state) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	if s.over != nil {
		return s.over.ReadHashes(indexes)
	}
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= s.stored {
			return nil, badLog(s.dir)
		}
		if _, err := s.tree.ReadAt(out[i][:], at*int64(leafSize)); err != nil {
			return nil, durable.Explain("read", s.dir, err)
		}
	}
	return out, nil
}

func badLog(dir string) error {
	return fault.Newf(CodeBadLog, "the log in %q does not agree with its own leaves", dir).
		WithHint("its files were changed by something else; compare its checkpoint with one kept elsewhere")
}
