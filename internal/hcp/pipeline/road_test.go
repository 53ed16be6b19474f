package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/kernel/fault"
)

// obstacle makes one step of the road refuse a call.
type obstacle struct {
	step  string
	name  string
	pack  string
	key   string
	args  hcp.Args
	place func(w *world)
	error string
	code  string
	hint  string // part of it
	next  string
}

func obstacles() []obstacle {
	return []obstacle{
		{
			step: "pack", name: "unknown pack", pack: "dsk", key: "list",
			error: "unknown pack dsk", code: "unknown_pack", hint: `did you mean "desk"?`, next: "hcpx commands desk",
		},
		{
			step: "pack", name: "unknown pack without a near one", pack: "zzzzzz", key: "list",
			error: "unknown pack zzzzzz", code: "unknown_pack", hint: "no installed pack", next: "hcpx list",
		},
		{
			step: "pack", name: "no pack", pack: "", key: "list",
			error: "no pack named", code: "missing_pack", next: "hcpx commands",
		},
		{
			step: "pack", name: "unreadable pack", place: func(w *world) { w.options.Packs = brokenPacks{w} },
			error: `pack "desk" cannot be read`, code: "bad_pack",
		},
		{
			step: "activation", name: "inactive", place: func(w *world) { w.active["desk"] = false },
			error: "pack desk not activated", code: "not_activated", next: "hcpx activate desk",
		},
		{
			step: "activation", name: "changed behind the store's back", place: func(w *world) { w.options.Packs = changedPacks{w} },
			error: `pack "desk" changed`, code: "pack_changed",
		},
		{
			step: "policy", name: "unknown command", key: "lst",
			error: "no policy for lst", code: "unknown_command", hint: `did you mean "list"?`, next: "hcpx commands desk",
		},
		{
			step: "policy", name: "declared without a Policy entry", key: "unruled",
			error: "no policy for unruled", code: "no_policy", hint: "author",
		},
		{
			step: "policy", name: "Policy entry without a declaration", key: "ghost",
			place: func(w *world) {
				w.packs["desk"].Policy.Verbs["ghost"] = hcp.PolicyEntry{Operation: hcp.OperationRead, Privacy: hcp.Privacy{Land: hcp.LandPersonal}}
			},
			error: "no policy for ghost", code: "unknown_command",
		},
		{
			step: "policy", name: "no command", key: "-none-",
			error: `no command of pack "desk" named`, code: "missing_command", hint: "list, send",
		},
		{step: "scope", name: "no session", place: func(w *world) {
			w.options.Scope = func(context.Context) (hcp.AuthzContext, error) { return hcp.AuthzContext{}, errors.New("expired") }
		}, error: "denied: no authenticated principal", code: "denied"},
		{step: "scope", name: "a session that cannot be read", place: func(w *world) {
			w.options.Scope = func(context.Context) (hcp.AuthzContext, error) {
				return hcp.AuthzContext{}, fmt.Errorf("open the session: %w", fault.New("bad_state", "the state cannot be used").WithHint("repair it"))
			}
		}, error: "the state cannot be used", code: "bad_state", hint: "repair it"},
		{
			step: "scope", name: "no Principal", place: func(w *world) { w.scope.Principal.ID = "" },
			error: "denied: no authenticated Principal", code: "denied",
		},
		{
			step: "scope", name: "no tenant", place: func(w *world) { w.scope.TenantID = "" },
			error: "denied: no tenant in the session", code: "denied",
		},
		{
			step: "scope", name: "brain without project", key: "share", place: func(w *world) { w.scope.ProjectID = "" },
			error: "denied: privacy.land brain requires project_id", code: "denied",
		},
		{
			step: "scope", name: "brain without membership", key: "share", place: func(w *world) { w.options.Member = func(hcp.AuthzContext) bool { return false } },
			error: "denied: privacy.land brain requires project membership", code: "denied",
		},
		{
			step: "scope", name: "brain without a membership check", key: "share", place: func(w *world) { w.options.Member = nil },
			error: "denied: privacy.land brain requires project membership", code: "denied",
		},
		{
			step: "capability", name: "no read grant", place: func(w *world) { w.scope.Grants = nil },
			error: "denied: missing verb.exec.read for desk.list", code: "denied",
		},
		{
			step: "capability", name: "no write grant", key: "send", place: func(w *world) { w.scope.Grants = []hcp.Grant{{Capability: hcp.CapExecRead}} },
			error: "denied: missing verb.exec.write for desk.send", code: "denied",
		},
		{
			step: "capability", name: "write grant does not cover connect", key: "connect",
			place: func(w *world) { w.scope.Grants = []hcp.Grant{{Capability: hcp.CapExecWrite}} },
			error: "denied: missing pack.connect", code: "denied",
		},
		{
			step: "capability", name: "mothership without elevation", place: func(w *world) { w.add("desk", hcp.BindingMothership) },
			error: "denied: binding mode mothership requires an elevated Principal", code: "denied",
		},
		{
			step: "capability", name: "control plane without elevation", place: func(w *world) { w.packs["desk"].Manifest.Plane = hcp.PlaneControl },
			error: "denied: control plane requires an elevated Principal", code: "denied",
		},
		{step: "arguments", name: "unknown argument", args: hcp.Args{"too": "x"}, code: "unknown_argument", hint: `"to"`},
		{step: "arguments", name: "bad reserved argument", args: hcp.Args{"mode": "fast"}, code: "bad_argument"},
		{step: "confirm", name: "unconfirmed", key: "pay", error: "confirm required", code: "confirm_required", hint: "confirm=true"},
		{
			step: "confirm", name: "agent's confirm where a person must", key: "pay", args: hcp.Args{"confirm": true},
			place: func(w *world) { w.access.Approvals = access.ApprovalsHuman },
			error: "confirm required", code: "confirm_required", hint: "does not count",
		},
		{
			step: "confirm", name: "manual mode", place: func(w *world) { w.access.Mode = access.ModeManual },
			error: "confirm required", code: "confirm_required",
		},
		{
			step: "confirm", name: "undefined settings", place: func(w *world) { w.access.Mode = "yolo" },
			error: `unknown access mode "yolo"`, code: "bad_mode",
		},
		{step: "confirm", name: "unreadable settings", place: func(w *world) {
			w.options.Access = func(context.Context, string, string) (access.Settings, error) {
				return access.Settings{}, fault.New("bad_access", "access.json is damaged")
			}
		}, error: "access.json is damaged", code: "bad_access"},
		{
			step: "record", name: "audit log full", key: "send", place: func(w *world) { w.audit.failFrom = 1 },
			code: "audit_unavailable", hint: "nothing ran",
		},
		{step: "mint", name: "hub refuses", place: func(w *world) {
			w.hub.err = fault.New("not_connected", "pack desk not connected").WithNext("hcpx connect desk")
		}, error: "pack desk not connected", code: "not_connected", next: "hcpx connect desk"},
		{
			step: "mint", name: "no hub", place: func(w *world) { w.options.Hub = nil },
			error: "no hub mints local credentials in this runtime", code: "no_hub",
		},
		{
			step: "mint", name: "mock binding not asked for", place: func(w *world) { w.add("desk", hcp.BindingMock) },
			code: "mock_required", hint: "mode=mock",
		},
		{
			step: "mint", name: "mock outside the sandbox", args: hcp.Args{"mode": "mock"}, place: func(w *world) { w.options.Sandbox = hcp.NativeLocal },
			code: "mock_refused",
		},
		{
			step: "adapter", name: "no adapter of the kind", place: func(w *world) { w.packs["desk"].Kind = hcp.KindOpenAPI },
			error: "adapter openapi not executable in reference runtime", code: "adapter_not_executable",
		},
		{
			step: "adapter", name: "sense only", place: func(w *world) { w.packs["desk"].Kind = hcp.KindSenseOnly },
			error: "adapter sense_only not executable in reference runtime", code: "adapter_not_executable",
		},
	}
}

func TestFirstRefusalEndsTheRoad(t *testing.T) {
	for _, o := range obstacles() {
		t.Run(o.step+"/"+o.name, func(t *testing.T) {
			w := newWorld(t)
			if o.place != nil {
				o.place(w)
			}
			r := w.exec(o.call(), o.command(), o.args)
			if r.OK || r.Error == "" || r.Code != o.code {
				t.Fatalf("got %+v, want code %s", r, o.code)
			}
			if o.error != "" && !strings.HasPrefix(r.Error, o.error) {
				t.Errorf("error %q, want %q", r.Error, o.error)
			}
			if !strings.Contains(r.Hint, o.hint) {
				t.Errorf("hint %q lacks %q", r.Hint, o.hint)
			}
			if o.next != "" && !slices.Contains(r.Next, o.next) {
				t.Errorf("next %q lacks %q", r.Next, o.next)
			}
			w.wentUpTo(o.step)
		})
	}
}

func (o obstacle) call() string {
	if o.pack == "" && o.name != "no pack" {
		return "desk"
	}
	return o.pack
}

func (o obstacle) command() string {
	switch o.key {
	case "":
		return "list"
	case "-none-":
		return ""
	}
	return o.key
}

// wentUpTo asserts that exactly the steps up to and including the named one
// were entered, in order, and that nothing after them was touched.
func (w *world) wentUpTo(name string) {
	w.t.Helper()
	var want []string
	for _, s := range road() {
		want = append(want, s.name)
		if s.name == name {
			break
		}
	}
	if !slices.Equal(w.entered, want) {
		w.t.Errorf("entered %v, want %v", w.entered, want)
	}
	if len(w.runs) > 0 {
		w.t.Error("the adapter ran")
	}
	if reached := slices.Contains(want, "mint"); !reached && len(w.hub.minted) > 0 {
		w.t.Error("a credential was minted")
	}
}

// The specification fixes the order, not only the set: of two obstacles the
// one that comes first on the road speaks.
func TestEarlierStepSpeaksFirst(t *testing.T) {
	all := obstacles()
	for i, first := range all {
		for _, later := range all[i+1:] {
			if first.step == later.step || first.place == nil || later.place == nil || first.key != later.key {
				continue
			}
			args := hcp.Args{}
			maps.Copy(args, later.args)
			maps.Copy(args, first.args)
			w := newWorld(t)
			later.place(w)
			first.place(w)
			if r := w.exec("desk", first.command(), args); r.OK {
				t.Errorf("%s and %s: ran", first.name, later.name)
			}
			if last := w.entered[len(w.entered)-1]; last != first.step {
				t.Errorf("%s and %s: the %s step spoke", first.name, later.name, last)
			}
		}
	}
}

func TestPanicOfAnyPartIsARefusal(t *testing.T) {
	boom := func() { panic("secret detail") }
	for step, place := range map[string]func(w *world){
		"pack":       func(w *world) { w.options.Packs = panickingPacks{Packs: w, installed: true} },
		"activation": func(w *world) { w.options.Packs = panickingPacks{Packs: w} },
		"scope":      func(w *world) { w.options.Member = func(hcp.AuthzContext) bool { boom(); return true } },
		"confirm": func(w *world) {
			w.options.Access = func(context.Context, string, string) (access.Settings, error) { boom(); return access.Settings{}, nil }
		},
		"mint": func(w *world) { w.options.Hub = panickingHub{} },
	} {
		w := newWorld(t)
		place(w)
		r := w.exec("desk", "share", nil)
		if r.OK || r.Code != fault.CodeInternal || strings.Contains(r.Error+r.Hint, "secret") {
			t.Errorf("%s: %+v", step, r)
		}
		w.wentUpTo(step)
	}
}

func TestPanickingAdapterIsAFailedResult(t *testing.T) {
	w := newWorld(t)
	w.run = func(context.Context, adapter.Request) adapter.Outcome { panic("secret detail") }
	r := w.exec("desk", "send", nil)
	if r.OK || r.Code != adapter.CodePanicked || strings.Contains(r.Error, "secret") {
		t.Fatalf("%+v", r)
	}
	if n := len(w.audit.events); n != 2 || !w.audit.events[1].Ran || w.audit.events[1].OK {
		t.Fatalf("audit: %+v", w.audit.events)
	}
}

func TestWholeRoadRunsTheCommand(t *testing.T) {
	w := newWorld(t)
	r := w.exec("desk", "pay", hcp.Args{"to": "ann", "confirm": true})
	if !r.OK || string(r.Result) != `{"done":true}` || r.PackID != "desk" || r.VerbKey != "pay" {
		t.Fatalf("%+v", r)
	}
	got := w.runs[0]
	if len(got.Args) != 1 || got.Args["to"] != "ann" {
		t.Errorf("reserved arguments reached the adapter: %v", got.Args)
	}
	if got.Scope.Principal.ID != "user_42" || got.Sandbox != hcp.Sandboxed || got.Land != hcp.LandLocal || got.Credential.Identity != "hub:office" {
		t.Errorf("request: %+v", got)
	}
}

// The envelope cannot say who acts or in which tenant.
func TestArgumentsNeverSelectTheScope(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"tenant_id", "tenant", "principal", "project_id"} {
		if r := w.exec("desk", "list", hcp.Args{name: "other"}); r.Code != "unknown_argument" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, e := range w.audit.events {
		if e.TenantID != "acme" || e.Principal.ID != "user_42" || e.ProjectID != "proj_7" {
			t.Errorf("attributed to %+v", e)
		}
	}
}

func TestMockIsExplicitAndNeedsNoHub(t *testing.T) {
	for _, mode := range []hcp.BindingMode{hcp.BindingUser, hcp.BindingLocal, hcp.BindingPublic, hcp.BindingMock} {
		w := newWorld(t)
		w.add("desk", mode)
		w.hub.err = errors.New("must not be asked")
		r := w.exec("desk", "list", hcp.Args{"mode": "mock"})
		if !r.OK || len(w.hub.minted) != 0 {
			t.Fatalf("%s: %+v, minted %v", mode, r, w.hub.minted)
		}
		if c := w.runs[0].Credential; c.Mode != hcp.BindingMock || c.Identity != "mock:office" {
			t.Errorf("%s: credential %+v", mode, c)
		}
		if _, there := w.runs[0].Args["mode"]; there {
			t.Error("mode reached the adapter")
		}
	}
}

func TestPublicSkipsTheHub(t *testing.T) {
	w := newWorld(t)
	w.add("desk", hcp.BindingPublic)
	w.options.Hub = nil
	if r := w.exec("desk", "list", nil); !r.OK || w.runs[0].Credential.Identity != "public" {
		t.Fatalf("%+v", r)
	}
	if e := w.audit.events[0]; e.Principal.ID != "user_42" || e.Binding.Identity != "public" {
		t.Fatalf("public call not attributed: %+v", e)
	}
}

func TestElevatedPrincipalReachesMothership(t *testing.T) {
	w := newWorld(t)
	w.add("desk", hcp.BindingMothership)
	w.scope.Principal.Elevated = true
	if r := w.exec("desk", "list", nil); !r.OK || w.hub.minted[0].Mode != hcp.BindingMothership {
		t.Fatalf("%+v", r)
	}
}

func TestConnectCommandEstablishesTheBinding(t *testing.T) {
	w := newWorld(t)
	if r := w.exec("desk", "connect", nil); !r.OK {
		t.Fatalf("%+v", r)
	}
	if len(w.hub.minted) != 1 || !w.hub.minted[0].Establish || len(w.hub.connected) != 1 {
		t.Fatalf("minted %+v, connected %+v", w.hub.minted, w.hub.connected)
	}
	w.run = func(context.Context, adapter.Request) adapter.Outcome {
		return adapter.Outcome{Started: true, Failure: fault.New("command_failed", "no")}
	}
	if r := w.exec("desk", "connect", nil); r.OK || len(w.hub.connected) != 1 {
		t.Fatal("a failed connect command counts as connected")
	}
	w.exec("desk", "send", nil)
	if w.hub.minted[2].Establish {
		t.Fatal("an ordinary write may establish a Binding")
	}
}

func TestCommandsThatRunCommandsTakeTheSameRoad(t *testing.T) {
	w := newWorld(t)
	var inner hcp.ExecResult
	w.run = func(ctx context.Context, r adapter.Request) adapter.Outcome {
		if r.Key == "list" {
			inner = r.Invoke(context.Background(), "desk", "pay", hcp.Args{"to": "ann"})
		}
		return adapter.Outcome{Started: true, Value: []byte(`1`)}
	}
	if r := w.exec("desk", "list", nil); !r.OK || inner.Code != "confirm_required" {
		t.Fatalf("outer %+v, inner %+v", r, inner)
	}
	depth := 0
	w.run = func(_ context.Context, r adapter.Request) adapter.Outcome {
		depth++
		inner = r.Invoke(context.Background(), "desk", "list", nil)
		if !inner.OK {
			return adapter.Outcome{Started: true, Failure: fault.New(inner.Code, inner.Error)}
		}
		return adapter.Outcome{Started: true}
	}
	if r := w.exec("desk", "list", nil); r.Code != CodeTooDeep || depth != maxDepth {
		t.Fatalf("%d levels, %+v", depth, r)
	}
}

type brokenPacks struct{ Packs }

func (brokenPacks) Installed(_ context.Context, id string) (bool, error) {
	return false, fault.Newf("bad_pack", "pack %q cannot be read", id)
}

type changedPacks struct{ Packs }

func (changedPacks) Activated(_ context.Context, id string) (*Activation, error) {
	return nil, fault.Newf("pack_changed", "pack %q changed", id)
}

type panickingPacks struct {
	Packs
	installed bool
}

func (p panickingPacks) Installed(context.Context, string) (bool, error) {
	if p.installed {
		panic("secret detail")
	}
	return true, nil
}

func (p panickingPacks) Activated(context.Context, string) (*Activation, error) {
	panic("secret detail")
}

type panickingHub struct{ binding.Hub }

func (panickingHub) Mint(context.Context, binding.Request) (binding.Credential, error) {
	panic("secret detail")
}
