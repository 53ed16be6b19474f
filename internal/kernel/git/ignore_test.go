package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pieces of patterns and of names, few enough that they meet.
var (
	patternPieces = []string{"a", "b", "c", "*", "**", "?", "/", "/", "/**", "**/", "[ab]", "[!a]", "[^b]", "[a-c]", `\a`, `\*`, `\!`, "!", "#", " ", `\ `, ".", "[[:alpha:]]", "[]a]", "[", "]", "[a-", "A", "\\", "[[:foo:]]", "[a-]", "é", "\t"}
	namePieces    = []string{"a", "b", "c", "ab", "a.b", "abc", "*", "!", "#", " ", "A", "é", "-", "]", "[", "\\", "a b"}
)

func randomPattern(r *rand.Rand) string {
	var s strings.Builder
	for range 1 + r.IntN(5) {
		s.WriteString(patternPieces[r.IntN(len(patternPieces))])
	}
	return s.String()
}

func randomPath(r *rand.Rand) string {
	parts := make([]string, 1+r.IntN(4))
	for i := range parts {
		for range 1 + r.IntN(2) {
			parts[i] += namePieces[r.IntN(len(namePieces))]
		}
	}
	return strings.Join(parts, "/")
}

// ignoredBy is what a scan does on its way down.
func ignoredBy(chain *ignoreChain, base, path string) bool {
	for at := 0; ; {
		slash := strings.IndexByte(path[at:], '/')
		if slash < 0 {
			return chain.ignored(base+path, false)
		}
		if at += slash; chain.ignored(base+path[:at], true) {
			return true
		}
		at++
	}
}

func TestIgnoreRulesAreGits(t *testing.T) {
	for _, fold := range []bool{false, true} {
		dir := real(t, t.TempDir())
		script(t, dir, "git init -q repo; git -C repo config core.ignorecase "+fmt.Sprint(fold))
		repo := filepath.Join(dir, "repo")
		r := rand.New(rand.NewPCG(7, 11))
		type question struct {
			rules, path string
			ours        bool
		}
		var questions []question
		var asked bytes.Buffer
		for i := range 300 {
			base := fmt.Sprintf("d%03d/", i)
			var rules strings.Builder
			for range 1 + r.IntN(4) {
				rules.WriteString(randomPattern(r) + "\n")
			}
			write(t, filepath.Join(repo, base, ".gitignore"), rules.String())
			chain := &ignoreChain{parseIgnore([]byte(rules.String()), base, fold), nil}
			for range 20 {
				path := randomPath(r)
				questions = append(questions, question{rules.String(), path, ignoredBy(chain, base, path)})
				asked.WriteString(base + path + "\x00")
			}
		}
		ok(t, os.WriteFile(filepath.Join(dir, "asked"), asked.Bytes(), 0o644))
		script(t, repo, "git check-ignore -z -v -n --no-index --stdin < ../asked > ../answers")
		fields := strings.Split(content0(t, filepath.Join(dir, "answers")), "\x00")
		ignored := 0
		for i, q := range questions {
			pattern := fields[4*i+2]
			gits := pattern != "" && pattern[0] != '!'
			if gits {
				ignored++
			}
			if gits != q.ours {
				t.Errorf("fold %v, rules %q, path %q: ours %v, git's %v by %q", fold, q.rules, q.path, q.ours, gits, pattern)
			}
		}
		if ignored < len(questions)/50 || ignored > len(questions)*49/50 {
			t.Errorf("%d of %d paths are ignored: the question is too easy", ignored, len(questions))
		}
	}
}

func TestAttributesAreGits(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, "git init -q repo")
	repo := filepath.Join(dir, "repo")
	r := rand.New(rand.NewPCG(3, 5))
	words := []string{"text", "-text", "text=auto", "!text", "eol=lf", "eol=crlf", "-eol", "crlf", "-crlf", "crlf=input", "filter=x", "-filter", "!filter", "ident", "-ident", "binary", "-binary", "mine", "text=odd", "working-tree-encoding=UTF-16", "-x=", "=", "text=input"}
	var asked bytes.Buffer
	type question struct{ rules, path string }
	var questions []question
	var ours []attributes
	write(t, filepath.Join(repo, ".git/info/attributes"), "*.own text eol=crlf\n")
	own := parseAttributes([]byte("*.own text eol=crlf\n"), "", true)
	top := "[attr]mine text=auto filter=y\n*.top -text\n"
	write(t, filepath.Join(repo, ".gitattributes"), top)
	root := &attributeChain{parseAttributes([]byte(top), "", true), nil}
	for i := range 150 {
		base := fmt.Sprintf("d%03d/", i)
		var rules strings.Builder
		for range 1 + r.IntN(4) {
			pattern := strings.TrimSpace(strings.NewReplacer(" ", "", "\t", "").Replace(randomPattern(r)))
			if r.IntN(4) == 0 {
				pattern = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(pattern) + `"`
			}
			rules.WriteString(pattern)
			for range 1 + r.IntN(3) {
				rules.WriteString(" " + words[r.IntN(len(words))])
			}
			rules.WriteString("\n")
		}
		write(t, filepath.Join(repo, base, ".gitattributes"), rules.String())
		chain := &attributeChain{parseAttributes([]byte(rules.String()), base, false), root}
		for range 10 {
			path := randomPath(r) + []string{"", "", ".own", ".top"}[r.IntN(4)]
			questions = append(questions, question{rules.String(), path})
			ours = append(ours, chain.lookup(own, base+path, false))
			asked.WriteString(base + path + "\x00")
		}
	}
	ok(t, os.WriteFile(filepath.Join(dir, "asked"), asked.Bytes(), 0o644))
	script(t, repo, "git check-attr -z --stdin text eol crlf filter ident working-tree-encoding < ../asked > ../answers 2>/dev/null")
	fields := strings.Split(content0(t, filepath.Join(dir, "answers")), "\x00")
	show := func(a attribute) string {
		return [...]string{"unspecified", "set", "unset", a.value}[a.state]
	}
	for i, q := range questions {
		a := ours[i]
		for n, attr := range []attribute{a.text, a.eol, a.crlf, a.filter, a.ident, a.encoding} {
			if at := fields[18*i+3*n:]; show(attr) != at[2] {
				t.Errorf("rules %q, path %q, %s: ours %q, git's %q", q.rules, q.path, at[1], show(attr), at[2])
			}
		}
	}
}

func FuzzIgnore(f *testing.F) {
	for _, seed := range []string{"*.o\n!a.o\n/b/**/c\n", "[[:alpha:]", "a\\ \n", "\xef\xbb\xbf#x"} {
		f.Add([]byte(seed), "a/b/c.o")
	}
	f.Fuzz(func(_ *testing.T, rules []byte, path string) {
		if safePath(path) {
			parseIgnore(rules, "", false).match(path, true)
		}
	})
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tx = \"a\\\"b\" ; c\n[a \"b\"]\nk\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseConfig(data)
		for _, e := range entries {
			if err == nil && !strings.Contains(e.key, ".") {
				t.Fatalf("%q has the key %q", data, e.key)
			}
		}
	})
}

func TestConfigurationIsReadAsGitReadsIt(t *testing.T) {
	dir := real(t, t.TempDir())
	script(t, dir, "git init -q repo")
	repo := filepath.Join(dir, "repo")
	write(t, filepath.Join(repo, ".git/more"), "[a]\n\tfrom = more\n")
	write(t, filepath.Join(repo, ".git/here"), "[a]\n\tfrom = here\n")
	write(t, filepath.Join(repo, ".git/branch"), "[a]\n\tfrom = branch\n")
	text := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n" + `
# comment
[A "Sub.Section\"x"] ; comment
	Key = value # comment
	key2="a # b" c\
 d  "  e  "  
	key3 = \t\"\\x
	alone
	empty =
[a.Old] key = 1
[include] path = more
[include]
	path = missing
[includeIf "gitdir:` + repo + `/.git"] path = here
[includeIf "gitdir:nowhere/"] path = here
[includeIf "onbranch:ma*"] path = branch
[x] k = é` + "\r\n\tcr = a\r\n"
	write(t, filepath.Join(repo, ".git/config"), text)
	script(t, repo, "git symbolic-ref HEAD refs/heads/main; git config --local --includes --list -z > ../listing")
	r := opened(t, repo, Options{})
	var got strings.Builder
	for _, e := range r.config.entries {
		got.WriteString(e.key)
		if !e.bare {
			got.WriteString("\n" + e.value)
		}
		got.WriteByte(0)
	}
	if want := content0(t, filepath.Join(dir, "listing")); got.String() != want {
		t.Errorf("%q\ngit says\n%q", got.String(), want)
	}
	for _, bad := range []string{"[a", "[a]\nk = \"x", "k = 1", "[a]\n1 = 2", "[a \"x\"\n", "[a]\nk = \\q", "[]\n"} {
		if _, err := parseConfig([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
