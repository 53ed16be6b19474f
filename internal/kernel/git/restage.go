package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Restage makes the working tree's own index name other contents in the place of
// those that are to go.
func (w *Worktree) Restage(ctx context.Context, now map[OID]OID) error {
	x, err := readIndexFile(w.repo.format, filepath.Join(w.gitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var script bytes.Buffer
	for i := range x.entries {
		e := &x.entries[i]
		if id, found := now[oidOf([]byte(e.raw))]; found {
			fmt.Fprintf(&script, "%o %s %d\t%s\x00", e.mode, id, e.stage(), e.path)
		}
	}
	if script.Len() == 0 {
		return nil
	}
	_, _, err = w.git(ctx, job{args: []string{"update-index", "-z", "--index-info"}, stdin: script.Bytes()})
	return err
}
