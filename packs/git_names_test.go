package packs

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var hostileNames = []string{"with space", "tab\tname", "new\nline", `quote"back\slash`, "-dash", "--help", "ünï→😀", "\x01\x1f", "$(id)", "a:b", ":(top)x", "*", "M\tx"}

func TestGitCarriesAnyNameThroughEveryCommand(t *testing.T) {
	r := newRepo(t)
	names := hostileNames
	if runtime.GOOS == "windows" {
		t.Skip("names like these need a POSIX file system")
	}
	r.commit("empty")
	for i, name := range names {
		r.write(name, strings.Repeat(fmt.Sprintf("line of file %d\n", i), 9)+"one\n")
	}
	got := r.ok("status")
	for _, name := range names {
		find(t, got["untracked"].([]any), name)
	}
	r.git("add", "-A")
	got = r.ok("diff", "--staged", "true")
	for _, name := range names {
		if item := find(t, got["files"].([]any), name); item["change"] != "added" || fmt.Sprint(item["additions"]) != "10" {
			t.Errorf("%q: %v", name, item)
		}
	}
	r.git("commit", "-q", "-m", "names")
	got = r.ok("show", "HEAD")
	for _, name := range names {
		find(t, got["files"].([]any), name)
	}
	for i, name := range names {
		r.write(name, strings.Repeat(fmt.Sprintf("line of file %d\n", i), 9)+"one\ntwo\n")
		blame := start(t, command{path: script(t, "git", "git-hcp"), args: []string{"blame", "--ref", "HEAD", "--json", "--", name}, dir: r.dir}).object(t)
		if fmt.Sprint(blame["lines"]) != "10" || at(t, blame, "runs", 0, "subject") != "names" {
			t.Errorf("blame %q: %v", name, blame)
		}
		if got := r.ok("diff", "--path="+name, "--patch=true"); len(got["files"].([]any)) != 1 || at(t, got, "files", 0, "path") != name || !strings.Contains(got["patch"].(string), "+two\n") {
			t.Errorf("diff %q: %v", name, got)
		}
		if got := r.ok("log", "--path="+name); len(got["commits"].([]any)) != 1 {
			t.Errorf("log %q: %v", name, got)
		}
		r.git("mv", "--", "./"+name, "./renamed "+name)
	}
	r.git("add", "-A")
	got = r.ok("diff", "--staged=true")
	for _, name := range names {
		if item := find(t, got["files"].([]any), "renamed "+name); item["from"] != name || fmt.Sprint(item["additions"]) != "1" {
			t.Errorf("renamed %q: %v", name, item)
		}
	}
}

func TestGitGivesTheBytesOfANameThatIsNoUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file system takes UTF-8 names only")
	}
	r := newRepo(t)
	r.commit("empty")
	for _, name := range []string{"a\xff", "\xfe\xffbc", "caf\xe9 x", "\xe2\x82"} {
		r.write(name, "x\n")
		check := func(item map[string]any) {
			t.Helper()
			raw, err := base64.StdEncoding.DecodeString(fmt.Sprint(item["path_b64"]))
			if err != nil || string(raw) != name || item["path"] != strings.ToValidUTF8(name, "\ufffd") && name != "\xfe\xffbc" {
				t.Errorf("%q: %v", name, item)
			}
		}
		r.write(name+" b", "x\n")
		r.write("zz", name) // listed after most of them, and nothing of them may stick to it
		for _, item := range r.ok("status")["untracked"].([]any) {
			switch m := item.(map[string]any); m["path"] {
			case "zz":
				if m["path_b64"] != nil {
					t.Errorf("beside %q: %v", name, m)
				}
			case strings.ToValidUTF8(name, "\ufffd"):
				check(m)
			}
		}
		for _, extra := range []string{name + " b", "zz"} {
			if err := os.Remove(filepath.Join(r.dir, extra)); err != nil {
				t.Fatal(err)
			}
		}
		r.commit("add")
		check(at(t, r.ok("show", "HEAD"), "files", 0).(map[string]any))
		if got := r.ok("log", "--path", name); len(got["commits"].([]any)) != 1 {
			t.Errorf("log %q: %v", name, got)
		}
	}
}

func TestGitAnswersTheSameUnderEveryShellAndAwk(t *testing.T) {
	r := newRepo(t)
	for _, name := range hostileNames {
		r.write(name, "one\n")
	}
	r.write("sub/f", "1\n")
	r.commit("first \x01 ü")
	r.git("config", "remote.o.url", "https://u:p@example.com/x")
	r.git("tag", "-a", "v", "-m", "x")
	r.write("sub/f", "2\n")
	for _, name := range hostileNames {
		r.git("mv", "--", "./"+name, "./to "+name)
	}
	if runtime.GOOS == "linux" {
		r.write("bad\xff\xc3", "x")
	}
	sameEverywhere(t, command{path: script(t, "git", "git-hcp"), dir: r.dir}, [][]string{
		{"status"},
		{"log"},
		{"show", "HEAD", "--patch=true"},
		{"diff", "--staged=true", "--patch=true"},
		{"branches"},
		{"tags"},
		{"blame", "sub/f"},
		{"stashes"},
		{"remotes"},
		{"config"},
		{"show", "none"},
		{"--help"},
	})
}
