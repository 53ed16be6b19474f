package access

import (
	"testing"

	"bridle/hcp"
)

// Words of a settings file or a variable; "" says nothing.
var (
	modeWords      = []string{"", "manual", "auto", "run"}
	approvalsWords = []string{"", "agent", "human"}
)

// layered is one row of the table of layers, without rules.
type layered struct {
	user, userPack, project, projectPack string
	env                                  Variables
	userApprovals, projectApprovals      string
}

func (l layered) settings() Settings {
	config := func(mode, own, approvals string) hcp.AccessConfig {
		c := hcp.AccessConfig{Mode: mode, Approvals: approvals}
		if own != "" {
			c.Packs = map[string]hcp.AccessPack{"ledger": {Mode: own}}
		}
		return c
	}
	e := Merge(Layers{
		User: config(l.user, l.userPack, l.userApprovals), Env: l.env,
		Project: config(l.project, l.projectPack, l.projectApprovals),
	})
	return e.For("ledger")
}

// stricter is the order of the page's table: a mode asks wherever a looser one
// does.
func stricter(a, b string) string {
	for _, mode := range []string{"manual", "auto", "run"} {
		if a == mode || b == mode {
			return mode
		}
	}
	return ""
}

// mode is the mode for the pack as the page's table of layers has it.
func (l layered) mode() string {
	general := or(l.user, "auto")     // "auto (default)", and the user's file says anything
	own := or(l.userPack, general)    // "for one pack"
	if env := l.env.Mode; env != "" { // "Loosen or tighten, for one process"
		if l.env.Agent { // except under an agent
			general = stricter(general, env)
		} else {
			general = env
		}
		if l.userPack == "" {
			own = general
		} else { // a pack's own mode gives way to a stricter one alone
			own = stricter(own, env)
		}
	}
	// "Only tighten: a stricter mode"
	return stricter(own, stricter(l.project, l.projectPack))
}

func (l layered) approvals() string {
	now := or(l.userApprovals, "agent")
	if env := l.env.Approvals; env != "" && (!l.env.Agent || env == "human") {
		now = env
	}
	if l.projectApprovals == "human" {
		return "human"
	}
	return now
}

func or(text, standard string) string {
	if text == "" {
		return standard
	}
	return text
}

// Every combination of what the layers say of modes and approvals.
func TestTruthTableOfLayers(t *testing.T) {
	rows, tightened := 0, 0
	each := func(l layered) {
		rows++
		s := l.settings()
		mode, approvals := l.mode(), l.approvals()
		if string(s.Mode) != mode || string(s.Approvals) != approvals {
			t.Fatalf("%+v: %s %s, want %s %s", l, s.Mode, s.Approvals, mode, approvals)
		}
		alone := layered{user: l.user, userPack: l.userPack, userApprovals: l.userApprovals}
		if mode != alone.mode() || approvals != alone.approvals() {
			tightened++
		}
	}
	for _, agent := range bothWays {
		for _, user := range modeWords {
			for _, userPack := range modeWords {
				for _, project := range modeWords {
					for _, projectPack := range modeWords {
						for _, env := range modeWords {
							l := layered{user: user, userPack: userPack, project: project, projectPack: projectPack, env: Variables{Mode: env, Agent: agent}}
							eachApprovals(l, each)
						}
					}
				}
			}
		}
	}
	if rows != 2*4*4*4*4*4*3*3*3 || tightened == 0 || tightened == rows {
		t.Fatalf("%d rows, %d of them changed by a layer", rows, tightened)
	}
}

func eachApprovals(l layered, each func(layered)) {
	for _, l.userApprovals = range approvalsWords {
		for _, l.env.Approvals = range approvalsWords {
			for _, l.projectApprovals = range approvalsWords {
				each(l)
			}
		}
	}
}

// Every rule of a user beside every rule of a project, which can ask and deny and
// cannot allow.
func TestTruthTableOfRulesInLayers(t *testing.T) {
	all := tableRules(tableConditions)
	choices := [][]tableRule{nil}
	for i := range all {
		choices = append(choices, all[i:i+1])
	}
	rows := 0
	for _, user := range choices {
		for _, project := range choices {
			counting := append([]tableRule{}, user...)
			counting = append(counting, only(project, func(r tableRule) bool { return r.decision != Allow })...)
			for _, mode := range allModes {
				e := Merge(Layers{User: written(mode, user), Project: written("", project)})
				if ignored := len(counting) < len(user)+len(project); ignored != (len(e.Ignored) == 1) {
					t.Fatalf("%v %v: ignored %+v", user, project, e.Ignored)
				}
				for _, col := range columns {
					rows++
					want := said(ruled(counting, col), mode, ApprovalsAgent, col, false)
					got := Decide(call(col, false), e.For("ledger"))
					if (outcome{got.Decision, got.By, got.ReasonCode}) != want {
						t.Fatalf("%s %s user %v project %v: got %+v, want %+v", mode, col.name, user, project, got, want)
					}
				}
			}
		}
	}
	if rows != 73*73*3*4 {
		t.Fatalf("%d rows", rows)
	}
}

func written(mode Mode, rules []tableRule) hcp.AccessConfig {
	c := hcp.AccessConfig{Mode: string(mode)}
	for _, r := range rules {
		c.Rules = append(c.Rules, r.written())
	}
	return c
}
