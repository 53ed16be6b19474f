package hcp

import (
	"encoding/json"
)

// Kind says how a pack's commands reach the world (§3.2).
type Kind string

// The four adapter kinds.
const (
	KindComposite Kind = "composite"
	KindWrap      Kind = "wrap"
	KindOpenAPI   Kind = "openapi"
	KindSenseOnly Kind = "sense_only"
)

// Kinds lists the adapter kinds in the order of the published schema.
var Kinds = []Kind{KindComposite, KindWrap, KindOpenAPI, KindSenseOnly}

// Plane separates end-user packs from operator packs (§2.5).
type Plane string

// The two planes.
const (
	PlaneRuntime Plane = "runtime"
	PlaneControl Plane = "control"
)

// BindingMode is the kind of credential a pack's commands need (§8.2).
type BindingMode string

// The five Binding modes.
const (
	BindingUser       BindingMode = "user"
	BindingMothership BindingMode = "mothership"
	BindingLocal      BindingMode = "local"
	BindingPublic     BindingMode = "public"
	BindingMock       BindingMode = "mock"
)

// Hub names the kind of component that mints (§8.3).
type Hub string

// The four kinds of hub.
const (
	HubKeyring         Hub = "keyring"
	HubLocalCredential Hub = "local-credential"
	HubPublic          Hub = "public"
	HubNone            Hub = "none"
)

// Transport is a face that a pack projects to (§3.1).
type Transport string

// The three transports.
const (
	TransportCLI      Transport = "cli"
	TransportJSONExec Transport = "json_exec"
	TransportMCP      Transport = "mcp"
)

// WorkspaceMode says where a wrapped CLI runs (§10.6, RFC 0005).
type WorkspaceMode string

// The four workspace modes.
const (
	WorkspaceNone      WorkspaceMode = "none"
	WorkspaceEphemeral WorkspaceMode = "ephemeral"
	WorkspacePrivate   WorkspaceMode = "workspace"
	WorkspaceProject   WorkspaceMode = "project"
)

// Manifest is surface.json (§3). A value that was parsed keeps the order in
// which commands and arguments were declared.
type Manifest struct {
	ID               string       `json:"id"`
	Name             string       `json:"name,omitempty"`
	CLIBin           string       `json:"cliBin,omitempty"`
	Kind             Kind         `json:"kind,omitempty"`
	AdapterKind      Kind         `json:"adapter_kind,omitempty"`
	Plane            Plane        `json:"plane,omitempty"`
	Transports       []Transport  `json:"transports,omitempty"`
	Binding          *Binding     `json:"binding,omitempty"`
	Wrap             *Wrap        `json:"wrap,omitempty"`
	OpenAPI          *OpenAPI     `json:"openapi,omitempty"`
	PassThrough      *PassThrough `json:"pass_through,omitempty"`
	Verbs            Commands     `json:"verbs"`
	StimulusTriggers []Trigger    `json:"stimulusTriggers,omitempty"`
	SkillURL         string       `json:"skill_url,omitempty"`
	Harness          string       `json:"harness,omitempty"`
	HCP              *Meta        `json:"hcp,omitempty"`
}

// EffectiveKind resolves kind, its alias and the default (§3.1).
func (m *Manifest) EffectiveKind() Kind {
	switch {
	case m.Kind != "":
		return m.Kind
	case m.AdapterKind != "":
		return m.AdapterKind
	case m.HCP != nil && m.HCP.AdapterKind != "":
		return m.HCP.AdapterKind
	default:
		return KindComposite
	}
}

// EffectivePlane resolves the plane and its default.
func (m *Manifest) EffectivePlane() Plane {
	if m.Plane == "" {
		return PlaneRuntime
	}
	return m.Plane
}

// BindingMode returns the declared mode. A pack that declares none needs no
// credential and is treated as public; lint and check say so where it matters.
func (m *Manifest) BindingMode() BindingMode {
	if m.Binding == nil || m.Binding.Mode == "" {
		if m.EffectivePlane() == PlaneControl {
			return BindingMothership
		}
		return BindingPublic
	}
	return m.Binding.Mode
}

// Binding is the credential declaration of a pack (§3.3).
type Binding struct {
	Family            string      `json:"family,omitempty"`
	Mode              BindingMode `json:"mode,omitempty"`
	Hub               Hub         `json:"hub,omitempty"`
	ConnectProviderID string      `json:"connect_provider_id,omitempty"`
}

// Wrap names the executable of a wrap pack and how it is called (§3.2).
// JSONFlag nil means the default, ["--json"]; empty means nothing is appended.
type Wrap struct {
	Bin          string            `json:"bin"`
	ArgvTemplate []string          `json:"argv_template,omitempty"`
	AgentEnv     map[string]string `json:"agent_env,omitempty"`
	Workspace    *Workspace        `json:"workspace,omitempty"`
	JSONFlag     []string          `json:"json_flag,omitzero"`
}

// Workspace says where a wrapped process may read and write (§10.6).
type Workspace struct {
	Mode      WorkspaceMode `json:"mode,omitempty"`
	HomeEnv   []string      `json:"home_env,omitzero"`
	FileFlags []string      `json:"file_flags,omitzero"`
}

// OpenAPI points at the document of an openapi pack (§3.2).
type OpenAPI struct {
	URL  string `json:"url,omitempty"`
	Path string `json:"path,omitempty"`
}

// PassThrough is the bootstrap of a wrap pack without named commands (§3.5).
type PassThrough struct {
	AllowedSubcommands []string `json:"allowedSubcommands"`
	MaxArgv            int      `json:"maxArgv"`
}

// Trigger is one Sense declaration (§7.1).
type Trigger struct {
	Ref string `json:"ref"`
}

// Meta is the strictly validated protocol metadata (§3.6).
type Meta struct {
	HCP         int          `json:"hcp"`
	PackID      string       `json:"pack_id"`
	AdapterKind Kind         `json:"adapter_kind"`
	Binding     *Binding     `json:"binding,omitempty"`
	Wrap        *Wrap        `json:"wrap,omitempty"`
	OpenAPI     *OpenAPI     `json:"openapi,omitempty"`
	PassThrough *PassThrough `json:"pass_through,omitempty"`
	Plane       Plane        `json:"plane,omitempty"`
	Transports  []Transport  `json:"transports,omitempty"`
	SkillURL    string       `json:"skill_url,omitempty"`
}

// Command is one entry of the manifest's verbs map (§3.4). JSONFlag nil means
// the pack's; empty means nothing is appended. Args is the JSON Schema of the
// arguments exactly as written, or nil.
type Command struct {
	Description string          `json:"description,omitempty"`
	CLI         []string        `json:"cli,omitempty"`
	Args        json.RawMessage `json:"args,omitzero"`
	JSONFlag    []string        `json:"json_flag,omitzero"`
	Title       *Title          `json:"title,omitempty"`
	Policy      string          `json:"policy,omitempty"`
	Preview     *Preview        `json:"preview,omitempty"`
}

// Title words a step of a run (RFC 0007): templates tried in order.
type Title struct {
	Live Templates `json:"live,omitempty"`
	Done Templates `json:"done,omitempty"`
}

// Templates is one template, or several tried in order.
type Templates []string

// Preview declares the approval card of a command (RFC 0007). Fields keeps the
// declared order.
type Preview struct {
	Kind   string        `json:"kind"`
	Title  string        `json:"title,omitempty"`
	Fields PreviewFields `json:"fields,omitzero"`
}
