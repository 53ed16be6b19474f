package op

import (
	"context"
	"slices"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/git"
)

// send pushes what the remote does not have. Each ref moves only from where it was
// seen, and only forward, or from what this machine has purged.
func (x *exchange) send(ctx context.Context) error {
	ours, err := x.Outgoing(ctx)
	if err != nil {
		return err
	}
	var updates []git.PushUpdate
	var parts []hop.SharedPart
	for _, p := range ours {
		there := x.remote[p.Remote]
		if there == p.Tip || x.refused[p.Remote] {
			continue
		}
		if there != "" {
			continues, err := x.behind(ctx, p, there)
			if err != nil {
				return err
			}
			if !continues {
				continue // another machine's, which is further on
			}
		}
		part, err := x.Since(ctx, p, there)
		if err != nil {
			return err
		}
		updates = append(updates, git.PushUpdate{Name: p.Remote, New: p.Tip, Old: there})
		parts = append(parts, shown(part))
	}
	if x.accepted == "" && !x.refused[ledger.AcceptedRef] {
		updates = append(updates, git.PushUpdate{Name: ledger.AcceptedRef, New: git.OID(x.out.Accepted.GitCommit)})
		x.out.AcceptedStatus = hop.AcceptedFounded
	}
	for batch := range slices.Chunk(updates, refsAtOnce) {
		x.say("sending " + itoa(len(batch)) + " refs")
		if err := x.Repo.Push(ctx, x.request.Remote, batch, x.remoteOptions()); err != nil {
			return err
		}
		for _, u := range batch {
			x.remote[u.Name] = u.New
		}
		n := min(len(batch), len(parts))
		x.out.Sent, parts = append(x.out.Sent, parts[:n]...), parts[n:]
	}
	if x.accepted == "" && x.out.AcceptedStatus == hop.AcceptedFounded {
		x.accepted = git.OID(x.out.Accepted.GitCommit)
		x.out.RemoteCommit = string(x.accepted)
	}
	return x.dropIncoming(ctx)
}
