// Package authz decides whether a Principal may cause an effect at all. It
// implements §9 of the specification, the elevation rule of §8.2 and §9.8, and
// the order of §9.5: Scope (step 2), then Assert (step 3).
//
// Invariants: everything it looks at is the session's context and the pack's
// Policy, never an argument of the call, so that no argument can select a
// tenant, a project or a Principal (§9.2). Absence of a matching grant is a
// denial. Adding a grant never takes a permission away. Elevation belongs to
// the Principal and cannot be granted by any of the five capabilities.
//
// A denial is a fault with code "denied" whose text is one of the strings of
// §9.7. The package does no I/O.
package authz

import (
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// CodeDenied is the code of every denial made here.
const CodeDenied = "denied"

const deniedHint = "stop and tell the user; only the person who runs this runtime can change what is granted"

// NeedFor returns the capability that a command needs. A connect command needs
// pack.connect in place of the capability of its operation (§9.4): one whose
// last word is "connect" whatever its Policy says, and one in the "connect"
// family that writes. A read in that family, such as connect.status, only
// looks.
func NeedFor(key string, entry hcp.PolicyEntry) hcp.Capability {
	if isConnect(key, entry.Operation) {
		return hcp.CapConnect
	}
	if entry.Operation == hcp.OperationRead {
		return hcp.CapExecRead
	}
	return hcp.CapExecWrite
}

func isConnect(key string, operation hcp.Operation) bool {
	words := strings.Split(key, ".")
	if words[len(words)-1] == "connect" {
		return true
	}
	return words[0] == "connect" && operation != hcp.OperationRead
}

// Allows reports whether one of the grants covers the capability for the pack
// and the command. An empty key asks about the pack as a whole (install,
// connect as a lifecycle step): a grant limited to some commands does not
// cover it.
func Allows(grants []hcp.Grant, need hcp.Capability, packID, key string) bool {
	return slices.ContainsFunc(grants, func(g hcp.Grant) bool { return covers(g, need, packID, key) })
}

func covers(g hcp.Grant, need hcp.Capability, packID, key string) bool {
	if g.Capability != need || !slices.Contains(hcp.Capabilities, need) {
		return false
	}
	if g.PackID != "" && g.PackID != packID {
		return false
	}
	// An empty list is a list that names no command; only an absent one means any.
	return g.VerbKeys == nil || (key != "" && slices.Contains(g.VerbKeys, key))
}

// Assert denies unless a grant of the context covers the capability. For
// sense.enable the key is the trigger's ref.
func Assert(ctx hcp.AuthzContext, need hcp.Capability, packID, key string) error {
	if Allows(ctx.Grants, need, packID, key) {
		return nil
	}
	switch need {
	case hcp.CapExecRead, hcp.CapExecWrite:
		return denied("missing %s for %s.%s", need, packID, key)
	default:
		return denied("missing %s", need)
	}
}

// Membership reports whether the context's Principal belongs to its project.
type Membership func(ctx hcp.AuthzContext) bool

// Default is the decision by the context's project and grants (§9.4, §9.5), which
// a program that embeds the runtime may replace. That a project has the Principal
// for a member is checked besides, whoever decides here.
func Default(ctx hcp.AuthzContext, req hcp.AuthzRequest) hcp.AuthzDecision {
	err := Scope(ctx, req.Land, func(hcp.AuthzContext) bool { return true })
	if err == nil {
		err = Assert(ctx, NeedFor(req.VerbKey, hcp.PolicyEntry{Operation: req.Operation}), req.PackID, req.VerbKey)
	}
	if err == nil {
		return hcp.AuthzDecision{Allow: true}
	}
	return hcp.AuthzDecision{Reason: strings.TrimPrefix(err.Error(), "denied: ")}
}

// Refused is the denial that a decision stands for.
func Refused(d hcp.AuthzDecision) error {
	if d.Allow {
		return nil
	}
	if d.Reason == "" {
		d.Reason = "not authorised"
	}
	return denied("%s", d.Reason)
}

// Scope checks the session against the land of a command or trigger (§9.2).
// Land brain needs a project and membership in it; without a membership check
// nobody is a member.
func Scope(ctx hcp.AuthzContext, land hcp.Land, member Membership) error {
	if ctx.Principal.ID == "" {
		return denied("no authenticated Principal")
	}
	if ctx.TenantID == "" {
		return denied("no tenant in the session")
	}
	switch land {
	case hcp.LandPersonal, hcp.LandLocal:
		return nil
	case hcp.LandBrain:
		if ctx.ProjectID == "" {
			return denied("privacy.land brain requires project_id")
		}
		if member == nil || !member(ctx) {
			return denied("privacy.land brain requires project membership")
		}
		return nil
	default:
		return denied("unknown privacy.land %q", string(land))
	}
}

// Elevation denies a mothership Binding or a control pack to a Principal that
// is neither operator nor explicitly elevated, however the pack became
// reachable (§8.2, §9.8). It holds at activation as well as at execution.
func Elevation(ctx hcp.AuthzContext, m *hcp.Manifest) error {
	if ctx.Principal.Elevated {
		return nil
	}
	if m.BindingMode() == hcp.BindingMothership {
		return denied("binding mode mothership requires an elevated Principal")
	}
	if m.EffectivePlane() == hcp.PlaneControl {
		return denied("control plane requires an elevated Principal")
	}
	return nil
}

// Granted reports the five capabilities for a pack, in the order of the
// specification (§11.2). A capability that is granted for some of the pack's
// commands only counts as granted; Missing answers for one command.
func Granted(grants []hcp.Grant, packID string) []hcp.CapabilityStatus {
	statuses := make([]hcp.CapabilityStatus, len(hcp.Capabilities))
	for i, capability := range hcp.Capabilities {
		statuses[i] = hcp.CapabilityStatus{Capability: capability, Granted: slices.ContainsFunc(grants, func(g hcp.Grant) bool {
			return g.Capability == capability && (g.PackID == "" || g.PackID == packID) && (g.VerbKeys == nil || len(g.VerbKeys) > 0)
		})}
	}
	return statuses
}

// Missing returns the availability reason of a command that the grants do not
// cover, or the empty string.
func Missing(grants []hcp.Grant, packID, key string, entry hcp.PolicyEntry) string {
	need := NeedFor(key, entry)
	if Allows(grants, need, packID, key) {
		return ""
	}
	return "missing " + string(need)
}

func denied(format string, args ...any) *fault.Error {
	return fault.Newf(CodeDenied, "denied: "+format, args...).WithHint(deniedHint)
}
