// Package availability reports what of a pack may run right now, and why not
// (§11.2). It is a pure function: what it says follows from what it is told.
//
// A command is executable when its pack is installed, activated, connected where
// the Binding needs it, the Principal holds the grant, and this runtime can run
// it. The reason is the first of these that is missing, in that order, which is
// the order in which a call would be refused.
//
// A local Binding is the machine's own store and needs no connect before a
// command runs: connected says whether someone connected the pack, and
// connect_needed is false. User and mothership Bindings wait for it.
package availability

import (
	"bridle/hcp"
	"bridle/internal/hcp/authz"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
)

// Input is what is known about a pack. Pack is nil when it is not installed.
type Input struct {
	PackID    string
	Pack      *pack.Pack
	Activated bool
	Connected bool
	// NoProvider says that this runtime obtains no delegated credentials, so that
	// nothing can be connected that needs one.
	NoProvider bool
	// SourceAvailable says that the pack could be installed from where it is
	// known to be.
	SourceAvailable bool
	Scope           hcp.AuthzContext
	Member          authz.Membership
	// Unable returns why this runtime cannot run commands of the pack, or "".
	Unable func(p *pack.Pack) string
}

// The reasons of the published list.
const (
	notInstalled = "not installed"
	notActivated = "not activated"
	notConnected = "not connected"
)

// onlyMock is the reason of a pack whose only Binding is a mock, which runs when
// a call asks for it and not before.
const onlyMock = "only with mode=mock"

// Build reports about one pack.
func Build(in Input) hcp.Availability {
	report := hcp.Availability{
		PackID:       in.PackID,
		Verbs:        []hcp.CommandStatus{},
		Capabilities: authz.Granted(in.Scope.Grants, in.PackID),
	}
	if in.Pack == nil {
		report.Reason = notInstalled
		report.Status = []hcp.Stage{hcp.StageUnavailable}
		if in.SourceAvailable {
			report.Status = []hcp.Stage{hcp.StageAvailable}
		}
		return report
	}
	m := &in.Pack.Manifest
	mode := m.BindingMode()
	report.Installed = true
	report.Activated = in.Activated
	report.Connected = in.Connected && !(in.NoProvider && needsConnect(mode)) || mode == hcp.BindingPublic
	report.AdapterKind = in.Pack.Kind
	report.BindingMode = mode
	report.SkillPresent = in.Pack.SkillPresent
	report.ConnectNeeded = needsConnect(mode) && !report.Connected
	report.Ready = report.Activated && !report.ConnectNeeded
	for _, key := range command.Keys(&in.Pack.Manifest, &in.Pack.Policy) {
		if entry, ok := in.Pack.Entry(key); ok {
			report.Verbs = append(report.Verbs, in.command(key, entry, &report))
		}
	}
	report.Status = stages(&report)
	elevation := authz.Elevation(in.Scope, m)
	switch {
	case !report.Activated:
		report.Reason = notActivated
	case elevation != nil:
		report.Reason, report.Ready = plain(elevation), false
	case report.ConnectNeeded:
		report.Reason = notConnected
	}
	return report
}

// needsConnect reports whether commands wait for someone to connect the pack.
func needsConnect(mode hcp.BindingMode) bool {
	return mode == hcp.BindingUser || mode == hcp.BindingMothership
}

func (in Input) command(key string, entry hcp.PolicyEntry, report *hcp.Availability) hcp.CommandStatus {
	status := hcp.CommandStatus{VerbKey: key, Operation: entry.Operation, Land: entry.Privacy.Land, Confirm: entry.Confirm}
	status.Reason = in.reason(key, entry, report)
	status.Executable = status.Reason == ""
	return status
}

// reason is the first thing that keeps the command from running.
func (in Input) reason(key string, entry hcp.PolicyEntry, report *hcp.Availability) string {
	if !report.Activated {
		return notActivated
	}
	if err := authz.Elevation(in.Scope, &in.Pack.Manifest); err != nil {
		return plain(err) // no connecting changes who acts
	}
	establishes := authz.NeedFor(key, entry) == hcp.CapConnect
	if report.ConnectNeeded && (in.NoProvider || !establishes) {
		return notConnected
	}
	if err := authz.Scope(in.Scope, entry.Privacy.Land, in.Member); err != nil {
		return plain(err)
	}
	if missing := authz.Missing(in.Scope.Grants, in.PackID, key, entry); missing != "" {
		return missing
	}
	if report.BindingMode == hcp.BindingMock {
		return onlyMock
	}
	if in.Unable != nil {
		return in.Unable(in.Pack)
	}
	return ""
}

// plain is a denial without the word that a result begins with.
func plain(err error) string {
	const prefix = "denied: "
	if text := err.Error(); len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):]
	}
	return err.Error()
}

// stages lists every stage that the pack has reached.
func stages(report *hcp.Availability) []hcp.Stage {
	reached := []hcp.Stage{hcp.StageInstalled}
	if !report.Activated {
		return reached
	}
	reached = append(reached, hcp.StageActivated)
	if report.Connected {
		reached = append(reached, hcp.StageConnected)
	}
	for _, command := range report.Verbs {
		if command.Executable {
			return append(reached, hcp.StageExecutable)
		}
	}
	return reached
}
