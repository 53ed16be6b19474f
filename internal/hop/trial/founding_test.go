//go:build unix

package trial

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestWorkingTreesThatBeginAtOnceShareOneProject runs init, begin and doctor in the
// working trees of one repository that has no project yet, and where its index was
// lost.
func TestWorkingTreesThatBeginAtOnceShareOneProject(t *testing.T) {
	bin := programs(t)
	for _, lost := range []bool{false, true} {
		p := newProject(t, bin)
		base := filepath.Dir(p.dir)
		trees := []string{p.dir}
		for n := range 5 {
			dir := filepath.Join(base, fmt.Sprintf("tree%d", n))
			p.git("worktree", "add", "-q", "--detach", dir)
			trees = append(trees, dir)
		}
		commands := [][]string{{"init"}, {"begin", "--agent", "a", "work"}}
		if lost {
			p.done("init")
			must(t, os.RemoveAll(filepath.Join(p.dir, ".hop")))
			commands = append(commands, []string{"doctor", "--repair"})
		}
		answers := make([]answer, len(trees))
		var wait sync.WaitGroup
		for n, dir := range trees {
			cmd := p.command(append([]string{"--json"}, commands[n%len(commands)]...)...)
			cmd.Dir = dir
			wait.Go(func() { answers[n] = run(t, cmd) })
		}
		wait.Wait()
		made := 0
		for n, a := range answers {
			if a.exit != 0 {
				t.Errorf("lost %v, tree %d: exit %d, %s%s", lost, n, a.exit, a.stdout, a.stderr)
			}
			data, _ := a.body["data"].(map[string]any)
			if a.body["created"] == true || data["initialized"] == true {
				made++
			}
		}
		if made > 1 || made == 0 && !lost {
			t.Errorf("lost %v: %d commands say that they made the project", lost, made)
		}
		if at := indexes(t, base); len(at) != 1 {
			t.Errorf("lost %v: there are %q", lost, at)
		}
		p.done("doctor")
	}
}

// indexes are the indexes of projects below a folder.
func indexes(t *testing.T, base string) (at []string) {
	t.Helper()
	must(t, filepath.WalkDir(base, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == "hop.db" {
			at = append(at, path)
		}
		return err
	}))
	return at
}
