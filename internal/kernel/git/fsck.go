package git

import (
	"bytes"
	"context"
	"fmt"
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
		args:   []string{"fsck", "--full", "--no-dangling", "--no-progress"},
		reason: findings,
	})
	return err
}

// Configured has git read the configuration of the repository whose working tree
// has its root at a place. It fails with git_failed where git cannot make sense of
// it, which fails every other command as well.
func (p Program) Configured(ctx context.Context, root string) error {
	_, err := p.run(ctx, call{dir: root, home: os.DevNull, timeout: checkTime, args: []string{"config", "--null", "--list"}, reason: findings})
	return err
}

// findings are the first things that a check found, on one line. What is missing
// stands on standard output, what is damaged on standard error.
func findings(stdout, stderr []byte) []byte {
	const most = 3
	var found [][]byte
	for _, out := range [][]byte{stderr, stdout} {
		for line := range bytes.Lines(out) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				found = append(found, line)
			}
		}
	}
	said := bytes.Join(found[:min(len(found), most)], []byte("; "))
	if more := len(found) - most; more > 0 {
		said = fmt.Appendf(said, "; and %d lines more", more)
	}
	return said
}
