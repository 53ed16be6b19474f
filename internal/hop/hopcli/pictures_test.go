package hopcli_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bridle/hop/repo"
	"bridle/internal/kernel/cli/screenshot"
)

var update = flag.Bool("update", false, "write the pictures of the documentation anew")

// steady puts ids that are the same in every run in place of those of a run, each
// as long as it was, and the folder of a reader in place of the test's.
func steady(text, root string, known map[string]string) string {
	text = strings.ReplaceAll(text, root, "/home/ana/shop")
	return regexp.MustCompile(`[A-Z]+_[0-9A-Z]{23}`).ReplaceAllStringFunc(text, func(id string) string {
		if known[id] == "" {
			prefix, _, _ := strings.Cut(id, "_")
			known[id] = fmt.Sprintf("%s_06H2TR0VGB0AQGV6KNTHH%02d", prefix, len(known))
		}
		return known[id]
	})
}

// The pictures of the documentation are what the program writes.
func TestPicturesShowWhatThePersonSees(t *testing.T) {
	ctx := context.Background()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(dir, name, text string) {
		t.Helper()
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write(root, "greet.txt", "hello\n")
	p, _, err := repo.Init(ctx, repo.Options{Dir: root, Environ: os.Environ()})
	must(err)
	defer p.Close()
	ids := map[string]string{}
	hold := func(name string, words ...string) {
		t.Helper()
		text := "\x1b[2m$ hop " + strings.Join(words, " ") + "\x1b[0m\n" + screen(root, root, words...)
		screenshot.Hold(t, filepath.Join("../../../docs/screens", name), *update, steady(text, root, ids), 100)
	}
	start := func(text, agent string) (prompt, workspace string) {
		t.Helper()
		started, err := p.Record(ctx, repo.Prompt{Text: text, Agent: agent})
		must(err)
		return started.Prompt.ID, started.Workspace
	}
	named, namedIn := start("Greet people by name", "codex")
	french, frenchIn := start("Greet in French", "gemini")
	write(namedIn, "greet.txt", "hello, you\n")
	made, err := p.Propose(ctx, named, "Greet people by name")
	must(err)
	_, err = p.Land(ctx, repo.Landing{Proposals: []string{made.Proposal.ID}})
	must(err)
	write(frenchIn, "greet.txt", "bonjour\n")
	_, err = p.Check(ctx, french, "grep", "-q", "bonjour", "greet.txt")
	must(err)
	second, err := p.Propose(ctx, french, "Greet in French")
	must(err)
	hold("hop-status.svg", "status")
	asked, _ := start("What does the mailer do?", "claude")
	_, err = p.Complete(ctx, asked, repo.Answer{Response: "It sends reset links; see mail.txt."})
	must(err)
	hold("hop-log.svg", "log")
	hold("hop-land.svg", "land", second.Proposal.ID)
}
