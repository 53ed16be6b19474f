package hcp

// Capability is a runtime grant axis (§9.4).
type Capability string

// The five capabilities.
const (
	CapInstall   Capability = "pack.install"
	CapConnect   Capability = "pack.connect"
	CapExecRead  Capability = "verb.exec.read"
	CapExecWrite Capability = "verb.exec.write"
	CapSense     Capability = "sense.enable"
)

// Capabilities lists the five in the order of the specification.
var Capabilities = []Capability{CapInstall, CapConnect, CapExecRead, CapExecWrite, CapSense}

// Grant gives a capability for any pack, one pack, or some of its commands.
type Grant struct {
	Capability Capability `json:"capability"`
	PackID     string     `json:"pack_id,omitempty"`
	VerbKeys   []string   `json:"verb_keys,omitzero"`
}

// PermissiveGrants returns one unscoped grant per capability: right for a
// personal machine, wrong for anything multi-tenant.
func PermissiveGrants() []Grant {
	grants := make([]Grant, len(Capabilities))
	for i, c := range Capabilities {
		grants[i] = Grant{Capability: c}
	}
	return grants
}

// PrincipalKind is informative (§9.1).
type PrincipalKind string

// The four kinds of Principal.
const (
	PrincipalHuman      PrincipalKind = "human"
	PrincipalService    PrincipalKind = "service"
	PrincipalAgent      PrincipalKind = "agent"
	PrincipalMothership PrincipalKind = "mothership"
)

// Principal is who acts (§9.1). Elevated marks an operator, or a Principal
// with an explicit elevation: the only ones that reach mothership Bindings and
// control packs. It is a property of the session, never a grant.
type Principal struct {
	ID       string        `json:"id"`
	Kind     PrincipalKind `json:"kind"`
	Elevated bool          `json:"elevated,omitempty"`
}

// The session of a personal machine, where nobody configured one.
const (
	LocalPrincipal = "local-principal"
	LocalTenant    = "local-tenant"
)

// AuthzContext is everything authorization looks at besides the call (§9.3).
// ProjectID is empty when no project is in scope.
type AuthzContext struct {
	Principal Principal `json:"principal"`
	TenantID  string    `json:"tenant_id"`
	ProjectID string    `json:"project_id,omitempty"`
	Grants    []Grant   `json:"grants"`
}

// AuthzRequest is what a decision about grants is asked for: one command of a
// pack, as its Policy describes it.
type AuthzRequest struct {
	PackID    string    `json:"pack_id"`
	VerbKey   string    `json:"verb_key"`
	Operation Operation `json:"operation"`
	Land      Land      `json:"land"`
}

// AuthzDecision is the answer. Reason says why not, in the words that stand
// behind "denied: ".
type AuthzDecision struct {
	Allow  bool   `json:"allow"`
	Reason string `json:"reason,omitempty"`
}

// Authorize decides whether a Principal may cause an effect at all. It sees
// nothing of a call's arguments.
type Authorize func(ctx AuthzContext, req AuthzRequest) AuthzDecision
