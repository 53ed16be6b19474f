package op

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"bridle/hop"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/git"
)

// begun starts an attempt.
func begun(t *testing.T, p *Project) hop.Started {
	t.Helper()
	started, err := p.Prompt(context.Background(), "start", PromptRequest{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// collected parks or removes the workspaces of all attempts.
func collected(t *testing.T, p *Project) hop.Collected {
	t.Helper()
	out, err := p.Collect(context.Background(), GCRequest{All: true})
	if err != nil || len(out.Preserved) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	return out
}

// gitIn runs git in a folder.
func gitAs(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=U", "-c", "user.email=u@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func identity(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// fresh looks whether a workspace is as one that was just made at what is accepted.
func fresh(t *testing.T, p *Project, dir string) {
	t.Helper()
	head, err := p.Accepted(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := gitAs(t, dir, "rev-parse", "HEAD"); got != head.State.GitCommit {
		t.Errorf("it stands on %s and not on %s", got, head.State.GitCommit)
	}
	if got := gitAs(t, dir, "rev-parse", "--abbrev-ref", "HEAD"); got != "HEAD" {
		t.Errorf("it stands on the branch %s", got)
	}
	if got := gitAs(t, dir, "status", "--porcelain", "--ignored"); got != "" {
		t.Errorf("it differs: %s", got)
	}
	for _, line := range strings.Split(gitAs(t, dir, "ls-files", "-v"), "\n") {
		if !strings.HasPrefix(line, "H ") {
			t.Errorf("git does not look at %q", line)
		}
	}
	gitAs(t, dir, "read-tree", "HEAD") // believes no state of a file
	if got := gitAs(t, dir, "diff", "--stat", "HEAD"); got != "" {
		t.Errorf("it differs after all: %s", got)
	}
	if _, err := os.Lstat(gitAs(t, dir, "rev-parse", "--git-path", "MERGE_HEAD")); err == nil {
		t.Error("a merge is under way")
	}
	if got := gitAs(t, p.Layout.Root, "worktree", "list", "--porcelain"); strings.Contains(got, "prunable") || strings.Contains(got, "broken") {
		t.Errorf("git lists what is gone: %s", got)
	}
}

// mess leaves in a workspace what an attempt may leave there.
func mess(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, ".env", "password = of the earlier attempt\n")
	put(t, dir, "node_modules/x/index.js", "x\n")
	put(t, dir, "locked/by/nobody.out", "x\n")
	put(t, dir, "new.txt", "new\n")
	put(t, dir, "b/was-a-file/now", "a folder\n")
	gitAs(t, dir, "checkout", "-q", "-b", "branch-of-"+filepath.Base(dir))
	gitAs(t, dir, "update-index", "--assume-unchanged", "a")
	put(t, dir, "a", "A\n")
	gitAs(t, dir, "update-index", "--skip-worktree", "c")
	gitAs(t, dir, "config", "--worktree", "core.sparseCheckout", "true")
	head := gitAs(t, dir, "rev-parse", "HEAD")
	put(t, gitAs(t, dir, "rev-parse", "--absolute-git-dir"), "MERGE_HEAD", head+"\n")
	if err := os.Chmod(filepath.Join(dir, "locked", "by"), 0o500); err != nil {
		t.Fatal(err)
	}
}

// TestAParkedWorkspaceIsReusedAndKeepsNothing begins in what an earlier attempt left.
func TestAParkedWorkspaceIsReusedAndKeepsNothing(t *testing.T) {
	p, root := demo(t, map[string]string{
		"a": "a\n", "b/was-a-file": "b\n", "c": "c\n", ".gitignore": ".env\nnode_modules\n*.out\n", "d/kept.log": "tracked\n",
	})
	gitAs(t, root, "config", "extensions.worktreeConfig", "true")
	first := begun(t, p)
	put(t, first.Workspace, "d/.gitignore", "*.log\n") // what is tracked stays so
	if err := os.Remove(filepath.Join(first.Workspace, "b", "was-a-file")); err != nil {
		t.Fatal(err)
	}
	mess(t, first.Workspace)
	before := identity(t, first.Workspace)
	if out := collected(t, p); out.Removed != 1 || out.Pooled != 1 || out.Parked != 1 {
		t.Fatalf("%+v", out)
	}
	kept, err := filepath.Glob(filepath.Join(p.Layout.Dir(), "checks", "*", "d", "kept.log"))
	if err != nil || len(kept) != 1 {
		t.Errorf("%q, %v", kept, err)
	}
	err = filepath.WalkDir(filepath.Join(p.Layout.Dir(), "checks"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == ".env" || filepath.Base(path) == "node_modules" {
			t.Errorf("%s is kept", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	second := begun(t, p)
	if !os.SameFile(before, identity(t, second.Workspace)) {
		t.Error("the parked workspace was not used")
	}
	fresh(t, p, second.Workspace)
	resumed, err := p.Resume(context.Background(), first.Prompt.ID)
	if err != nil || !resumed.Recreated {
		t.Fatalf("%+v, %v", resumed, err)
	}
	if data, err := os.ReadFile(filepath.Join(resumed.Workspace, "a")); err != nil || string(data) != "A\n" {
		t.Errorf("%q, %v", data, err)
	}
	if d, err := Doctor(context.Background(), around(root), false); err != nil || !d.OK || len(d.Warnings) > 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestAParkedWorkspaceIsFilledAsANewOneIs looks at seeds, at the setup command, and at the
// empty folder of a submodule.
func TestAParkedWorkspaceIsFilledAsANewOneIs(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n", ".gitignore": ".env\nmade\n", ".env": "of the project\n"})
	first := begun(t, p)
	gitAs(t, first.Workspace, "update-index", "--add", "--cacheinfo", "160000,"+gitAs(t, root, "rev-parse", "refs/hop/accepted")+",sub")
	if err := os.Mkdir(filepath.Join(first.Workspace, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	made, err := p.Propose(ctx, ProposeRequest{State: first.Prompt.ID})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Land(ctx, LandRequest{Verb: "land", Proposals: []string{made.Proposal.ID}}); err != nil {
		t.Fatal(err)
	}
	put(t, first.Workspace, ".env", "of the earlier attempt\n")
	put(t, first.Workspace, "made", "by the earlier attempt\n")
	before := identity(t, first.Workspace)
	if out := collected(t, p); out.Pooled != 1 {
		t.Fatalf("%+v", out)
	}
	p.Config.Seed.Copy = []string{".env"}
	p.Config.Setup.Command = []string{"sh", "-c", "set -C; echo setup > made"} // fails where it is there
	second := begun(t, p)
	if !os.SameFile(before, identity(t, second.Workspace)) {
		t.Error("the parked workspace was not used")
	}
	for name, want := range map[string]string{".env": "of the project\n", "made": "setup\n"} {
		if data, err := os.ReadFile(filepath.Join(second.Workspace, name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	if got := gitAs(t, second.Workspace, "status", "--porcelain"); got != "" {
		t.Errorf("it differs: %s", got)
	}
	if got := gitAs(t, second.Workspace, "ls-files", "--stage", "sub"); !strings.HasPrefix(got, "160000 ") || !identity(t, filepath.Join(second.Workspace, "sub")).IsDir() {
		t.Errorf("the submodule is %q", got)
	}
}

// TestAWorkspaceThatSomebodyCanReachIsNotParked has a file of it under another name,
// and a process in it.
func TestAWorkspaceThatSomebodyCanReachIsNotParked(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	first := begun(t, p)
	if err := os.Link(filepath.Join(first.Workspace, "a"), filepath.Join(root, ".hop", "other-name")); err != nil {
		t.Fatal(err)
	}
	second := begun(t, p)
	cmd := exec.Command("/bin/sh", "-c", "read line")
	cmd.Dir = second.Workspace
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := collected(t, p)
	_ = in.Close()
	_ = cmd.Wait()
	if out.Removed != 2 || out.Pooled != 0 {
		t.Errorf("%+v", out)
	}
	for _, dir := range []string{first.Workspace, second.Workspace} {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s is there", dir)
		}
	}
	fresh(t, p, begun(t, p).Workspace)
}

// TestModesAndAttributesDoNotStayInAParkedWorkspace gives files and folders some of
// their own.
func TestModesAndAttributesDoNotStayInAParkedWorkspace(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"file of less": func(dir string) error { return os.Chmod(filepath.Join(dir, "d", "a"), 0o400) },
		"file of more": func(dir string) error { return os.Chmod(filepath.Join(dir, "d", "a"), 0o622) },
		"open folder":  func(dir string) error { return os.Chmod(filepath.Join(dir, "d"), 0o733) },
		"shut folder":  func(dir string) error { return os.Chmod(filepath.Join(dir, "d"), 0o511) },
		"sticky root":  func(dir string) error { return os.Chmod(dir, 0o755|fs.ModeSticky) },
		"attribute": func(dir string) error {
			err := unix.Setxattr(filepath.Join(dir, "d"), "user.left", []byte("behind"), 0)
			if errors.Is(err, unix.ENOTSUP) {
				return nil // there are none here
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := demo(t, map[string]string{"d/a": "a\n"})
			first := begun(t, p)
			before := modes(t, first.Workspace)
			if err := change(first.Workspace); err != nil {
				t.Fatal(err)
			}
			collected(t, p)
			second := begun(t, p)
			fresh(t, p, second.Workspace)
			if now := modes(t, second.Workspace); now != before {
				t.Errorf("%s, and in a new one %s", now, before)
			}
		})
	}
}

// modes are those of a workspace and of what the test has in it, with the names of
// attributes.
func modes(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	for _, path := range []string{"", "d", "d/a"} {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		var names [256]byte
		n, _ := unix.Llistxattr(filepath.Join(dir, path), names[:])
		fmt.Fprintf(&out, "%q %v %q; ", path, info.Mode(), names[:max(n, 0)])
	}
	return out.String()
}

// TestTwoNeverGetTheSameParkedWorkspace begins and checks at once.
func TestTwoNeverGetTheSameParkedWorkspace(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n", "d/b": "b\n"})
	var all []hop.Started
	for range maxAtOnce {
		all = append(all, begun(t, p))
	}
	for _, s := range all {
		put(t, s.Workspace, "mine", s.Attempt.ID+"\n")
	}
	checked := begun(t, p)
	p.Environ = append(p.Environ, hop.EnvAttempt+"="+checked.Attempt.ID) // which gc spares
	if out := collected(t, p); out.Removed != maxAtOnce || out.Pooled != 2 {
		t.Fatalf("%+v", out)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for n := range maxAtOnce {
		group.Go(func() {
			own, err := Open(context.Background(), around(root))
			if err != nil {
				t.Error(err)
				return
			}
			defer own.Close()
			if n%3 == 2 {
				c, err := own.Check(context.Background(), CheckRequest{State: checked.Prompt.ID, Command: []string{"sh", "-c", "test ! -e mine && cat a d/b"}})
				if err != nil || c.Output != "a\nb\n" {
					t.Errorf("%+v, %v", c, err)
				}
				return
			}
			s, err := own.Prompt(context.Background(), "start", PromptRequest{Text: "work"})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if seen[s.Workspace] {
				t.Errorf("%s was given twice", s.Workspace)
			}
			seen[s.Workspace] = true
		})
	}
	group.Wait()
	for dir := range seen {
		fresh(t, p, dir)
	}
}

// TestWhatWasCutShortInThePoolHarmsNobody makes by hand what a kill leaves between two
// steps of parking and of reusing, and has others come by.
func TestWhatWasCutShortInThePoolHarmsNobody(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n", "d/b": "b\n"})
	ctx := context.Background()
	pool := filepath.Join(p.Layout.Dir(), "checks")

	// Parked by half: the folder is out of its place, and its data lead to that place.
	first := begun(t, p)
	put(t, first.Workspace, "left.out", "left\n")
	if err := durable.MoveDir(first.Workspace, filepath.Join(pool, "64.parking")); err != nil {
		t.Fatal(err)
	}
	resumed, err := p.Resume(ctx, first.Prompt.ID)
	if err != nil || !resumed.Recreated {
		t.Fatalf("%+v, %v", resumed, err)
	}
	second := begun(t, p)
	p.Environ = append(p.Environ, hop.EnvAttempt+"="+first.Attempt.ID) // which gc spares
	if out := collected(t, p); out.Removed != 1 || out.Pooled != 1 {
		t.Errorf("%+v", out)
	}
	if _, err := os.Lstat(filepath.Join(pool, "64.parking")); err == nil {
		t.Error("what was parked by half is there after all")
	}
	fresh(t, p, resumed.Workspace)

	// Reused by half: the folder is in the pool, and its data are for a workspace that
	// has been made anew since.
	w, err := p.Repo.OpenWorktree(ctx, filepath.Join(pool, "64"))
	if err != nil {
		t.Fatal(err)
	}
	head, err := p.Accepted(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Renew(ctx, second.Workspace, git.OID(head.State.GitCommit), true); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Repo.AddWorktree(ctx, second.Workspace, git.OID(head.State.GitCommit)); err != nil {
		t.Fatal(err)
	}
	third := begun(t, p)
	for _, dir := range []string{second.Workspace, third.Workspace, resumed.Workspace} {
		fresh(t, p, dir)
	}
	if d, err := Doctor(ctx, around(root), false); err != nil || !d.OK {
		t.Errorf("%+v, %v", d, err)
	}
}

// maxAtOnce is how many begin or check at once.
const maxAtOnce = 6
