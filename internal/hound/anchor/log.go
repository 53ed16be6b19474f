package anchor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/seal"
)

const originFile = "origin"

// Log is the log of records in a folder.
type Log struct {
	log    *seal.Log
	origin string
}

// Make opens the log in a folder, or makes one that is named after origin.
func Make(dir, origin string) (*Log, error) {
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	err := durable.CreateFile(filepath.Join(dir, originFile), []byte(origin+"\n"), 0o600)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return Open(dir)
}

// Open opens the log in a folder.
func Open(dir string) (*Log, error) {
	text, err := os.ReadFile(filepath.Join(dir, originFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Newf(CodeNotAnchored, "there is no log in %q", dir).
			WithHint("anchor a record first, or name the folder with --log").Because(err)
	}
	if err != nil {
		return nil, durable.Explain("read", filepath.Join(dir, originFile), err)
	}
	origin, ok := strings.CutSuffix(string(text), "\n")
	if !ok || origin == "" || len(origin) > 256 || strings.ContainsAny(origin, " +\n\r\t") {
		return nil, fault.Newf(seal.CodeBadLog, "the log in %q has no name that could be its own", dir).
			WithHint("its file %q was changed by something else", originFile)
	}
	log, err := seal.OpenLog(dir, origin)
	return &Log{log: log, origin: origin}, err
}

// Entry is a digest in the log.
type Entry struct {
	Digest seal.Digest
	Index  int64
	Added  bool // it was not there before
}

// Anchored is what a log holds after digests were added.
type Anchored struct {
	Entries    []Entry
	Checkpoint seal.Checkpoint
	Signed     []byte // the checkpoint as a signed note
}

// Add logs digests, those that are not there, and signs what the log holds then.
// They are on the disk when it returns.
func (l *Log) Add(ctx context.Context, key seal.Key, digests ...seal.Digest) (Anchored, error) {
	done, err := l.log.AppendNew(ctx, digests...)
	if err != nil {
		return Anchored{}, err
	}
	out := Anchored{Checkpoint: done.Checkpoint}
	for i, d := range digests {
		out.Entries = append(out.Entries, Entry{Digest: d, Index: done.Indexes[i], Added: done.Added[i]})
	}
	out.Signed, err = done.Checkpoint.Sign(key)
	return out, err
}

// Prove is the proof of an entry, below a checkpoint of now.
func (l *Log) Prove(ctx context.Context, key seal.Key, e Entry) (seal.Proof, error) {
	return l.log.Prove(ctx, key, e.Index)
}

// Origin is the log's name.
func (l *Log) Origin() string { return l.origin }

// Checked is how a digest was found below a checkpoint.
type Checked struct {
	Checkpoint seal.Checkpoint
	Index      int64
	ByLog      bool // with the log's help; otherwise the proof was enough
}

// CheckProof checks a digest against a proof alone.
func CheckProof(text []byte, d seal.Digest, keys ...string) (Checked, error) {
	p, err := seal.ParseProof(text)
	if err != nil {
		return Checked{}, err
	}
	c, err := p.Check(d, keys...)
	return Checked{Checkpoint: c, Index: p.Index}, err
}

// IsProof tells a proof from a checkpoint.
func IsProof(text []byte) bool { return strings.HasPrefix(string(text), seal.ProofHeader) }

// CheckKept checks a digest against a checkpoint that was kept elsewhere: the log
// must still begin with what the checkpoint says, and the digest be in that part.
func (l *Log) CheckKept(ctx context.Context, signed []byte, d seal.Digest, keys ...string) (Checked, error) {
	kept, err := seal.OpenCheckpoint(signed, keys...)
	if err != nil {
		return Checked{}, err
	}
	now, err := l.log.Checkpoint(ctx)
	if err != nil {
		return Checked{}, err
	}
	var path [][32]byte
	if kept.Size <= now.Size {
		if path, err = l.log.ProveConsistency(ctx, kept.Size, now.Size); err != nil {
			return Checked{}, err
		}
	}
	if err := seal.CheckConsistency(kept, now, path); err != nil {
		return Checked{}, err
	}
	index, found, err := l.log.Find(ctx, d)
	if err != nil {
		return Checked{}, err
	}
	if !found || index >= kept.Size {
		return Checked{}, notAnchored(d, kept.Size)
	}
	p, err := l.log.ProveUnder(ctx, kept, signed, index)
	if err != nil {
		return Checked{}, err
	}
	_, err = p.Check(d, keys...)
	return Checked{Checkpoint: kept, Index: index, ByLog: true}, err
}

func notAnchored(d seal.Digest, size int64) error {
	return fault.Newf(CodeNotAnchored, "the record's digest %s is not among the first %d entries of the log", d, size).
		WithHint("it was anchored after the checkpoint was made, or it is not the record that was anchored")
}
