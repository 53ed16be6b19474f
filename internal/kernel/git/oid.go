package git

import (
	"crypto/sha1" //nolint:gosec // the name git gives its objects, not a signature
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"bridle/internal/kernel/fault"
)

// OID names an object: 40 or 64 lower-case hexadecimal digits. The empty OID is
// none.
type OID string

// IsZero says whether the id names nothing: it is empty, or git's own "no
// object", which is all zeros.
func (id OID) IsZero() bool { return strings.Trim(string(id), "0") == "" }

// Format is the hash that names the objects of a repository.
type Format uint8

// The formats that git has.
const (
	SHA1 Format = iota
	SHA256
)

// String is the name that git's configuration uses.
func (f Format) String() string {
	if f == SHA256 {
		return "sha256"
	}
	return "sha1"
}

// Size is the length of an id in bytes; in digits it is twice as long.
func (f Format) Size() int {
	if f == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// Zero is what git writes for "no object".
func (f Format) Zero() OID { return OID(strings.Repeat("0", 2*f.Size())) }

// EmptyTree names the tree without entries.
func (f Format) EmptyTree() OID { return f.ID(KindTree, nil) }

// ID computes the name of an object.
func (f Format) ID(kind Kind, data []byte) OID {
	h := f.hash()
	h.Write(header(kind, int64(len(data))))
	h.Write(data)
	return f.sum(h)
}

// Check refuses what is no id of this format.
func (f Format) Check(id OID) error {
	if len(id) != 2*f.Size() || strings.Trim(string(id), "0123456789abcdef") != "" {
		return fault.Newf(CodeBadID, "%q is no %s object id", string(id), f)
	}
	return nil
}

func (f Format) hash() hash.Hash {
	if f == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // the name git gives its objects, not a signature
}

func (f Format) sum(h hash.Hash) OID {
	var space [sha256.Size]byte
	return OID(hex.EncodeToString(h.Sum(space[:0])))
}

// header is what git hashes and stores before the bytes of an object.
func header(kind Kind, size int64) []byte {
	line := make([]byte, 0, 32)
	line = append(line, kind...)
	line = append(line, ' ')
	line = strconv.AppendInt(line, size, 10)
	return append(line, 0)
}

// raw is the id as bytes. The id must have passed Check.
func (id OID) raw() []byte {
	b, err := hex.DecodeString(string(id))
	if err != nil {
		return nil
	}
	return b
}

func oidOf(raw []byte) OID { return OID(hex.EncodeToString(raw)) }
