package op

import (
	"context"
	"errors"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Codes of faults about remotes.
const (
	CodeBadRemote    = "bad_remote"
	CodeDiverged     = "accepted_diverged"
	CodeRemoteMoved  = "remote_moved"
	CodeOtherProject = "other_project"
)

// ShareRequest says with whom to exchange.
type ShareRequest struct {
	// Remote is the name of a configured remote, or an address.
	Remote string
	// Follow takes the remote's accepted line also where something landed here that
	// it does not have; that is left, and its proposals may land again.
	Follow bool
	// Publish puts our accepted line on the remote where it goes on from the
	// remote's: what landed or was undone here without the remote.
	Publish bool
}

const (
	// incomingPrefix is where refs of a remote are while nothing is known of them.
	incomingPrefix = "refs/hop/incoming/"
	sharedPrefix   = "refs/hop/"
	// shareTries is how often an exchange begins anew because another machine was
	// at it at the same time.
	shareTries = 5
	// refsAtOnce bounds one call of git.
	refsAtOnce = 400
	// maxNamed bounds how many refs that have no place are named.
	maxNamed = 20
)

// Share exchanges records with a remote; it makes the project first where there is
// none.
func Share(ctx context.Context, s Surroundings, r ShareRequest) (*Project, hop.Shared, error) {
	p, err := Open(ctx, s)
	if fault.Is(err, CodeNoProject) && s.env(hop.EnvRoot) == "" {
		p, _, err = Init(ctx, s, s.Dir)
	}
	if err != nil {
		return nil, hop.Shared{}, err
	}
	out, err := p.Share(ctx, r)
	if err != nil {
		return nil, out, errors.Join(err, p.Close())
	}
	return p, out, nil
}

// Share exchanges states, prompts, evidence and proposals with a remote, both
// ways, and follows its accepted line where that continues ours. Branches, files
// and HEAD are not touched, here or there.
func (p *Project) Share(ctx context.Context, r ShareRequest) (hop.Shared, error) {
	if r.Remote == "" {
		return hop.Shared{}, usage("no remote is named")
	}
	unlock, err := p.lockSharing(ctx)
	if err != nil {
		return hop.Shared{}, err
	}
	defer unlock()
	if err := p.settlePublication(ctx); err != nil {
		return hop.Shared{}, err
	}
	x := exchange{Project: p, request: r}
	for try := 1; ; try++ {
		err = x.run(ctx)
		if (fault.Is(err, git.CodeRefMoved) || fault.Is(err, ledger.CodeHeadChanged)) && try < shareTries {
			p.say("another machine was at it; looking again")
			continue
		}
		if fault.Is(err, git.CodeRefMoved) {
			err = fault.Newf(CodeRemoteMoved, "other machines changed the remote %q at the same time, %d times", r.Remote, try).
				WithExit(hop.ExitHeadChanged).Because(err).WithHint("share again").WithNext("hop share " + r.Remote)
		}
		return x.out, err
	}
}

func (p *Project) lockSharing(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, workspaceWait)
	defer cancel()
	return durable.Lock(ctx, p.Layout.LockFile("share"), "hop share")
}

// remoteOptions let git reach what the user's own git reaches, and ask nobody.
func (p *Project) remoteOptions() git.RemoteOptions {
	o := git.RemoteOptions{Credentials: true, AllowFile: true}
	for _, name := range []string{"SSH_AUTH_SOCK", "SSH_AGENT_PID", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"} {
		if value := p.env(name); value != "" {
			o.Env = append(o.Env, name+"="+value)
		}
	}
	return o
}

// exchange is one exchange with a remote.
type exchange struct {
	*Project
	request ShareRequest
	out     hop.Shared
	remote  map[string]git.OID
	// accepted is what the remote accepts.
	accepted git.OID
	refused  map[string]bool
}

func (x *exchange) run(ctx context.Context) error {
	var err error
	before := x.out
	x.out = hop.Shared{Remote: x.request.Remote, Received: before.Received, Sent: before.Sent}
	x.refused = map[string]bool{}
	if x.out.Received == nil {
		x.out.Received, x.out.Sent = []hop.SharedPart{}, []hop.SharedPart{}
	}
	if x.out.Machine, err = x.Machine(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{x.look, x.receive, x.follow, x.send, x.publish} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) refuse(ref, reason string) {
	x.refused[ref] = true
	x.out.Refused = append(x.out.Refused, hop.SharedError{Ref: ref, Reason: reason})
}

// look lists what the remote has.
func (x *exchange) look(ctx context.Context) error {
	x.say("asking the remote what it has")
	refs, err := x.Repo.RemoteRefs(ctx, x.request.Remote, sharedPrefix, x.remoteOptions())
	if err != nil {
		return err
	}
	x.remote, x.accepted = map[string]git.OID{}, ""
	strange := 0
	for _, ref := range refs {
		_, _, shared := ledger.ParseMachineRef(ref.Name)
		switch {
		case ref.Name == ledger.AcceptedRef:
			x.accepted = ref.ID
		case shared:
			x.remote[ref.Name] = ref.ID
		case ref.Name == ledger.AttemptRef("") || strings.HasPrefix(ref.Name, ledger.AttemptRef("AT")[:len(ledger.AttemptRef("AT"))-2]):
			return fault.Newf(CodeBadRemote, "the remote %q is itself a project that somebody works in", x.request.Remote).
				WithHint("machines share through a repository of their own, such as one made by git init --bare")
		default:
			if strange++; strange <= maxNamed {
				x.refuse(ref.Name, "it is no place for what machines share")
			}
		}
	}
	if strange > maxNamed {
		x.out.Warnings = append(x.out.Warnings, itoa(strange-maxNamed)+" further refs of the remote have no place and were not looked at")
	}
	return nil
}

// receive fetches what is missing here and takes what holds.
func (x *exchange) receive(ctx context.Context) error {
	if err := x.dropIncoming(ctx); err != nil {
		return err
	}
	if x.accepted != "" {
		if err := x.fetchAccepted(ctx); err != nil {
			return err
		}
	}
	byMachine, err := x.missing(ctx)
	if err != nil {
		return err
	}
	var incoming []ledger.Incoming
	for _, machine := range sortedKeys(byMachine) {
		got, err := x.fetch(ctx, byMachine[machine])
		if err != nil {
			return err
		}
		incoming = append(incoming, got...)
	}
	if len(incoming) > 0 {
		x.say("verifying what came")
		taken, err := x.Take(ctx, incoming, x.related)
		if err != nil {
			return err
		}
		for _, part := range taken.Parts {
			x.out.Received = append(x.out.Received, shown(part))
		}
		for _, r := range taken.Rejected {
			x.refuse(r.Ref, r.Reason)
		}
	}
	return nil
}

func shown(p ledger.Part) hop.SharedPart {
	return hop.SharedPart{Machine: p.Machine, Attempt: p.Attempt, Operations: p.Operations, States: p.States, Checks: p.Checks}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// missing are the refs of the remote that hold something new, by machine. What
// stands under our own name and is not ours is refused at once.
func (x *exchange) missing(ctx context.Context) (map[string][]string, error) {
	here := map[string]ledger.Published{}
	ours, err := x.Outgoing(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range ours {
		here[p.Remote] = p
	}
	out := map[string][]string{}
	for _, name := range sortedKeys(x.remote) {
		p, known := here[name]
		if known && p.Tip == x.remote[name] {
			continue
		}
		if known {
			behind, err := x.behind(ctx, p, x.remote[name])
			if err != nil {
				return nil, err
			}
			if behind {
				continue
			}
		}
		machine, _, _ := ledger.ParseMachineRef(name)
		if machine == x.out.Machine {
			x.refuse(name, "it claims to be this machine's and holds what this machine did not record")
			continue
		}
		out[machine] = append(out[machine], name)
	}
	return out, nil
}

// behind reports whether what a remote has of a ref is part of what is here, or was
// before a purge of this machine.
func (x *exchange) behind(ctx context.Context, p ledger.Published, there git.OID) (bool, error) {
	part, err := x.HasTransaction(ctx, p.Local, there)
	if err != nil || part || !p.Own {
		return part, err
	}
	return x.WasPurged(ctx, there)
}

// fetch fetches refs of one machine to where nothing looks for them yet.
func (x *exchange) fetch(ctx context.Context, names []string) ([]ledger.Incoming, error) {
	var got []ledger.Incoming
	for part := range slices.Chunk(names, refsAtOnce) {
		var specs []git.Refspec
		for _, name := range part {
			specs = append(specs, git.Refspec{From: name, To: incomingName(name), Force: true})
		}
		x.say("fetching " + itoa(len(part)) + " refs")
		refused, err := x.fetchRefs(ctx, specs)
		if err != nil {
			return nil, err
		}
		if refused != nil {
			for _, name := range part {
				x.refuse(name, "its objects could not be fetched: "+fault.From(refused).Message)
			}
			continue
		}
		for _, name := range part {
			tip, found, err := x.Repo.Ref(ctx, incomingName(name))
			if err != nil {
				return nil, err
			}
			if found {
				got = append(got, ledger.Incoming{Name: name, Tip: tip})
			}
		}
	}
	return got, nil
}

// fetchRefs fetches refs. What the remote is to blame for is refused; where this
// machine or the connection is, the exchange has failed. Git does not say which: a
// disk that takes nothing is known by the system's words, a remote that is gone by
// asking it, and what a second attempt mends was no fault of the remote's.
func (x *exchange) fetchRefs(ctx context.Context, specs []git.Refspec) (refused, err error) {
	for range 2 {
		refused = x.Repo.Fetch(ctx, x.request.Remote, specs, x.remoteOptions())
		if refused == nil {
			return nil, nil
		}
		if ctx.Err() != nil || !fault.Is(refused, git.CodeFailed) || errors.Is(refused, git.ErrKilled) {
			return nil, refused
		}
		if _, gone := x.Repo.RemoteRefs(ctx, x.request.Remote, sharedPrefix, x.remoteOptions()); gone != nil {
			return nil, gone
		}
	}
	return refused, nil
}

func incomingName(name string) string { return incomingPrefix + strings.TrimPrefix(name, sharedPrefix) }

func (x *exchange) fetchAccepted(ctx context.Context) error {
	to := incomingName(ledger.AcceptedRef)
	refused, err := x.fetchRefs(ctx, []git.Refspec{{From: ledger.AcceptedRef, To: to, Force: true}})
	if err != nil {
		return err
	}
	if refused != nil {
		x.refuse(ledger.AcceptedRef, "its objects could not be fetched: "+fault.From(refused).Message)
		return nil
	}
	if x.accepted, _, err = x.Repo.Ref(ctx, to); err != nil {
		return err
	}
	same, err := x.related(ctx, x.accepted)
	if err == nil && !same {
		err = fault.Newf(CodeOtherProject, "what %q accepts has no history in common with this project", x.request.Remote).
			WithHint("nothing was exchanged; each project shares through a remote of its own")
	}
	return err
}

// dropIncoming removes what an exchange that was cut short left. The caller holds
// the lock of sharing.
func (p *Project) dropIncoming(ctx context.Context) error {
	if _, err := p.Repo.ClearRefLocks(ctx, incomingPrefix); err != nil {
		return err
	}
	refs, err := p.Repo.Refs(ctx, incomingPrefix)
	if err != nil || len(refs) == 0 {
		return err
	}
	var updates []git.RefUpdate
	for _, ref := range refs {
		updates = append(updates, git.RefUpdate{Name: ref.Name, Any: true})
	}
	return p.moveRefs(ctx, "incoming", updates)
}

// related reports whether a commit and the accepted one have a common history. A
// project in which there is nothing yet may become part of any.
func (p *Project) related(ctx context.Context, commit git.OID) (bool, error) {
	head, err := p.Accepted(ctx)
	if err != nil {
		return false, err
	}
	if git.OID(head.State.SourceTree) == p.Repo.Format().EmptyTree() && len(head.State.Parents) == 0 {
		return true, nil
	}
	ours := map[git.OID]bool{}
	if err := p.ancestors(ctx, git.OID(head.State.GitCommit), func(id git.OID) bool { ours[id] = true; return true }); err != nil {
		return false, err
	}
	found := false
	err = p.ancestors(ctx, commit, func(id git.OID) bool {
		found = found || ours[id]
		return !found
	})
	return found, err
}

// ancestors calls each for a commit and what led to it, nearest first, as far as
// it is there and within bounds, until each says no.
func (p *Project) ancestors(ctx context.Context, commit git.OID, each func(git.OID) bool) error {
	queue, seen := []git.OID{commit}, map[git.OID]bool{}
	for len(queue) > 0 && len(seen) < maxAncestry {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		missing, err := p.Repo.Exists(ctx, at)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			continue
		}
		if !each(at) {
			return nil
		}
		c, err := p.Repo.Commit(ctx, at)
		if err != nil {
			return err
		}
		queue = append(queue, c.Parents...)
	}
	return nil
}
