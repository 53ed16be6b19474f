package graph

import (
	"fmt"
	"testing"
	"time"

	"bridle/hop"
	"bridle/internal/kernel/fault"
)

// project is a small graph with one state of every kind in one attempt, and a
// foreign attempt beside it.
type project struct {
	states map[string]*hop.State
	byKind map[hop.Kind]*hop.State
	other  *hop.State
}

var epoch = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func newState(kind hop.Kind, task, attempt string, parents ...hop.Parent) *hop.State {
	for i := range parents {
		parents[i].Order = i
	}
	return &hop.State{
		ID: hop.NewID(kind.Prefix(), epoch), Kind: kind, TaskID: task, AttemptID: attempt,
		SourceTree: "aa", GitCommit: "bb", Parents: parents,
	}
}

func edge(role hop.Role, to *hop.State) hop.Parent { return hop.Parent{StateID: to.ID, Role: role} }

func newProject() *project {
	p := &project{states: map[string]*hop.State{}, byKind: map[hop.Kind]*hop.State{}}
	a := newState(hop.KindAccepted, "", "")
	prompt := newState(hop.KindPrompt, "T", "AT", edge(hop.RoleRunParent, a), edge(hop.RoleCanonicalAnchor, a))
	prompt.Prompt, prompt.CanonicalAnchorID = "do it", a.ID
	c := newState(hop.KindCheckpoint, "T", "AT", edge(hop.RoleRunParent, prompt))
	r := newState(hop.KindProposal, "T", "AT", edge(hop.RoleRunParent, c))
	f := newState(hop.KindFailed, "T", "AT", edge(hop.RoleRunParent, r), edge(hop.RoleIntegrationParent, a))
	x := newState(hop.KindCancelled, "T", "AT", edge(hop.RoleRunParent, c))
	p.other = newState(hop.KindProposal, "T2", "AT2", edge(hop.RoleRunParent, c))
	for _, s := range []*hop.State{a, prompt, c, r, f, x} {
		p.byKind[s.Kind] = s
		p.states[s.ID] = s
	}
	p.states[p.other.ID] = p.other
	return p
}

func (p *project) lookup(id string) (*hop.State, bool) {
	s, ok := p.states[id]
	return s, ok
}

func TestEveryDocumentedEdgeIsAdmitted(t *testing.T) {
	p := newProject()
	for kind, s := range p.byKind {
		if err := Admit(s, p.lookup); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	a, r := p.byKind[hop.KindAccepted], p.byKind[hop.KindProposal]
	for name, s := range map[string]*hop.State{
		"landing": newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a), edge(hop.RoleProposalParent, r)),
		"batch": newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a),
			edge(hop.RoleProposalParent, r), edge(hop.RoleProposalParent, p.other)),
		"undo": newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a),
			edge(hop.RoleReverts, a), edge(hop.RoleRestores, a)),
		"outside": newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a)),
	} {
		if err := Admit(s, p.lookup); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEveryOtherRunParentIsRefused goes through every kind of state over every
// kind of run parent, in the same and in a foreign attempt.
func TestEveryOtherRunParentIsRefused(t *testing.T) {
	kinds := []hop.Kind{hop.KindAccepted, hop.KindPrompt, hop.KindCheckpoint, hop.KindProposal, hop.KindFailed, hop.KindCancelled}
	p := newProject()
	for _, child := range kinds[1:] {
		for _, parent := range kinds {
			for _, foreign := range []bool{false, true} {
				s := newState(child, "T", "AT", edge(hop.RoleRunParent, p.byKind[parent]))
				if foreign {
					s.TaskID, s.AttemptID = "T9", "AT9"
				}
				if child == hop.KindPrompt {
					s.Prompt, s.CanonicalAnchorID = "again", p.byKind[hop.KindAccepted].ID
					s.Parents = append(s.Parents, hop.Parent{StateID: s.CanonicalAnchorID, Role: hop.RoleCanonicalAnchor, Order: 1})
				}
				want := !foreign && parent != hop.KindAccepted && parent != hop.KindCancelled
				if child == hop.KindPrompt {
					want = parent == hop.KindAccepted || !foreign
				}
				t.Run(fmt.Sprintf("%s after %s foreign=%v", child, parent, foreign), func(t *testing.T) {
					err := Admit(s, p.lookup)
					if (err == nil) != want {
						t.Fatalf("Admit = %v, want admitted = %v", err, want)
					}
					if err != nil && !fault.Is(err, CodeIllegal) {
						t.Fatalf("code = %q", fault.CodeOf(err))
					}
				})
			}
		}
	}
}

func TestMalformedStatesAreRefused(t *testing.T) {
	p := newProject()
	a, c, r := p.byKind[hop.KindAccepted], p.byKind[hop.KindCheckpoint], p.byKind[hop.KindProposal]
	change := func(s *hop.State, f func(*hop.State)) *hop.State { f(s); return s }
	for name, s := range map[string]*hop.State{
		"id of another kind":              change(newState(hop.KindCheckpoint, "T", "AT", edge(hop.RoleRunParent, c)), func(s *hop.State) { s.Kind = hop.KindProposal }),
		"no id":                           change(newState(hop.KindAccepted, "", ""), func(s *hop.State) { s.ID = "A_1" }),
		"no tree":                         change(newState(hop.KindAccepted, "", ""), func(s *hop.State) { s.SourceTree = "" }),
		"no commit":                       change(newState(hop.KindAccepted, "", ""), func(s *hop.State) { s.GitCommit = "" }),
		"parents misnumbered":             change(newState(hop.KindProposal, "T", "AT", edge(hop.RoleRunParent, c)), func(s *hop.State) { s.Parents[0].Order = 1 }),
		"two run parents":                 newState(hop.KindProposal, "T", "AT", edge(hop.RoleRunParent, c), edge(hop.RoleRunParent, r)),
		"checkpoint without one":          newState(hop.KindCheckpoint, "T", "AT"),
		"role out of place":               newState(hop.KindCheckpoint, "T", "AT", edge(hop.RoleRunParent, c), edge(hop.RoleReverts, a)),
		"landing a checkpoint":            newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a), edge(hop.RoleProposalParent, c)),
		"line through a proposal":         newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, r), edge(hop.RoleProposalParent, r)),
		"landing twice removed":           newState(hop.KindAccepted, "", "", edge(hop.RoleProposalParent, r)),
		"undo without restoring":          newState(hop.KindAccepted, "", "", edge(hop.RoleCanonicalParent, a), edge(hop.RoleReverts, a)),
		"failed on a proposal":            newState(hop.KindFailed, "T", "AT", edge(hop.RoleRunParent, r), edge(hop.RoleIntegrationParent, r)),
		"failed landing of a checkpoint":  newState(hop.KindFailed, "T", "AT", edge(hop.RoleRunParent, c), edge(hop.RoleIntegrationParent, a)),
		"prompt without text":             change(newState(hop.KindPrompt, "T", "AT", edge(hop.RoleRunParent, a), edge(hop.RoleCanonicalAnchor, a)), func(s *hop.State) { s.CanonicalAnchorID = a.ID }),
		"prompt anchored in a checkpoint": change(newState(hop.KindPrompt, "T", "AT", edge(hop.RoleRunParent, c), edge(hop.RoleCanonicalAnchor, c)), func(s *hop.State) { s.CanonicalAnchorID, s.Prompt = c.ID, "x" }),
	} {
		if err := Admit(s, p.lookup); !fault.Is(err, CodeIllegal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	self := newState(hop.KindCheckpoint, "T", "AT")
	self.Parents = []hop.Parent{{StateID: self.ID, Role: hop.RoleRunParent}}
	if err := Admit(self, p.lookup); !fault.Is(err, CodeIllegal) {
		t.Errorf("its own parent: %v", err)
	}
	lost := newState(hop.KindCheckpoint, "T", "AT", hop.Parent{StateID: hop.NewID("P", epoch), Role: hop.RoleRunParent})
	if err := Admit(lost, p.lookup); !fault.Is(err, "unknown_state") {
		t.Errorf("unknown parent: %v", err)
	}
}

func TestEqualTreesStayDistinctOccurrences(t *testing.T) {
	p := newProject()
	first := newState(hop.KindCheckpoint, "T", "AT", edge(hop.RoleRunParent, p.byKind[hop.KindPrompt]))
	p.states[first.ID] = first
	second := newState(hop.KindCheckpoint, "T", "AT", edge(hop.RoleRunParent, first))
	if first.SourceTree != second.SourceTree || first.ID == second.ID {
		t.Fatal("the test does not test what it says")
	}
	if err := Admit(second, p.lookup); err != nil {
		t.Fatal(err)
	}
}
