package seal

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"bridle/internal/kernel/fault"
)

// A Digest is what a log holds: a SHA-256.
type Digest [32]byte

// ParseDigest reads 64 lower-case hexadecimal digits.
func ParseDigest(text string) (Digest, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 32 || text != strings.ToLower(text) {
		return Digest{}, fault.Newf(CodeBadSeal, "%q is no SHA-256 digest", text).WithHint("it has 64 lower-case hexadecimal digits")
	}
	return Digest(raw), nil
}

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// leaf is the hash of the tree's leaf for d: its text is what is logged.
func (d Digest) leaf() tlog.Hash { return tlog.RecordHash([]byte(d.String())) }

const (
	// ProofHeader is the first line of a proof in a file.
	ProofHeader = "c2sp.org/tlog-proof@v1\n"
	// deepest is how many hashes a proof of a tree of 2^63 leaves can have.
	deepest = 64
)

// Proof shows that a log held a digest: where, the hashes beside its way to the
// root, and the signed checkpoint with that root.
type Proof struct {
	Index      int64
	Path       [][32]byte
	Checkpoint []byte
}

// Text is the proof as it is kept in a file.
func (p Proof) Text() []byte {
	var out strings.Builder
	out.WriteString(ProofHeader + "index " + strconv.FormatInt(p.Index, 10) + "\n")
	for _, h := range p.Path {
		out.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	out.WriteString("\n")
	out.Write(p.Checkpoint)
	return []byte(out.String())
}

// ParseProof reads Text.
func ParseProof(text []byte) (Proof, error) {
	rest, ok := strings.CutPrefix(string(text), ProofHeader)
	if !ok {
		return Proof{}, badProof("its first line is another one")
	}
	head, checkpoint, ok := strings.Cut(rest, "\n\n")
	if !ok {
		return Proof{}, badProof("it has no checkpoint")
	}
	first, path, _ := strings.Cut(head, "\n")
	number, ok := strings.CutPrefix(first, "index ")
	index, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || index < 0 || strconv.FormatInt(index, 10) != number {
		return Proof{}, badProof("its index is no number")
	}
	p := Proof{Index: index, Checkpoint: []byte(checkpoint)}
	if path == "" {
		return p, nil
	}
	for line := range strings.SplitSeq(path, "\n") {
		raw, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(raw) != 32 || len(p.Path) == deepest {
			return Proof{}, badProof("a line of it is no hash")
		}
		p.Path = append(p.Path, [32]byte(raw))
	}
	return p, nil
}

// Check reports whether the proof holds for d, and under which checkpoint, if
// one of these keys signed that.
func (p Proof) Check(d Digest, public ...string) (Checkpoint, error) {
	c, err := OpenCheckpoint(p.Checkpoint, public...)
	if err != nil {
		return Checkpoint{}, err
	}
	if p.Index >= c.Size {
		return Checkpoint{}, badProof("its index is past the end of its checkpoint")
	}
	if tlog.CheckRecord(hashes(p.Path), c.Size, tlog.Hash(c.Root), p.Index, d.leaf()) != nil {
		return Checkpoint{}, fault.Newf(CodeBadSeal, "the log did not hold %s at %d", d, p.Index).
			WithHint("what was anchored is not what is checked here")
	}
	return c, nil
}

// CheckConsistency reports whether the tree under later begins with the one
// under earlier.
func CheckConsistency(earlier, later Checkpoint, path [][32]byte) error {
	if earlier.Origin != later.Origin {
		return fault.Newf(CodeBadSeal, "the checkpoints are of two logs, %q and %q", earlier.Origin, later.Origin)
	}
	rewritten := fault.Newf(CodeBadSeal, "the log is not what it was when it had %d entries", earlier.Size).
		WithHint("its past was rewritten, or cut off: trust neither until you know which")
	switch {
	case earlier.Size > later.Size:
		return rewritten
	case earlier.Size == later.Size:
		if earlier.Root != later.Root {
			return rewritten
		}
		return nil
	case earlier.Size == 0:
		return nil
	}
	if tlog.CheckTree(hashes(path), later.Size, tlog.Hash(later.Root), earlier.Size, tlog.Hash(earlier.Root)) != nil {
		return rewritten
	}
	return nil
}

func hashes(path [][32]byte) []tlog.Hash {
	out := make([]tlog.Hash, len(path))
	for i, h := range path {
		out[i] = tlog.Hash(h)
	}
	return out
}

func plain(path []tlog.Hash) [][32]byte {
	out := make([][32]byte, len(path))
	for i, h := range path {
		out[i] = h
	}
	return out
}

func badProof(why string) error {
	return fault.Newf(CodeBadSeal, "this is no proof: %s", why)
}
