package op

import (
	"context"
	"strings"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Push puts the accepted line on an ordinary branch of a remote: only forward, and
// only from where the branch was seen. Without a name, it is the branch that is
// checked out.
func (p *Project) Push(ctx context.Context, remote, branch string) (hop.Pushed, error) {
	out := hop.Pushed{Remote: remote}
	if remote == "" {
		return out, usage("no remote is named")
	}
	if branch == "" {
		head, err := p.Repo.Head(ctx)
		if err != nil {
			return out, err
		}
		if head.Branch == "" {
			return out, usage("no branch is checked out, so one must be named")
		}
		branch = head.Branch
	}
	branch = strings.TrimPrefix(branch, "refs/heads/")
	if branch == "HEAD" || strings.HasPrefix(branch, "-") || strings.HasPrefix(branch, "refs/") {
		return out, usage("%q is no name of a branch", branch)
	}
	out.Ref = "refs/heads/" + branch
	head, err := p.Accepted(ctx)
	if err != nil {
		return out, err
	}
	out.State, out.Commit = head.State.ID, head.State.GitCommit
	refs, err := p.Repo.RemoteRefs(ctx, remote, out.Ref, p.remoteOptions())
	if err != nil {
		return out, err
	}
	var before git.OID
	for _, ref := range refs {
		if ref.Name == out.Ref {
			before = ref.ID
		}
	}
	out.Before, out.Status = string(before), hop.PushDone
	if before == git.OID(out.Commit) {
		out.Status = hop.PushAlready
		return out, nil
	}
	if before != "" {
		forward, err := p.descends(ctx, git.OID(out.Commit), before)
		if err != nil {
			return out, err
		}
		if !forward {
			return out, notForward(out)
		}
	}
	err = p.Repo.Push(ctx, remote, []git.PushUpdate{{Name: out.Ref, New: git.OID(out.Commit), Old: before}}, p.remoteOptions())
	if fault.Is(err, git.CodeRefMoved) {
		return out, notForward(out)
	}
	return out, err
}

func notForward(out hop.Pushed) error {
	return fault.Newf(CodeRemoteMoved, "the branch %q of %q has commits that the accepted line does not have", out.Ref, out.Remote).
		WithExit(hop.ExitHeadChanged).
		WithHint("nothing was pushed; fetch them, bring your branch onto them, and let the next hop begin take it in")
}
