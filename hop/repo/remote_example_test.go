package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"bridle/hop/repo"
)

// One machine proposes, another one lands it on the remote that both share, and
// the first one learns of it.
func ExampleShare() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hop-share")
	check(err)
	defer os.RemoveAll(dir)
	remote := filepath.Join(dir, "remote.git")
	check(exec.Command("git", "init", "-q", "--bare", remote).Run())
	machine := func(name string) repo.Options {
		check(os.Mkdir(filepath.Join(dir, name), 0o700))
		return repo.Options{Dir: filepath.Join(dir, name), Environ: []string{"PATH=" + os.Getenv("PATH")}}
	}
	one, two := machine("one"), machine("two")
	write(one.Dir, "greeting.txt", "hello\n")

	first, begun, err := repo.Begin(ctx, one, repo.Prompt{Text: "Greet the world"})
	check(err)
	defer first.Close()
	write(begun.Workspace, "greeting.txt", "hello, world\n")
	proposed, err := first.Propose(ctx, begun.Prompt.ID, "A longer greeting")
	check(err)
	_, err = first.Share(ctx, remote, false)
	check(err)

	second, _, err := repo.Share(ctx, two, remote, false)
	check(err)
	defer second.Close()
	landed, err := second.Land(ctx, repo.Landing{
		Proposals: []string{proposed.Proposal.ID}, Command: []string{"grep", "-q", "world", "greeting.txt"}, Remote: remote,
	})
	check(err)

	shared, err := first.Share(ctx, remote, false)
	check(err)
	fmt.Println(shared.AcceptedStatus, shared.Accepted.ID == landed.State.ID, shared.Accepted.Summary)
	pushed, err := first.Push(ctx, remote, "main")
	check(err)
	fmt.Println(pushed.Ref, pushed.Status)
	// Output:
	// followed true A longer greeting
	// refs/heads/main pushed
}

// A credential that got into a checkpoint is taken out by its fingerprint.
func ExampleProject_Purge() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hop-purge")
	check(err)
	defer os.RemoveAll(dir)
	p, begun, err := repo.Begin(ctx, repo.Options{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}}, repo.Prompt{Text: "Log in"})
	check(err)
	defer p.Close()
	write(begun.Workspace, "login.txt", "token = ghp_R4nd0mLetters99AndDigits77xQzWvUtSr1\n")
	_, err = p.Checkpoint(ctx, begun.Prompt.ID)
	check(err)

	_, err = p.Propose(ctx, begun.Prompt.ID, "Log in")
	refused, ok := errors.AsType[*repo.Error](err)
	fmt.Println(ok, refused.Code, refused.Paths)
	done, err := p.Purge(ctx, repo.Purging{Fingerprints: refused.Fingerprints})
	check(err)
	fmt.Println(len(done.States), done.Blobs[0].Paths, done.Left)
	text, err := os.ReadFile(filepath.Join(begun.Workspace, "login.txt"))
	check(err)
	fmt.Print(string(text))
	// Output:
	// true credential_refused [login.txt]
	// 1 [login.txt] []
	// token = [PURGED]
}
