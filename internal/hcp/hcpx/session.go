package hcpx

import (
	"context"

	"bridle/internal/hcp/access"
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

// AgentAtWork reports whether a marker of an agent is set.
func AgentAtWork(c *cli.Call) bool { return agentMarker(c) != "" }

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
	for _, name := range wrap.CertificateNames() {
		if value, set := c.Env.Lookup(name); set {
			o.Certificates = append(o.Certificates, name+"="+value)
		}
	}
	o.Handlers = handlers(c, more)
	return local.Open(ctx, o)
}

// personPresent reports whether the caller can be a person: no agent's marker,
// and a terminal that the process belongs to.
func personPresent(c *cli.Call) bool {
	return agentMarker(c) == "" && c.Terminal.HasControlling()
}
