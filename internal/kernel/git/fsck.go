package git

import (
	"context"
	"os"
	"time"
)

// checkTime bounds a full check of an object store.
const checkTime = 10 * time.Minute

// Fsck reads every object of the repository whose working tree has its root at a
// place, also those it borrows, and compares them with their names. It fails with
// git_failed when one is damaged or missing. Objects that nothing needs are no
// fault. A check that follows references alone would pass over damaged content.
func (p Program) Fsck(ctx context.Context, root string) error {
	_, err := p.run(ctx, call{
		dir: root, home: os.DevNull, timeout: checkTime,
		args: []string{"fsck", "--full", "--no-dangling", "--no-progress"},
	})
	return err
}
