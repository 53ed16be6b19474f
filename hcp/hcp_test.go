package hcp

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestCommandsKeepTheirOrderBothWays(t *testing.T) {
	const text = `{"id":"x","verbs":{"zeta":{"description":"z"},"alpha":{"json_flag":[]},"mid":{"title":{"live":"a","done":["b","c"]},"preview":{"kind":"fields","fields":{"z":"1","a":"2"}}}}}`
	var m Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	if got := m.Verbs.Keys(); len(got) != 3 || got[0] != "zeta" || got[2] != "mid" {
		t.Fatalf("Keys = %v", got)
	}
	alpha, _ := m.Verbs.Get("alpha")
	if alpha.JSONFlag == nil {
		t.Fatal("an empty json_flag reads as an absent one")
	}
	out, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	if string(out) != text {
		t.Fatalf("got  %s\nwant %s", out, text)
	}
}

func TestDuplicateCommandIsRefused(t *testing.T) {
	var c Commands
	if err := json.Unmarshal([]byte(`{"a":{},"a":{}}`), &c); err == nil {
		t.Fatal("a duplicate name was accepted")
	}
}

func TestConfirmReadsTheThreeForms(t *testing.T) {
	for text, want := range map[string]Confirm{"true": ConfirmAsk, "false": ConfirmNone, `"always"`: ConfirmAlways} {
		var c Confirm
		if err := json.Unmarshal([]byte(text), &c); err != nil || c != want {
			t.Errorf("%s: %q, %v", text, c, err)
		}
		out, err := json.Marshal(c)
		if err != nil || string(out) != text {
			t.Errorf("%s came back as %s, %v", text, out, err)
		}
	}
	for _, bad := range []string{`"true"`, "1", "null", `"Always"`, "{}"} {
		var c Confirm
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestKindDefaultsToComposite(t *testing.T) {
	if got := (&Manifest{}).EffectiveKind(); got != KindComposite {
		t.Fatal(got)
	}
	if got := (&Manifest{AdapterKind: KindWrap}).EffectiveKind(); got != KindWrap {
		t.Fatal(got)
	}
	if got := (&Manifest{Plane: PlaneControl}).BindingMode(); got != BindingMothership {
		t.Fatal(got)
	}
}
