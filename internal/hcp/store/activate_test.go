package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

// tools makes a folder for PATH with executables in it.
func tools(t *testing.T, files tree) string {
	t.Helper()
	return files.write(t, filepath.Join(t.TempDir(), "tools"))
}

func activateWith(t *testing.T, s *Store, id string, opts ActivateOptions) (ActivateResult, error) {
	t.Helper()
	return s.Activate(t.Context(), []string{id}, opts)
}

func mustActivate(t *testing.T, s *Store, id string, opts ActivateOptions) ActivateResult {
	t.Helper()
	result, err := activateWith(t, s, id, opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func bin(t *testing.T, s *Store, id string) *Binary {
	t.Helper()
	a, err := s.Activation(id)
	if err != nil {
		t.Fatal(err)
	}
	return a.Bin
}

const program = "#!/bin/sh\necho '{}'\n"

func TestActivateAddsInOrderAndOnce(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"b", "a", "c"} {
		install(t, s, source(t, wrapPack(id, "./bin/demo")))
	}
	activate(t, s, "b")
	result, err := s.Activate(t.Context(), []string{"a", "c", "a", "b"}, ActivateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(result.Activated, []string{"b", "a", "c"}) || !slices.Equal(result.Skills, []string{s.SkillPath("a"), s.SkillPath("c"), s.SkillPath("b")}) || len(result.Changes) != 0 {
		t.Fatalf("result = %+v", result)
	}
}

func TestActivateCopiesTheSkill(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	if err := os.RemoveAll(s.path(skillsDir, "demo")); err != nil {
		t.Fatal(err)
	}
	activate(t, s, "demo")
	if read(t, s.SkillPath("demo")) != files["HARNESS.md"] {
		t.Fatal("the Skill's copy differs")
	}
}

func TestActivateOfUnknownPackSuggests(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("ledger", "./bin/demo")))
	for _, c := range []struct{ id, message, hint string }{
		{"ledgr", "pack ledgr is not installed", `did you mean "ledger"?`},
		{"kubernetes", "pack kubernetes is not installed", ""},
		{"../x", `pack "../x" is not installed`, ""},
		{"..", `pack ".." is not installed`, ""},
		{"", `pack "" is not installed`, ""},
		{".durable-x", `pack ".durable-x" is not installed`, ""},
	} {
		_, err := activateWith(t, s, c.id, ActivateOptions{})
		f := wantCode(t, err, CodeNotInstalled)
		if f.Message != c.message || c.hint != "" && f.Hint != c.hint || f.Hint == "" || len(f.Next) < 1 {
			t.Errorf("%q: %q, hint %q, next %q", c.id, f.Message, f.Hint, f.Next)
		}
		for _, next := range f.Next {
			if strings.Contains(next, "..") || strings.Contains(next, "<") {
				t.Errorf("%q: next %q", c.id, next)
			}
		}
	}
}

func TestActivateIsAllOrNothing(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	_, err := s.Activate(t.Context(), []string{"demo", "nothing"}, ActivateOptions{})
	wantCode(t, err, CodeNotInstalled)
	st, err := s.State()
	if err != nil || len(st.Activated) != 0 {
		t.Fatalf("state = %+v, %v", st, err)
	}
	_, err = s.Activate(t.Context(), nil, ActivateOptions{})
	wantCode(t, err, "usage")
}

func TestControlPackNeedsElevation(t *testing.T) {
	s := newStore(t)
	files := wrapPack("fleet", "./bin/demo")
	files["surface.json"] = strings.Replace(files["surface.json"], `"binding": {"mode": "public"}`, `"plane": "control", "binding": {"mode": "mothership"}`, 1)
	install(t, s, source(t, files))
	_, err := activateWith(t, s, "fleet", ActivateOptions{})
	if f := wantCode(t, err, CodeDenied); !strings.HasPrefix(f.Message, "denied: ") {
		t.Fatalf("message = %q", f.Message)
	}
	mustActivate(t, s, "fleet", ActivateOptions{Elevated: true})
}

func TestBareNameResolvesOverSafePathEntriesOnly(t *testing.T) {
	safe := tools(t, tree{"demo": program, "data": "no program"})
	project := tools(t, tree{"demo": program, "sub/demo": program, "only": program})
	linked := tools(t, tree{"demo": "-> " + filepath.Join(safe, "demo"), "planted": "-> " + filepath.Join(project, "only"), "lost": "-> nowhere"})
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(project, alias); err != nil {
		t.Fatal(err)
	}
	notExecutable := tools(t, tree{"demo": "text", "data": "x"})
	folder := tools(t, tree{"demo/": ""})
	join := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	real, err := filepath.EvalSymlinks(filepath.Join(safe, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bin, path string
		want      string
		says      string
	}{
		"first entry":          {"demo", join(safe, linked), real, ""},
		"behind a link":        {"demo", join(linked, project), real, ""},
		"project skipped":      {"demo", join(project, safe), real, ""},
		"below the project":    {"demo", join(filepath.Join(project, "sub"), safe), real, ""},
		"project by a link":    {"demo", join(alias, safe), real, ""},
		"relative skipped":     {"demo", join("", ".", "bin", safe), real, ""},
		"text skipped":         {"demo", join(notExecutable, safe), real, ""},
		"folder skipped":       {"demo", join(folder, safe), real, ""},
		"only in the project":  {"only", join(project, safe), "", "folder that an agent works in"},
		"link into project":    {"planted", join(linked, safe), "", "folder that an agent works in"},
		"link to nowhere":      {"lost", join(linked), "", "not on PATH"},
		"no program":           {"data", join(safe), "", "not on PATH"},
		"not there":            {"demo", "", "", "not on PATH"},
		"same name elsewhere":  {"demo", filepath.Join(safe, "demo"), "", "not on PATH"},
		"inside the store":     {"demo", "STORE", "", "folder that an agent works in"},
		"name of a folder up":  {"..", join(safe), "", ""},
		"leading hyphen name ": {"-demo", join(safe), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			files := wrapPack("wrapped", c.bin)
			if c.path == "STORE" {
				files = files.with("tools/demo", program)
				c.path = filepath.Join(s.PackDir("wrapped"), "tools")
			}
			if _, err := s.Install(t.Context(), source(t, files), InstallOptions{}); err != nil {
				if c.want != "" || c.says != "" {
					t.Fatal(err)
				}
				return // the manifest itself is refused
			}
			result := mustActivate(t, s, "wrapped", ActivateOptions{Search: Search{Path: c.path, Avoid: []string{project}}})
			got := bin(t, s, "wrapped")
			if got.Path != c.want || !strings.Contains(got.Reason, c.says) {
				t.Fatalf("bin = %+v", got)
			}
			ready, err := s.Verify(t.Context(), "wrapped")
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if ready.Bin.Runnable() || len(result.Notes) == 0 {
					t.Fatalf("runs %+v, notes %v", ready.Bin, result.Notes)
				}
				return
			}
			if !ready.Bin.Runnable() || got.Argv0 != c.bin || len(got.SHA256) != 64 || got.Inside {
				t.Fatalf("bin = %+v", got)
			}
		})
	}
}

func TestPathInsideThePackIsUsed(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	activate(t, s, "demo")
	got := bin(t, s, "demo")
	if got.Path != filepath.Join(s.PackDir("demo"), "bin", "demo") || !got.Inside || len(got.SHA256) != 64 {
		t.Fatalf("bin = %+v", got)
	}
	if len(got.Interpreters) != 1 || got.Interpreters[0].Name != "/bin/sh" || !filepath.IsAbs(got.Interpreters[0].Path) {
		t.Fatalf("interpreters = %+v", got.Interpreters)
	}
}

func TestFileInsideThePackMustBeAProgram(t *testing.T) {
	for name, files := range map[string]tree{
		"missing": wrapPack("demo", "./bin/demo").with("bin/demo", ""),
		"text":    wrapPack("demo", "./bin/demo").with("bin/demo", "echo"),
		"folder":  wrapPack("demo", "./bin/demo").with("bin/demo", "", "bin/demo/x", "x"),
	} {
		s := newStore(t)
		if _, err := s.Install(t.Context(), source(t, files), InstallOptions{}); err != nil {
			if !fault.Is(err, CodeLintFailed) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		result := activate(t, s, "demo")
		if got := bin(t, s, "demo"); got.Runnable() || got.Reason == "" || len(result.Notes) == 0 {
			t.Errorf("%s: bin = %+v, notes %v", name, got, result.Notes)
		}
	}
}

func TestInterpretersAreFollowed(t *testing.T) {
	dir := tools(t, tree{
		"runner":  "\x7fELF no script",
		"middle":  program,
		"planted": program,
	})
	for _, name := range []string{"runner"} {
		chmod(t, filepath.Join(dir, name), 0o755)
	}
	project := tools(t, tree{"only": program})
	abs := func(name string) string { return filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		first string
		want  []string // base names of the interpreters' paths as declared
		says  string
	}{
		"binary":             {"#!" + abs("runner"), []string{abs("runner")}, ""},
		"with an argument":   {"#! " + abs("runner") + " -x", []string{abs("runner")}, ""},
		"script of a script": {"#!" + abs("middle"), []string{abs("middle"), "/bin/sh"}, ""},
		"env":                {"#!/usr/bin/env runner", []string{"/usr/bin/env", "runner"}, ""},
		"env with options":   {"#!/usr/bin/env -S A=1 runner --flag", []string{"/usr/bin/env", "runner"}, ""},
		"env of a script":    {"#!/usr/bin/env middle", []string{"/usr/bin/env", "middle", "/bin/sh"}, ""},
		"env without a name": {"#!/usr/bin/env -S", nil, "starts no program"},
		"env with a path":    {"#!/usr/bin/env ./runner", nil, "starts no program"},
		"env of nothing":     {"#!/usr/bin/env no-such-thing", nil, "not on PATH"},
		"env in the project": {"#!/usr/bin/env only", nil, "agent works in"},
		"in the project":     {"#!" + filepath.Join(project, "only"), nil, "agent works in"},
		"relative":           {"#!bin/sh", nil, "not an absolute path"},
		"missing":            {"#!/no/such/interpreter", nil, "does not exist"},
		"itself":             {"SELF", nil, "too many levels"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			files := wrapPack("demo", "./bin/demo")
			if c.first == "SELF" {
				c.first = "#!" + filepath.Join(dir, "loop")
				tree{"loop": c.first + "\n"}.write(t, dir)
			}
			files["bin/demo"] = c.first + "\nbody\n"
			install(t, s, source(t, files))
			mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: dir + ":" + project + ":/usr/bin", Avoid: []string{project}}})
			got := bin(t, s, "demo")
			var names []string
			for _, interpreter := range got.Interpreters {
				names = append(names, interpreter.Name)
				if resolved, err := filepath.EvalSymlinks(interpreter.Path); err != nil || resolved != interpreter.Path {
					t.Errorf("%s is at %s, %v", interpreter.Name, interpreter.Path, err)
				}
			}
			if !slices.Equal(names, c.want) || !strings.Contains(got.Reason, c.says) || got.Runnable() != (c.says == "") {
				t.Fatalf("interpreters %q, bin %+v", names, got)
			}
		})
	}
}

func TestFirstActivationAndUnchangedOnesAreFree(t *testing.T) {
	dir := tools(t, tree{"demo": program})
	opts := ActivateOptions{Search: Search{Path: dir}}
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "demo")))
	for range 2 {
		if result := mustActivate(t, s, "demo", opts); len(result.Changes) != 0 {
			t.Fatalf("changes = %+v", result.Changes)
		}
	}
	if _, err := s.Deactivate(t.Context(), []string{"demo"}); err != nil {
		t.Fatal(err)
	}
	if result := mustActivate(t, s, "demo", opts); len(result.Changes) != 0 {
		t.Fatalf("changes = %+v", result.Changes)
	}
}

func TestChangedContentNeedsConsentForExactlyThatChange(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	policy := filepath.Join(s.PackDir("demo"), "policy.json")
	surface := filepath.Join(s.PackDir("demo"), "surface.json")
	write(t, policy, strings.NewReplacer(`, "confirm": true`, "", `"drop"`, `"wipe"`).Replace(files["policy.json"]))
	write(t, surface, strings.NewReplacer(`"drop": {`, `"wipe": {`, `"demo", "show"]`, `"demo", "show", "--all"]`).Replace(files["surface.json"]))
	write(t, filepath.Join(s.PackDir("demo"), "HARNESS.md"), strings.ReplaceAll(files["HARNESS.md"], "`drop`", "`wipe`"))

	result, err := activateWith(t, s, "demo", ActivateOptions{AcceptInstalled: true})
	f := wantCode(t, err, CodePackChanged)
	if f.Hint == "" || !slices.Contains(f.Next, "hcpx activate demo") {
		t.Errorf("hint %q, next %q", f.Hint, f.Next)
	}
	if len(result.Changes) != 1 {
		t.Fatalf("changes = %+v", result.Changes)
	}
	change := result.Changes[0]
	if change.PackID != "demo" || change.Origin != OriginModified || !slices.Equal(change.Files, []string{"HARNESS.md", "policy.json", "surface.json"}) ||
		!slices.Equal(change.Added, []string{"wipe"}) || !slices.Equal(change.Removed, []string{"drop"}) ||
		!slices.Equal(change.Fields, []FieldDiff{{Key: "show", Field: "cli", From: "demo show", To: "demo show --all"}}) || len(change.Token) != 64 {
		t.Fatalf("change = %+v", change)
	}
	_, err = activateWith(t, s, "demo", ActivateOptions{Accept: map[string]string{"demo": strings.Repeat("0", 64)}})
	wantCode(t, err, CodePackChanged)
	_, err = activateWith(t, s, "demo", ActivateOptions{Accept: map[string]string{"other": change.Token}})
	wantCode(t, err, CodePackChanged)

	// Consent to one change is no consent to the next.
	write(t, filepath.Join(s.PackDir("demo"), "bin/demo"), "#!/bin/sh\nrm -rf x\n")
	accept := ActivateOptions{Accept: map[string]string{"demo": change.Token}}
	_, err = activateWith(t, s, "demo", accept)
	wantCode(t, err, CodePackChanged)
	write(t, filepath.Join(s.PackDir("demo"), "bin/demo"), files["bin/demo"])
	mustActivate(t, s, "demo", accept)
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	if result := mustActivate(t, s, "demo", ActivateOptions{}); len(result.Changes) != 0 {
		t.Fatalf("changes = %+v", result.Changes)
	}
}

func TestEveryLoosenedPolicyIsShown(t *testing.T) {
	base := wrapPack("demo", "./bin/demo")
	for name, c := range map[string]struct {
		file, from, to string
		want           FieldDiff
	}{
		"confirm":   {"policy.json", `, "confirm": true`, ``, FieldDiff{"drop", "confirm", "true", "false"}},
		"always":    {"policy.json", `"confirm": true`, `"confirm": "always"`, FieldDiff{"drop", "confirm", "true", "always"}},
		"operation": {"policy.json", `"operation": "write", "privacy": {"land": "personal"}, "confirm": true`, `"operation": "read", "privacy": {"land": "personal"}`, FieldDiff{"drop", "operation", "write", "read"}},
		"land":      {"policy.json", `"show": {"operation": "read", "privacy": {"land": "personal"}}`, `"show": {"operation": "read", "privacy": {"land": "local"}}`, FieldDiff{"show", "land", "personal", "local"}},
		"binding":   {"surface.json", `{"mode": "public"}`, `{"mode": "local"}`, FieldDiff{"", "binding", "public", "local"}},
		"arguments": {"surface.json", `"cli": ["demo", "show"]`, `"cli": ["demo", "show"], "args": {"type": "object", "properties": {}}`, FieldDiff{"show", "args", "", ""}},
		"settings":  {"surface.json", `{"bin": "./bin/demo"}`, `{"bin": "./bin/demo", "agent_env": {"A": "1"}}`, FieldDiff{"", "settings", "", ""}},
	} {
		s := newStore(t)
		install(t, s, source(t, base))
		activate(t, s, "demo")
		changed := strings.Replace(base[c.file], c.from, c.to, 1)
		if changed == base[c.file] {
			t.Fatalf("%s: nothing to replace", name)
		}
		write(t, filepath.Join(s.PackDir("demo"), c.file), changed)
		changes, err := s.Review(t.Context(), []string{"demo"}, ActivateOptions{})
		if err != nil || len(changes) != 1 {
			t.Fatalf("%s: %+v, %v", name, changes, err)
		}
		found := slices.ContainsFunc(changes[0].Fields, func(d FieldDiff) bool {
			return d.Key == c.want.Key && d.Field == c.want.Field && (c.want.From == "" && d.From != d.To || d == c.want)
		})
		if !found {
			t.Errorf("%s: %+v", name, changes[0].Fields)
		}
		if _, err := s.Verify(t.Context(), "demo"); !fault.Is(err, CodePackChanged) {
			t.Errorf("%s: a review accepted the change: %v", name, err)
		}
	}
}

func TestInstalledChangeIsFreeOnlyIfTheCallerSaysSo(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	install(t, s, source(t, files.with("extra", "x")))
	result, err := activateWith(t, s, "demo", ActivateOptions{})
	wantCode(t, err, CodePackChanged)
	if len(result.Changes) != 1 || result.Changes[0].Origin != OriginInstalled || result.Changes[0].HasData || !slices.Equal(result.Changes[0].Files, []string{"extra"}) {
		t.Fatalf("changes = %+v", result.Changes)
	}
	result = mustActivate(t, s, "demo", ActivateOptions{AcceptInstalled: true})
	if len(result.Changes) != 1 {
		t.Fatalf("an accepted change is not told: %+v", result)
	}
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
}

// Deactivating or uninstalling in between is no way around consent while there
// is something to inherit.
func TestConsentCannotBeLaundered(t *testing.T) {
	s := newStore(t)
	files := wrapPack("demo", "./bin/demo")
	install(t, s, source(t, files))
	activate(t, s, "demo")
	jail, err := s.Jail("demo", "ada")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(jail.Home, "token"), "secret")
	if _, err := s.Uninstall(t.Context(), "demo", UninstallOptions{}); err != nil {
		t.Fatal(err)
	}
	install(t, s, source(t, files.with("bin/demo", "#!/bin/sh\ncat ~/token\n")))
	result, err := activateWith(t, s, "demo", ActivateOptions{})
	wantCode(t, err, CodePackChanged)
	if len(result.Changes) != 1 || !result.Changes[0].HasData {
		t.Fatalf("changes = %+v", result.Changes)
	}
	install(t, s, source(t, files))
	if result := mustActivate(t, s, "demo", ActivateOptions{}); len(result.Changes) != 0 {
		t.Fatalf("the same pack again: %+v", result.Changes)
	}
}

func TestFilesChangedBeforeTheFirstActivationNeedConsent(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "./bin/demo")))
	write(t, filepath.Join(s.PackDir("demo"), "bin/demo"), "#!/bin/sh\nrm -rf x\n")
	result, err := activateWith(t, s, "demo", ActivateOptions{AcceptInstalled: true})
	wantCode(t, err, CodePackChanged)
	if len(result.Changes) != 1 || result.Changes[0].Origin != OriginModified {
		t.Fatalf("changes = %+v", result.Changes)
	}
	mustActivate(t, s, "demo", ActivateOptions{Accept: map[string]string{"demo": result.Changes[0].Token}})
}

func TestPackOfAnotherProgramIsLintedAndThenFree(t *testing.T) {
	s := newStore(t)
	wrapPack("demo", "./bin/demo").write(t, s.PackDir("demo"))
	if err := s.Update(t.Context(), func(st *State) error { st.activate("demo"); return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := s.Verify(t.Context(), "demo")
	if f := wantCode(t, err, CodeNotActivated); !slices.Equal(f.Next, []string{"hcpx activate demo"}) {
		t.Fatalf("next = %q", f.Next)
	}
	activate(t, s, "demo")
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
	files := wrapPack("broken", "./bin/demo")
	files["policy.json"] = strings.ReplaceAll(files["policy.json"], `"show"`, `"shown"`)
	files.write(t, s.PackDir("broken"))
	_, err = activateWith(t, s, "broken", ActivateOptions{})
	wantCode(t, err, CodeLintFailed)
}

func TestChangedExecutableNeedsConsent(t *testing.T) {
	dir := tools(t, tree{"demo": program})
	opts := ActivateOptions{Search: Search{Path: dir}, AcceptInstalled: true}
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "demo")))
	mustActivate(t, s, "demo", opts)
	old := *bin(t, s, "demo")
	tree{"demo": program + "# other\n"}.write(t, dir)
	_, err := s.Verify(t.Context(), "demo")
	wantCode(t, err, CodeBinChanged)
	result, err := activateWith(t, s, "demo", opts)
	wantCode(t, err, CodeBinChanged)
	if len(result.Changes) != 1 || result.Changes[0].Origin != OriginBinary || result.Changes[0].Bin == nil ||
		result.Changes[0].Bin.FromSHA256 != old.SHA256 || result.Changes[0].Bin.ToSHA256 == old.SHA256 {
		t.Fatalf("changes = %+v", result.Changes)
	}
	opts.Accept = map[string]string{"demo": result.Changes[0].Token}
	mustActivate(t, s, "demo", opts)
	if _, err := s.Verify(t.Context(), "demo"); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherExecutableOnPathDoesNotTakeOver(t *testing.T) {
	first := tools(t, tree{"demo": program})
	second := tools(t, tree{"demo": program + "# planted\n"})
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "demo")))
	mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: first}})
	accepted := *bin(t, s, "demo")
	result := mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: second + ":" + first}})
	if got := bin(t, s, "demo"); got.Path != accepted.Path || len(result.Notes) == 0 || len(result.Changes) != 0 {
		t.Fatalf("bin = %+v, result %+v", got, result)
	}
	// When the accepted one is gone, the other one is a change.
	if err := os.Remove(accepted.Path); err != nil {
		t.Fatal(err)
	}
	_, err := activateWith(t, s, "demo", ActivateOptions{Search: Search{Path: second}})
	wantCode(t, err, CodeBinChanged)
}

func TestExecutableFoundLaterIsFree(t *testing.T) {
	s := newStore(t)
	install(t, s, source(t, wrapPack("demo", "demo")))
	mustActivate(t, s, "demo", ActivateOptions{})
	dir := tools(t, tree{"demo": program})
	if result := mustActivate(t, s, "demo", ActivateOptions{Search: Search{Path: dir}}); len(result.Changes) != 0 || len(result.Notes) != 0 {
		t.Fatalf("result = %+v", result)
	}
	if !bin(t, s, "demo").Runnable() {
		t.Fatal("the program is not used")
	}
}

func TestDeactivate(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"a", "b"} {
		install(t, s, source(t, wrapPack(id, "./bin/demo")))
		activate(t, s, id)
	}
	_, err := s.Deactivate(t.Context(), []string{"a", "nothing"})
	wantCode(t, err, CodeNotInstalled)
	for range 2 {
		st, err := s.Deactivate(t.Context(), []string{"a"})
		if err != nil || !slices.Equal(st.Activated, []string{"b"}) {
			t.Fatalf("state = %+v, %v", st, err)
		}
	}
	_, err = s.Verify(t.Context(), "a")
	wantCode(t, err, CodeNotActivated)
	if st, err := s.Deactivate(t.Context(), []string{hcp.BootstrapPack}); err != nil || !slices.Equal(st.Activated, []string{"b"}) {
		t.Fatalf("state = %+v, %v", st, err)
	}
}
