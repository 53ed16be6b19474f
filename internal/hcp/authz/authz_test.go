package authz

import (
	"slices"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/fault"

	"pgregory.net/rapid"
)

func entry(op hcp.Operation) hcp.PolicyEntry {
	return hcp.PolicyEntry{Operation: op, Privacy: hcp.Privacy{Land: hcp.LandPersonal}}
}

func TestCapabilityFollowsOperationAndConnectStandsApart(t *testing.T) {
	for _, c := range []struct {
		key  string
		op   hcp.Operation
		want hcp.Capability
	}{
		{"plan", hcp.OperationRead, hcp.CapExecRead},
		{"mail.send", hcp.OperationWrite, hcp.CapExecWrite},
		{"connect", hcp.OperationWrite, hcp.CapConnect},
		{"connect", hcp.OperationRead, hcp.CapConnect},
		{"mail.connect", hcp.OperationWrite, hcp.CapConnect},
		{"setup.connect", hcp.OperationWrite, hcp.CapConnect},
		{"connect.bank", hcp.OperationWrite, hcp.CapConnect},
		{"connect.status", hcp.OperationRead, hcp.CapExecRead},
		{"setup.apply", hcp.OperationWrite, hcp.CapExecWrite},
		{"setup.status", hcp.OperationRead, hcp.CapExecRead},
		{"disconnect", hcp.OperationWrite, hcp.CapExecWrite},
		{"mail.reconnects", hcp.OperationWrite, hcp.CapExecWrite},
		{"x", "", hcp.CapExecWrite},
	} {
		if got := NeedFor(c.key, entry(c.op)); got != c.want {
			t.Errorf("NeedFor(%q, %q) = %s, want %s", c.key, c.op, got, c.want)
		}
	}
}

func TestDenialsReadExactlyAsSpecified(t *testing.T) {
	for _, c := range []struct {
		need hcp.Capability
		key  string
		want string
	}{
		{hcp.CapExecRead, "list", "denied: missing verb.exec.read for mail.list"},
		{hcp.CapExecWrite, "mail.send", "denied: missing verb.exec.write for mail.mail.send"},
		{hcp.CapConnect, "connect", "denied: missing pack.connect"},
		{hcp.CapInstall, "", "denied: missing pack.install"},
		{hcp.CapSense, "new_item", "denied: missing sense.enable"},
	} {
		err := Assert(hcp.AuthzContext{}, c.need, "mail", c.key)
		if err == nil || err.Error() != c.want || fault.CodeOf(err) != CodeDenied {
			t.Errorf("%s: %v, want %q", c.need, err, c.want)
		}
		if fault.From(err).Hint == "" {
			t.Errorf("%s: a denial without a hint", c.need)
		}
		if err := Assert(hcp.AuthzContext{Grants: hcp.PermissiveGrants()}, c.need, "mail", c.key); err != nil {
			t.Errorf("%s: permissive grants deny: %v", c.need, err)
		}
	}
}

func TestGrantCoversItsPackAndCommandsOnly(t *testing.T) {
	grants := []hcp.Grant{
		{Capability: hcp.CapExecRead, PackID: "mail"},
		{Capability: hcp.CapExecWrite, PackID: "mail", VerbKeys: []string{"mail.send"}},
		{Capability: hcp.CapConnect, PackID: "bank", VerbKeys: []string{}},
	}
	for _, c := range []struct {
		need      hcp.Capability
		pack, key string
		want      bool
	}{
		{hcp.CapExecRead, "mail", "mail.list", true},
		{hcp.CapExecRead, "mails", "mail.list", false},
		{hcp.CapExecRead, "", "mail.list", false},
		{hcp.CapExecWrite, "mail", "mail.send", true},
		{hcp.CapExecWrite, "mail", "mail.delete", false},
		{hcp.CapExecWrite, "mail", "MAIL.SEND", false},
		{hcp.CapExecWrite, "mail", "", false},
		{hcp.CapConnect, "mail", "mail.connect", false},
		{hcp.CapConnect, "bank", "connect", false},
		{hcp.CapConnect, "bank", "", false},
		{"root", "mail", "mail.list", false},
	} {
		if got := Allows(grants, c.need, c.pack, c.key); got != c.want {
			t.Errorf("Allows(%s, %q, %q) = %v", c.need, c.pack, c.key, got)
		}
	}
	if Allows([]hcp.Grant{{Capability: "root"}}, "root", "mail", "x") {
		t.Error("a capability outside the five was granted")
	}
}

func TestWriteGrantNeverCoversConnect(t *testing.T) {
	ctx := hcp.AuthzContext{Grants: []hcp.Grant{{Capability: hcp.CapExecWrite}, {Capability: hcp.CapExecRead}}}
	need := NeedFor("mail.connect", entry(hcp.OperationWrite))
	if err := Assert(ctx, need, "mail", "mail.connect"); err == nil || err.Error() != "denied: missing pack.connect" {
		t.Fatal(err)
	}
}

func TestScopeNeedsAPrincipalATenantAndForBrainAProject(t *testing.T) {
	who := hcp.Principal{ID: "u1", Kind: hcp.PrincipalHuman}
	member := func(hcp.AuthzContext) bool { return true }
	stranger := func(hcp.AuthzContext) bool { return false }
	for _, c := range []struct {
		name   string
		ctx    hcp.AuthzContext
		land   hcp.Land
		member Membership
		want   string
	}{
		{"personal", hcp.AuthzContext{Principal: who, TenantID: "t"}, hcp.LandPersonal, nil, ""},
		{"local", hcp.AuthzContext{Principal: who, TenantID: "t"}, hcp.LandLocal, nil, ""},
		{"brain", hcp.AuthzContext{Principal: who, TenantID: "t", ProjectID: "p"}, hcp.LandBrain, member, ""},
		{"no principal", hcp.AuthzContext{TenantID: "t"}, hcp.LandPersonal, member, "denied: no authenticated Principal"},
		{"no tenant", hcp.AuthzContext{Principal: who}, hcp.LandLocal, member, "denied: no tenant in the session"},
		{"brain without project", hcp.AuthzContext{Principal: who, TenantID: "t"}, hcp.LandBrain, member, "denied: privacy.land brain requires project_id"},
		{"brain, tenant member only", hcp.AuthzContext{Principal: who, TenantID: "t", ProjectID: "p"}, hcp.LandBrain, stranger, "denied: privacy.land brain requires project membership"},
		{"brain without a check", hcp.AuthzContext{Principal: who, TenantID: "t", ProjectID: "p"}, hcp.LandBrain, nil, "denied: privacy.land brain requires project membership"},
		{"unknown land", hcp.AuthzContext{Principal: who, TenantID: "t"}, "team", member, `denied: unknown privacy.land "team"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Scope(c.ctx, c.land, c.member)
			if got := text(err); got != c.want {
				t.Fatalf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestMembershipSeesTheSessionsProject(t *testing.T) {
	ctx := hcp.AuthzContext{Principal: hcp.Principal{ID: "u1"}, TenantID: "t", ProjectID: "p7"}
	var asked hcp.AuthzContext
	if err := Scope(ctx, hcp.LandBrain, func(c hcp.AuthzContext) bool { asked = c; return true }); err != nil {
		t.Fatal(err)
	}
	if asked.ProjectID != "p7" || asked.Principal.ID != "u1" || asked.TenantID != "t" {
		t.Fatalf("asked about %+v", asked)
	}
}

func TestOperatorPacksNeedElevationWhateverIsGranted(t *testing.T) {
	mothership := &hcp.Manifest{Binding: &hcp.Binding{Mode: hcp.BindingMothership}}
	control := &hcp.Manifest{Plane: hcp.PlaneControl, Binding: &hcp.Binding{Mode: hcp.BindingUser}}
	user := &hcp.Manifest{Binding: &hcp.Binding{Mode: hcp.BindingUser}}
	for _, kind := range []hcp.PrincipalKind{hcp.PrincipalHuman, hcp.PrincipalAgent, hcp.PrincipalService, hcp.PrincipalMothership} {
		plain := hcp.AuthzContext{Principal: hcp.Principal{ID: "u", Kind: kind}, Grants: hcp.PermissiveGrants()}
		raised := plain
		raised.Principal.Elevated = true
		for _, c := range []struct {
			m    *hcp.Manifest
			want string
		}{
			{mothership, "denied: binding mode mothership requires an elevated Principal"},
			{control, "denied: control plane requires an elevated Principal"},
			{user, ""},
		} {
			if got := text(Elevation(plain, c.m)); got != c.want {
				t.Errorf("%s: %q, want %q", kind, got, c.want)
			}
			if err := Elevation(raised, c.m); err != nil {
				t.Errorf("%s, elevated: %v", kind, err)
			}
		}
	}
}

func TestAvailabilityListsAllFiveAndNamesWhatIsMissing(t *testing.T) {
	grants := []hcp.Grant{
		{Capability: hcp.CapExecRead},
		{Capability: hcp.CapExecWrite, PackID: "mail", VerbKeys: []string{"mail.send"}},
		{Capability: hcp.CapSense, PackID: "other"},
		{Capability: hcp.CapConnect, VerbKeys: []string{}},
	}
	want := []hcp.CapabilityStatus{
		{Capability: hcp.CapInstall},
		{Capability: hcp.CapConnect},
		{Capability: hcp.CapExecRead, Granted: true},
		{Capability: hcp.CapExecWrite, Granted: true},
		{Capability: hcp.CapSense},
	}
	if got := Granted(grants, "mail"); !slices.Equal(got, want) {
		t.Errorf("Granted = %+v", got)
	}
	if got := Missing(grants, "mail", "mail.delete", entry(hcp.OperationWrite)); got != "missing verb.exec.write" {
		t.Errorf("Missing = %q", got)
	}
	if got := Missing(grants, "mail", "mail.send", entry(hcp.OperationWrite)); got != "" {
		t.Errorf("Missing = %q for a granted command", got)
	}
}

func TestWithoutGrantsEverythingIsDenied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		need, pack, key := drawNeed(t), drawPack(t), drawKey(t)
		if Allows(nil, need, pack, key) {
			t.Fatalf("%s for %s.%s without a grant", need, pack, key)
		}
	})
}

func TestAddingAGrantNeverTakesAPermissionAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grants := rapid.SliceOfN(rapid.Custom(drawGrant), 0, 6).Draw(t, "grants")
		extra := drawGrant(t)
		at := rapid.IntRange(0, len(grants)).Draw(t, "at")
		more := slices.Insert(slices.Clone(grants), at, extra)
		need, pack, key := drawNeed(t), drawPack(t), drawKey(t)
		if Allows(grants, need, pack, key) && !Allows(more, need, pack, key) {
			t.Fatalf("%+v took %s for %s.%s away", extra, need, pack, key)
		}
		if Allows(more, need, pack, key) && !Allows(grants, need, pack, key) && extra.Capability != need {
			t.Fatalf("%+v gave %s", extra, need)
		}
	})
}

func drawGrant(t *rapid.T) hcp.Grant {
	g := hcp.Grant{Capability: drawNeed(t)}
	if rapid.Bool().Draw(t, "scoped") {
		g.PackID = drawPack(t)
	}
	if rapid.Bool().Draw(t, "limited") {
		g.VerbKeys = rapid.SliceOfN(rapid.Custom(drawKey), 0, 3).Draw(t, "keys")
	}
	return g
}

func drawNeed(t *rapid.T) hcp.Capability {
	return rapid.SampledFrom(append(slices.Clone(hcp.Capabilities), "root")).Draw(t, "capability")
}

func drawPack(t *rapid.T) string {
	return rapid.SampledFrom([]string{"mail", "bank", "transit"}).Draw(t, "pack")
}

func drawKey(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "connect", "mail.send", "mail.list"}).Draw(t, "key")
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
