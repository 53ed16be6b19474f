// Package repo is Hop for Go programs: a project, its attempts, and what becomes
// of their work, with the same operations and results as the hop program.
//
// A program that delivers instructions to an agent records each one first, gives
// the agent the workspace and the environment that come back, and lands what the
// agent proposed:
//
//	p, begun, err := repo.Begin(ctx, repo.Options{Dir: dir}, repo.Prompt{Text: "Add password reset emails", Agent: "codex", Session: id})
//	…
//	check, err := p.Check(ctx, begun.Prompt.ID, "go", "test", "./...")
//	proposed, err := p.Propose(ctx, begun.Prompt.ID, "Reset emails")
//	landed, err := p.Land(ctx, repo.Landing{Proposals: []string{proposed.Proposal.ID}, Command: []string{"go", "test", "./..."}})
//
// # Invariants
//
//   - A prompt is durable before Begin and Record return.
//   - Nothing of the user's but the project's own folder is written, except by Sync.
//   - Every error is an *Error with a stable code, a hint, and the exit code that
//     the hop program would end with.
//   - The package reads neither the process's environment nor its working
//     directory: Options say all of it.
//
// It implements the command contract of the Hop protocol.
package repo
