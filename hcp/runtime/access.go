package hcpruntime

import (
	"context"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/accessfile"
	"bridle/internal/kernel/agent"
	"bridle/internal/kernel/fault"
)

// AccessRequest is a call as the access settings see it.
type AccessRequest struct {
	PackID    string
	VerbKey   string
	Operation hcp.Operation
	Confirm   hcp.Confirm
	Args      hcp.Args
	// Confirmed says that the envelope carried confirm or apply.
	Confirmed bool
}

// Decision is what access says about a call: allow, ask or deny, and why. By
// says who let it run: mode, rule, agent or human.
type Decision struct {
	Decision   string
	Code       string
	Reason     string
	ReasonCode string
	Hint       string
	Mode       string
	Approvals  string
	By         string
}

// DecideAccess applies mode and rules to a call, and nothing else.
func DecideAccess(r AccessRequest, a Access) Decision {
	l := layer(a)
	if l.err != nil {
		f := fault.From(l.err)
		return Decision{Decision: string(access.Deny), Code: f.Code, Reason: f.Message, Hint: f.Hint}
	}
	return outwardVerdict(access.Decide(r.inward(), l.effective.For(r.PackID)))
}

func (r AccessRequest) inward() access.Request {
	return access.Request{PackID: r.PackID, Key: r.VerbKey, Operation: r.Operation, Confirm: r.Confirm, Args: r.Args, Confirmed: r.Confirmed}
}

func outwardVerdict(v access.Verdict) Decision {
	return Decision{
		Decision: string(v.Decision), Code: v.Code, Reason: v.Reason, ReasonCode: string(v.ReasonCode), Hint: v.Hint,
		Mode: string(v.Mode), Approvals: string(v.Approvals), By: string(v.By),
	}
}

// AccessEnv are the settings of an environment: the values of HCP_MODE and
// HCP_APPROVALS. Agent says that an agent is at work, so that they may only
// tighten.
type AccessEnv struct {
	Mode, Approvals string
	Agent           bool
}

// EnvAccess reads the settings out of an environment of NAME=value entries, as
// os.Environ returns it. An agent is at work where one of the known markers is
// set, or HCP_AGENT or HCP_MCP; who knows of an agent otherwise sets Agent.
func EnvAccess(environ []string) AccessEnv {
	var e AccessEnv
	for _, entry := range environ {
		switch name, value, _ := strings.Cut(entry, "="); name {
		case access.VarMode:
			e.Mode = value
		case access.VarApprovals:
			e.Approvals = value
		}
	}
	_, e.Agent = agent.Marker(environ, "HCP_AGENT", "HCP_MCP")
	return e
}

// AccessLayers are settings before they are put together. The project may only
// tighten.
type AccessLayers struct {
	User, Project Access
	Env           AccessEnv
}

// IgnoredSetting is a setting that does not count, and why.
type IgnoredSetting struct{ Origin, Setting, Reason string }

// MergeAccess puts layers together into settings that decide as the layers do,
// and tells what was ignored.
func MergeAccess(l AccessLayers) (Access, []IgnoredSetting) {
	e := access.Merge(access.Layers{
		User: l.User, Project: l.Project,
		Env: access.Variables{Mode: l.Env.Mode, Approvals: l.Env.Approvals, Agent: l.Env.Agent},
	})
	merged := Access{
		Mode: string(e.Mode), Approvals: string(e.Approvals),
		Projects: l.User.Projects, Stores: l.User.Stores,
	}
	for id, own := range e.Packs {
		if merged.Packs == nil {
			merged.Packs = map[string]hcp.AccessPack{}
		}
		merged.Packs[id] = hcp.AccessPack{Mode: string(own.Mode)}
	}
	for i := range e.Rules {
		merged.Rules = append(merged.Rules, e.Rules[i].AccessRule)
	}
	var ignored []IgnoredSetting
	for _, s := range e.Ignored {
		ignored = append(ignored, IgnoredSetting{string(s.Origin), s.Setting, s.Reason})
	}
	return merged, ignored
}

// AccessFiles are the paths of the user's access.json in a store and of a
// project's.
func AccessFiles(home, projectRoot string) (user, project string) {
	return accessfile.UserPath(home), accessfile.ProjectPath(projectRoot)
}

// LoadEffectiveAccess reads the files of the user and of the project, each of
// which may be missing or "", and puts them together with the environment. A file
// that cannot be used is an error, never an empty one: what it says may forbid
// something.
func LoadEffectiveAccess(user, project string, env AccessEnv) (Access, []IgnoredSetting, error) {
	layers := AccessLayers{Env: env}
	for _, file := range []struct {
		path string
		kind accessfile.Kind
		into *Access
	}{{user, accessfile.User, &layers.User}, {project, accessfile.Project, &layers.Project}} {
		if file.path == "" {
			continue
		}
		c, err := accessfile.Read(file.path, file.kind)
		if err != nil {
			return Access{}, nil, public(err)
		}
		*file.into = c
	}
	merged, ignored := MergeAccess(layers)
	return merged, ignored, nil
}

// ReadAccessFile reads an access.json. A missing one says nothing; one that
// cannot be used is an error.
func ReadAccessFile(path string) (Access, error) {
	c, err := accessfile.Read(path, accessfile.User)
	return c, public(err)
}

// WriteAccessFile replaces an access.json, whose folder exists.
func WriteAccessFile(ctx context.Context, path string, a Access) error {
	return public(accessfile.Update(ctx, path, path+".lock", "hcpruntime", accessfile.User, func(c *hcp.AccessConfig) error {
		*c = a
		return nil
	}))
}
