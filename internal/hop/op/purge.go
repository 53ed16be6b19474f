package op

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/workspace"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// PurgeRequest says what is to go.
type PurgeRequest struct {
	// Fingerprints are those of credentials, as the refusal of a proposal names them.
	Fingerprints []string
	// Paths are files whose every content in the attempts' states goes.
	Paths []string
	// Blobs are contents by their git ids.
	Blobs []string
	// DryRun only looks.
	DryRun bool
}

// CodeOutOfReach marks a content that only others than the attempts still have.
const CodeOutOfReach = "out_of_reach"

// purgedNote stands in the place of a content in which nothing can be told apart.
const purgedNote = "[PURGED]\n"

// Purge takes a credential out of every state of this machine's attempts: where it
// stood there is a marker, or a note where the whole content goes. States keep
// their ids. Its bytes are erased from the object store, from workspaces and from
// the checkouts of checks; what they cannot be taken out of is named.
func (p *Project) Purge(ctx context.Context, r PurgeRequest) (hop.Purge, error) {
	out := hop.Purge{Blobs: []hop.PurgedBlob{}, States: []string{}, Left: []string{}, DryRun: r.DryRun}
	if len(r.Fingerprints)+len(r.Paths)+len(r.Blobs) == 0 {
		return out, usage("nothing is named that is to be purged")
	}
	done, err := p.lockPurge(ctx)
	if err != nil {
		return out, err
	}
	defer done()
	unlock, err := p.lockAllWorkspaces(ctx, "purge")
	if err != nil {
		return out, err
	}
	defer unlock()
	if err := p.finishPurge(ctx, nil, &out); err != nil {
		return out, err
	}
	h := hunt{Project: p, request: r, known: map[git.OID]*prey{}}
	if err := h.search(ctx); err != nil {
		return out, err
	}
	return out, h.purge(ctx, &out)
}

// lockPurge lets one purge follow the other.
func (p *Project) lockPurge(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, workspaceWait)
	defer cancel()
	return durable.Lock(ctx, p.Layout.LockFile("purge"), "hop purge")
}

// purge replaces what was found.
func (h *hunt) purge(ctx context.Context, out *hop.Purge) error {
	replace := map[git.OID][]byte{}
	for id, found := range h.known {
		if !found.wanted {
			continue
		}
		replace[id] = found.replacement()
		out.Blobs = append(out.Blobs, hop.PurgedBlob{Blob: string(id), Paths: sortedKeys(found.paths), Fingerprints: found.prints})
	}
	slices.SortFunc(out.Blobs, func(a, b hop.PurgedBlob) int { return strings.Compare(a.Blob, b.Blob) })
	if len(replace) > 0 && !h.request.DryRun {
		// A checkout of the pool stands at the commit that it was made for.
		if _, err := workspace.Drain(ctx, h.Repo, h.Layout, false, func(string) int64 { return 0 }); err != nil {
			return err
		}
		h.say("rewriting the records")
		operation, states, err := h.Ledger.Purge(ctx, replace)
		if err != nil {
			return err
		}
		out.Operation, out.States = operation.ID, append(out.States, states...)
	}
	ids := keysOf(replace)
	for _, id := range h.request.Blobs {
		ids[git.OID(id)] = true
	}
	if err := h.nameHolders(ctx, ids, out); err != nil {
		return err
	}
	// Only what is known to have it says that there is something to withdraw.
	known := slices.Clone(out.Left)
	if err := h.nameOthers(ctx, out); err != nil {
		return err
	}
	if len(replace) == 0 && len(known) > 0 {
		return fault.Newf(CodeOutOfReach, "no state of this machine's attempts has it any more, but %s still has", known[0]).
			Because(&Details{Paths: out.Left}).
			WithHint("what is accepted, or on a branch, is not rewritten here; withdraw the credential where it was issued")
	}
	if len(replace) == 0 {
		return fault.New(CodeNothing, "nothing of the kind is in what the attempts of this machine recorded").
			WithHint("a fingerprint is that which hop propose named; what was accepted from the beginning is in git's own history").WithNext("hop log")
	}
	return h.finishPurge(ctx, h.values(), out)
}

func keysOf[V any](m map[git.OID]V) map[git.OID]bool {
	keys := map[git.OID]bool{}
	for id := range m {
		keys[id] = true
	}
	return keys
}

// prey is a content that may be wanted.
type prey struct {
	wanted bool
	paths  map[string]bool
	data   []byte
	// values are the credentials to be taken out, prints their fingerprints; none
	// means that the whole content goes.
	values [][]byte
	prints []string
}

// replacement is what stands in the content's place.
func (f *prey) replacement() []byte {
	if len(f.values) == 0 {
		return []byte(purgedNote)
	}
	data := f.data
	for _, v := range f.values {
		data = bytes.ReplaceAll(data, v, []byte(purgedMarker))
	}
	if bytes.Equal(data, f.data) {
		return []byte(purgedNote) // it is written in another way there
	}
	return data
}

// purgedMarker stands in the place of a credential.
const purgedMarker = "[PURGED]"

// hunt looks for the contents that a request means.
type hunt struct {
	*Project
	request PurgeRequest
	known   map[git.OID]*prey
}

// search looks at all that the states of this machine's attempts brought.
func (h *hunt) search(ctx context.Context) error {
	entries, err := h.All(ctx)
	if err != nil {
		return err
	}
	seen := map[[2]string]bool{}
	for _, e := range entries {
		if e.State.Kind == hop.KindAccepted {
			continue
		}
		machine, err := h.MachineOf(ctx, e.State.AttemptID)
		if err != nil {
			return err
		}
		if machine != "" {
			continue
		}
		attempt, err := h.Attempt(ctx, e.State.AttemptID)
		if err != nil {
			return err
		}
		base, err := h.State(ctx, attempt.BaseStateID)
		if err != nil {
			return err
		}
		pair := [2]string{base.State.SourceTree, e.State.SourceTree}
		if seen[pair] {
			continue
		}
		seen[pair] = true
		if err := h.compare(ctx, git.OID(pair[0]), git.OID(pair[1])); err != nil {
			return err
		}
	}
	return nil
}

// compare looks at what one tree has that another has not.
func (h *hunt) compare(ctx context.Context, base, tree git.OID) error {
	changes, err := h.Repo.Diff(ctx, base, tree)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Kind == git.Deleted || c.NewMode == git.ModeGitlink {
			continue
		}
		found := h.known[c.NewID]
		if found == nil {
			found = &prey{paths: map[string]bool{}}
			h.known[c.NewID] = found
			if err := h.byPrint(ctx, c.NewID, found); err != nil {
				return err
			}
			found.wanted = found.wanted || slices.Contains(h.request.Blobs, string(c.NewID))
		}
		path, _ := hop.ReadablePath(c.Path)
		found.paths[path] = true
		found.wanted = found.wanted || slices.Contains(h.request.Paths, c.Path)
	}
	return nil
}

// byPrint looks for the credentials of the request in a content.
func (h *hunt) byPrint(ctx context.Context, id git.OID, found *prey) error {
	if len(h.request.Fingerprints) == 0 {
		return nil
	}
	data, err := h.Repo.Blob(ctx, id)
	if err != nil {
		return err
	}
	for _, value := range credentialsIn(data) {
		print := fingerprint(value)
		if !slices.Contains(h.request.Fingerprints, print) || slices.Contains(found.prints, print) {
			continue
		}
		found.wanted = true
		found.data = data
		found.values, found.prints = append(found.values, bytes.Clone(value)), append(found.prints, print)
	}
	return nil
}

// values are the credentials that were found, for looking in files that are not
// recorded.
func (h *hunt) values() [][]byte {
	var all [][]byte
	for _, f := range h.known {
		all = append(all, f.values...)
	}
	return all
}
