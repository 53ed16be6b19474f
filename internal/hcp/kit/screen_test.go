package kit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

// terminal is one at which nobody types.
type terminal struct{ io.ReadWriter }

func (terminal) Close() error { return nil }

// screen runs a verb as a person at a terminal would, in a folder with a store.
func screen(t *testing.T, home, dir string, words ...string) (string, int) {
	t.Helper()
	var out, errOut bytes.Buffer
	inv := cli.Invocation{
		Program: "hcpx", Args: words, Dir: dir, Home: home, UserID: "uid-test",
		AccountHome: func() (string, error) { return "", errors.New("no such user") },
		Env:         cli.NewEnv([]string{"TERM=xterm", "NO_COLOR=1", "PATH=/usr/bin:/bin", "TMPDIR=" + os.TempDir(), "HCP_CATALOG_URL=http://127.0.0.1:1/"}),
		Stdin:       strings.NewReader(""), Stdout: &out, Stderr: &errOut,
		Clock: clock.Fixed(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)),
		Terminal: cli.Terminal{
			Stdout: true, Stderr: true, Width: 80,
			Open: func() (io.ReadWriteCloser, error) { return terminal{&bytes.Buffer{}}, nil },
		},
	}
	code := whole().Run(context.Background(), inv)
	return out.String() + errOut.String(), code
}

func TestVerbsSpeakToAPersonAtATerminal(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	packs, err := filepath.Abs("../../../packs")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		code  int
		lines []string
	}{
		{[]string{"search", "transit"}, 0, []string{"transit  public-read    Plans journeys", "source: bundled", "note: the catalog could not be read", "next: hcpx install npm:"}},
		{[]string{"search", "nothing-like-it"}, 0, []string{"nothing matches"}},
		{[]string{"catalog", "ledger"}, 0, []string{"ledger  gated-write  Ledger", "  transfer      write, asks  Pay"}},
		{[]string{"catalog"}, 0, []string{"echo     public-read"}},
		{[]string{"catalog", "nosuch"}, 1, []string{`hcpx: the catalog has no pack "nosuch"`}},
		{[]string{"install", packs + "/ledger"}, 0, nil},
		{[]string{"activate", "ledger"}, 0, nil},
		{[]string{"generate"}, 0, []string{"# HCP", "- `ledger`: "}},
		{[]string{"adopt", "claude"}, 0, []string{"create  .mcp.json", "note: hcpx is not on the PATH", "next: hcpx adopt claude --write"}},
		{[]string{"adopt", "codex"}, 0, []string{"add this to ~/.codex/config.toml:", "[mcp_servers.hcp]"}},
		{[]string{"adopt", "claude", "--write", "--undo"}, 1, []string{"hcpx: --write and --undo exclude each other"}},
		{[]string{"adopt", "claude", "--undo"}, 1, []string{`hcpx: nothing was written here for "claude"`}},
		{[]string{"adopt", "claude", "--write"}, 0, []string{"create  .mcp.json"}},
		{[]string{"adopt", "claude", "--write"}, 0, []string{"same  .mcp.json"}},
		{[]string{"adopt", "claude", "--undo"}, 0, []string{"remove  .mcp.json"}},
		{[]string{"adopt", "clade"}, 1, []string{`hcpx: no host is called "clade"`, `hint: did you mean "claude"?`}},
	} {
		text, code := screen(t, home, dir, c.words...)
		if code != c.code || strings.Contains(text, "\x1b") {
			t.Errorf("%q: code %d, %q", c.words, code, text)
		}
		for _, line := range c.lines {
			if !strings.Contains("\n"+text, "\n"+line) {
				t.Errorf("%q lacks the line %q:\n%s", c.words, line, text)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("undo left %v, %v", left, err)
	}
}
