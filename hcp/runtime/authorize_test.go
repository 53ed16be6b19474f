package hcpruntime

import (
	"testing"

	"bridle/hcp"
)

func TestDefaultAuthorizeReadsGrantsAsDocumented(t *testing.T) {
	scope := hcp.AuthzContext{Principal: hcp.Principal{ID: "u1", Kind: hcp.PrincipalHuman}, TenantID: "t1", Grants: []hcp.Grant{
		{Capability: hcp.CapExecRead, PackID: "mail"},
		{Capability: hcp.CapExecWrite, PackID: "mail", VerbKeys: []string{"mail.send"}},
	}}
	for _, c := range []struct {
		key  string
		op   hcp.Operation
		land hcp.Land
		want hcp.AuthzDecision
	}{
		{"mail.list", hcp.OperationRead, hcp.LandPersonal, hcp.AuthzDecision{Allow: true}},
		{"mail.send", hcp.OperationWrite, hcp.LandPersonal, hcp.AuthzDecision{Allow: true}},
		{"mail.delete", hcp.OperationWrite, hcp.LandPersonal, hcp.AuthzDecision{Reason: "missing verb.exec.write for mail.mail.delete"}},
		{"mail.connect", hcp.OperationWrite, hcp.LandPersonal, hcp.AuthzDecision{Reason: "missing pack.connect"}},
		{"mail.list", hcp.OperationRead, hcp.LandBrain, hcp.AuthzDecision{Reason: "privacy.land brain requires project_id"}},
	} {
		got := DefaultAuthorize(scope, hcp.AuthzRequest{PackID: "mail", VerbKey: c.key, Operation: c.op, Land: c.land})
		if got != c.want {
			t.Errorf("%s %s: %+v, want %+v", c.key, c.land, got, c.want)
		}
	}
}

func TestOwnAuthorizeReplacesTheGrantsAndNothingElse(t *testing.T) {
	root := writePack(t, t.TempDir(), "tool", packOptions{}, verb{key: "x", script: "echo 7"}, verb{key: "y", script: "echo 8", write: true, confirm: true},
		verb{key: "z", script: "echo 9", land: "brain"})
	var asked []hcp.AuthzRequest
	r := open(t, Options{PackDirs: []string{root}, Grants: []hcp.Grant{}, Authorize: func(_ hcp.AuthzContext, req hcp.AuthzRequest) hcp.AuthzDecision {
		asked = append(asked, req)
		return hcp.AuthzDecision{Allow: req.VerbKey != "x", Reason: "not on Mondays"}
	}})
	if got := r.Exec(t.Context(), "tool", "x", nil); got.Code != "denied" || got.Error != "denied: not on Mondays" {
		t.Errorf("%+v", got)
	}
	if got := r.Exec(t.Context(), "tool", "y", nil); got.Code != "confirm_required" {
		t.Errorf("%+v", got)
	}
	if got := r.Exec(t.Context(), "tool", "y", hcp.Args{"confirm": true}); !got.OK {
		t.Errorf("%+v", got)
	}
	if got := r.Exec(t.Context(), "tool", "z", nil); got.Error != "denied: privacy.land brain requires project_id" {
		t.Errorf("%+v", got)
	}
	if len(asked) != 3 || asked[0] != (hcp.AuthzRequest{PackID: "tool", VerbKey: "x", Operation: hcp.OperationRead, Land: asked[0].Land}) || asked[0].Land == "" {
		t.Errorf("asked %+v", asked)
	}
}
