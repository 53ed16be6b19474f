package hopcli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bridle/hop"
	"bridle/hop/repo"
	"bridle/internal/hop/hopcli"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/clock"
)

// screen runs hop as a person at a terminal would, two hours after now.
func screen(dir, home string, words ...string) string {
	var out bytes.Buffer
	hopcli.App().Run(context.Background(), cli.Invocation{
		Program: "hop", Args: words, Dir: dir, Home: home,
		Env:   cli.NewEnv([]string{"TERM=xterm", "PATH=" + os.Getenv("PATH")}),
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Clock:    clock.Fixed(time.Now().Add(2 * time.Hour)),
		Terminal: cli.Terminal{Stdout: true, Stderr: true, Width: 100},
	})
	return out.String()
}

// bare is a screen without its colours.
func bare(text string) string {
	for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
		text = strings.ReplaceAll(text, "\x1b["+code+"m", "")
	}
	return text
}

// fresh is a project with no file and no attempt.
func fresh(t *testing.T) (p *repo.Project, root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, _, err = repo.Init(context.Background(), repo.Options{Dir: root, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, root
}

func TestScreensSayWhatIsNext(t *testing.T) {
	ctx := context.Background()
	p, root := fresh(t)
	if text := bare(screen(root, root, "status")); !strings.Contains(text, `no attempt is open; hop begin "what is to be done" starts one`) {
		t.Errorf("%s", text)
	}
	started, err := p.Record(ctx, repo.Prompt{Text: "Hide \x1b[31m this", Agent: "claude"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(started.Workspace, "a"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Check(ctx, started.Prompt.ID, "test", "-f", "b"); err == nil {
		t.Fatal("a command that fails passed")
	}
	made, err := p.Propose(ctx, started.Prompt.ID, "done")
	if err != nil {
		t.Fatal(err)
	}
	for words, lines := range map[string][]string{
		"status": {
			"◆ proposed Hide \\x1b[31m this · claude", "  in    .hop/workspaces/" + started.Attempt.ID,
			"  next  hop land " + made.Proposal.ID + " -- COMMAND",
		},
		"log":                      {"◆  " + made.Proposal.ID + "  proposal  done · 2 h ago", "│  ✗ test -f b · exit 1", "○  " + started.Prompt.ID + "  prompt  Hide \\x1b[31m this · claude · 2 h ago"},
		"show " + made.Proposal.ID: {"✗ test -f b · exit 1 · EVIDENCE_", "done", "kind        proposal"},
		"show " + started.Task.ID:  {"title   Hide", "◆ proposed  " + started.Attempt.ID},
		"show " + "A_nosuch":       {`hop: "A_nosuch" is no id`},
	} {
		expect(t, screen(root, root, strings.Fields(words)...), words, lines)
	}
	expect(t, screen(root, root, "land", made.Proposal.ID), "land", []string{"Accepted as A_", "hop: your files are as they were; hop sync writes"})
}

func expect(t *testing.T, text, words string, lines []string) {
	t.Helper()
	if strings.Contains(strings.ReplaceAll(text, "\x1b[31m✗", ""), "\x1b[31m this") {
		t.Errorf("%s: a prompt colours the screen", words)
	}
	for _, line := range lines {
		if !strings.Contains("\n"+strings.TrimLeft(bare(text), " "), line) {
			t.Errorf("hop %s lacks %q:\n%s", words, line, bare(text))
		}
	}
}

func TestRefusedLandingsShowTheirPaths(t *testing.T) {
	ctx := context.Background()
	p, root := fresh(t)
	var made []hop.Proposed
	for _, text := range []string{"one", "two"} {
		started, err := p.Record(ctx, repo.Prompt{Text: text})
		if err == nil {
			err = os.WriteFile(filepath.Join(started.Workspace, "a"), []byte(text), 0o644)
		}
		proposed, proposeErr := p.Propose(ctx, started.Prompt.ID, text)
		if err = errors.Join(err, proposeErr); err != nil {
			t.Fatal(err)
		}
		made = append(made, proposed)
	}
	if _, err := p.Land(ctx, repo.Landing{Proposals: []string{made[0].Proposal.ID}}); err != nil {
		t.Fatal(err)
	}
	expect(t, screen(root, root, "land", made[1].Proposal.ID), "land", []string{"changed on both sides:", "  a (", "next: hop refresh " + made[1].Proposal.ID})
}

func TestNoLineOfADrawingRunsOver(t *testing.T) {
	ctx := context.Background()
	p, root := fresh(t)
	for range 3 {
		started, err := p.Record(ctx, repo.Prompt{Text: strings.Repeat("many wörds ", 30), Agent: "claude"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Propose(ctx, started.Prompt.ID, strings.Repeat("a long summary ", 20)); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range []string{"log", "status"} {
		text := bare(screen(root, root, words))
		if !strings.Contains(text, "…") || !strings.Contains(text, "· claude") {
			t.Errorf("hop %s cuts nothing:\n%s", words, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 100 && !strings.HasPrefix(line, "root") {
				t.Errorf("hop %s has a line of %d columns:\n%s", words, n, line)
			}
		}
	}
}
