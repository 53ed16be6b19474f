package op

import (
	"context"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// LandRequest is work that is to become accepted.
type LandRequest struct {
	// Verb is the word of the command.
	Verb string
	// Proposals are landed together, as one accepted state.
	Proposals []string
	// Command validates the composed tree; without one nothing is run.
	Command []string
	// Sync also writes the result into the project's visible folder.
	Sync bool
	// Remote is where the result is published, all or nothing, or empty.
	Remote string
}

// maxRetries is how often a landing is composed anew because the accepted state
// moved while it was validated.
const maxRetries = 3

// Land composes proposals with the accepted state, validates the result in a
// clean checkout, and makes it the accepted state. What was validated is published
// only if the accepted state is still the one it was composed with. A landing that
// others overtook has a turn the next time; see turn.
func (p *Project) Land(ctx context.Context, r LandRequest) (hop.Landed, error) {
	proposals, err := p.landable(ctx, r.Proposals)
	if err != nil {
		return hop.Landed{}, err
	}
	turn := &turn{Project: p, inside: p.env(hop.EnvLockHeld) != ""}
	for retries := 0; ; retries++ {
		l := landing{Project: p, request: r, turn: turn, id: hop.NewID(hop.PrefixAccepted, p.Clock.Now())}
		if r.Remote != "" {
			if l.remote, err = p.meet(ctx, r.Remote); err != nil {
				return hop.Landed{}, err
			}
		}
		done, found, err := p.landedBefore(ctx, proposals)
		if found && l.remote != nil {
			done.Published = r.Remote
			err = p.publishHead(ctx, r.Remote, l.remote)
		}
		if err != nil || found {
			return p.withSync(ctx, done, r.Sync, err)
		}
		done, err = l.try(ctx, proposals)
		if fault.Is(err, ledger.CodeHeadChanged) && retries < maxRetries {
			p.say("the accepted state moved; composing anew")
			continue
		}
		done.Retries = retries
		return p.withSync(ctx, done, r.Sync, err)
	}
}

func (p *Project) withSync(ctx context.Context, done hop.Landed, wanted bool, err error) (hop.Landed, error) {
	if err != nil {
		return done, err
	}
	done.Take = "git merge --ff-only " + done.State.GitCommit
	if !wanted {
		return done, nil
	}
	// It is accepted: that the folder cannot follow is told, and fails nothing.
	synced, err := p.Sync(ctx, SyncRequest{})
	if err != nil {
		f := fault.From(err)
		synced = hop.Synced{Status: hop.SyncBlocked, Reason: f.Message, Paths: DetailsOf(err).Paths}
	}
	done.Sync = &synced
	return done, nil
}

// landable returns the proposals and refuses what is none.
func (p *Project) landable(ctx context.Context, ids []string) ([]hop.State, error) {
	if len(ids) == 0 {
		return nil, usage("no proposal is named")
	}
	var out []hop.State
	for _, id := range ids {
		entry, err := p.State(ctx, id)
		if err != nil {
			return nil, err
		}
		if entry.State.Kind != hop.KindProposal {
			return nil, fault.Newf(CodeWrongKind, "state %q is no proposal but of kind %q", id, entry.State.Kind).
				WithHint("hop propose makes a proposal of an attempt's work").WithNext("hop propose " + id)
		}
		if slices.ContainsFunc(out, func(s hop.State) bool { return s.ID == id }) {
			continue
		}
		attempt, err := p.Attempt(ctx, entry.State.AttemptID)
		if err != nil {
			return nil, err
		}
		if attempt.Status == hop.StatusCancelled {
			return nil, fault.Newf(CodeClosed, "attempt %q was cancelled, so its proposal %q does not land", attempt.ID, id).
				WithHint("it goes on only through a new prompt").WithNext("hop prompt --from " + id + " --stdin")
		}
		out = append(out, entry.State)
	}
	return out, nil
}

// landedBefore answers a landing that has happened with its result.
func (p *Project) landedBefore(ctx context.Context, proposals []hop.State) (hop.Landed, bool, error) {
	var first string
	for _, s := range proposals {
		accepted, err := p.landedAs(ctx, s.ID)
		if err != nil || accepted == "" || first != "" && accepted != first {
			return hop.Landed{}, false, err
		}
		first = accepted
	}
	entry, err := p.State(ctx, first)
	if err != nil {
		return hop.Landed{}, false, err
	}
	done := hop.Landed{State: entry.State, Already: true, ProposalPaths: []string{}, CurrentPaths: []string{}}
	if parent, ok := entry.State.Parent(hop.RoleCanonicalParent); ok {
		before, err := p.State(ctx, parent)
		if err != nil {
			return done, false, err
		}
		changes, err := p.Repo.Diff(ctx, git.OID(before.State.SourceTree), git.OID(entry.State.SourceTree))
		if err != nil {
			return done, false, err
		}
		done.ProposalPaths, done.RawPaths = readable(pathsOf(changes))
	}
	if entry.Facts.Check != "" {
		if check, found, err := p.Ledger.Check(ctx, entry.Facts.Check); err == nil && found {
			done.Check = &check
		}
	}
	return done, true, nil
}

// readable are paths as they can stand in JSON, with the bytes of those that are
// not UTF-8.
func readable(paths []string) (list []string, raw []hop.RawPath) {
	list = make([]string, 0, len(paths))
	for _, path := range paths {
		text, b64 := hop.ReadablePath(path)
		list = append(list, text)
		if b64 != "" {
			raw = append(raw, hop.RawPath{Path: text, PathB64: b64})
		}
	}
	return list, raw
}

// landing is one try to land.
type landing struct {
	*Project
	request LandRequest
	turn    *turn
	// id is that of the accepted state to be, which its validation is told.
	id   string
	head hop.State
	// checks are the validations that ran, by tree.
	checks   map[git.OID]hop.Check
	refusals []hop.Refusal
	parts    map[string]composition
	// remote is what was exchanged with where the result is to be published.
	remote *exchange
}

// try composes and validates the proposals on the accepted state of this moment,
// and publishes what holds.
func (l *landing) try(ctx context.Context, proposals []hop.State) (hop.Landed, error) {
	validates := len(l.request.Command) > 0
	l.turn.begin(ctx, validates)
	defer l.turn.end()
	began := l.Clock.Now()
	entry, err := l.Accepted(ctx)
	if err != nil {
		return hop.Landed{}, err
	}
	l.head, l.checks, l.parts = entry.State, map[git.OID]hop.Check{}, map[string]composition{}
	fit, tree, err := l.composeAll(ctx, proposals)
	if err != nil {
		return hop.Landed{}, err
	}
	if len(fit) == 0 {
		return hop.Landed{}, l.refused()
	}
	if validates {
		if fit, tree, err = l.validated(ctx, fit); err != nil {
			return hop.Landed{}, err
		}
		l.turn.measured(l.Clock.Now().Sub(began))
		if len(fit) == 0 {
			return hop.Landed{}, l.refused()
		}
		if err := l.ExpectAccepted(ctx, l.head.ID); err != nil {
			return hop.Landed{}, err
		}
		l.turn.forMoment(ctx)
	}
	return l.publish(ctx, fit, tree)
}

// composeAll puts the proposals on the accepted tree, one after the other, and
// leaves out those that overlap with what is accepted or with one before.
func (l *landing) composeAll(ctx context.Context, proposals []hop.State) (fit []hop.State, tree git.OID, err error) {
	tree = git.OID(l.head.SourceTree)
	for _, s := range proposals {
		base, baseState, err := l.landingBase(ctx, s)
		if err != nil {
			return nil, "", err
		}
		c, err := l.compose(ctx, base, tree, git.OID(s.SourceTree))
		if err != nil {
			return nil, "", err
		}
		byContent := l.Config.Overlap == "content" && (len(l.request.Command) > 0 || !c.merged)
		if blocking := c.blocking(byContent); len(blocking) > 0 {
			l.refusals = append(l.refusals, hop.Refusal{
				Proposal: s.ID, Code: CodeOverlap, Error: overlapSentence(s.ID, blocking),
				Overlaps: &hop.Overlap{Paths: blocking, Base: baseState, Head: l.head.ID},
			})
			continue
		}
		fit, tree = append(fit, s), c.tree
		l.parts[s.ID] = c
	}
	return fit, tree, nil
}

func overlapSentence(proposal string, blocking []hop.OverlapPath) string {
	text := "proposal \"" + proposal + "\" and the accepted state both changed \"" + blocking[0].Path + "\""
	if blocking[0].Other != "" {
		text = "proposal \"" + proposal + "\" collides with the accepted state: \"" + blocking[0].Path + "\" and \"" + blocking[0].Other + "\""
	}
	if n := len(blocking) - 1; n > 0 {
		text += " and " + itoa(n) + " more"
	}
	return text
}

// refused is the failure of a landing in which nothing held.
func (l *landing) refused() error {
	first := l.refusals[0]
	d := &Details{Overlap: first.Overlaps, Check: first.Check, State: first.Failed, Refusals: l.refusals}
	if first.Code == CodeOverlap {
		for _, o := range first.Overlaps.Paths {
			d.Paths = append(d.Paths, o.Path)
		}
		return fault.New(CodeOverlap, first.Error).WithExit(hop.ExitOverlap).Because(d).
			WithHint("both lines are kept; bring the attempt onto the accepted state with hop refresh, or give it a new prompt").
			WithNext("hop refresh " + first.Proposal)
	}
	return fault.New(CodeValidation, first.Error).WithExit(hop.ExitValidation).Because(d).
		WithHint("the accepted state is unchanged and the evidence is recorded; give the attempt a follow-up prompt").
		WithNext("hop show " + first.Check.ID)
}

// publish makes the tree the accepted state.
func (l *landing) publish(ctx context.Context, fit []hop.State, tree git.OID) (hop.Landed, error) {
	done := hop.Landed{Rejected: l.refusals}
	var check *hop.Check
	if c, ran := l.checks[tree]; ran {
		check = &c
	}
	err := l.write(ctx, func(t *ledger.Tx) error {
		if err := t.ExpectAccepted(ctx, l.head.ID); err != nil {
			return err
		}
		facts := hop.Facts{}
		if check != nil {
			check.CreatedAt = t.Now()
			facts.Check = check.ID
			t.Check(*check)
		}
		if err := l.unchanged(ctx, t, fit); err != nil {
			return err
		}
		s := l.acceptedState(t, fit, tree)
		for _, proposal := range fit {
			if err := l.closeAttempt(ctx, t, proposal); err != nil {
				return err
			}
		}
		done.State = t.State(s, facts)
		t.Accept(done.State)
		return nil
	})
	if err != nil {
		return done, err
	}
	done.Check, done.Published = check, l.request.Remote
	var mine []string
	for _, s := range fit {
		mine = append(mine, l.parts[s.ID].mine...)
		if len(fit) > 1 {
			done.Proposals = append(done.Proposals, s.ID)
		}
	}
	slices.Sort(mine)
	done.ProposalPaths, done.RawPaths = readable(slices.Compact(mine))
	done.CurrentPaths, _ = readable(l.parts[fit[0].ID].theirs)
	return done, nil
}

// unchanged fails where a purge gave a proposal other objects since it was
// composed: the old ones are being erased.
func (l *landing) unchanged(ctx context.Context, t *ledger.Tx, fit []hop.State) error {
	for _, s := range fit {
		now, err := t.Reader.State(ctx, s.ID)
		if err != nil {
			return err
		}
		if now.State.SourceTree != s.SourceTree {
			return fault.Newf("proposal_purged", "a credential was purged from proposal %q while it was landing", s.ID).
				WithExit(hop.ExitHeadChanged).WithHint("nothing was changed; look at it and land it again").WithNext("hop diff " + s.ID)
		}
	}
	return nil
}

// write records the landing, here alone or first on the remote.
func (l *landing) write(ctx context.Context, build func(*ledger.Tx) error) error {
	if l.remote == nil {
		err := l.record(ctx, l.request.Verb, build)
		return err
	}
	return l.WritePublished(ctx, l.request.Verb, l.request.Remote, build, l.publisher(l.request.Remote, l.remote))
}

// acceptedState is the state to be, with its commit.
func (l *landing) acceptedState(t *ledger.Tx, fit []hop.State, tree git.OID) hop.State {
	first := fit[0]
	s := hop.State{
		ID: l.id, Kind: hop.KindAccepted, CanonicalAnchorID: l.head.ID, SourceTree: string(tree),
		Summary: first.Summary, Agent: first.Agent, TaskID: first.TaskID, AttemptID: first.AttemptID,
		Parents: []hop.Parent{{StateID: l.head.ID, Role: hop.RoleCanonicalParent}},
	}
	if len(fit) > 1 {
		s.TaskID, s.AttemptID = "", ""
		s.Summary = batchSummary(fit)
	}
	for _, proposal := range fit {
		s.Parents = append(s.Parents, hop.Parent{StateID: proposal.ID, Role: hop.RoleProposalParent})
	}
	s.GitCommit = string(commitFor(t, tree, git.OID(l.head.GitCommit), acceptedMessage(s, fit)))
	return s
}

func batchSummary(fit []hop.State) string {
	lines := []string{"Land " + itoa(len(fit)) + " proposals", ""}
	for _, s := range fit {
		line, _, _ := strings.Cut(s.Summary, "\n")
		lines = append(lines, "- "+line)
	}
	return strings.Join(lines, "\n")
}

func acceptedMessage(s hop.State, fit []hop.State) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(s.Summary, "\n") + "\n\nHop-State: " + s.ID + "\n")
	for _, p := range fit {
		b.WriteString("Hop-Proposal: " + p.ID + "\n")
	}
	for _, p := range fit {
		b.WriteString("Hop-Task: " + p.TaskID + "\nHop-Attempt: " + p.AttemptID + "\n")
	}
	return b.String()
}

// closeAttempt records that an attempt's work is accepted, unless it has gone on
// meanwhile.
func (p *Project) closeAttempt(ctx context.Context, t *ledger.Tx, proposal hop.State) error {
	if err := t.Link(ctx, proposal.AttemptID); err != nil {
		return err
	}
	attempt, err := t.Reader.Attempt(ctx, proposal.AttemptID)
	if err != nil {
		return err
	}
	if attempt.HeadStateID != proposal.ID && !p.failedOn(ctx, attempt.HeadStateID, proposal.ID) {
		return nil
	}
	task, err := t.Reader.Task(ctx, attempt.TaskID)
	if err != nil {
		return err
	}
	attempt.Status, task.Status = hop.StatusAccepted, hop.StatusAccepted
	t.Attempt(attempt)
	t.Task(task)
	return nil
}

// failedOn reports whether a state records a failed landing of the proposal.
func (p *Project) failedOn(ctx context.Context, id, proposal string) bool {
	entry, err := p.State(ctx, id)
	if err != nil || entry.State.Kind != hop.KindFailed {
		return false
	}
	parent, _ := entry.State.Parent(hop.RoleRunParent)
	return parent == proposal
}
