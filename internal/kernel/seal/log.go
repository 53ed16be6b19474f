package seal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Log is a transparency log in a folder: leaves, of 32 bytes each, and the
// stored hashes of the tree above them. Several processes may append at once.
type Log struct {
	dir    string
	origin string
}

const (
	leafSize   = len(Digest{})
	leavesName = "leaves"
	treeName   = "tree"
)

// OpenLog opens the log in dir, which is made with mode 0700 if there is none.
// Origin is the name that its checkpoints carry.
func OpenLog(dir, origin string) (*Log, error) {
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, name := range []string{leavesName, treeName} {
		err := durable.CreateFile(filepath.Join(dir, name), nil, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return &Log{dir: dir, origin: origin}, nil
}

// Append logs digests and returns the index of the first. They are on disk when
// it returns.
func (l *Log) Append(ctx context.Context, digests ...Digest) (first int64, err error) {
	err = l.write(ctx, func(s *state) error {
		first = s.size
		return s.add(digests)
	})
	return first, err
}

// Appended is what AppendNew did.
type Appended struct {
	Indexes    []int64 // where the log first holds each digest
	Added      []bool  // whether it did not before
	Checkpoint Checkpoint
}

// AppendNew logs the digests that the log does not hold, all at once, and says
// what it holds then.
func (l *Log) AppendNew(ctx context.Context, digests ...Digest) (Appended, error) {
	var out Appended
	err := l.write(ctx, func(s *state) error {
		var fresh []Digest
		at := map[Digest]int64{}
		for _, d := range digests {
			index, known := at[d]
			if !known {
				first, found, err := s.find(d)
				if err != nil {
					return err
				}
				if !found {
					first = s.size + int64(len(fresh))
					fresh = append(fresh, d)
				}
				index, known, at[d] = first, found, first
			}
			out.Indexes, out.Added = append(out.Indexes, index), append(out.Added, !known)
		}
		if len(fresh) > 0 {
			if err := s.add(fresh); err != nil {
				return err
			}
		}
		if err := s.usable(); err != nil {
			return err
		}
		root, err := tlog.TreeHash(s.size, s)
		out.Checkpoint = Checkpoint{Origin: l.origin, Size: s.size, Root: root}
		return err
	})
	return out, err
}

// write runs fn on the log, mended, while nobody else reads or writes.
func (l *Log) write(ctx context.Context, fn func(*state) error) error {
	unlock, err := durable.Lock(ctx, filepath.Join(l.dir, "lock"), "anchor")
	if err != nil {
		return err
	}
	defer unlock()
	s, err := l.open(os.O_RDWR)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.mend(); err != nil {
		return err
	}
	return durable.Explain("anchor in", l.dir, fn(s))
}

// Checkpoint is what the log holds now.
func (l *Log) Checkpoint(ctx context.Context) (Checkpoint, error) {
	var c Checkpoint
	err := l.read(ctx, func(s *state) error {
		root, err := tlog.TreeHash(s.size, s)
		c = Checkpoint{Origin: l.origin, Size: s.size, Root: root}
		return err
	})
	return c, err
}

// Find is where the log first holds d.
func (l *Log) Find(ctx context.Context, d Digest) (index int64, found bool, err error) {
	err = l.read(ctx, func(s *state) error {
		index, found, err = s.find(d)
		return err
	})
	return index, found, err
}

// find reads the leaves in pieces: large enough that the calls do not count, and
// small enough that making room for them does not either.
func (s *state) find(d Digest) (int64, bool, error) {
	const piece = 512 // leaves
	buf := make([]byte, min(s.size, piece)*int64(leafSize))
	for from := int64(0); from < s.size; from += piece {
		part := buf[:min(s.size-from, piece)*int64(leafSize)]
		if _, err := s.leaves.ReadAt(part, from*int64(leafSize)); err != nil {
			return 0, false, durable.Explain("read", s.dir, err)
		}
		for i := 0; i < len(part); i += leafSize {
			if bytes.Equal(part[i:i+leafSize], d[:]) {
				return from + int64(i/leafSize), true, nil
			}
		}
	}
	return 0, false, nil
}

// Prove shows that the log holds the leaf at index, under a checkpoint of now
// that k signs.
func (l *Log) Prove(ctx context.Context, k Key, index int64) (Proof, error) {
	var p Proof
	err := l.read(ctx, func(s *state) error {
		if index < 0 || index >= s.size {
			return fault.Newf(CodeBadSeal, "the log has %d entries and none at %d", s.size, index)
		}
		path, err := tlog.ProveRecord(s.size, index, s)
		if err != nil {
			return err
		}
		root, err := tlog.TreeHash(s.size, s)
		if err != nil {
			return err
		}
		signed, err := Checkpoint{Origin: l.origin, Size: s.size, Root: root}.Sign(k)
		p = Proof{Index: index, Path: plain(path), Checkpoint: signed}
		return err
	})
	return p, err
}

// ProveUnder shows that the log held the leaf at index when it had the size of
// a checkpoint that was kept elsewhere, which signed is. Whether it did, the
// proof's Check tells.
func (l *Log) ProveUnder(ctx context.Context, c Checkpoint, signed []byte, index int64) (Proof, error) {
	var p Proof
	err := l.read(ctx, func(s *state) error {
		if c.Size > s.size {
			return fault.Newf(CodeBadSeal, "the log has %d entries and had %d when the checkpoint was made", s.size, c.Size).
				WithHint("its end was cut off, or it is another log")
		}
		if index < 0 || index >= c.Size {
			return fault.Newf(CodeBadSeal, "the checkpoint was made before entry %d was logged", index)
		}
		path, err := tlog.ProveRecord(c.Size, index, s)
		p = Proof{Index: index, Path: plain(path), Checkpoint: signed}
		return err
	})
	return p, err
}

// ProveConsistency shows that the tree of later's size begins with that of
// earlier's.
func (l *Log) ProveConsistency(ctx context.Context, earlier, later int64) ([][32]byte, error) {
	var path [][32]byte
	err := l.read(ctx, func(s *state) error {
		if earlier < 0 || earlier > later || later > s.size {
			return fault.Newf(CodeBadSeal, "the log has %d entries, so %d to %d is no part of its past", s.size, earlier, later)
		}
		if earlier == 0 || earlier == later {
			return nil
		}
		hashes, err := tlog.ProveTree(later, earlier, s)
		path = plain(hashes)
		return err
	})
	return path, err
}

// Audit makes the tree anew from the leaves and compares it with the kept one.
func (l *Log) Audit(ctx context.Context) error {
	return l.read(ctx, func(s *state) error {
		kept, err := tlog.TreeHash(s.size, s)
		if err != nil {
			return err
		}
		anew, err := s.rebuilt()
		if err != nil {
			return err
		}
		root, err := tlog.TreeHash(s.size, anew)
		if err != nil {
			return err
		}
		if root != kept {
			return badLog(l.dir)
		}
		return nil
	})
}

// read runs fn on the log as it is, mended in memory where a writer died.
func (l *Log) read(ctx context.Context, fn func(*state) error) error {
	unlock, err := durable.LockShared(ctx, filepath.Join(l.dir, "lock"), "read the log")
	if err != nil {
		return err
	}
	defer unlock()
	s, err := l.open(os.O_RDONLY)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.usable(); err != nil {
		return err
	}
	return fn(s)
}
