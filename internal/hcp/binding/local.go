package binding

import (
	"context"
	"sync"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// The codes of this package's faults.
const (
	CodeNotConnected  = "not_connected"
	CodeConnectFailed = "connect_failed"
	CodeMockRequired  = "mock_required"
	CodeMockRefused   = "mock_refused"
	CodeBadBinding    = "bad_binding"
)

// Links remembers which consents were given. Implementations are safe for
// concurrent use.
type Links interface {
	Linked(ctx context.Context, r Request) (bool, error)
	SetLinked(ctx context.Context, r Request, linked bool) error
}

// Local is the hub of one machine. It serves public, mock and local Bindings
// itself. User and mothership Bindings it passes to Credentials, and refuses
// them when there is none.
type Local struct {
	// Links remembers connections; required.
	Links Links
	// Reach returns the places of the machine's own store that a provider id
	// may open; nil gives none.
	Reach func(provider string) []Reach
	// Credentials mints delegated credentials; nil refuses them.
	Credentials Hub
}

// Mint returns a credential for a public, mock or local Binding, or what the
// credential hub returns for a connected one. A local Binding needs no earlier connect: the tool's
// own store on this machine is the credential.
func (h *Local) Mint(ctx context.Context, r Request) (Credential, error) {
	switch r.Mode {
	case hcp.BindingPublic:
		return Public(), nil
	case hcp.BindingMock:
		return Mock(r), nil
	case hcp.BindingLocal:
		c := Credential{Identity: "local:" + r.Provider, Mode: hcp.BindingLocal}
		if h.Reach != nil {
			c.Reach = h.Reach(r.Provider)
		}
		return c, nil
	case hcp.BindingUser, hcp.BindingMothership:
		return h.mintDelegated(ctx, r)
	default:
		return Credential{}, badMode(r)
	}
}

// mintDelegated asks the credential hub, once the consent was given: what
// availability calls not connected does not run (§11.1). The pack's own connect
// command is how the consent comes about, and goes before it.
func (h *Local) mintDelegated(ctx context.Context, r Request) (Credential, error) {
	linked, err := h.Links.Linked(ctx, r)
	if err != nil {
		return Credential{}, err
	}
	if h.Credentials == nil || !linked && !r.Establish {
		return Credential{}, notConnected(r)
	}
	return h.Credentials.Mint(ctx, r)
}

// Connect records the consent, after the credential hub has obtained the
// credential where one is needed.
func (h *Local) Connect(ctx context.Context, r Request) error {
	switch r.Mode {
	case hcp.BindingPublic, hcp.BindingMock:
		return nil
	case hcp.BindingLocal:
	case hcp.BindingUser, hcp.BindingMothership:
		if h.Credentials == nil {
			return noProvider(r)
		}
		if err := h.Credentials.Connect(ctx, r); err != nil {
			return err
		}
	default:
		return badMode(r)
	}
	return h.Links.SetLinked(ctx, r, true)
}

// Disconnect forgets the consent for the session. Credentials that a hub keeps
// stay with it.
func (h *Local) Disconnect(ctx context.Context, r Request) error {
	if r.Mode == hcp.BindingPublic || r.Mode == hcp.BindingMock {
		return nil
	}
	return h.Links.SetLinked(ctx, r, false)
}

// Status reports the consent, and the credential's health where a hub keeps it.
func (h *Local) Status(ctx context.Context, r Request) (Status, error) {
	switch r.Mode {
	case hcp.BindingPublic, hcp.BindingMock:
		return Status{Connected: true, State: Linked}, nil
	case hcp.BindingLocal, hcp.BindingUser, hcp.BindingMothership:
	default:
		return Status{State: Broken}, badMode(r)
	}
	linked, err := h.Links.Linked(ctx, r)
	if err != nil {
		return Status{State: Broken}, err
	}
	if !linked {
		return Status{State: Pending}, nil
	}
	if r.Mode == hcp.BindingLocal {
		return Status{Connected: true, State: Linked}, nil
	}
	if h.Credentials == nil {
		return Status{State: NeedsReauth}, nil
	}
	return h.Credentials.Status(ctx, r)
}

// Public is the absence of a credential.
func Public() Credential { return Credential{Identity: "public", Mode: hcp.BindingPublic} }

// Mock is the explicit test credential of a pack.
func Mock(r Request) Credential {
	return Credential{Identity: "mock:" + r.Provider, Mode: hcp.BindingMock}
}

func notConnected(r Request) error {
	return fault.Newf(CodeNotConnected, "pack %s not connected", r.PackID).
		WithHint("its commands need a %s credential; ask the user to connect the pack", r.Mode).
		WithNext("hcpx connect " + r.PackID)
}

func noProvider(r Request) error {
	return fault.Newf(CodeConnectFailed, "connect failed: no provider %q for pack %q", r.Provider, r.PackID).
		WithHint("this runtime obtains no %s credentials, and nothing was changed; a program that embeds it can supply a credential hub, and a pack whose program keeps its own login has the binding mode local", r.Mode)
}

func badMode(r Request) error {
	return fault.Newf(CodeBadBinding, "pack %q has an unknown binding mode %q", r.PackID, r.Mode).
		WithHint("the modes are public, user, local, mothership and mock")
}

// Memory is a Links that lasts as long as the process.
type Memory struct {
	mu     sync.Mutex
	linked map[Consent]bool
}

// Linked reports whether the request's consent was given.
func (m *Memory) Linked(_ context.Context, r Request) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.linked[r.Consent()], nil
}

// SetLinked gives or withdraws the request's consent.
func (m *Memory) SetLinked(_ context.Context, r Request, linked bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !linked {
		delete(m.linked, r.Consent())
		return nil
	}
	if m.linked == nil {
		m.linked = map[Consent]bool{}
	}
	m.linked[r.Consent()] = true
	return nil
}
