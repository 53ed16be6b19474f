package guard

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"bridle/hound"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/proc"
)

// Examine tries everything that the operations need, in the repository around a
// folder.
func (g *Guard) Examine(ctx context.Context, dir string) []Probe {
	e := &trial{guard: g}
	kernel, err := Kernel()
	e.note("kernel", err, "version %s, sources %s", kernel.Version, kernel.SHA256)
	_, err = git.Find(gitSearch)
	e.note("git", err, "there is a git in %s", gitSearch)
	e.supervisor(ctx)
	at, err := git.Locate(dir)
	if !e.note("repository", err, "%s", at.Root) {
		return e.probes
	}
	_, err = record.PrunedPlans(filepath.Join(at.Root, filepath.FromSlash(hound.DefaultRunRoot)))
	e.note("removed records", err, "the list of them is as it was written, or there is none")
	_, err = g.watch(at.Root, nil).Look(ctx)
	e.note("snapshot", err, "every file and all of git's state can be read")
	return e.probes
}

// supervisor runs a program that does nothing.
func (t *trial) supervisor(ctx context.Context) {
	_, cleanup, err := t.guard.run(ctx, proc.Spec{
		Path: "/bin/true", Env: []string{}, Dir: "/", Timeout: 10 * time.Second, Unmarked: true,
	})
	if err == nil && !cleanup.Proven {
		err = fault.New("unproven", fmt.Sprintf("drivers run, but nothing proves that none of their processes is left (%s)", cleanup.Method))
	}
	t.note("supervisor", err, "nothing of a driver is left, proven by %s", cleanup.Method)
}
