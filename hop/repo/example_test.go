package repo_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"bridle/hop/repo"
)

// Two attempts work on one project at once. The second one changed a file that
// has been accepted in another form meanwhile, so it does not land.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hop-example")
	check(err)
	defer os.RemoveAll(dir)
	write(dir, "greeting.txt", "hello\n")
	options := repo.Options{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}}

	p, first, err := repo.Begin(ctx, options, repo.Prompt{Text: "Greet the world", Agent: "one"})
	check(err)
	defer p.Close()
	second, err := p.Record(ctx, repo.Prompt{Text: "Greet everybody", Agent: "two"})
	check(err)
	write(first.Workspace, "greeting.txt", "hello, world\n")
	write(second.Workspace, "greeting.txt", "hello, everybody\n")

	for _, state := range []string{first.Prompt.ID, second.Prompt.ID} {
		proposed, err := p.Propose(ctx, state, "A longer greeting")
		check(err)
		landed, err := p.Land(ctx, repo.Landing{Proposals: []string{proposed.Proposal.ID}, Command: []string{"grep", "-q", "hello", "greeting.txt"}})
		if failed, ok := errors.AsType[*repo.Error](err); ok {
			fmt.Println(failed.Code, failed.Exit, failed.Overlap.Paths[0].Path, failed.Overlap.Paths[0].Kind)
			continue
		}
		fmt.Println(landed.State.Kind, landed.State.Summary, landed.ProposalPaths)
	}
	// Output:
	// accepted A longer greeting [greeting.txt]
	// overlap 20 greeting.txt conflict
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func write(dir, name, text string) {
	check(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}
