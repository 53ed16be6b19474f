package store

import (
	"context"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// ActivateOptions say on whose behalf packs are activated.
type ActivateOptions struct {
	// Search says where a bare wrap.bin may be found.
	Search Search
	// Elevated is set for an operator: only such a Principal activates a pack
	// of the control plane (§2.5).
	Elevated bool
	// Accept holds, by pack, the token of the change that a person agreed to
	// after seeing it.
	Accept map[string]string
	// AcceptInstalled accepts content that was replaced through Install, which
	// the capability pack.install allowed, without asking again. Files changed
	// behind the store's back and changed executables are not covered.
	AcceptInstalled bool
}

// ActivateResult is what an activation did. When it was refused for a change,
// Changes still says which.
type ActivateResult struct {
	Activated []string `json:"activated"`
	Skills    []string `json:"skills"`
	Changes   []Change `json:"changes,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// plannedActivation is one activation before anything was written.
type plannedActivation struct {
	pack   *pack.Pack
	record *record
	next   *Accepted
	change *Change
	notes  []string
}

// Activate puts installed packs on the session, all of them or none. Content
// and executable are pinned; where they differ from what was accepted before,
// the change is refused unless the options accept it.
func (s *Store) Activate(ctx context.Context, ids []string, opts ActivateOptions) (ActivateResult, error) {
	var result ActivateResult
	err := s.locked(ctx, func() error {
		if slices.Contains(ids, hcp.BootstrapPack) {
			if err := s.installBootstrap(); err != nil {
				return err
			}
		}
		plans, err := s.planAll(ids, opts)
		if err != nil {
			return err
		}
		for _, plan := range plans {
			result.Notes = append(result.Notes, plan.notes...)
			if plan.change != nil {
				result.Changes = append(result.Changes, *plan.change)
			}
		}
		for _, plan := range plans {
			if err := consent(plan.change, opts); err != nil {
				return err
			}
		}
		if err := s.commit(plans); err != nil {
			return err
		}
		st, err := s.State()
		if err != nil {
			return err
		}
		result.Activated = st.Activated
		for _, plan := range plans {
			result.Skills = append(result.Skills, s.SkillPath(plan.pack.ID))
		}
		return nil
	})
	return result, err
}

// Review tells what activating the packs would accept, without doing it: one
// entry for each pack that is not as it was accepted.
func (s *Store) Review(ctx context.Context, ids []string, opts ActivateOptions) ([]Change, error) {
	changes := []Change{}
	err := s.locked(ctx, func() error {
		plans, err := s.planAll(ids, opts)
		for _, plan := range plans {
			if plan.change != nil {
				changes = append(changes, *plan.change)
			}
		}
		return err
	})
	return changes, err
}

func (s *Store) planAll(ids []string, opts ActivateOptions) ([]*plannedActivation, error) {
	if len(ids) == 0 {
		return nil, fault.New("usage", "no pack to activate is named").WithNext("hcpx list")
	}
	plans := make([]*plannedActivation, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		if !s.Installed(id) {
			return nil, s.notInstalled(id)
		}
		plan, err := s.plan(id, opts)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// plan works out one activation. The lock is held.
func (s *Store) plan(id string, opts ActivateOptions) (*plannedActivation, error) {
	rec, err := s.readRecord(id)
	if err != nil {
		return nil, err
	}
	if rec == nil {
		rec = &record{PackID: id}
	}
	if err := s.settle(rec); err != nil {
		return nil, err
	}
	modified, err := s.examine(rec)
	if err != nil {
		return nil, err
	}
	p, err := s.Pack(id)
	if err != nil {
		return nil, err
	}
	if p.Manifest.EffectivePlane() == hcp.PlaneControl && !opts.Elevated {
		return nil, fault.Newf(CodeDenied, "denied: pack %s is of the control plane and needs an elevated principal", id).
			WithHint("an operator activates it; stop and tell the user")
	}
	surface, err := surfaceOf(p)
	if err != nil {
		return nil, err
	}
	plan := &plannedActivation{pack: p, record: rec}
	content := rec.Installed.content()
	bin, err := s.chooseBinary(plan, content, opts)
	if err != nil {
		return nil, err
	}
	kept, err := canon.Marshal(surface)
	if err != nil {
		return nil, err
	}
	plan.next = &Accepted{At: stamp(s.opts.Clock), Digest: content.Digest, Bin: bin, Surface: kept}
	if bin != nil && bin.Path == "" {
		plan.notes = append(plan.notes, "the commands of "+id+" cannot run yet: "+bin.Reason)
	}
	return plan, s.weigh(plan, surface, modified)
}

// examine compares the installed files with the record and brings the record
// up to what is there. Files that no installation put there are linted first,
// since only an installation's content was. It returns the files that changed
// behind the store's back.
func (s *Store) examine(rec *record) (modified []string, err error) {
	dir := s.PackDir(rec.PackID)
	foreign := rec.Installed == nil
	if !foreign {
		content := rec.Installed.content()
		if modified, _, err = content.Changed(dir); err != nil {
			return nil, err
		}
		if len(modified) == 0 {
			return nil, nil
		}
	}
	if _, err := lintedPack(dir); err != nil {
		return nil, err
	}
	content, err := pack.Hash(dir)
	if err != nil {
		return nil, err
	}
	source := dir
	if !foreign {
		source = rec.Installed.Source
	}
	rec.Installed = s.newInstalled(source, content)
	return modified, nil
}

// chooseBinary resolves wrap.bin anew. When PATH now means another file than
// the accepted one, and that one is still what it was, it stays in use until a
// person says otherwise.
func (s *Store) chooseBinary(plan *plannedActivation, content pack.Content, opts ActivateOptions) (*Binary, error) {
	id := plan.pack.ID
	bin, err := s.resolveBinary(plan.pack, hashesOf(content), opts.Search)
	if err != nil || plan.record.Accepted == nil {
		return bin, err
	}
	old := plan.record.Accepted.Bin
	if diffBin(old, bin) == nil || opts.Accept[id] != "" || bin == nil || bin.Name != old.Name {
		return bin, nil
	}
	if same, _ := old.Same(); !same {
		return bin, nil
	}
	if bin.Path != "" {
		plan.notes = append(plan.notes, "PATH now finds "+bin.Path+" for "+bin.Name+"; the accepted "+old.Path+" stays in use")
	}
	return old, nil
}

// weigh sets the change that the activation would accept, if there is one.
func (s *Store) weigh(plan *plannedActivation, surface Surface, modified []string) error {
	before, after := plan.record.Accepted, plan.next
	change := &Change{PackID: plan.pack.ID, Files: modified, HasData: s.jailKept(plan.pack.ID)}
	if len(modified) > 0 {
		change.Origin = OriginModified
	}
	from := ""
	if before != nil {
		from = before.Digest
		var old Surface
		if err := canon.Decode(before.Surface, &old, canon.Limits{MaxBytes: recordLimit}); err != nil {
			return s.badRecord(plan.pack.ID, err)
		}
		change.Added, change.Removed, change.Fields = diffSurface(old, surface)
		change.Bin = diffBin(before.Bin, after.Bin)
		switch {
		case change.Origin != "":
		case before.Digest != after.Digest:
			change.Origin = OriginInstalled
			change.Files = differing(plan.record.Previous, plan.record.Installed)
		case change.Bin != nil:
			change.Origin = OriginBinary
		}
	}
	if change.Origin == "" {
		return nil
	}
	plan.change = change
	return change.token(from, after.Digest)
}

// differing names the files that two contents do not share.
func differing(before, after *Installed) []string {
	if before == nil {
		return nil
	}
	old, differs := hashesOf(before.content()), []string{}
	for path, now := range hashesOf(after.content()) {
		if was, had := old[path]; !had || was != now {
			differs = append(differs, path)
		}
		delete(old, path)
	}
	for path := range old {
		differs = append(differs, path)
	}
	slices.Sort(differs)
	return differs
}

// consent refuses a change that nobody agreed to.
func consent(change *Change, opts ActivateOptions) error {
	if change == nil || opts.Accept[change.PackID] == change.Token {
		return nil
	}
	if change.Origin == OriginInstalled && change.Bin == nil && opts.AcceptInstalled {
		return nil
	}
	code, what := CodePackChanged, "other content"
	if change.Origin == OriginBinary {
		code, what = CodeBinChanged, "another executable"
	}
	return fault.Newf(code, "pack %q has %s than was accepted before", change.PackID, what).
		WithHint("nothing was activated; a person looks at the change and accepts it").
		WithNext("hcpx activate " + change.PackID)
}

// commit writes planned activations: what is pinned first, the session last,
// so that nothing is ever activated without its pins. The lock is held.
func (s *Store) commit(plans []*plannedActivation) error {
	for _, plan := range plans {
		plan.record.Accepted, plan.record.Previous = plan.next, nil
		if err := s.writeRecord(plan.record); err != nil {
			return err
		}
		if err := s.copySkill(plan.pack); err != nil {
			return err
		}
	}
	return s.updateState(func(st *State) error {
		for _, plan := range plans {
			st.activate(plan.pack.ID)
		}
		return nil
	})
}

// Deactivate takes packs off the session and drops their connections (§11.1).
// What was accepted stays recorded.
func (s *Store) Deactivate(ctx context.Context, ids []string) (State, error) {
	var after State
	err := s.Update(ctx, func(st *State) error {
		for _, id := range ids {
			if !st.IsActivated(id) && !st.IsConnected(id) && !s.Installed(id) {
				return s.notInstalled(id)
			}
		}
		for _, id := range ids {
			st.deactivate(id)
		}
		after = *st
		return nil
	})
	return after, err
}

// hashesOf lists what each path of a pack holds: the hash of a file, the target
// of a link.
func hashesOf(content pack.Content) map[string]string {
	sums := make(map[string]string, len(content.Files))
	for _, file := range content.Files {
		sums[file.Path] = file.SHA256
		if file.Link != "" {
			sums[file.Path] = "-> " + file.Link
		}
	}
	return sums
}
