// Package binding obtains the credential that a call needs (§8).
//
// A pack names the kind of credential, a hub mints it at exec time for the
// Principal who acts, and a mint that fails refuses the command. Nothing here
// looks at the environment, at files of the pack or at who invoked the call:
// the mode comes from the manifest, mock from the envelope, and both reach a
// hub as fields of a Request.
//
// Invariants:
//
//   - A Credential's secret parts are redact.Secret, so they cannot be printed.
//   - Binding identity and Principal are separate facts (§8.7). An identity
//     names the credential and the hub it came from, never who acts.
//   - Packs of one family, mode and Principal share one consent (§8.3).
package binding

import (
	"context"

	"bridle/hcp"
	"bridle/internal/kernel/redact"
)

// Request says for whom and for what a credential is wanted.
type Request struct {
	Principal hcp.Principal
	TenantID  string
	ProjectID string
	PackID    string
	Mode      hcp.BindingMode
	Family    string
	// Provider names the credential's source in a hub: the pack's
	// connect_provider_id, else its family, else its id.
	Provider string
	// Establish marks a pack's own connect command, which runs in order to
	// create the Binding and therefore cannot present it yet.
	Establish bool
}

// For returns the request of a pack's declared Binding in a scope.
func For(m *hcp.Manifest, scope hcp.AuthzContext) Request {
	r := Request{
		Principal: scope.Principal,
		TenantID:  scope.TenantID,
		ProjectID: scope.ProjectID,
		PackID:    m.ID,
		Mode:      m.BindingMode(),
		Provider:  m.ID,
	}
	if b := m.Binding; b != nil {
		r.Family = b.Family
		if b.Family != "" {
			r.Provider = b.Family
		}
		if b.ConnectProviderID != "" {
			r.Provider = b.ConnectProviderID
		}
	}
	return r
}

// Consent is what one connect covers: comparable, so that it can key a map.
type Consent struct {
	TenantID  string
	Principal string
	Mode      hcp.BindingMode
	Family    string
	PackID    string // empty when a family is named
}

// Consent returns the consent that the request falls under: the family's when
// the pack declares one, else the pack's own.
func (r Request) Consent() Consent {
	c := Consent{TenantID: r.TenantID, Principal: r.Principal.ID, Mode: r.Mode, Family: r.Family}
	if r.Family == "" {
		c.PackID = r.PackID
	}
	return c
}

// Credential is what an adapter hands to the wrapped tool, through channels
// that tools already understand (§8.4).
type Credential struct {
	// Identity names the credential in the audit log.
	Identity string
	Mode     hcp.BindingMode
	// Env are environment variables with secret values.
	Env map[string]redact.Secret
	// Files are written for the length of one call.
	Files []File
	// Reach lists places of the machine's own store that the tool may open.
	Reach []Reach
}

// File is a secret that a tool reads from a file. Var is the variable that
// tells the tool where it is.
type File struct {
	Name    string
	Var     string
	Content redact.Secret
}

// Reach is a real path below the user's home that a tool keeps its own login
// in. Home is where it appears in the pack's private home, relative to it.
type Reach struct {
	Path  string
	Home  string
	Write bool
}

// Secrets returns everything that must not be seen in results and logs.
func (c Credential) Secrets() []redact.Secret {
	secrets := make([]redact.Secret, 0, len(c.Env)+len(c.Files))
	for _, s := range c.Env {
		secrets = append(secrets, s)
	}
	for _, f := range c.Files {
		secrets = append(secrets, f.Content)
	}
	return secrets
}

// State is the health of a Binding (§7.7, §8.6).
type State string

// The states.
const (
	Linked      State = "linked"
	Stale       State = "stale"
	NeedsReauth State = "needs_reauth"
	Pending     State = "pending"
	Broken      State = "error"
)

// Status reports a Binding without minting anything.
type Status struct {
	Connected bool  `json:"connected"`
	State     State `json:"state"`
}

// Hub mints, connects and reports. Implementations are safe for concurrent use.
type Hub interface {
	// Mint returns the credential for one call. It never falls back: a
	// credential that cannot be had is a fault.
	Mint(ctx context.Context, r Request) (Credential, error)
	// Connect establishes the Binding (§8.5). Public packs need none.
	Connect(ctx context.Context, r Request) error
	// Disconnect drops the connection of a pack for the session (§11.1).
	Disconnect(ctx context.Context, r Request) error
	// Status reports without side effects.
	Status(ctx context.Context, r Request) (Status, error)
}
