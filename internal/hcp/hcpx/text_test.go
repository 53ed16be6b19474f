package hcpx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/cli"
)

func TestPiecesOfAnOutputSplitNoCharacter(t *testing.T) {
	for in, want := range map[string]string{
		"abc":            "abc",
		"ab\xc3":         "ab", // é without its second byte
		"ab\xe2\x82":     "ab", // € without its third
		"ab\xf0\x9f\x90": "ab",
		"ab€":            "ab€",
		"\xc3":           "\xc3", // nothing else is there
		"ab\xff":         "ab\xff",
		"":               "",
	} {
		if got := string(wholeRunes([]byte(in))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestPiecesOfValidTextAreValidAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(utf8.UTFMax, 16).Draw(t, "limit")
		var b strings.Builder
		for rest := text; rest != ""; {
			piece := rest
			if len(rest) > limit {
				piece = string(wholeRunes([]byte(rest[:limit])))
			}
			if piece == "" || !utf8.ValidString(piece) {
				t.Fatalf("piece %q of %q", piece, rest)
			}
			b.WriteString(piece)
			rest = rest[len(piece):]
		}
		if b.String() != text {
			t.Fatalf("%q became %q", text, b.String())
		}
	})
}

func TestCutTextKeepsCharactersWhole(t *testing.T) {
	for limit, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "a", 4: "a€"} {
		if got := cutText("a€b", limit); got != want {
			t.Errorf("%d: %q, want %q", limit, got, want)
		}
	}
}

func TestEnvelopeDoesNotCarryTheRawOutputTwice(t *testing.T) {
	for name, c := range map[string]struct {
		in             hcp.ExecResult
		stdout, stderr string
		exit           int
	}{
		"a result stands for stdout":   {hcp.ExecResult{OK: true, Result: []byte(`1`), Stdout: "1\n"}, "", "", 0},
		"raw text without a result":    {hcp.ExecResult{Stdout: "half", Error: "exit 1"}, "half", "", 1},
		"stderr that is the error":     {hcp.ExecResult{Error: "no such stop", Stderr: "no such stop\n"}, "", "", 1},
		"stderr beside the error":      {hcp.ExecResult{Error: "timed out", Stderr: "working\n"}, "", "working\n", 1},
		"warnings of a good command":   {hcp.ExecResult{OK: true, Result: []byte(`{}`), Stderr: "deprecated\n"}, "", "deprecated\n", 0},
		"a long output kept elsewhere": {hcp.ExecResult{OK: true, Result: []byte(`"a"`), Stdout: "a", ReadMore: &hcp.ReadMore{}}, "", "", 0},
	} {
		out := execResult(c.in)
		got, ok := out.Value.(hcp.ExecResult)
		if !ok || got.Stdout != c.stdout || got.Stderr != c.stderr || out.Exit != c.exit {
			t.Errorf("%s: %+v, exit %d", name, got, out.Exit)
		}
	}
}

func TestSourcesThatHaveToBeFetched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pack.zip"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.zip"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &cli.Call{Invocation: cli.Invocation{Dir: dir}}
	for source, want := range map[string]bool{
		"./packs/transit": false, "folder.zip": false, "missing.zip": false, "npm": false, "githubx": false,
		"npm:@scope/name": true, "npm:./local": true, "github:owner/repo@v1//sub": true, "https://github.com/a/b": true,
		"pack.zip": true, "./pack.zip": true,
	} {
		if got := isRemote(c, source); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}
