package seal

import (
	"golang.org/x/mod/sumdb/tlog"
)

// memory is a tree that is not on disk.
type memory []tlog.Hash

// ReadHashes is what the tlog package asks of a tree's keeper.
func (m memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= int64(len(m)) {
			return nil, badLog("memory")
		}
		out[i] = m[at]
	}
	return out, nil
}

// overlay is a tree with hashes that are not yet written.
type overlay struct {
	below *state
	more  []tlog.Hash
}

// ReadHashes is what the tlog package asks of a tree's keeper.
func (o *overlay) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		if at >= o.below.stored {
			out[i] = o.more[at-o.below.stored]
			continue
		}
		h, err := o.below.ReadHashes([]int64{at})
		if err != nil {
			return nil, err
		}
		out[i] = h[0]
	}
	return out, nil
}
