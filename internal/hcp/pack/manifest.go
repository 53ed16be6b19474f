package pack

import (
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/ids"
)

// Bounds of the published schema.
const (
	maxLabel       = 128
	maxTransports  = 4
	maxTemplate    = 64
	maxJSONFlags   = 8
	maxJSONFlag    = 64
	maxHomeEnv     = 8
	maxHomeEnvName = 64
	maxFileFlags   = 16
	maxFileFlag    = 32
	maxOpenAPIPath = 512
)

var (
	planes         = []hcp.Plane{hcp.PlaneRuntime, hcp.PlaneControl}
	transports     = []hcp.Transport{hcp.TransportCLI, hcp.TransportJSONExec, hcp.TransportMCP}
	bindingModes   = []hcp.BindingMode{hcp.BindingUser, hcp.BindingMothership, hcp.BindingLocal, hcp.BindingPublic, hcp.BindingMock}
	hubs           = []hcp.Hub{hcp.HubKeyring, hcp.HubLocalCredential, hcp.HubPublic, hcp.HubNone}
	workspaceModes = []hcp.WorkspaceMode{hcp.WorkspaceNone, hcp.WorkspaceEphemeral, hcp.WorkspacePrivate, hcp.WorkspaceProject}
	previewKinds   = []string{"message", "payment", "event", "removal", "publish", "record", "fields"}
)

// The objects of the manifest. The last two names of the manifest are no fields
// of it, but reserved: they may only repeat the id.
var (
	manifestShape = shape{what: "HCP/1.1", open: true, fields: []string{
		"id", "name", "cliBin", "kind", "adapter_kind", "plane", "transports", "binding", "wrap", "openapi",
		"pass_through", "verbs", "stimulusTriggers", "skill_url", "harness", "hcp", "pack_id", "surface_id",
	}}
	metaShape = shape{what: "hcp", required: []string{"hcp", "pack_id", "adapter_kind"}, fields: []string{
		"hcp", "pack_id", "adapter_kind", "binding", "wrap", "openapi", "pass_through", "plane", "transports", "skill_url",
	}}
	bindingShape   = shape{what: "binding", fields: []string{"family", "mode", "hub", "connect_provider_id"}}
	wrapShape      = shape{what: "wrap", fields: []string{"bin", "argv_template", "agent_env", "workspace", "json_flag"}}
	workspaceShape = shape{what: "workspace", fields: []string{"mode", "home_env", "file_flags"}}
	openapiShape   = shape{what: "openapi", fields: []string{"url", "path"}}
	passShape      = shape{what: "pass_through", fields: []string{"allowedSubcommands", "maxArgv"}, required: []string{"allowedSubcommands", "maxArgv"}}
	triggerShape   = shape{what: "a trigger", fields: []string{"ref"}, required: []string{"ref"}}
	commandShape   = shape{what: "a command", open: true, fields: []string{"description", "cli", "args", "json_flag", "title", "policy", "preview"}}
	titleShape     = shape{what: "title", open: true, fields: []string{"live", "done"}}
	previewShape   = shape{what: "preview", open: true, fields: []string{"kind", "title", "fields"}, required: []string{"kind"}}
)

// surfaceIssue files what is wrong at a place of the manifest.
func surfaceIssue(pointer string) (hcp.LintKind, string) {
	first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if first == "" {
		first = SurfaceFile
	}
	return hcp.LintInvalidMeta, first
}

// manifestReader is a reader with the manifest it fills.
type manifestReader struct {
	*reader
	m        hcp.Manifest
	hasVerbs bool
	aliases  []struct{ name, value string }
}

func readManifest(data []byte) *manifestReader {
	r := &manifestReader{reader: newReader(SurfaceFile, data, surfaceIssue)}
	var hasID bool
	r.isObject = r.object(&manifestShape, func(name string) {
		m := &r.m
		switch name {
		case "id":
			hasID, m.ID = true, r.packID()
		case "name":
			m.Name = r.text(0, 0)
		case "cliBin":
			m.CLIBin = r.text(0, 0)
		case "kind":
			m.Kind = choice(r.reader, hcp.Kinds)
		case "adapter_kind":
			m.AdapterKind = choice(r.reader, hcp.Kinds)
		case "verbs":
			r.hasVerbs = true
			r.commands()
		case "stimulusTriggers":
			r.triggers()
		case "harness":
			m.Harness = r.text(0, 0)
			r.note("/harness", "is deprecated: HARNESS.md holds the Skill")
		case "hcp":
			r.meta()
		case "pack_id", "surface_id":
			r.reserved(name)
		default:
			r.shared(name, &m.Plane, &m.Transports, &m.Binding, &m.Wrap, &m.OpenAPI, &m.PassThrough, &m.SkillURL)
		}
	})
	if !r.isObject {
		return r
	}
	if !hasID {
		r.report("/id", "is missing")
	}
	for _, alias := range r.aliases {
		if alias.value != r.m.ID {
			r.stricter("/"+alias.name, "is a reserved name: it may only repeat the id %s", quote(r.m.ID))
		}
	}
	if r.m.PassThrough != nil {
		r.note("/pass_through", "is for a bootstrap only: name the commands")
	}
	return r
}

// shared reads a field that the manifest and its hcp block have in common.
func (r *manifestReader) shared(name string, plane *hcp.Plane, faces *[]hcp.Transport, binding **hcp.Binding,
	wrap **hcp.Wrap, openapi **hcp.OpenAPI, pass **hcp.PassThrough, skillURL *string,
) {
	switch name {
	case "plane":
		*plane = choice(r.reader, planes)
	case "transports":
		*faces = []hcp.Transport{}
		r.list(0, maxTransports, func() { *faces = append(*faces, choice(r.reader, transports)) })
	case "binding":
		*binding = r.binding()
	case "wrap":
		*wrap = r.wrap()
	case "openapi":
		*openapi = r.openapi()
	case "pass_through":
		*pass = r.passThrough()
	case "skill_url":
		*skillURL = r.address()
	default:
		r.Raw()
	}
}

// reserved reads a name that is no field of the manifest but means the id
// elsewhere. What is no string cannot equal an id.
func (r *manifestReader) reserved(name string) {
	value := ""
	if r.Kind() == '"' {
		value = r.Str()
	} else {
		r.Raw()
	}
	r.aliases = append(r.aliases, struct{ name, value string }{name, value})
}

// packID reads the id. What only the text of §2.2 allows loads with a note.
func (r *manifestReader) packID() string {
	before := len(r.problems)
	id := r.text(1, maxLabel)
	switch {
	case len(r.problems) > before:
	case ids.IsPackID(id):
		if !ids.IsLoosePackID(id) {
			r.stricter("/id", "%s is the name of a device on some systems, so no folder can be called so", quote(id))
		}
	case ids.IsLoosePackID(id):
		r.loose = true
		r.note("/id", "%s is not an id by the published schema, which wants lower-case letters, digits and hyphens", quote(id))
	default:
		r.report("/id", "must be lower-case letters, digits and hyphens, not %s", quote(id))
	}
	return id
}

func (r *manifestReader) binding() *hcp.Binding {
	b := &hcp.Binding{}
	r.object(&bindingShape, func(name string) {
		switch name {
		case "family":
			b.Family = r.text(1, maxLabel)
		case "mode":
			b.Mode = choice(r.reader, bindingModes)
		case "hub":
			b.Hub = choice(r.reader, hubs)
		case "connect_provider_id":
			b.ConnectProviderID = r.text(1, maxLabel)
		}
	})
	return b
}

func (r *manifestReader) wrap() *hcp.Wrap {
	w := &hcp.Wrap{}
	hasBin := false
	isObject := r.object(&wrapShape, func(name string) {
		switch name {
		case "bin":
			hasBin, w.Bin = true, r.text(1, maxLabel)
		case "argv_template":
			w.ArgvTemplate = r.strings(0, maxTemplate, 0, 0)
		case "agent_env":
			w.AgentEnv = r.stringMap()
		case "workspace":
			w.Workspace = r.workspace()
		case "json_flag":
			w.JSONFlag = r.strings(0, maxJSONFlags, 0, maxJSONFlag)
		}
	})
	if isObject && !hasBin {
		p := r.report(r.Pointer()+"/bin", "is missing")
		p.LintIssue = wrapWithoutBin
	}
	return w
}

func (r *manifestReader) workspace() *hcp.Workspace {
	w := &hcp.Workspace{}
	r.object(&workspaceShape, func(name string) {
		switch name {
		case "mode":
			w.Mode = choice(r.reader, workspaceModes)
		case "home_env":
			w.HomeEnv = r.strings(0, maxHomeEnv, 1, maxHomeEnvName)
		case "file_flags":
			w.FileFlags = r.strings(0, maxFileFlags, 1, maxFileFlag)
		}
	})
	return w
}

func (r *manifestReader) openapi() *hcp.OpenAPI {
	o := &hcp.OpenAPI{}
	some := false
	isObject := r.object(&openapiShape, func(name string) {
		some = true
		switch name {
		case "url":
			o.URL = r.address()
		case "path":
			o.Path = r.text(1, maxOpenAPIPath)
		}
	})
	if isObject && !some {
		p := r.report(r.Pointer(), "must have url or path")
		p.LintIssue = openapiWithoutRef
	}
	return o
}

func (r *manifestReader) passThrough() *hcp.PassThrough {
	p := &hcp.PassThrough{}
	r.object(&passShape, func(name string) {
		switch name {
		case "allowedSubcommands":
			p.AllowedSubcommands = r.strings(1, 0, 1, 0)
		case "maxArgv":
			literal, ok := r.number()
			if !ok {
				return
			}
			n, isWhole := whole(literal)
			if !isWhole || n < 1 {
				r.report(r.Pointer(), "must be an integer of at least 1, not %s", shorten(literal))
			}
			p.MaxArgv = n
		}
	})
	return p
}

func (r *manifestReader) triggers() {
	seen := map[string]bool{}
	r.m.StimulusTriggers = []hcp.Trigger{}
	r.list(0, 0, func() {
		trigger := hcp.Trigger{}
		r.object(&triggerShape, func(string) {
			before := len(r.problems)
			trigger.Ref = r.text(1, 0)
			switch {
			case len(r.problems) > before:
			case !isPrintable(trigger.Ref):
				r.stricter(r.Pointer(), "must be printable ASCII without spaces, not %s", quote(trigger.Ref))
			case strings.ToLower(trigger.Ref) != trigger.Ref: // §7.1.2; the published schema does not say it
				r.stricter(r.Pointer(), "must be in lower case, not %s", quote(trigger.Ref))
			}
		})
		if seen[trigger.Ref] && trigger.Ref != "" {
			r.stricter(r.Pointer(), "declares %s a second time", quote(trigger.Ref))
			return
		}
		seen[trigger.Ref] = true
		r.m.StimulusTriggers = append(r.m.StimulusTriggers, trigger)
	})
}

// isPrintable reports whether s is ASCII that can be seen: two refs that look
// the same are then the same.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// meta reads the hcp block. A number that is not our major is reported as such,
// also where it stands in place of the block.
func (r *manifestReader) meta() {
	if r.Kind() == '0' {
		if r.supported(r.Literal()) {
			r.report("/hcp", "must be an object, not a number")
		}
		return
	}
	meta := &hcp.Meta{}
	isObject := r.object(&metaShape, func(name string) {
		switch name {
		case "hcp":
			if literal, ok := r.number(); ok && r.supported(literal) {
				meta.HCP = hcp.Version
			}
		case "pack_id":
			meta.PackID = r.text(1, maxLabel)
		case "adapter_kind":
			meta.AdapterKind = choice(r.reader, hcp.Kinds)
		default:
			r.shared(name, &meta.Plane, &meta.Transports, &meta.Binding, &meta.Wrap, &meta.OpenAPI, &meta.PassThrough, &meta.SkillURL)
		}
	})
	if isObject {
		r.m.HCP = meta
	}
}

func (r *manifestReader) supported(literal string) bool {
	if n, ok := whole(literal); ok && n == hcp.Version {
		return true
	}
	p := r.report(r.Pointer(), "")
	p.Code, p.Key = CodeUnsupportedVersion, "hcp"
	p.Message = "unsupported protocol version " + shorten(literal)
	return false
}
