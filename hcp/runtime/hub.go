package hcpruntime

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/redact"
)

// Hub mints the delegated credentials of user and mothership Bindings. Public,
// local and mock Bindings never reach it. Implementations are safe for
// concurrent use.
type Hub interface {
	// Mint returns the credential for one call, or an error: there is no second
	// source.
	Mint(ctx context.Context, r BindingRequest) (Credential, error)
	// Connect establishes the Binding, when a person or a pack's own connect
	// command asks for it.
	Connect(ctx context.Context, r BindingRequest) error
}

// BindingRequest says for whom and for what a credential is wanted.
type BindingRequest struct {
	Principal hcp.Principal
	TenantID  string
	ProjectID string
	PackID    string
	Mode      hcp.BindingMode
	Family    string
	// Provider is the pack's connect_provider_id, else its family, else its id.
	Provider string
	// Establish marks the pack's own connect command.
	Establish bool
}

// Credential is what a wrapped program gets. Its values are replaced wherever
// the program prints them.
type Credential struct {
	// Identity names the credential in the audit log.
	Identity string
	Env      map[string]string
	Files    []CredentialFile
}

// CredentialFile is a secret that a program reads from a file; the variable Var
// names the file.
type CredentialFile struct{ Name, Var, Content string }

type inwardHub struct{ hub Hub }

func outwardRequest(r binding.Request) BindingRequest {
	return BindingRequest{
		Principal: r.Principal, TenantID: r.TenantID, ProjectID: r.ProjectID, PackID: r.PackID,
		Mode: r.Mode, Family: r.Family, Provider: r.Provider, Establish: r.Establish,
	}
}

func (h inwardHub) Mint(ctx context.Context, r binding.Request) (binding.Credential, error) {
	given, err := h.hub.Mint(ctx, outwardRequest(r))
	if err != nil {
		return binding.Credential{}, private(err)
	}
	c := binding.Credential{Identity: given.Identity, Mode: r.Mode, Env: map[string]redact.Secret{}}
	if c.Identity == "" {
		c.Identity = "hub:" + r.Provider
	}
	for name, value := range given.Env {
		c.Env[name] = redact.NewSecret(value)
	}
	for _, f := range given.Files {
		c.Files = append(c.Files, binding.File{Name: f.Name, Var: f.Var, Content: redact.NewSecret(f.Content)})
	}
	return c, nil
}

func (h inwardHub) Connect(ctx context.Context, r binding.Request) error {
	return private(h.hub.Connect(ctx, outwardRequest(r)))
}

func (h inwardHub) Disconnect(context.Context, binding.Request) error { return nil }

func (h inwardHub) Status(context.Context, binding.Request) (binding.Status, error) {
	return binding.Status{Connected: true, State: binding.Linked}, nil
}

// Handler is the code of one command of a composite pack. The value it returns
// becomes the result.
type Handler func(ctx context.Context, call HandlerCall) (any, error)

// HandlerCall is the call that a Handler answers. Exec runs another command
// through the whole pipeline, as the same Principal.
type HandlerCall struct {
	PackID  string
	VerbKey string
	Args    hcp.Args
	Scope   hcp.AuthzContext
	Sandbox hcp.SandboxMode
	Exec    func(ctx context.Context, packID, key string, args hcp.Args) hcp.ExecResult
}

func inwardHandlers(packs map[string]map[string]Handler) map[string]composite.Handlers {
	all := map[string]composite.Handlers{}
	for id, handlers := range packs {
		inner := composite.Handlers{}
		for key, handler := range handlers {
			inner[key] = func(ctx context.Context, r adapter.Request) (any, error) {
				value, err := handler(ctx, HandlerCall{
					PackID: r.Pack.ID, VerbKey: r.Key, Args: r.Args, Scope: r.Scope, Sandbox: r.Sandbox, Exec: r.Invoke,
				})
				return value, private(err)
			}
		}
		all[id] = inner
	}
	return all
}

// ownerName is a directory name for an owner, whatever characters it has.
func ownerName(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:16])
}
