package binding

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/redact"
)

func manifest(id string, b *hcp.Binding) *hcp.Manifest { return &hcp.Manifest{ID: id, Binding: b} }

func scope(principal string) hcp.AuthzContext {
	return hcp.AuthzContext{Principal: hcp.Principal{ID: principal}, TenantID: "acme", ProjectID: "p"}
}

func TestProviderIsTheMostSpecificNameDeclared(t *testing.T) {
	for _, c := range []struct {
		b    *hcp.Binding
		want string
	}{
		{nil, "mail"},
		{&hcp.Binding{Mode: hcp.BindingUser}, "mail"},
		{&hcp.Binding{Mode: hcp.BindingUser, Family: "office"}, "office"},
		{&hcp.Binding{Mode: hcp.BindingUser, Family: "office", ConnectProviderID: "contoso"}, "contoso"},
	} {
		r := For(manifest("mail", c.b), scope("u1"))
		if r.Provider != c.want || r.PackID != "mail" || r.Principal.ID != "u1" || r.TenantID != "acme" || r.ProjectID != "p" {
			t.Errorf("%+v: %+v", c.b, r)
		}
	}
}

func TestModeComesFromTheManifestAlone(t *testing.T) {
	for _, kind := range []hcp.PrincipalKind{hcp.PrincipalHuman, hcp.PrincipalAgent, hcp.PrincipalService, hcp.PrincipalMothership} {
		s := scope("u1")
		s.Principal.Kind = kind
		if r := For(manifest("mail", &hcp.Binding{Mode: hcp.BindingUser}), s); r.Mode != hcp.BindingUser {
			t.Errorf("%s: %s", kind, r.Mode)
		}
	}
	control := &hcp.Manifest{ID: "fleet", Plane: hcp.PlaneControl}
	if r := For(control, scope("u1")); r.Mode != hcp.BindingMothership {
		t.Error(r.Mode)
	}
}

func TestOneConsentPerFamilyModeTenantAndPrincipal(t *testing.T) {
	office := &hcp.Binding{Mode: hcp.BindingUser, Family: "office"}
	mail := For(manifest("mail", office), scope("u1"))
	if mail.Consent() != For(manifest("calendar", office), scope("u1")).Consent() {
		t.Error("a family has two consents")
	}
	otherTenant := scope("u1")
	otherTenant.TenantID = "other"
	for name, r := range map[string]Request{
		"principal":   For(manifest("mail", office), scope("u2")),
		"tenant":      For(manifest("mail", office), otherTenant),
		"mode":        For(manifest("mail", &hcp.Binding{Mode: hcp.BindingLocal, Family: "office"}), scope("u1")),
		"family":      For(manifest("mail", &hcp.Binding{Mode: hcp.BindingUser, Family: "bank"}), scope("u1")),
		"no family":   For(manifest("mail", &hcp.Binding{Mode: hcp.BindingUser}), scope("u1")),
		"family name": For(manifest("office", &hcp.Binding{Mode: hcp.BindingUser}), scope("u1")),
	} {
		if r.Consent() == mail.Consent() {
			t.Errorf("another %s shares the consent", name)
		}
	}
}

func TestLocalHubServesWhatTheMachineHas(t *testing.T) {
	ctx := context.Background()
	hub := &Local{Links: &Memory{}, Reach: func(provider string) []Reach {
		return []Reach{{Path: "/home/ann/.config/" + provider, Home: ".config/" + provider, Write: true}}
	}}
	for _, c := range []struct {
		mode     hcp.BindingMode
		identity string
		reach    int
	}{
		{hcp.BindingPublic, "public", 0},
		{hcp.BindingMock, "mock:mail", 0},
		{hcp.BindingLocal, "local:mail", 1},
	} {
		r := For(manifest("mail", &hcp.Binding{Mode: c.mode}), scope("u1"))
		got, err := hub.Mint(ctx, r)
		if err != nil || got.Identity != c.identity || got.Mode != c.mode || len(got.Reach) != c.reach || len(got.Secrets()) != 0 {
			t.Errorf("%s: %+v, %v", c.mode, got, err)
		}
	}
}

func TestDelegatedModesFailClosedWithoutAHub(t *testing.T) {
	ctx := context.Background()
	hub := &Local{Links: &Memory{}}
	for _, mode := range []hcp.BindingMode{hcp.BindingUser, hcp.BindingMothership} {
		for _, establish := range []bool{false, true} {
			r := For(manifest("mail", &hcp.Binding{Mode: mode}), scope("u1"))
			r.Establish = establish
			_, err := hub.Mint(ctx, r)
			f := fault.From(err)
			if err == nil || f.Code != "not_connected" || f.Message != "pack mail not connected" || !slices.Contains(f.Next, "hcpx connect mail") {
				t.Errorf("%s: %+v", mode, f)
			}
			if err := hub.Connect(ctx, r); fault.CodeOf(err) != "connect_failed" || !strings.HasPrefix(err.Error(), "connect failed") {
				t.Errorf("%s: connect: %v", mode, err)
			}
			if s, _ := hub.Status(ctx, r); s.Connected {
				t.Errorf("%s: a failed connect counts", mode)
			}
		}
	}
	r := For(manifest("mail", &hcp.Binding{Mode: "shared"}), scope("u1"))
	if _, err := hub.Mint(ctx, r); fault.CodeOf(err) != CodeBadBinding {
		t.Error(err)
	}
	if err := hub.Connect(ctx, r); fault.CodeOf(err) != CodeBadBinding {
		t.Error(err)
	}
	if _, err := hub.Status(ctx, r); fault.CodeOf(err) != CodeBadBinding {
		t.Error(err)
	}
}

// What is reported as not connected does not run (§11.1), whatever the hub has.
func TestNothingIsMintedBeforeConnectNorAfterDisconnect(t *testing.T) {
	ctx := context.Background()
	for _, mode := range []hcp.BindingMode{hcp.BindingUser, hcp.BindingMothership} {
		remote := &remoteHub{status: Status{Connected: true, State: Linked}}
		hub := &Local{Links: &Memory{}, Credentials: remote}
		r := For(manifest("mail", &hcp.Binding{Mode: mode}), scope("u1"))
		refused := func() {
			t.Helper()
			if _, err := hub.Mint(ctx, r); fault.CodeOf(err) != CodeNotConnected || remote.mints != 0 {
				t.Errorf("%s: %v after %d mints", mode, err, remote.mints)
			}
		}
		refused()
		if err := hub.Connect(ctx, r); err != nil {
			t.Fatal(err)
		}
		if err := hub.Disconnect(ctx, r); err != nil {
			t.Fatal(err)
		}
		refused()
		r.Establish = true
		if _, err := hub.Mint(ctx, r); err != nil || remote.mints != 1 {
			t.Errorf("%s: the pack's own connect command: %v, %d mints", mode, err, remote.mints)
		}
	}
}

func TestConnectionIsSharedInTheFamilyAndDroppedWithIt(t *testing.T) {
	ctx := context.Background()
	hub := &Local{Links: &Memory{}}
	office := &hcp.Binding{Mode: hcp.BindingLocal, Family: "office"}
	mail, calendar := For(manifest("mail", office), scope("u1")), For(manifest("calendar", office), scope("u1"))
	state := func(r Request) Status {
		t.Helper()
		s, err := hub.Status(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state(mail); s.Connected || s.State != Pending {
		t.Fatalf("%+v before connect", s)
	}
	if err := hub.Connect(ctx, mail); err != nil {
		t.Fatal(err)
	}
	for _, r := range []Request{mail, calendar} {
		if s := state(r); !s.Connected || s.State != Linked {
			t.Errorf("%s: %+v after connect", r.PackID, s)
		}
	}
	if s := state(For(manifest("mail", office), scope("u2"))); s.Connected {
		t.Error("another Principal is connected")
	}
	if err := hub.Disconnect(ctx, calendar); err != nil {
		t.Fatal(err)
	}
	if s := state(mail); s.Connected {
		t.Error("still connected")
	}
}

func TestPublicIsAlwaysConnected(t *testing.T) {
	ctx := context.Background()
	hub := &Local{Links: &Memory{}}
	r := For(manifest("transit", nil), scope("u1"))
	if err := hub.Connect(ctx, r); err != nil {
		t.Fatal(err)
	}
	if err := hub.Disconnect(ctx, r); err != nil {
		t.Fatal(err)
	}
	if s, err := hub.Status(ctx, r); err != nil || !s.Connected {
		t.Fatalf("%+v, %v", s, err)
	}
}

func TestCredentialHubIsAskedForDelegatedModesOnly(t *testing.T) {
	ctx := context.Background()
	remote := &remoteHub{status: Status{Connected: true, State: Stale}}
	hub := &Local{Links: &Memory{}, Credentials: remote}
	for _, mode := range []hcp.BindingMode{hcp.BindingPublic, hcp.BindingMock, hcp.BindingLocal, hcp.BindingUser, hcp.BindingMothership} {
		r := For(manifest("mail", &hcp.Binding{Mode: mode}), scope("u1"))
		delegated := mode == hcp.BindingUser || mode == hcp.BindingMothership
		*remote = remoteHub{status: remote.status}
		if s, err := hub.Status(ctx, r); err != nil || s.Connected != (mode == hcp.BindingPublic || mode == hcp.BindingMock) {
			t.Errorf("%s: %+v, %v before connect", mode, s, err)
		}
		if err := hub.Connect(ctx, r); err != nil || remote.connects != count(delegated) {
			t.Errorf("%s: connects %d, %v", mode, remote.connects, err)
		}
		if _, err := hub.Mint(ctx, r); err != nil || remote.mints != count(delegated) {
			t.Errorf("%s: mints %d, %v", mode, remote.mints, err)
		}
		want := Status{Connected: true, State: Linked}
		if delegated {
			want = remote.status
		}
		if s, err := hub.Status(ctx, r); err != nil || s != want || remote.mints > 1 {
			t.Errorf("%s: status %+v, %v", mode, s, err)
		}
	}
	hub.Credentials = nil
	r := For(manifest("mail", &hcp.Binding{Mode: hcp.BindingUser}), scope("u1"))
	if s, err := hub.Status(ctx, r); err != nil || s.Connected || s.State != NeedsReauth {
		t.Errorf("hub gone: %+v, %v", s, err)
	}
}

func TestCredentialCannotBePrinted(t *testing.T) {
	c := Credential{
		Identity: "hub:mail",
		Env:      map[string]redact.Secret{"MAIL_TOKEN": redact.NewSecret("s3cr3t-value")},
		Files:    []File{{Name: "key", Content: redact.NewSecret("s3cr3t-file")}},
	}
	if got := len(c.Secrets()); got != 2 {
		t.Fatalf("%d secrets", got)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, c); strings.Contains(text, "s3cr3t") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

type remoteHub struct {
	status          Status
	mints, connects int
}

func (h *remoteHub) Mint(context.Context, Request) (Credential, error) {
	h.mints++
	return Credential{Identity: "remote"}, nil
}
func (h *remoteHub) Connect(context.Context, Request) error          { h.connects++; return nil }
func (h *remoteHub) Disconnect(context.Context, Request) error       { return nil }
func (h *remoteHub) Status(context.Context, Request) (Status, error) { return h.status, nil }
