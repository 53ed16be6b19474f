package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/fault"
)

// script runs shell lines in dir with a git that knows nothing of the machine's
// configuration, and returns the lines that it prints.
func script(t *testing.T, dir, lines string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-ec", lines)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func real(t *testing.T, dir string) string {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func wantCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("error = %v (code %q), want code %q", err, fault.CodeOf(err), code)
	}
	return fault.From(err)
}

func find(t *testing.T) Program {
	t.Helper()
	p, err := Find(os.Getenv("PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// origin makes a repository with a branch, a tag and two commits.
func origin(t *testing.T) (url, dir string) {
	t.Helper()
	dir = real(t, t.TempDir())
	script(t, dir, `
git init -q -b main repo && cd repo
git config uploadpack.allowAnySHA1InWant true
echo one > file && mkdir sub && echo deep > sub/file && ln -s file link && git add . && git commit -q -m one && git tag v1
git checkout -q -b feature/x && echo two > file && git commit -q -am two && git checkout -q main`)
	return "file://" + filepath.Join(dir, "repo"), filepath.Join(dir, "repo")
}

func clone(t *testing.T, url, ref string) (string, error) {
	t.Helper()
	base := real(t, t.TempDir())
	scratch := filepath.Join(base, "scratch")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(base, "dest")
	return dest, find(t).Clone(t.Context(), url, ref, dest, CloneOptions{Scratch: scratch, AllowFile: true})
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func TestCloneTakesTheRefAndNothingElse(t *testing.T) {
	url, dir := origin(t)
	commit := script(t, dir, "git rev-parse feature/x")[0]
	for ref, want := range map[string]string{"": "one", "main": "one", "v1": "one", "feature/x": "two", commit: "two", "refs/heads/feature/x": "two"} {
		dest, err := clone(t, url, ref)
		if err != nil {
			t.Errorf("%q: %v", ref, err)
			continue
		}
		if got := content(t, filepath.Join(dest, "file")); got != want || content(t, filepath.Join(dest, "sub/file")) != "deep" {
			t.Errorf("%q: file = %q", ref, got)
		}
		if count := script(t, dest, "git rev-list --all HEAD | wc -l")[0]; strings.TrimSpace(count) != "1" {
			t.Errorf("%q: %s commits were fetched", ref, count)
		}
	}
}

func TestCloneRunsNothingOfTheMachineOrTheRepository(t *testing.T) {
	url, dir := origin(t)
	evil := real(t, t.TempDir())
	mark := filepath.Join(evil, "ran")
	script(t, dir, `
printf '* filter=evil diff=evil merge=evil\n' > .gitattributes
printf '[submodule "s"]\n\tpath = s\n\turl = file:///nowhere\n' > .gitmodules
git add . && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s && git commit -q -m three`)
	script(t, evil, `
mkdir -p template/hooks home
for h in post-checkout post-merge reference-transaction post-index-change; do printf '#!/bin/sh\ntouch `+mark+`\n' > template/hooks/$h; chmod +x template/hooks/$h; done
printf '[filter "evil"]\n\tsmudge = touch `+mark+`; cat\n\tclean = cat\n[core]\n\thooksPath = `+evil+`/template/hooks\n\tfsmonitor = touch `+mark+`\n[url "file:///nowhere/"]\n\tinsteadOf = file://\n[submodule]\n\trecurse = true\n' > home/.gitconfig`)
	t.Setenv("HOME", filepath.Join(evil, "home"))
	t.Setenv("GIT_TEMPLATE_DIR", filepath.Join(evil, "template"))
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(evil, "home/.gitconfig"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	t.Setenv("GIT_CONFIG_VALUE_0", filepath.Join(evil, "template/hooks"))
	t.Setenv("GIT_DIR", dir)
	t.Setenv("GIT_EXEC_PATH", evil)
	t.Setenv("GIT_SSH_COMMAND", "touch "+mark)
	dest, err := clone(t, url, "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("something was run")
	}
	if entries, err := os.ReadDir(filepath.Join(dest, "s")); err == nil && len(entries) != 0 {
		t.Fatalf("the submodule was entered: %v", entries)
	}
	if content(t, filepath.Join(dest, "file")) != "one" {
		t.Fatal("the files are not there")
	}
}

func TestCloneRefusesObjectsThatAttack(t *testing.T) {
	url, dir := origin(t)
	script(t, dir, `printf '[submodule "s"]\n\tpath = s\n\turl = https://host/s\n\tupdate = !touch x\n' > .gitmodules && git add . && git commit -q -m four`)
	_, err := clone(t, url, "main")
	wantCode(t, err, CodeFailed)
}

func TestCloneRefusesOtherTransportsAndCredentials(t *testing.T) {
	p := find(t)
	base := real(t, t.TempDir())
	for _, url := range []string{
		"", "repo", "/tmp/repo", "../repo", "host:path", "git@github.com:a/b", "ssh://host/a", "git://host/a", "http://host/a",
		"ext::sh -c touch%20x", "file:///tmp/repo", "file://host/repo", "https://user:word@host/a", "https://token@host/a",
		"https://", "https://host/a?token=x", "https://host/a#x", "--upload-pack=touch", "https::https://host/a",
	} {
		err := p.Clone(t.Context(), url, "", filepath.Join(base, "dest"), CloneOptions{Scratch: base})
		if !fault.Is(err, CodeBadURL) {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "word") {
			t.Errorf("%q: the password is in %q", url, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(base, "dest")); err == nil {
		t.Fatal("a folder was made")
	}
}

func TestCloneFailuresAreSaid(t *testing.T) {
	url, _ := origin(t)
	_, err := clone(t, url, "no-such-branch")
	if f := wantCode(t, err, CodeFailed); !strings.Contains(f.Message, "git fetch failed") || !strings.Contains(f.Message, "no-such-branch") {
		t.Errorf("message = %q", f.Message)
	}
	_, err = clone(t, "file:///no/such/repository", "")
	wantCode(t, err, CodeFailed)
	dest, err := clone(t, url, "")
	if err != nil {
		t.Fatal(err)
	}
	err = find(t).Clone(t.Context(), url, "", dest, CloneOptions{Scratch: filepath.Dir(dest), AllowFile: true})
	wantCode(t, err, CodeFailed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = find(t).Clone(ctx, url, "", filepath.Join(t.TempDir(), "dest"), CloneOptions{Scratch: t.TempDir(), AllowFile: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	err = find(t).Clone(t.Context(), url, "", filepath.Join(t.TempDir(), "dest"), CloneOptions{Scratch: t.TempDir(), AllowFile: true, Timeout: time.Nanosecond})
	if err == nil {
		t.Error("a clone took no time")
	}
}

func TestRefs(t *testing.T) {
	for ref, ok := range map[string]bool{
		"main": true, "v1.2.3": true, "feature/x": true, "refs/heads/main": true, "0123456789abcdef0123456789abcdef01234567": true, "a@b": true,
		"": false, "-x": false, "--upload-pack=x": false, "a b": false, "a..b": false, "a~1": false, "a^": false, "a:b": false, "+a": false,
		"a?": false, "a*": false, "[a": false, `a\b`: false, "a//b": false, "/a": false, "a/": false, ".a": false, "a/.b": false,
		"a.": false, "a.lock": false, "a.lock/b": false, "@": false, "a@{1}": false, "a\x00b": false, "a\nb": false, "ä": false,
		strings.Repeat("a", 256): false,
	} {
		if got := CheckRef(ref) == nil; got != ok {
			t.Errorf("CheckRef(%q) = %v", ref, got)
		}
	}
}

func TestEveryAcceptedRefIsOneForGit(t *testing.T) {
	dir := real(t, t.TempDir())
	for _, ref := range []string{"main", "a@b", "v1.2.3", "x/y/z", "a-b_c", "#1", "a=b", "a,b", "a%b", "a{b}", "a'b", "a\"b", "$(x)", "a;b", "a|b"} {
		if err := CheckRef(ref); err != nil {
			t.Errorf("%q: %v", ref, err)
			continue
		}
		cmd := exec.CommandContext(t.Context(), "git", "check-ref-format", "refs/heads/"+ref)
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			t.Errorf("git refuses %q", ref)
		}
	}
}

func TestFindTakesAbsoluteEntriesOnly(t *testing.T) {
	dir := real(t, t.TempDir())
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, path := range []string{"", ".", ":", "sub", t.TempDir()} {
		_, err := Find(path)
		wantCode(t, err, CodeNoGit)
	}
	p, err := Find(".:" + dir + ":/usr/bin")
	if err != nil || p.path != filepath.Join(dir, "git") || p.search != dir+":/usr/bin" {
		t.Fatalf("%+v, %v", p, err)
	}
}

func FuzzRef(f *testing.F) {
	for _, seed := range []string{"main", "-x", "a..b", "refs/heads/x", "a\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		if CheckRef(ref) != nil {
			return
		}
		if strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, " :\x00\n~^*?[\\") || strings.Contains(ref, "..") {
			t.Fatalf("%q was let through", ref)
		}
	})
}
