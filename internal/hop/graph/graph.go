// Package graph holds the rules of the state graph: which state may follow
// which, in which role. It is pure: callers hand in the states that a new one
// names, and nothing is stored unless Admit agrees.
//
// Invariants, from the state graph of the Hop protocol:
//
//   - An accepted state is the first of its project, or follows exactly one
//     accepted state: by landing one or more proposals, by undoing (it then
//     names what it reverts and what it restores), or by taking in a commit
//     that was made outside.
//   - A prompt starts an attempt from an accepted state, or continues its own
//     attempt; it is anchored in the accepted state of its time.
//   - A checkpoint, a proposal, a failed and a cancelled state continue their
//     own attempt and never leave it. A failed landing also names the accepted
//     state it was tried on.
//   - A cancelled attempt goes on only through a new prompt.
//   - States are occurrences: equal trees do not make them one.
package graph

import (
	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// CodeIllegal marks a state that the graph cannot take in.
const CodeIllegal = "illegal_edge"

// Lookup returns a state by id.
type Lookup func(id string) (*hop.State, bool)

// Admit reports why the state cannot become part of the graph, or nil. It
// checks the ids, the edges and the agreement of task and attempt with the
// states it follows; it does not look at trees.
func Admit(s *hop.State, lookup Lookup) error {
	if kind, ok := hop.KindOf(s.ID); !ok || kind != s.Kind {
		return illegal(s, "its id does not name a state of its kind")
	}
	if s.SourceTree == "" || s.GitCommit == "" {
		return illegal(s, "it names no tree or no commit")
	}
	edges, err := resolve(s, lookup)
	if err != nil {
		return err
	}
	switch s.Kind {
	case hop.KindAccepted:
		return admitAccepted(s, edges)
	case hop.KindPrompt:
		return admitPrompt(s, edges)
	case hop.KindFailed:
		return admitFailed(s, edges)
	default:
		return admitRun(s, edges)
	}
}

// edges holds the parents of a state by role, in order.
type edges map[hop.Role][]*hop.State

func resolve(s *hop.State, lookup Lookup) (edges, error) {
	found := edges{}
	for i, parent := range s.Parents {
		if parent.Order != i {
			return nil, illegal(s, "its parents are not numbered from 0")
		}
		if parent.StateID == s.ID {
			return nil, illegal(s, "it names itself as parent")
		}
		state, ok := lookup(parent.StateID)
		if !ok {
			return nil, fault.Newf("unknown_state", "state %q names the unknown parent %q", s.ID, parent.StateID).
				WithExit(hop.ExitInternal)
		}
		found[parent.Role] = append(found[parent.Role], state)
	}
	return found, nil
}

// shape says how many parents of each role a state needs; a role that is not
// listed must not occur.
type shape map[hop.Role]struct{ atLeast, atMost int }

const unbounded = 1 << 20

func (e edges) fits(want shape) bool {
	for role := range e {
		if _, allowed := want[role]; !allowed {
			return false
		}
	}
	for role, count := range want {
		if n := len(e[role]); n < count.atLeast || n > count.atMost {
			return false
		}
	}
	return true
}

func (e edges) allOf(kind hop.Kind, roles ...hop.Role) bool {
	for _, role := range roles {
		for _, state := range e[role] {
			if state.Kind != kind {
				return false
			}
		}
	}
	return true
}

func admitAccepted(s *hop.State, e edges) error {
	if len(s.Parents) == 0 {
		return nil
	}
	one := struct{ atLeast, atMost int }{1, 1}
	landing := shape{hop.RoleCanonicalParent: one, hop.RoleProposalParent: {1, unbounded}}
	undo := shape{hop.RoleCanonicalParent: one, hop.RoleReverts: {1, unbounded}, hop.RoleRestores: one}
	outside := shape{hop.RoleCanonicalParent: one}
	if !e.fits(landing) && !e.fits(undo) && !e.fits(outside) {
		return illegal(s, "an accepted state follows one accepted state by landing, undoing or taking in a commit")
	}
	if !e.allOf(hop.KindAccepted, hop.RoleCanonicalParent, hop.RoleReverts, hop.RoleRestores) {
		return illegal(s, "its line holds a state that was not accepted")
	}
	if !e.allOf(hop.KindProposal, hop.RoleProposalParent) {
		return illegal(s, "only a proposal can land")
	}
	return nil
}

func admitPrompt(s *hop.State, e edges) error {
	one := struct{ atLeast, atMost int }{1, 1}
	if !e.fits(shape{hop.RoleRunParent: one, hop.RoleCanonicalAnchor: one}) {
		return illegal(s, "a prompt has one run parent and one anchor")
	}
	anchor := e[hop.RoleCanonicalAnchor][0]
	if anchor.Kind != hop.KindAccepted || s.CanonicalAnchorID != anchor.ID {
		return illegal(s, "a prompt is anchored in an accepted state")
	}
	if s.TaskID == "" || s.AttemptID == "" || s.Prompt == "" {
		return illegal(s, "a prompt has a task, an attempt and a text")
	}
	from := e[hop.RoleRunParent][0]
	if from.Kind == hop.KindAccepted {
		return nil
	}
	return sameAttempt(s, from)
}

func admitRun(s *hop.State, e edges) error {
	if !e.fits(shape{hop.RoleRunParent: {1, 1}}) {
		return illegal(s, "it continues exactly one state")
	}
	return continues(s, e[hop.RoleRunParent][0])
}

func admitFailed(s *hop.State, e edges) error {
	if !e.fits(shape{hop.RoleRunParent: {1, 1}, hop.RoleIntegrationParent: {0, 1}}) {
		return illegal(s, "a failed state continues one state and was tried on at most one")
	}
	if !e.allOf(hop.KindAccepted, hop.RoleIntegrationParent) {
		return illegal(s, "a landing is tried on an accepted state")
	}
	if len(e[hop.RoleIntegrationParent]) == 1 && e[hop.RoleRunParent][0].Kind != hop.KindProposal {
		return illegal(s, "only the landing of a proposal fails on an accepted state")
	}
	return continues(s, e[hop.RoleRunParent][0])
}

func continues(s, from *hop.State) error {
	switch from.Kind {
	case hop.KindAccepted:
		return illegal(s, "work starts with a prompt")
	case hop.KindCancelled:
		return illegal(s, "a cancelled attempt goes on only through a new prompt")
	default:
		return sameAttempt(s, from)
	}
}

func sameAttempt(s, from *hop.State) error {
	if s.AttemptID == "" || s.AttemptID != from.AttemptID || s.TaskID != from.TaskID {
		return illegal(s, "it belongs to another attempt than the state it continues")
	}
	return nil
}

func illegal(s *hop.State, reason string) error {
	return fault.Newf(CodeIllegal, "state %q cannot be recorded: %s", s.ID, reason).WithExit(hop.ExitInternal)
}
