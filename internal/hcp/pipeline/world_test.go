package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/clock"
)

// world is a runtime made of doubles. Tests change one part and look at what
// was reached.
type world struct {
	t       *testing.T
	packs   map[string]*pack.Pack
	active  map[string]bool
	scope   hcp.AuthzContext
	access  access.Settings
	hub     *hubDouble
	run     func(context.Context, adapter.Request) adapter.Outcome
	runs    []adapter.Request
	audit   *auditDouble
	options Options
	entered []string
	mu      sync.Mutex
}

var epoch = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	w := &world{
		t:      t,
		packs:  map[string]*pack.Pack{},
		active: map[string]bool{},
		scope: hcp.AuthzContext{
			Principal: hcp.Principal{ID: "user_42", Kind: hcp.PrincipalHuman},
			TenantID:  "acme",
			ProjectID: "proj_7",
			Grants:    hcp.PermissiveGrants(),
		},
		hub:   &hubDouble{},
		audit: &auditDouble{},
		run: func(context.Context, adapter.Request) adapter.Outcome {
			return adapter.Outcome{Started: true, Value: json.RawMessage(`{"done":true}`)}
		},
	}
	w.options = Options{
		Runtime: "reference runtime",
		Clock:   clock.Fixed(epoch),
		Packs:   w,
		Scope:   func(context.Context) (hcp.AuthzContext, error) { return w.scope, nil },
		Member:  func(hcp.AuthzContext) bool { return true },
		Access:  func(context.Context, string, string) (access.Settings, error) { return w.access, nil },
		Hub:     w.hub,
		Sandbox: hcp.Sandboxed,
		Audit:   w.audit,
		Digest:  func(canonical []byte) string { return "digest of " + strconv.Itoa(len(canonical)) },
		Adapters: map[hcp.Kind]adapter.Adapter{hcp.KindComposite: adapter.Func(func(ctx context.Context, r adapter.Request) adapter.Outcome {
			w.mu.Lock()
			w.runs = append(w.runs, r)
			w.mu.Unlock()
			return w.run(ctx, r)
		})},
	}
	w.add("desk", hcp.BindingLocal)
	return w
}

// add puts an activated composite pack with one command of each sort into the
// world.
func (w *world) add(id string, mode hcp.BindingMode) *pack.Pack {
	p := &pack.Pack{ID: id, Kind: hcp.KindComposite}
	p.Manifest.ID, p.Manifest.Name = id, "Desk"
	p.Manifest.Binding = &hcp.Binding{Mode: mode, Family: "office"}
	p.Policy = hcp.Policy{SurfaceID: id, Version: 1, Verbs: map[string]hcp.PolicyEntry{}}
	for _, c := range []struct {
		key     string
		op      hcp.Operation
		land    hcp.Land
		confirm hcp.Confirm
	}{
		{"list", hcp.OperationRead, hcp.LandPersonal, hcp.ConfirmNone},
		{"send", hcp.OperationWrite, hcp.LandPersonal, hcp.ConfirmNone},
		{"pay", hcp.OperationWrite, hcp.LandLocal, hcp.ConfirmAlways},
		{"share", hcp.OperationRead, hcp.LandBrain, hcp.ConfirmNone},
		{"connect", hcp.OperationWrite, hcp.LandPersonal, hcp.ConfirmNone},
	} {
		p.Manifest.Verbs.Set(c.key, hcp.Command{
			Description: "What " + c.key + " does.",
			Args:        json.RawMessage(`{"type":"object","properties":{"to":{"type":"string","description":"Who gets it"},"note":{"type":"string"}}}`),
		})
		p.Policy.Verbs[c.key] = hcp.PolicyEntry{Operation: c.op, Privacy: hcp.Privacy{Land: c.land}, Confirm: c.confirm}
	}
	p.Manifest.Verbs.Set("unruled", hcp.Command{})
	w.packs[id], w.active[id] = p, true
	return p
}

func (w *world) Installed(_ context.Context, id string) (bool, error) { return w.packs[id] != nil, nil }

func (w *world) IDs(context.Context) []string {
	var ids []string
	for id := range w.packs {
		ids = append(ids, id)
	}
	return ids
}

func (w *world) Activated(_ context.Context, id string) (*Activation, error) {
	if !w.active[id] {
		return nil, nil
	}
	return &Activation{Pack: w.packs[id], Digest: "pack-digest", Bin: adapter.Bin{SHA256: "bin-digest"}}, nil
}

// pipeline is the road over the world's parts as they are now.
func (w *world) pipeline() *Pipeline {
	p := New(w.options)
	p.entered = func(step string) { w.entered = append(w.entered, step) }
	return p
}

func (w *world) exec(packID, key string, args hcp.Args) hcp.ExecResult {
	w.t.Helper()
	w.entered = nil
	return w.pipeline().Exec(context.Background(), Call{PackID: packID, Key: key, Args: args})
}

// hubDouble mints, or fails as it is told.
type hubDouble struct {
	credential binding.Credential
	err        error
	minted     []binding.Request
	connected  []binding.Request
}

func (h *hubDouble) Mint(_ context.Context, r binding.Request) (binding.Credential, error) {
	h.minted = append(h.minted, r)
	if h.credential.Identity == "" {
		h.credential.Identity = "hub:" + r.Provider
	}
	return h.credential, h.err
}

func (h *hubDouble) Connect(_ context.Context, r binding.Request) error {
	h.connected = append(h.connected, r)
	return h.err
}

func (h *hubDouble) Disconnect(context.Context, binding.Request) error { return nil }

func (h *hubDouble) Status(context.Context, binding.Request) (binding.Status, error) {
	return binding.Status{}, nil
}

// auditDouble remembers lines, or refuses them from a given one on.
type auditDouble struct {
	mu       sync.Mutex
	events   []hcp.AuditEvent
	durable  []bool
	failFrom int // 0 never fails, n refuses the n-th line and all later ones
}

func (a *auditDouble) Record(_ context.Context, e hcp.AuditEvent, durable bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failFrom > 0 && len(a.events)+1 >= a.failFrom {
		return errors.New("no space left on device")
	}
	a.events, a.durable = append(a.events, e), append(a.durable, durable)
	return nil
}
