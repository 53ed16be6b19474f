package hcpx

import (
	"context"
	"path/filepath"

	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/hcp/adapter/composite"
	"bridle/internal/hcp/adapter/wrap"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/store"
	"bridle/internal/kernel/cli"
	"bridle/packs"
)

// Markers are the variables of this protocol that mark an agent's environment.
var markers = []string{"HCP_AGENT", "HCP_MCP"}

// agentMarker returns the marker that shows an agent at work, or "".
func agentMarker(c *cli.Call) string {
	name, _ := c.Env.AgentMarker(markers...)
	return name
}

// agentSign is agentMarker, and else the sign of an agent on a process above,
// whose environment the caller cannot change any more. Looking there costs a
// few files, so it is done where something hangs on it: for what only a person
// may do, and for variables that loosen or lead elsewhere.
func agentSign(c *cli.Call) string { return c.AgentSign(markers...) }

// AgentAtWork reports whether there is a sign of an agent.
func AgentAtWork(c *cli.Call) bool { return agentSign(c) != "" }

// Opener opens the store and the runtime over it for one call.
type Opener func(ctx context.Context, c *cli.Call) (*local.Runtime, error)

// Open is the Opener of this program.
func Open(ctx context.Context, c *cli.Call) (*local.Runtime, error) { return OpenWith(ctx, c, nil) }

// OpenWith opens a runtime that has more code for the bootstrap pack's commands
// than this program brings.
func OpenWith(ctx context.Context, c *cli.Call, more composite.Handlers) (*local.Runtime, error) {
	home, err := store.Home(c.Env.Get("HCP_HOME"), c.Home)
	if err != nil {
		return nil, err
	}
	o := local.Options{
		Home:        home,
		UserHome:    c.Home,
		UserID:      c.UserID,
		AccountHome: c.AccountHome,
		Dir:         c.Dir,
		ProjectDir:  c.Env.Get("HCP_PROJECT_DIR"),
		ProjectID:   c.Env.Get("HCP_PROJECT_ID"),
		Path:        c.Env.Get("PATH"),
		Agent:       agentMarker(c),
		MCP:         c.Env.Get("HCP_MCP") != "",
		Mode:        c.Env.Get(access.VarMode),
		Approvals:   c.Env.Get(access.VarApprovals),
		Bundled:     packs.FS(),
		Clock:       c.Clock,
		Program:     Name,
	}
	if o.Agent == "" && (o.Mode != "" || o.Approvals != "" || o.ProjectDir != "" || !ownStore(c, home)) {
		o.Agent = agentSign(c)
	}
	for _, name := range wrap.CertificateNames() {
		if value, set := c.Env.Lookup(name); set {
			o.Certificates = append(o.Certificates, name+"="+value)
		}
	}
	o.Handlers = handlers(c, more)
	return local.Open(ctx, o)
}

// ownStore reports whether a store is the default one of the account. HCP_HOME
// and HOME, which lead to another, are the caller's to set.
func ownStore(c *cli.Call, home string) bool {
	if c.AccountHome == nil {
		return false
	}
	account, err := c.AccountHome()
	return err == nil && filepath.IsAbs(account) && home == filepath.Join(account, accessfile.Folder)
}

// personPresent reports whether the caller can be a person: no sign of an agent
// here or on the processes above, and a terminal that the process belongs to. A
// terminal alone is no proof, since anyone can make one.
func personPresent(c *cli.Call) bool {
	return agentSign(c) == "" && c.Terminal.HasControlling()
}
