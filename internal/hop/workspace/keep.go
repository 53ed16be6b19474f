package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fileid"
)

// keptSeed is a read-only copy in a checkout that the next check may find again:
// the digests are over the identities of all that is in it, there and where it was
// copied from.
type keptSeed struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
}

// maxKept bounds the list of a checkout.
const maxKept = 1 << 20

// settling is how long a file must be left alone until each later change of it
// shows.
const settling = 30 * time.Millisecond

// stillThere returns those of the copies that a checkout has and that neither a
// check nor the user has changed since they were made: what belongs to the kernel
// alone, the time of change, vouches for that.
func (s *Slot) stillThere(root string, patterns []string) []keptSeed {
	data, err := os.ReadFile(s.keptFile())
	if err != nil {
		return nil
	}
	var all, kept []keptSeed
	if canon.Decode(data, &all, canon.Limits{MaxBytes: maxKept}) != nil {
		return nil
	}
	for _, k := range all {
		path := filepath.FromSlash(k.Path)
		asked := slices.ContainsFunc(patterns, func(p string) bool {
			match, err := slashpath.Match(clean(p), k.Path)
			return err == nil && match
		})
		if asked && localPattern(k.Path) && identities(filepath.Join(root, path), 0) == k.From && identities(filepath.Join(s.Dir, path), 0) == k.To {
			kept = append(kept, k)
		}
	}
	return kept
}

// remember lists the copies that were made, for the next check. What cannot be
// vouched for is left out, and copied again.
func (s *Slot) remember(root string, linked []string, kept []keptSeed) error {
	known := map[string]bool{}
	for _, k := range kept {
		known[k.Path] = true
	}
	if len(kept) == len(linked) {
		return nil
	}
	time.Sleep(settling)
	file := s.keptFile()
	if err := durable.WriteFile(file, []byte("[]"), 0o600); err != nil {
		return err
	}
	info, err := os.Lstat(file)
	if err != nil {
		return durable.Explain("look at", file, err)
	}
	now := fileid.Of(info).Changed
	for _, path := range linked {
		if known[path] || now == 0 {
			continue
		}
		from, to := identities(filepath.Join(root, path), now), identities(filepath.Join(s.Dir, path), now)
		if from != "" && to != "" {
			kept = append(kept, keptSeed{Path: path, From: from, To: to})
		}
	}
	data, err := canon.Encode(kept)
	if err != nil || len(data) > maxKept || len(kept) == 0 {
		return err
	}
	return durable.WriteFile(file, data, 0o600)
}

// keptFile lists the copies of the checkout. It lies beside it, out of a check's
// way.
func (s *Slot) keptFile() string { return s.Dir + ".kept" }

// identities is a digest of what the file system says of everything at a path, or
// empty when not every change since taken would show in it; a zero taken asks for
// no such thing.
func identities(path string, taken int64) string {
	sum := sha256.New()
	err := filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		id := fileid.Of(info)
		if id.Changed == 0 || taken != 0 && !id.Settled(taken) {
			return errUnsettled
		}
		_, err = fmt.Fprintf(sum, "%q %+v\n", strings.TrimPrefix(at, path), id)
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

var errUnsettled = errors.New("the file may change unseen")
