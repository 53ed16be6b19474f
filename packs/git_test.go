package packs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repo is a real repository with its own HOME.
type repo struct {
	t    testing.TB
	dir  string
	home string
}

func newRepo(t testing.TB) repo {
	t.Helper()
	needs(t, "sh", "od", "awk", "git")
	r := repo{t, t.TempDir(), t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "Ada Example")
	r.git("config", "user.email", "ada@example.com")
	r.git("config", "commit.gpgsign", "false")
	return r
}

// git runs the real git to build a situation; time passes by one minute a call.
func (r repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r repo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2026-03-01T10:00:00+01:00", "GIT_COMMITTER_DATE=2026-03-01T10:00:00+01:00",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) commit(message string) string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// hcp runs the pack's program in the repository.
func (r repo) hcp(args ...string) outcome {
	r.t.Helper()
	return start(r.t, command{path: script(r.t, "git", "git-hcp"), args: append(args, "--json"), dir: r.dir, env: []string{"HOME=" + r.home}})
}

func (r repo) ok(args ...string) map[string]any {
	r.t.Helper()
	return r.hcp(args...).object(r.t)
}

func TestGitStatusTellsEverySituation(t *testing.T) {
	r := newRepo(t)
	empty := r.ok("status")
	if empty["branch"] != "main" || empty["head"] != nil || empty["clean"] != true {
		t.Errorf("empty repository: %v", empty)
	}
	r.write("a.txt", "1\n")
	r.write("b.txt", strings.Repeat("line\n", 20))
	r.write("c.txt", "c\n")
	head := r.commit("first")
	r.write("a.txt", "2\n")
	r.git("mv", "b.txt", "moved here.txt")
	r.write("new/x", "x")
	r.write("added", "y")
	r.git("add", "added")
	if err := os.Remove(filepath.Join(r.dir, "c.txt")); err != nil {
		t.Fatal(err)
	}
	got := r.ok("status")
	if got["head"] != head || got["clean"] != false || got["operation"] != nil {
		t.Errorf("%v", got)
	}
	for _, c := range []struct{ list, path, change string }{
		{"staged", "added", "added"},
		{"staged", "moved here.txt", "renamed"},
		{"unstaged", "a.txt", "modified"},
		{"unstaged", "c.txt", "deleted"},
		{"untracked", "new/", ""},
	} {
		item := find(t, got[c.list].([]any), c.path)
		if c.change != "" && item["change"] != c.change {
			t.Errorf("%s: %v", c.path, item)
		}
	}
	if item := find(t, got["staged"].([]any), "moved here.txt"); item["from"] != "b.txt" {
		t.Errorf("rename: %v", item)
	}
	if limited := r.ok("status", "--limit", "1"); limited["truncated"] != true || len(limited["staged"].([]any)) != 1 || fmt.Sprint(at(t, limited, "counts", "staged")) != "2" {
		t.Errorf("limit 1: %v", limited)
	}
	r.git("checkout", "-q", "--detach", "-f")
	if got := r.ok("status"); got["detached"] != true || got["branch"] != nil {
		t.Errorf("detached: %v", got)
	}
}

// find returns the item with a path, name or key.
func find(t testing.TB, items []any, path string) map[string]any {
	t.Helper()
	for _, item := range items {
		if m := item.(map[string]any); m["path"] == path || m["name"] == path || m["key"] == path {
			return m
		}
	}
	t.Errorf("no %q in %v", path, items)
	return map[string]any{}
}

// numbers writes JSON numbers with a space between them.
func numbers(values ...any) string {
	return strings.TrimSpace(fmt.Sprintln(values...))
}

func TestGitStatusTellsUpstreamConflictsAndOperation(t *testing.T) {
	r := newRepo(t)
	r.write("f", "base\n")
	r.commit("base")
	r.git("branch", "up")
	r.git("branch", "--set-upstream-to=up")
	r.write("f", "ours\n")
	r.commit("ours")
	r.git("checkout", "-q", "up")
	r.write("f", "theirs\n")
	r.commit("theirs")
	r.git("checkout", "-q", "main")
	got := r.ok("status")
	if got["upstream"] != "up" || fmt.Sprint(got["ahead"]) != "1" || fmt.Sprint(got["behind"]) != "1" {
		t.Errorf("%v", got)
	}
	if out, err := r.try("merge", "up"); err == nil {
		t.Fatalf("the merge went through: %s", out)
	}
	got = r.ok("status")
	if got["operation"] != "merge" || at(t, got, "conflicts", 0, "kind") != "both_modified" || at(t, got, "conflicts", 0, "path") != "f" {
		t.Errorf("%v", got)
	}
	if got := r.ok("diff"); at(t, got, "files", 0, "path") != "f" || len(got["files"].([]any)) != 1 {
		t.Errorf("diff while merging: %v", got)
	}
	r.hcp("commit", "--message", "x", "--confirm").refused(t, "a merge is under way")
	r.git("merge", "--abort")
	r.write("f", "stashed\n")
	r.git("stash", "push", "-q", "-m", "for later")
	if got := r.ok("status"); fmt.Sprint(got["stashes"]) != "1" {
		t.Errorf("%v", got)
	}
	got = r.ok("stashes")
	if at(t, got, "stashes", 0, "stash") != "stash@{0}" || !strings.HasSuffix(at(t, got, "stashes", 0, "subject").(string), "for later") {
		t.Errorf("%v", got)
	}
	if out, err := r.try("rebase", "up"); err == nil {
		t.Fatalf("the rebase went through: %s", out)
	}
	if got := r.ok("status"); got["operation"] != "rebase" {
		t.Errorf("%v", got)
	}
}

func TestGitLogFiltersAndBounds(t *testing.T) {
	r := newRepo(t)
	if got := r.ok("log"); len(got["commits"].([]any)) != 0 || got["more"] != false {
		t.Errorf("empty repository: %v", got)
	}
	for i := range 25 {
		r.write("f", fmt.Sprint(i))
		r.commit(fmt.Sprintf("change %d [x]", i))
	}
	r.git("branch", "side", "HEAD~3")
	r.write("g", "g")
	r.git("add", "g")
	r.git("-c", "user.name=Bob (Ops)", "commit", "-q", "-m", "Fix \"quotes\"\ttab\n\nbody text", "--date=2026-04-01T00:00:00Z")
	got := r.ok("log")
	if len(got["commits"].([]any)) != 20 || got["more"] != true || at(t, got, "commits", 0, "subject") != "Fix \"quotes\"\ttab" || at(t, got, "commits", 0, "author") != "Bob (Ops)" {
		t.Errorf("%v", got)
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"--limit=3"}, 3},
		{[]string{"--limit", "200"}, 26},
		{[]string{"--path", "g"}, 1},
		{[]string{"--author", "bob ("}, 1},
		{[]string{"--author=nobody"}, 0},
		{[]string{"--grep", "[X]", "--limit=200"}, 25},
		{[]string{"--base=side"}, 4},
		{[]string{"--ref=side", "--limit=200"}, 22},
		{[]string{"--since", "2027-01-01"}, 0},
		{[]string{"--until=yesterday", "--since=2020-01-01", "--grep", "change 7"}, 1},
		{[]string{"--path=none"}, 0},
		{[]string{"--grep=--all"}, 0},
	} {
		if got := r.ok(append([]string{"log"}, c.args...)...); len(got["commits"].([]any)) != c.want {
			t.Errorf("%v: %d commits, want %d", c.args, len(got["commits"].([]any)), c.want)
		}
	}
}

func TestGitShowsOneCommit(t *testing.T) {
	r := newRepo(t)
	r.write("text", "a\nb\n")
	r.write("bin", "\x00\x01")
	root := r.commit("root")
	r.write("text", "a\nc\nd\n")
	r.write("bin", "\x00\x02")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "subject ü", "-m", "body\nwith lines")
	got := r.ok("show", "HEAD", "--patch", "true")
	if got["subject"] != "subject ü" || got["body"] != "body\nwith lines\n" || at(t, got, "parents", 0) != root || at(t, got, "author", "email") != "ada@example.com" {
		t.Errorf("%v", got)
	}
	if numbers(got["additions"], got["deletions"], got["files_changed"]) != "2 1 2" || find(t, got["files"].([]any), "bin")["binary"] != true {
		t.Errorf("%v", got)
	}
	if patch := got["patch"].(string); !strings.Contains(patch, "--- a/text\n+++ b/text\n") || got["patch_truncated"] != false {
		t.Errorf("%v", got)
	}
	if got := r.ok("show", root); len(got["files"].([]any)) != 2 || len(got["parents"].([]any)) != 0 || got["patch"] != nil {
		t.Errorf("%v", got)
	}
	r.git("checkout", "-q", "-b", "side", root)
	r.write("side", "s\n")
	r.commit("side")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-edit", "side")
	if got := r.ok("show", "HEAD"); len(got["parents"].([]any)) != 2 || at(t, got, "files", 0, "path") != "side" || len(got["files"].([]any)) != 1 {
		t.Errorf("merge: %v", got)
	}
}

func TestGitCutsALongPatchAtALine(t *testing.T) {
	r := newRepo(t)
	r.write("big", strings.Repeat("zeile mit ü\n", 20000))
	r.commit("big")
	got := r.ok("show", "HEAD", "--patch=true")
	patch := got["patch"].(string)
	if got["patch_truncated"] != true || len(patch) > 60000 || len(patch) < 59000 || !strings.HasSuffix(patch, "+zeile mit ü\n") {
		t.Errorf("%d bytes, truncated %v", len(patch), got["patch_truncated"])
	}
	if fmt.Sprint(got["additions"]) != "20000" {
		t.Errorf("%v additions", got["additions"])
	}
}

func TestGitDiffComparesWhatIsAsked(t *testing.T) {
	r := newRepo(t)
	r.write("f", "1\n")
	first := r.commit("1")
	r.git("checkout", "-q", "-b", "side")
	r.write("s", "s\n")
	side := r.commit("side")
	r.git("checkout", "-q", "main")
	r.write("f", "2\n")
	second := r.commit("2")
	r.write("f", "3\n")
	r.git("add", "f")
	r.write("f", "4\n5\n")
	for _, c := range []struct {
		args              []string
		from, to, summary string
	}{
		{nil, "index", "working_tree", "f+2-1"},
		{[]string{"--staged=true"}, "HEAD", "index", "f+1-1"},
		{[]string{"--staged=true", "--from", first}, first, "index", "f+1-1"},
		{[]string{"--from", first}, first, "working_tree", "f+2-1"},
		{[]string{"--from", first, "--to", "main"}, first, second, "f+1-1"},
		{[]string{"--from=main", "--to=side"}, second, side, "f+1-1 s+1-0"},
		{[]string{"--from=main", "--to=side", "--merge-base=true"}, first, side, "s+1-0"},
		{[]string{"--from=main", "--to=side", "--path=s"}, second, side, "s+1-0"},
	} {
		got := r.ok(append([]string{"diff"}, c.args...)...)
		var files []string
		for i := range got["files"].([]any) {
			files = append(files, fmt.Sprintf("%v+%v-%v", at(t, got, "files", i, "path"), at(t, got, "files", i, "additions"), at(t, got, "files", i, "deletions")))
		}
		if got["from"] != c.from || got["to"] != c.to || strings.Join(files, " ") != c.summary {
			t.Errorf("%v: from %v to %v: %v", c.args, got["from"], got["to"], files)
		}
	}
	r.hcp("diff", "--to=side").refused(t, "--to needs --from")
	r.hcp("diff", "--staged=true", "--from=main", "--to=side").refused(t, "takes no --to")
	r.hcp("diff", "--merge-base=true").refused(t, "--merge-base needs --from")
	r.hcp("diff", "--staged=maybe").refused(t, "true or false")
}

func TestGitListsBranchesAndTags(t *testing.T) {
	r := newRepo(t)
	r.write("f", "1")
	first := r.commit("first subject")
	r.git("branch", "feature/ü-1")
	r.write("f", "2")
	head := r.commit("second")
	r.git("branch", "-u", "feature/ü-1")
	r.git("tag", "v1", first)
	r.git("tag", "-a", "v2", "-m", "release two")
	r.git("update-ref", "refs/remotes/origin/main", head)
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	got := r.ok("branches")
	main := find(t, got["branches"].([]any), "main")
	if len(got["branches"].([]any)) != 2 || main["current"] != true || main["hash"] != head || main["upstream"] != "feature/ü-1" || numbers(main["ahead"], main["behind"]) != "1 0" {
		t.Errorf("%v", got)
	}
	got = r.ok("branches", "--remote=true")
	if remote := find(t, got["branches"].([]any), "origin/main"); remote["remote"] != true || len(got["branches"].([]any)) != 3 {
		t.Errorf("%v", got)
	}
	if got := r.ok("branches", "--contains", head); len(got["branches"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	if got := r.ok("branches", "--limit=1"); len(got["branches"].([]any)) != 1 || got["more"] != true {
		t.Errorf("%v", got)
	}
	tags := r.ok("tags")["tags"].([]any)
	if v2 := find(t, tags, "v2"); v2["hash"] != head || v2["annotated"] != true || v2["subject"] != "release two" {
		t.Errorf("%v", tags)
	}
	if v1 := find(t, tags, "v1"); v1["hash"] != first || v1["annotated"] != false {
		t.Errorf("%v", tags)
	}
	if got := r.ok("tags", "--match", "*1"); len(got["tags"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
}

func TestGitBlamesRunsOfLines(t *testing.T) {
	r := newRepo(t)
	r.write("f", "a\nb\nc\nd\n")
	first := r.commit("first")
	r.write("f", "a\nB\nC\nd\n")
	second := r.commit("second")
	got := r.ok("blame", "f")
	if fmt.Sprint(got["lines"]) != "4" || len(got["runs"].([]any)) != 3 || at(t, got, "runs", 1, "hash") != second || numbers(at(t, got, "runs", 1, "start"), at(t, got, "runs", 1, "end")) != "2 3" ||
		at(t, got, "runs", 0, "hash") != first || at(t, got, "runs", 0, "date") != "2026-03-01T09:00:00Z" {
		t.Errorf("%v", got)
	}
	if got := r.ok("blame", "f", "--start=2", "--end=2"); fmt.Sprint(got["lines"]) != "1" {
		t.Errorf("%v", got)
	}
	r.write("f", "a\nB\nC\nlocal\x00\n")
	if got := r.ok("blame", "f"); at(t, got, "runs", 2, "hash") != nil || fmt.Sprint(got["lines"]) != "4" {
		t.Errorf("%v", got)
	}
	r.hcp("blame", "missing").refused(t, "no such path")
	r.hcp("blame", "f", "--start=99").refused(t, "fewer lines")
	r.hcp("blame", "f", "--start=0").refused(t, "no number")
}
