package pipeline

import (
	"context"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/authz"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/clock"
)

// Options are the parts that a host program plugs into the road. Packs, Scope,
// Access and Clock are required.
type Options struct {
	// Runtime names the runtime in the error of an adapter it lacks.
	Runtime string
	Clock   clock.Clock
	Packs   Packs
	// Scope returns who acts and in which tenant and project, from the
	// authenticated session. It never sees the call (§9.1, §9.2).
	Scope func(ctx context.Context) (hcp.AuthzContext, error)
	// Member reports whether the Principal belongs to the project in scope.
	// Nil denies every command whose land is brain.
	Member authz.Membership
	// Authorize decides about a command in place of the grants; nil means
	// authz.Assert. Scope, membership and elevation are checked in any case.
	Authorize hcp.Authorize
	// Access returns the settings that decide whether a command runs without
	// asking. It may leave out rules about other commands.
	Access    func(ctx context.Context, packID, key string) (access.Settings, error)
	Approvals Approvals
	// Views are the host's own rules for the cards of approval requests.
	Views hcp.ViewOptions
	// Hub mints; nil refuses every Binding mode that needs it.
	Hub      binding.Hub
	Adapters map[hcp.Kind]adapter.Adapter
	Sandbox  hcp.SandboxMode
	// Dir is the caller's directory, which approvals are bound to.
	Dir string
	// Audit receives every decision; nil records none.
	Audit Audit
	// Digest returns the keyed digest of a call's canonical arguments for the
	// audit log; nil leaves it out, since a plain hash of a short value can be
	// guessed.
	Digest func(canonical []byte) string
	// Outputs keeps what a result has no room for; nil keeps nothing.
	Outputs Outputs
	// Calls is told what happens to each call, for a host to show; nil tells
	// nobody. It must not wait for anything.
	Calls func(hcp.CallRecord)
	// Labels are written to every audit line.
	Labels map[string]string
}

// Packs says what is installed and activated.
type Packs interface {
	// Installed reports whether there is a pack of that id.
	Installed(ctx context.Context, id string) (bool, error)
	// IDs lists the installed packs, for suggestions; called only for unknown
	// ids.
	IDs(ctx context.Context) []string
	// Activated returns the pack as it was accepted for this session, or nil
	// when it is not activated. A pack or executable that is not the accepted
	// one any more is a fault.
	Activated(ctx context.Context, id string) (*Activation, error)
}

// Activation is an activated pack and what was pinned when it was accepted.
// Approvals are bound to Digest and to the executable's hash.
type Activation struct {
	Pack   *pack.Pack
	Digest string
	Bin    adapter.Bin
}

// Approvals keeps requests for a person's yes.
type Approvals interface {
	// Consume uses up a person's approval of exactly this subject, and says
	// whether the person refused it, or approved something else.
	Consume(ctx context.Context, s Subject) (approval.Answer, error)
	// Request stores the question and completes it with its id and its end.
	Request(ctx context.Context, s Subject, request *hcp.ApprovalRequest) (id string, err error)
	// Cancel answers an open request as cancelled. One that is answered already
	// stays as it is.
	Cancel(ctx context.Context, id string) error
}

// Subject is everything an approval is bound to.
type Subject = approval.Subject

// Audit is the log of decisions. A durable event is on disk when Record
// returns.
type Audit interface {
	Record(ctx context.Context, e hcp.AuditEvent, durable bool) error
}

// Outputs keeps long outputs for reading in pieces.
type Outputs interface {
	SaveOutput(ctx context.Context, data []byte) (ref string, err error)
}
