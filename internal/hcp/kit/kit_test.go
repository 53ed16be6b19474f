package kit

import (
	"testing"

	"bridle/internal/hcp/hcpx"
)

func TestEveryVerbHandedOverIsHereAndNoOther(t *testing.T) {
	here := map[string]bool{}
	for _, v := range verbs() {
		if v.New == nil {
			t.Errorf("%q has no code", v.Name)
		}
		here[v.Name] = true
	}
	away := map[string]bool{}
	for _, v := range hcpx.App().Verbs {
		if v.New == nil || v.Away != nil {
			away[v.Name] = true
		}
		if v.New == nil && !here[v.Name] {
			t.Errorf("%q is handed over and is not here", v.Name)
		}
	}
	for name := range here {
		if !away[name] {
			t.Errorf("%q is here and hcpx does not hand it over", name)
		}
	}
}

func TestBothProgramsSpeakAsOne(t *testing.T) {
	light, heavy := hcpx.App(), App()
	if light.Name != heavy.Name || light.Protocol != heavy.Protocol || light.Short != heavy.Short {
		t.Errorf("%+v %+v", light, heavy)
	}
}
