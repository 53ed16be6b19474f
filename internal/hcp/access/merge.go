package access

import (
	"fmt"
	"maps"
	"slices"

	"bridle/hcp"
)

// Origin is the layer that a setting comes from.
type Origin string

// The layers. Default is where no layer says anything.
const (
	Default     Origin = "default"
	User        Origin = "user"
	Environment Origin = "environment"
	Project     Origin = "project"
	Outer       Origin = "outer project"
	Session     Origin = "session"
)

// Variables are the settings of the environment, as they stand there. Agent
// says that an agent is at work, so that they may only tighten.
type Variables struct {
	Mode, Approvals string
	Agent           bool
}

// The variables' names.
const (
	VarMode      = "HCP_MODE"
	VarApprovals = "HCP_APPROVALS"
)

// Layers are the settings before they are put together. UserAt and ProjectAt are
// the places of the rules in their files, where those hold more rules; nil where
// they hold just these.
type Layers struct {
	User              hcp.AccessConfig
	Env               Variables
	Project           hcp.AccessConfig
	UserAt, ProjectAt []int
	// Outer are further projects that the call is made in: those around the
	// project, and those around the caller where the environment names another
	// folder. They tighten as the project does, since a nested repository or a
	// variable, which anyone can make, would otherwise take its rules away.
	Outer []OuterProject
}

// OuterProject are the settings of one more project, with the places of its
// rules as in Layers.
type OuterProject struct {
	Config hcp.AccessConfig
	At     []int
}

// placeOf is the place in the file of the rule at i.
func placeOf(at []int, i int) int {
	if at == nil {
		return i
	}
	return at[i]
}

// Ignored is a setting that does not count, and why.
type Ignored struct {
	Origin  Origin `json:"origin"`
	Setting string `json:"setting"`
	Reason  string `json:"reason"`
}

// PackMode is the mode of one pack and the layer that it comes from.
type PackMode struct {
	Mode   Mode   `json:"mode"`
	Origin Origin `json:"origin"`
}

// Effective are the settings that count.
type Effective struct {
	Mode          Mode
	ModeFrom      Origin
	Approvals     Approvals
	ApprovalsFrom Origin
	Packs         map[string]PackMode
	Rules         []Rule
	index         Index
	Ignored       []Ignored
}

// For returns the settings for the commands of a pack.
func (e *Effective) For(packID string) Settings {
	s := Settings{Mode: e.Mode, Approvals: e.Approvals, Rules: e.Rules, Index: e.index}
	if own, ok := e.Packs[packID]; ok {
		s.Mode = own.Mode
	}
	return s
}

// ModeOf returns the mode of a pack and where it comes from.
func (e *Effective) ModeOf(packID string) PackMode {
	if own, ok := e.Packs[packID]; ok {
		return own
	}
	return PackMode{e.Mode, e.ModeFrom}
}

// Merge puts the layers together. The user's file may say anything. The
// environment replaces the general mode and the approvals, for one process, but
// under an agent only where it is stricter; a pack's own mode gives way to it
// only where it is stricter, since the person who set that one meant the pack.
// The project may only tighten, and so may those around it.
func Merge(l Layers) Effective {
	e := Effective{Mode: ModeAuto, ModeFrom: Default, Approvals: ApprovalsAgent, ApprovalsFrom: Default, Packs: map[string]PackMode{}}
	if l.User.Mode != "" {
		e.Mode, e.ModeFrom = Mode(l.User.Mode), User
	}
	if l.User.Approvals != "" {
		e.Approvals, e.ApprovalsFrom = Approvals(l.User.Approvals), User
	}
	for id, p := range l.User.Packs {
		e.Packs[id] = PackMode{Mode(p.Mode), User}
	}
	e.addRules(l.User.Rules, l.UserAt)
	e.addEnvironment(l.Env)
	e.addProject(l.Project, l.ProjectAt, Project)
	for _, outer := range l.Outer {
		e.addProject(outer.Config, outer.At, Outer)
	}
	e.index = NewIndex(e.Rules)
	return e
}

// Add puts one more rule behind the others.
func (e *Effective) Add(r Rule) {
	e.Rules = append(slices.Clip(e.Rules), r)
	e.index = NewIndex(e.Rules)
}

func (e *Effective) addRules(rules []hcp.AccessRule, at []int) {
	for i, r := range rules {
		e.Rules = append(e.Rules, NewRule(r, User, placeOf(at, i)))
	}
}

func (e *Effective) ignore(from Origin, setting, format string, args ...any) {
	e.Ignored = append(e.Ignored, Ignored{from, setting, fmt.Sprintf(format, args...)})
}

func (e *Effective) addEnvironment(v Variables) {
	if v.Mode != "" {
		e.environmentMode(v)
	}
	switch {
	case v.Approvals == "":
	case v.Agent && Approvals(v.Approvals) == ApprovalsAgent && e.Approvals == ApprovalsHuman:
		e.ignore(Environment, VarApprovals+"="+v.Approvals, "an agent is at work, and the environment may only tighten then")
	default:
		e.Approvals, e.ApprovalsFrom = Approvals(v.Approvals), Environment
	}
}

func (e *Effective) environmentMode(v Variables) {
	mode := Mode(v.Mode)
	if !IsMode(v.Mode) { // Decide refuses what nobody defined, for every pack
		e.Mode, e.ModeFrom, e.Packs = mode, Environment, map[string]PackMode{}
		return
	}
	if v.Agent && mode.looserThan(e.Mode) {
		e.ignore(Environment, VarMode+"="+v.Mode, "an agent is at work, and the environment may only tighten then; the mode is %s", e.Mode)
	} else {
		e.Mode, e.ModeFrom = mode, Environment
	}
	for _, id := range slices.Sorted(maps.Keys(e.Packs)) {
		own := e.Packs[id]
		switch {
		case own.Mode.looserThan(mode):
			e.Packs[id] = PackMode{mode, Environment}
		case mode.looserThan(own.Mode):
			e.ignore(Environment, VarMode+"="+v.Mode, "pack %q has a mode of its own, %s, which the environment can only tighten", id, own.Mode)
		}
	}
}

func (e *Effective) addProject(c hcp.AccessConfig, at []int, from Origin) {
	if c.Mode != "" {
		mode := Mode(c.Mode)
		if mode.looserThan(e.Mode) {
			e.ignore(from, "mode "+c.Mode, "a project may only tighten, and the mode is %s", e.Mode)
		} else if e.Mode.looserThan(mode) {
			e.Mode, e.ModeFrom = mode, from
		}
		for id, own := range e.Packs {
			if own.Mode.looserThan(mode) {
				e.Packs[id] = PackMode{mode, from}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.Packs)) {
		mode, now := Mode(c.Packs[id].Mode), e.ModeOf(id).Mode
		if mode.looserThan(now) {
			e.ignore(from, fmt.Sprintf("mode %s for pack %q", mode, id), "a project may only tighten, and the mode is %s", now)
		} else if now.looserThan(mode) {
			e.Packs[id] = PackMode{mode, from}
		}
	}
	switch {
	case Approvals(c.Approvals) == ApprovalsHuman && e.Approvals == ApprovalsAgent:
		e.Approvals, e.ApprovalsFrom = ApprovalsHuman, from
	case Approvals(c.Approvals) == ApprovalsAgent && e.Approvals == ApprovalsHuman:
		e.ignore(from, "approvals agent", "a project may only tighten, and approvals are human")
	}
	e.projectRules(c, at, from)
}

func (e *Effective) projectRules(c hcp.AccessConfig, at []int, from Origin) {
	for i, r := range c.Rules {
		if r.Decision == string(Allow) {
			e.ignore(from, fmt.Sprintf("rule %d allow %q", placeOf(at, i), r.Match), "a project may only tighten, so it cannot allow")
			continue
		}
		e.Rules = append(e.Rules, NewRule(r, from, placeOf(at, i)))
	}
	if len(c.Projects) > 0 {
		e.ignore(from, "projects", "only the user's own file says what belongs to the user")
	}
	if len(c.Stores) > 0 {
		e.ignore(from, "stores", "only the user's own file says what belongs to the user")
	}
}

// strictness orders the modes. One that nobody defined is the strictest, and
// Decide refuses it.
func (m Mode) strictness() int {
	switch m {
	case ModeRun:
		return 0
	case ModeAuto, "":
		return 1
	case ModeManual:
		return 2
	}
	return 3
}

func (m Mode) looserThan(other Mode) bool { return m.strictness() < other.strictness() }
