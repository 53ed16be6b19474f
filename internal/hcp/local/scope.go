package local

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/authz"
	"bridle/internal/kernel/fault"
)

// Scope is who acts, for the machine's tenant, with the store's grants, in the
// project at hand. It sees nothing of the call.
func (r *Runtime) Scope(context.Context) (hcp.AuthzContext, error) {
	grants, err := r.Grants()
	if err != nil {
		return hcp.AuthzContext{}, err
	}
	kind := hcp.PrincipalHuman
	if r.o.Agent != "" {
		kind = hcp.PrincipalAgent
	}
	scope := hcp.AuthzContext{
		Principal: hcp.Principal{ID: r.o.UserID, Kind: kind},
		TenantID:  hcp.LocalTenant,
		Grants:    grants,
	}
	scope.ProjectID, err = r.ProjectID()
	return scope, err
}

// Grants are those of the store, or none where an agent uses a store that the
// person did not choose.
func (r *Runtime) Grants() ([]hcp.Grant, error) {
	trusted, err := r.TrustedStore()
	if err != nil || !trusted {
		return []hcp.Grant{}, err
	}
	state, err := r.Store.State()
	if err != nil {
		return nil, err
	}
	return state.EffectiveGrants(), nil
}

// TrustedStore reports whether the store's own word about grants counts. A
// person may use any store. Under an agent's marker only the person's default
// store counts, and those that its settings list: where the default store is
// comes from the system's user database, since HOME is the agent's to set.
func (r *Runtime) TrustedStore() (bool, error) {
	if r.o.Agent == "" {
		return true, nil
	}
	home, unknown := r.o.AccountHome()
	if unknown != nil || !filepath.IsAbs(home) {
		// Nobody knows which store is the person's, so this one is not.
		return false, nil //nolint:nilerr // not knowing is an answer here, and a strict one
	}
	own := filepath.Join(home, ".hcp")
	if sameFile(own, r.o.Home) {
		return true, nil
	}
	s, err := accessfile.Read(accessfile.UserPath(own), accessfile.User)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(s.Stores, func(dir string) bool {
		return filepath.IsAbs(dir) && sameFile(dir, r.o.Home)
	}), nil
}

// ProjectID is the project in scope: the one that the environment names, when
// the person's settings list it, else the root of the enclosing repository,
// when the person owns it. Empty means none. A name that is not listed is
// ignored.
func (r *Runtime) ProjectID() (string, error) {
	listed, err := r.listedProject()
	if err != nil {
		return "", err
	}
	if listed {
		return r.o.ProjectID, nil
	}
	if !r.mayNameProject() {
		return "", nil
	}
	return r.enclosing(r.workDir()), nil
}

// listedProject reports whether the person's settings list the project that the
// environment names.
func (r *Runtime) listedProject() (bool, error) {
	if r.o.ProjectID == "" {
		return false, nil
	}
	s, err := accessfile.Read(accessfile.UserPath(r.o.Home), accessfile.User)
	return err == nil && slices.Contains(s.Projects, r.o.ProjectID), err
}

// IgnoredProjectID is the project that the environment names and that the
// person's settings do not list, so that it does not count; else empty.
func (r *Runtime) IgnoredProjectID() string {
	if listed, err := r.listedProject(); err != nil || listed {
		return ""
	}
	return r.o.ProjectID
}

// mayNameProject reports whether the directory that the environment names may
// stand in for the caller's: for a person any, under an agent's marker one at or
// below the project that the caller is in.
func (r *Runtime) mayNameProject() bool {
	if r.o.Agent == "" || r.o.ProjectDir == "" {
		return true
	}
	around := r.enclosing(r.o.Dir)
	if around == "" {
		around = r.o.Dir
	}
	outer, err := filepath.EvalSymlinks(around)
	if err != nil {
		return false
	}
	inner, err := filepath.EvalSymlinks(r.workDir())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(rel)
}

// member reports whether the Principal belongs to the project in scope. That
// the project came into scope at all is the proof: the person listed it, or
// owns the repository.
func (r *Runtime) member(scope hcp.AuthzContext) bool {
	return scope.ProjectID != "" && scope.Principal.ID == r.o.UserID
}

// MayInstall refuses a Principal who may install nothing at all. Whether a
// certain pack may be installed is decided when its id is known.
func (r *Runtime) MayInstall(context.Context) error {
	grants, err := r.Grants()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(grants, func(g hcp.Grant) bool { return g.Capability == hcp.CapInstall }) {
		return nil
	}
	return r.explained(authz.Assert(hcp.AuthzContext{Grants: grants}, hcp.CapInstall, "", ""))
}

// explained says of a denial that the store is why, where it is.
func (r *Runtime) explained(err error) error {
	if !fault.Is(err, authz.CodeDenied) {
		return err
	}
	hint := r.foreignHint()
	if hint == "" {
		return err
	}
	explained := *fault.From(err)
	return explained.WithHint("%s", hint)
}

// foreignHint says why an agent has no grants in a store that the person did
// not choose, and who can change that. It is empty where the store is trusted,
// so that the denial has another reason.
func (r *Runtime) foreignHint() string {
	trusted, err := r.TrustedStore()
	switch {
	case err != nil:
		return fmt.Sprintf("the user's settings, which would say whether the store %q is one of theirs, cannot be read; stop and tell the user", r.o.Home)
	case trusted:
		return ""
	}
	return fmt.Sprintf("%s marks an agent, and no agent has grants in the store %q, which is not the user's own; stop and tell the user, who can run the command, take HCP_HOME away, or list the folder in \"stores\" of ~/.hcp/access.json", r.o.Agent, r.o.Home)
}
