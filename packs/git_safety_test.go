package packs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestGitNeverShowsACredential(t *testing.T) {
	r := newRepo(t)
	const secret = "s3cr3t"
	for name, c := range map[string][2]string{
		"plain":   {"https://example.com/a/b.git", "https://example.com/a/b.git"},
		"token":   {"https://" + secret + "@example.com/a.git", "https://example.com/a.git"},
		"pair":    {"https://user:" + secret + "@example.com/a.git", "https://example.com/a.git"},
		"odd":     {"https://user:pa/" + secret + "@example.com/a.git", "https://..."},
		"at":      {"https://user:p@" + secret + "@example.com/a.git", "https://example.com/a.git"},
		"query":   {"https://example.com/a.git?private_token=" + secret, "https://example.com/a.git"},
		"ssh":     {"ssh://git:" + secret + "@example.com:22/a.git", "ssh://git@example.com:22/a.git"},
		"sshuser": {"ssh://git@example.com/a.git", "ssh://git@example.com/a.git"},
		"scp":     {"git@example.com:a/b.git", "git@example.com:a/b.git"},
		"helper":  {"ext::sh -c " + secret, "ext::..."},
		"path":    {"../other repo", "../other repo"},
		"ipv6":    {"https://[::1]:8443/a.git", "https://[::1]:8443/a.git"},
		"port":    {"https://example.com:8443/a@b.git", "https://example.com:8443/a@b.git"},
		`a\nb`:    {"https://example.com/x.git", "https://example.com/x.git"},
	} {
		r.git("config", "remote."+name+".url", c[0])
		got := r.hcp("remotes")
		if strings.Contains(got.stdout, secret) {
			t.Errorf("%s: %s", name, got.stdout)
		}
		item := find(t, got.object(t)["remotes"].([]any), name)
		if item["url"] != c[1] || item["credentials_removed"] != (c[0] != c[1]) || item["direction"] != "fetch" {
			t.Errorf("%s: %v", name, item)
		}
	}
	r.git("config", "http.https://example.com/.extraheader", "Authorization: "+secret)
	r.git("config", "branch.main.remote", "https://user:"+secret+"@example.com")
	r.git("config", "pull.rebase", "true")
	got := r.hcp("config")
	if strings.Contains(got.stdout, secret) {
		t.Error(got.stdout)
	}
	if item := find(t, got.object(t)["settings"].([]any), "pull.rebase"); item["value"] != "true" || item["scope"] != "local" {
		t.Errorf("%v", item)
	}
}

// Everything in a repository's configuration that starts a program on a read is
// set to one that leaves a trace.
func TestGitReadsStartNothingAndWriteNothing(t *testing.T) {
	r := newRepo(t)
	r.write("f.txt", "1\n")
	r.write(".gitattributes", "*.txt diff=trap\n")
	r.commit("first")
	r.sign()
	r.write("f.txt", "2\n")
	r.git("stash")
	trace := filepath.Join(t.TempDir(), "trace")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >>'"+trace+"'\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"core.fsmonitor", "diff.external", "diff.trap.command", "diff.trap.textconv", "core.pager", "pager.log", "gpg.program",
		"core.editor", "credential.helper", "core.sshCommand", "core.askPass",
	} {
		r.git("config", key, trap)
	}
	r.git("config", "log.showSignature", "true")
	r.git("config", "diff.orderFile", "/nonexistent")
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		if err := os.MkdirAll(hooks, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(trap, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	r.write("f.txt", "3\n") // an index entry that a careless status would refresh
	before := snapshot(t, r.dir)
	for _, args := range [][]string{
		{"status"},
		{"log"},
		{"show", "HEAD", "--patch=true"},
		{"diff", "--patch=true"},
		{"diff", "--staged=true"},
		{"branches"},
		{"tags"},
		{"blame", "f.txt"},
		{"stashes"},
		{"remotes"},
		{"config"},
	} {
		r.ok(args...)
	}
	if got := snapshot(t, r.dir); got != before {
		t.Errorf("a read changed the repository:\n%s\nbefore:\n%s", got, before)
	}
	r.ok("branch", "create", "quiet")
	if data, err := os.ReadFile(trace); err == nil {
		t.Errorf("programs ran:\n%s", data)
	}
}

func TestGitReadsStartNothingInASubmoduleEither(t *testing.T) {
	r := newRepo(t)
	inner := newRepo(t)
	inner.write("i.txt", "1\n")
	inner.commit("inner")
	r.commit("outer")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "inner")
	r.commit("with a submodule")
	trace := filepath.Join(t.TempDir(), "trace")
	trap := filepath.Join(t.TempDir(), "trap")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+trace+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "core.pager", "diff.external"} {
		r.git("-C", "inner", "config", key, trap)
	}
	r.write("inner/i.txt", "2\n")
	for _, args := range [][]string{{"status"}, {"diff", "--patch=true"}} {
		list := map[string]string{"status": "unstaged", "diff": "files"}[args[0]]
		if got := r.ok(args...); at(t, got, list, 0, "path") != "inner" {
			t.Errorf("%v: %v", args, got)
		}
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a program of the submodule's choice ran")
	}
}

// sign gives the last commit a signature, which git would ask gpg about.
func (r repo) sign() {
	r.t.Helper()
	text := r.git("cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(text, "\n\n")
	path := filepath.Join(r.t.TempDir(), "commit")
	if err := os.WriteFile(path, []byte(head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n"+message+"\n"), 0o644); err != nil {
		r.t.Fatal(err)
	}
	r.git("update-ref", "HEAD", r.git("hash-object", "-t", "commit", "-w", path))
}

// snapshot lists every file below dir with size and time.
func snapshot(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintf(&out, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGitRefusesWithOneSentence(t *testing.T) {
	r := newRepo(t)
	r.write("f", "1")
	r.commit("first")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"show", "nothing"}, `"nothing" names no commit`},
		{[]string{"show"}, "needs a commit"},
		{[]string{"show", "HEAD", "HEAD"}, "needs a commit"},
		{[]string{"show", "HEAD..HEAD"}, "names no commit"},
		{[]string{"show", "^HEAD"}, "names no commit"},
		{[]string{"log", "--ref=--all"}, "is no revision"},
		{[]string{"log", "--ref=--output=/tmp/x"}, "is no revision"},
		{[]string{"log", "--base", "-x"}, "is no revision"},
		{[]string{"log", "--since=now"}, "no point in time"},
		{[]string{"log", "--limit=201"}, "at most 200"},
		{[]string{"log", "--limit=x"}, "no number"},
		{[]string{"log", "--limit"}, "is no number"},
		{[]string{"log", "--patch=true"}, "takes no option"},
		{[]string{"log", "--output=x"}, "takes no option"},
		{[]string{"status", "-uall"}, "unknown option"},
		{[]string{"status", "--confirm"}, "takes no option"},
		{[]string{"push"}, `unknown command "push"`},
		{[]string{"diff", "--from=HEAD", "--to=none"}, "names no commit"},
		{[]string{"branches", "--contains=none"}, "names no commit"},
	} {
		r.hcp(c.args...).refused(t, c.want)
	}
	path := script(t, "git", "git-hcp")
	start(t, command{path: path, args: []string{"status"}, env: []string{"GIT_CEILING_DIRECTORIES=/"}}).refused(t, "lies in no git repository")
	bare := t.TempDir()
	r.git("clone", "-q", "--bare", r.dir, bare)
	start(t, command{path: path, args: []string{"status"}, dir: bare}).refused(t, "no working tree")
	if got := start(t, command{path: path, args: []string{"log"}, dir: bare}).object(t); len(got["commits"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	if got := start(t, command{path: path, args: []string{"log"}, dir: r.dir, env: []string{"GIT_DIR=/nonexistent", "GIT_TRACE=1"}}).object(t); len(got["commits"].([]any)) != 1 {
		t.Errorf("inherited GIT_DIR: %v", got)
	}
}

func TestGitExplainsARepositoryOfAnotherUser(t *testing.T) {
	needs(t, "sh", "od", "awk", "git")
	if runtime.GOOS == "windows" {
		t.Skip("owners are POSIX")
	}
	r := newRepo(t)
	// Git's own switch for this test; it makes every owner a foreign one.
	fake := t.TempDir()
	text := "#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec " + realGit(t) + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(fake, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	start(t, command{path: script(t, "git", "git-hcp"), args: []string{"status"}, dir: r.dir, path0: fake}).refused(t, "belongs to another user")
}

func realGit(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestGitWorksFromASubdirectoryWithPathsFromTheTop(t *testing.T) {
	r := newRepo(t)
	r.write("sub/f", "1\n")
	r.commit("first")
	r.write("sub/f", "2\n")
	dir := filepath.Join(r.dir, "sub")
	path := script(t, "git", "git-hcp")
	for _, args := range [][]string{{"status"}, {"diff", "--path=sub/f"}} {
		got := start(t, command{path: path, args: args, dir: dir}).object(t)
		list := "files"
		if args[0] == "status" {
			list = "unstaged"
		}
		if at(t, got, list, 0, "path") != "sub/f" {
			t.Errorf("%v: %v", args, got)
		}
	}
	link := filepath.Join(t.TempDir(), "git-hcp")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	start(t, command{path: link, args: []string{"status"}, dir: r.dir}).object(t)
}
