package op

import (
	"context"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// settlePublication finds out what became of a landing whose publication a crash
// or a lost connection left in doubt.
func (p *Project) settlePublication(ctx context.Context) error {
	return p.SettlePublication(ctx, p.askRemote)
}

// askRemote reports whether a remote has a publication. A remote that has it in
// part, because its disk failed or its git was killed between two refs, is given
// the rest.
func (p *Project) askRemote(ctx context.Context, pub ledger.Publication) (bool, error) {
	p.say("asking the remote about a landing that was cut short")
	at := map[string]git.OID{}
	for _, name := range []string{pub.Ref, ledger.AcceptedRef} {
		refs, err := p.Repo.RemoteRefs(ctx, pub.Remote, name, p.remoteOptions())
		if err != nil {
			return false, err
		}
		for _, ref := range refs {
			at[ref.Name] = ref.ID
		}
	}
	var rest git.PushUpdate
	switch line, accepted := at[pub.Ref] == pub.Tip, at[ledger.AcceptedRef]; {
	case !line && accepted == pub.Accepted:
		rest = git.PushUpdate{Name: pub.Ref, New: pub.Tip, Old: at[pub.Ref]}
	case line && accepted == "":
		rest = git.PushUpdate{Name: ledger.AcceptedRef, New: pub.Accepted}
	default:
		return line, nil
	}
	return true, p.Repo.Push(ctx, pub.Remote, []git.PushUpdate{rest}, p.remoteOptions())
}

// publisher puts a landing on a remote, which must accept what it accepted when
// the landing was composed.
func (p *Project) publisher(remote string, x *exchange) func(context.Context, ledger.Publication) error {
	return func(ctx context.Context, pub ledger.Publication) error {
		p.say("publishing on the remote")
		err := p.Repo.Push(ctx, remote, []git.PushUpdate{
			{Name: ledger.AcceptedRef, New: pub.Accepted, Old: x.accepted},
			{Name: pub.Ref, New: pub.Tip, Old: x.remote[pub.Ref]},
		}, p.remoteOptions())
		if err == nil {
			return nil
		}
		// The remote may have taken all of it before the connection was lost, or part.
		happened, asked := p.askRemote(context.WithoutCancel(ctx), pub)
		switch {
		case asked != nil:
			return ledger.InDoubt(remote, err)
		case happened:
			return nil
		case fault.Is(err, git.CodeRefMoved):
			return lostRemote(remote, err)
		}
		return err
	}
}

func lostRemote(remote string, cause error) error {
	return fault.Newf(CodeRemoteMoved, "another machine landed on %q first, so nothing was accepted here or there", remote).
		WithExit(hop.ExitHeadChanged).Because(cause).
		WithHint("take what it accepted with hop share, carry the attempt onto it with hop refresh where they overlap, and land again").
		WithNext("hop share " + remote)
}

// meet exchanges with a remote before something is landed there, and refuses where
// the accepted lines do not go together.
func (p *Project) meet(ctx context.Context, remote string) (*exchange, error) {
	unlock, err := p.lockSharing(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.settlePublication(ctx); err != nil {
		return nil, err
	}
	x := &exchange{Project: p, request: ShareRequest{Remote: remote}}
	for try := 1; ; try++ {
		err := x.run(ctx)
		if (fault.Is(err, git.CodeRefMoved) || fault.Is(err, ledger.CodeHeadChanged)) && try < shareTries {
			continue
		}
		if err != nil {
			return nil, err
		}
		break
	}
	own := ledger.MachineRef(x.out.Machine, "")
	switch {
	case x.out.AcceptedStatus == hop.AcceptedDiverged:
		return nil, fault.Newf(CodeDiverged, "something landed here that %q does not have, and something else landed there", remote).
			WithExit(hop.ExitHeadChanged).
			WithHint("hop share %s --follow takes the remote's line; what landed here alone may land again", remote).
			WithNext("hop share " + remote + " --follow")
	case x.refused[ledger.AcceptedRef] || x.refused[own]:
		return nil, fault.Newf(CodeBadRemote, "what %q has of the accepted line was refused: %s", remote, refusalOf(x.out, ledger.AcceptedRef, own)).
			WithHint("nothing lands there until that is mended; hop share %s shows all of it", remote).WithNext("hop share " + remote)
	}
	return x, nil
}

func refusalOf(out hop.Shared, refs ...string) string {
	for _, r := range out.Refused {
		for _, ref := range refs {
			if r.Ref == ref {
				return r.Reason
			}
		}
	}
	return "it cannot be read"
}

// publish puts what is accepted here on a remote that is behind, where the request
// says so. The states of it have been sent before.
func (x *exchange) publish(ctx context.Context) error {
	if x.out.AcceptedStatus != hop.AcceptedAhead {
		return nil
	}
	if !x.request.Publish {
		x.out.Warnings = append(x.out.Warnings, "what is accepted here is not published; hop share "+x.request.Remote+" --publish puts it on the remote")
		return nil
	}
	x.say("publishing on the remote")
	err := x.Repo.Push(ctx, x.request.Remote, []git.PushUpdate{{Name: ledger.AcceptedRef, New: git.OID(x.out.Accepted.GitCommit), Old: x.accepted}}, x.remoteOptions())
	if err != nil {
		return err
	}
	x.accepted = git.OID(x.out.Accepted.GitCommit)
	x.out.AcceptedStatus, x.out.RemoteCommit = hop.AcceptedPublished, string(x.accepted)
	return nil
}

// publishHead puts what is accepted here on a remote that is behind.
func (p *Project) publishHead(ctx context.Context, remote string, x *exchange) error {
	head, err := p.Accepted(ctx)
	if err != nil || git.OID(head.State.GitCommit) == x.accepted {
		return err
	}
	err = p.Repo.Push(ctx, remote, []git.PushUpdate{{Name: ledger.AcceptedRef, New: git.OID(head.State.GitCommit), Old: x.accepted}}, p.remoteOptions())
	if fault.Is(err, git.CodeRefMoved) {
		return lostRemote(remote, err)
	}
	return err
}
