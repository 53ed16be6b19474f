package availability

import (
	"slices"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// desk is a pack with a read, a write, a shared read and a connect command.
func desk(mode hcp.BindingMode) *pack.Pack {
	p := &pack.Pack{ID: "desk", Kind: hcp.KindWrap, SkillPresent: true}
	p.Manifest.ID, p.Manifest.Binding = "desk", &hcp.Binding{Mode: mode}
	p.Policy.Verbs = map[string]hcp.PolicyEntry{}
	for _, c := range []struct {
		key  string
		op   hcp.Operation
		land hcp.Land
	}{
		{"list", hcp.OperationRead, hcp.LandPersonal},
		{"send", hcp.OperationWrite, hcp.LandPersonal},
		{"share", hcp.OperationRead, hcp.LandBrain},
		{"connect", hcp.OperationWrite, hcp.LandPersonal},
	} {
		p.Manifest.Verbs.Set(c.key, hcp.Command{})
		p.Policy.Verbs[c.key] = hcp.PolicyEntry{Operation: c.op, Privacy: hcp.Privacy{Land: c.land}}
	}
	return p
}

func scope(grants ...hcp.Capability) hcp.AuthzContext {
	s := hcp.AuthzContext{Principal: hcp.Principal{ID: "ann"}, TenantID: "t", ProjectID: "p", Grants: []hcp.Grant{}}
	for _, c := range grants {
		s.Grants = append(s.Grants, hcp.Grant{Capability: c})
	}
	return s
}

var all = scope(hcp.Capabilities...)

func member(hcp.AuthzContext) bool { return true }

func TestReasonIsTheFirstThingMissing(t *testing.T) {
	noProject := all
	noProject.ProjectID = ""
	for _, c := range []struct {
		name string
		in   Input
		want map[string]string
	}{
		{"ready", Input{Pack: desk(hcp.BindingPublic), Activated: true, Scope: all}, map[string]string{}},
		{"inactive", Input{Pack: desk(hcp.BindingUser), Scope: scope()}, map[string]string{
			"list": "not activated", "send": "not activated", "share": "not activated", "connect": "not activated",
		}},
		{"unconnected", Input{Pack: desk(hcp.BindingUser), Activated: true, Scope: all}, map[string]string{
			"list": "not connected", "send": "not connected", "share": "not connected",
		}},
		{"connected", Input{Pack: desk(hcp.BindingUser), Activated: true, Connected: true, Scope: all}, map[string]string{}},
		{"local waits for nothing", Input{Pack: desk(hcp.BindingLocal), Activated: true, Scope: all}, map[string]string{}},
		{"reads only", Input{Pack: desk(hcp.BindingLocal), Activated: true, Scope: scope(hcp.CapExecRead)}, map[string]string{
			"send": "missing verb.exec.write", "connect": "missing pack.connect",
		}},
		{"nothing granted", Input{Pack: desk(hcp.BindingLocal), Activated: true, Scope: scope()}, map[string]string{
			"list": "missing verb.exec.read", "send": "missing verb.exec.write", "share": "missing verb.exec.read", "connect": "missing pack.connect",
		}},
		{"no project", Input{Pack: desk(hcp.BindingPublic), Activated: true, Scope: noProject}, map[string]string{
			"share": "privacy.land brain requires project_id",
		}},
		{"operator's", Input{Pack: desk(hcp.BindingMothership), Activated: true, Connected: true, Scope: all}, map[string]string{
			"list": "binding mode mothership requires an elevated Principal", "send": "binding mode mothership requires an elevated Principal",
			"share": "binding mode mothership requires an elevated Principal", "connect": "binding mode mothership requires an elevated Principal",
		}},
		{"not runnable here", Input{Pack: desk(hcp.BindingPublic), Activated: true, Scope: all, Unable: func(*pack.Pack) string { return "no" }}, map[string]string{
			"list": "no", "send": "no", "share": "no", "connect": "no",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.PackID, c.in.Member = "desk", member
			report := Build(c.in)
			if len(report.Verbs) != 4 {
				t.Fatalf("%+v", report.Verbs)
			}
			for _, command := range report.Verbs {
				if command.Reason != c.want[command.VerbKey] || command.Executable != (command.Reason == "") {
					t.Errorf("%s: executable %v, %q", command.VerbKey, command.Executable, command.Reason)
				}
			}
		})
	}
}

func TestFlagsAndStages(t *testing.T) {
	const installed, activated, connected, executable = hcp.StageInstalled, hcp.StageActivated, hcp.StageConnected, hcp.StageExecutable
	for _, c := range []struct {
		name                                string
		in                                  Input
		activated, connected, needed, ready bool
		reason                              string
		status                              []hcp.Stage
	}{
		{"unknown", Input{}, false, false, false, false, "not installed", []hcp.Stage{hcp.StageUnavailable}},
		{"in a catalog", Input{SourceAvailable: true}, false, false, false, false, "not installed", []hcp.Stage{hcp.StageAvailable}},
		{"installed", Input{Pack: desk(hcp.BindingUser)}, false, false, true, false, "not activated", []hcp.Stage{installed}},
		{"public is always connected", Input{Pack: desk(hcp.BindingPublic)}, false, true, false, false, "not activated", []hcp.Stage{installed}},
		{"public, activated", Input{Pack: desk(hcp.BindingPublic), Activated: true}, true, true, false, true, "", []hcp.Stage{installed, activated, connected, executable}},
		{"local, activated", Input{Pack: desk(hcp.BindingLocal), Activated: true}, true, false, false, true, "", []hcp.Stage{installed, activated, executable}},
		{"local, connected", Input{Pack: desk(hcp.BindingLocal), Activated: true, Connected: true}, true, true, false, true, "", []hcp.Stage{installed, activated, connected, executable}},
		{"user, activated", Input{Pack: desk(hcp.BindingUser), Activated: true}, true, false, true, false, "not connected", []hcp.Stage{installed, activated, executable}},
		{"user, connected", Input{Pack: desk(hcp.BindingUser), Activated: true, Connected: true}, true, true, false, true, "", []hcp.Stage{installed, activated, connected, executable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.in.PackID, c.in.Member, c.in.Scope = "desk", member, all
			r := Build(c.in)
			if r.PackID != "desk" || r.Installed != (c.in.Pack != nil) || r.Activated != c.activated || r.Connected != c.connected ||
				r.ConnectNeeded != c.needed || r.Ready != c.ready || r.Reason != c.reason || !slices.Equal(r.Status, c.status) {
				t.Errorf("%+v", r)
			}
			if r.Verbs == nil || len(r.Capabilities) != 5 || r.SkillPresent != (c.in.Pack != nil) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestSenseOnlyPackIsValidAndExecutesNothing(t *testing.T) {
	p := &pack.Pack{ID: "feed", Kind: hcp.KindSenseOnly}
	p.Manifest.ID, p.Manifest.Binding = "feed", &hcp.Binding{Mode: hcp.BindingPublic}
	r := Build(Input{PackID: "feed", Pack: p, Activated: true, Scope: all})
	if !r.Ready || slices.Contains(r.Status, hcp.StageExecutable) || len(r.Verbs) != 0 || r.AdapterKind != hcp.KindSenseOnly {
		t.Fatalf("%+v", r)
	}
}
