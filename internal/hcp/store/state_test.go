package store

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

func TestStateIsReadStrictly(t *testing.T) {
	for name, c := range map[string]struct{ content, says string }{
		"empty":                 {``, "end"},
		"no object":             {`[]`, ""},
		"cut":                   {`{"activated":["a"`, ""},
		"twice":                 {`{"activated":[],"activated":["a"]}`, "activated"},
		"other case":            {`{"Activated":[]}`, ""},
		"null list":             {`{"activated":null}`, "activated"},
		"string list":           {`{"activated":"demo"}`, "activated"},
		"number in list":        {`{"connected":[1]}`, "connected"},
		"path as id":            {`{"activated":["../x"]}`, "../x"},
		"empty id":              {`{"activated":[""]}`, "activated"},
		"grants null":           {`{"grants":null}`, "grants"},
		"grants object":         {`{"grants":{}}`, "grants"},
		"grant unknown member":  {`{"grants":[{"capability":"verb.exec.write","verbKeys":["a"]}]}`, "verbKeys"},
		"grant unknown ability": {`{"grants":[{"capability":"verb.exec"}]}`, "verb.exec"},
		"grant without ability": {`{"grants":[{}]}`, "capability"},
		"grant empty pack":      {`{"grants":[{"capability":"verb.exec.read","pack_id":""}]}`, "pack_id"},
		"grant null pack":       {`{"grants":[{"capability":"verb.exec.read","pack_id":null}]}`, "pack_id"},
		"grant null keys":       {`{"grants":[{"capability":"verb.exec.read","verb_keys":null}]}`, "verb_keys"},
		"grant string keys":     {`{"grants":[{"capability":"verb.exec.read","verb_keys":"a"}]}`, "verb_keys"},
		"trailing":              {`{} {}`, ""},
	} {
		if name == "other case" {
			continue // see TestNameInAnotherCaseIsAnotherName
		}
		s := newStore(t)
		write(t, s.path(stateFile), c.content)
		_, err := s.State()
		f := wantCode(t, err, CodeBadState)
		if !strings.Contains(f.Message, s.path(stateFile)) || !strings.Contains(f.Message, c.says) || f.Hint == "" {
			t.Errorf("%s: %q, hint %q", name, f.Message, f.Hint)
		}
		err = s.Update(t.Context(), func(st *State) error { st.activate("x"); return nil })
		wantCode(t, err, CodeBadState)
		if read(t, s.path(stateFile)) != c.content {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// A slip in the name of a member would widen what is allowed: without "grants"
// everything is granted.
func TestNameThatIsNearlyAMemberIsRefused(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"Grants", "GRANTS", "grantz", "grant", "garnts", "grants ", " grants", "gr\u0430nts", "grants\u200b", "Activated", "activted", "Connected", "connectet", "grants_"} {
		content := `{"activated":[],"connected":[],"` + name + `":[]}`
		write(t, s.path(stateFile), content)
		if _, err := s.State(); !fault.Is(err, CodeBadState) {
			t.Errorf("%s: %v", content, err)
		}
	}
	write(t, s.path(stateFile), `{"activated":[],"connected":[],"grants":[],"later":1,"zeta":2}`)
	st, err := s.State()
	if err != nil || !slices.Equal(st.Unknown(), []string{"later", "zeta"}) {
		t.Fatalf("%q, %v", st.Unknown(), err)
	}
}

func TestUpdateKeepsWhatItDoesNotKnow(t *testing.T) {
	s := newStore(t)
	write(t, s.path(stateFile), `{"later":{"b":2.80,"a":[1,null]},"activated":["a","a","b"],"grants":[],"zeta":12345678901234567890}`)
	if err := s.Update(t.Context(), func(st *State) error { st.activate("demo"); return nil }); err != nil {
		t.Fatal(err)
	}
	got, err := canon.Canonical([]byte(read(t, s.path(stateFile))), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"activated":["a","b","demo"],"connected":[],"grants":[],"later":{"a":[1,null],"b":2.8},"zeta":12345678901234567890}`
	if string(got) != want {
		t.Fatalf("state.json = %s", got)
	}
	if raw := read(t, s.path(stateFile)); !strings.Contains(raw, "2.80") {
		t.Fatalf("a number was rewritten: %s", raw)
	}
}

func TestGrantsOfTheFileDecide(t *testing.T) {
	for _, c := range []struct {
		content string
		want    []hcp.Grant
	}{
		{`{}`, hcp.PermissiveGrants()},
		{`{"grants":[]}`, []hcp.Grant{}},
		{`{"grants":[{"capability":"verb.exec.read","pack_id":"demo","verb_keys":[]}]}`, []hcp.Grant{{Capability: hcp.CapExecRead, PackID: "demo", VerbKeys: []string{}}}},
	} {
		s := newStore(t)
		write(t, s.path(stateFile), c.content)
		st, err := s.State()
		if err != nil {
			t.Fatal(err)
		}
		if got := st.EffectiveGrants(); !slices.EqualFunc(got, c.want, func(a, b hcp.Grant) bool {
			return a.Capability == b.Capability && a.PackID == b.PackID && slices.Equal(a.VerbKeys, b.VerbKeys) && (a.VerbKeys == nil) == (b.VerbKeys == nil)
		}) {
			t.Errorf("%s: grants = %+v", c.content, got)
		}
	}
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	s := newStore(t)
	before := read(t, s.path(stateFile))
	refused := notActivated("demo")
	if err := s.Update(t.Context(), func(st *State) error { st.activate("demo"); return refused }); err != refused {
		t.Fatalf("error = %v", err)
	}
	err := s.Update(t.Context(), func(st *State) error { st.Activated = append(st.Activated, "../x"); return nil })
	wantCode(t, err, CodeBadState)
	if read(t, s.path(stateFile)) != before {
		t.Fatal("state.json was changed")
	}
}

func TestConnectedFollowsActivated(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	_, err := s.SetConnected(t.Context(), "demo", true)
	wantCode(t, err, CodeNotActivated)
	_, err = s.SetConnected(t.Context(), "nothing", true)
	wantCode(t, err, CodeUnknownPack)
	activate(t, s, "demo")
	for range 2 {
		all, err := s.SetConnected(t.Context(), "demo", true)
		if err != nil || !slices.Equal(all, []string{"demo"}) {
			t.Fatalf("connected = %v, %v", all, err)
		}
	}
	if is, err := s.Connected("demo"); err != nil || !is {
		t.Fatalf("connected = %v, %v", is, err)
	}
	all, err := s.SetConnected(t.Context(), "demo", false)
	if err != nil || len(all) != 0 {
		t.Fatalf("connected = %v, %v", all, err)
	}
	if _, err := s.SetConnected(t.Context(), "demo", true); err != nil {
		t.Fatal(err)
	}
	st, err := s.Deactivate(t.Context(), []string{"demo"})
	if err != nil || len(st.Activated) != 0 || len(st.Connected) != 0 {
		t.Fatalf("state = %+v, %v", st, err)
	}
}

// What was read is written back as the same document.
func TestStateSurvivesReadingAndWriting(t *testing.T) {
	id := rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		st := State{
			Activated: rapid.SliceOfNDistinct(id, 0, 6, rapid.ID[string]).Draw(t, "activated"),
			Connected: rapid.SliceOfNDistinct(id, 0, 6, rapid.ID[string]).Draw(t, "connected"),
		}
		if rapid.Bool().Draw(t, "listed") {
			st.Grants = []hcp.Grant{}
			for range rapid.IntRange(0, 4).Draw(t, "grants") {
				grant := hcp.Grant{Capability: rapid.SampledFrom(hcp.Capabilities).Draw(t, "capability")}
				if rapid.Bool().Draw(t, "scoped") {
					grant.PackID = id.Draw(t, "pack")
				}
				if rapid.Bool().Draw(t, "keyed") {
					grant.VerbKeys = rapid.SliceOfN(id, 0, 3).Draw(t, "keys")
				}
				st.Grants = append(st.Grants, grant)
			}
		}
		first, err := canon.Marshal(st)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parseState(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		second, err := canon.Marshal(parsed)
		if err != nil || !bytes.Equal(second, first) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		if (parsed.Grants == nil) != (st.Grants == nil) {
			t.Fatal("listed grants and no grants were confused")
		}
	})
}

func FuzzState(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"activated":["demo"],"connected":[],"grants":[{"capability":"sense.enable"}],"x":1}`, `{"grants":null}`, `[]`, `{"activated":[".."]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := parseState(data)
		if err != nil {
			return
		}
		for _, id := range append(slices.Clone(st.Activated), st.Connected...) {
			if !validID(id) || strings.ContainsAny(id, `/\`) {
				t.Fatalf("the id %q was let through", id)
			}
		}
		first, err := canon.Marshal(st)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseState(first)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", data, first, err)
		}
		second, err := canon.Marshal(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%q, then %q", first, second)
		}
	})
}
