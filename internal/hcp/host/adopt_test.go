package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

func input() Input {
	return Input{CLI: "hcpx", Store: "/home/you/.hcp", Packs: []Pack{{
		ID: "ledger", Name: "Ledger", Skill: "# HCP — Ledger\n\nPays.\n\nNeeds a login.\n\n## Hot path\n",
		Commands: []Command{
			{Key: "list", Description: "List entries.", Operation: hcp.OperationRead, Land: "local", Executable: true, Parameters: []byte(`{"type":"object"}`)},
			{Key: "send.it", Description: "Send it.", Operation: hcp.OperationWrite, Land: "local", Confirm: hcp.ConfirmAlways, Executable: true, Parameters: []byte(`{}`)},
			{Key: "send_it", Operation: hcp.OperationWrite, Land: "local", Executable: true, Parameters: []byte(`{}`)},
			{Key: "hidden", Operation: hcp.OperationRead, Land: "local", Reason: "missing verb.exec.read"},
		},
	}}}
}

func newWorkspace(t testing.TB) Workspace {
	t.Helper()
	return Workspace{Dir: t.TempDir(), Records: filepath.Join(t.TempDir(), "adopt"), Holder: "test"}
}

// tree reads every file and folder below a directory.
func tree(t interface{ Fatal(...any) }, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			all[filepath.ToSlash(rel)] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = "file " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(t interface{ Fatal(...any) }, dir, rel, text string) {
	path := filepath.Join(dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUndoneHostsLeaveTheWorkspaceAsItWas(t *testing.T) {
	names := make([]string, 0, 9)
	for _, target := range Targets() {
		names = append(names, target.Name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorkspace(t)
		for _, f := range []struct{ path, text string }{
			{".mcp.json", "{\"mcpServers\": {\"mine\": {\"command\": \"x\"}}}"},
			{".claude/settings.json", "{\r\n\t// mine\r\n\t\"permissions\": {\"deny\": []},\r\n}\r\n"},
			{"AGENTS.md", "# Mine"},
			{".grok/config.toml", "# mine\n[other]\nx = 1"},
			{"opencode.jsonc", "{}"},
			{".cursor/rules/other.mdc", "mine"},
			{".vscode/mcp.json", ""},
		} {
			if rapid.Bool().Draw(rt, f.path) {
				put(rt, w.Dir, f.path, f.text)
			}
		}
		before := tree(rt, w.Dir)
		order := rapid.Permutation(names).Draw(rt, "order")
		order = order[:rapid.IntRange(1, 3).Draw(rt, "hosts")]
		in := input()
		for round := range 2 {
			for _, name := range order {
				target, err := Find(name)
				if err != nil {
					rt.Fatal(err)
				}
				changes, err := Plan(w, target, in)
				if err != nil || !OK(changes) {
					rt.Fatal(name, err, changes)
				}
				if err := Write(t.Context(), w, target, changes); err != nil {
					rt.Fatal(name, err)
				}
			}
			if round == 0 && rapid.Bool().Draw(rt, "another store") {
				in.Home = "/elsewhere"
			}
		}
		for _, name := range rapid.Permutation(order).Draw(rt, "back") {
			target, _ := Find(name)
			if _, err := Undo(t.Context(), w, target); err != nil {
				rt.Fatal(name, err)
			}
		}
		if diff := cmp.Diff(before, tree(rt, w.Dir)); diff != "" {
			rt.Fatal(diff)
		}
		target, _ := Find(order[0])
		if _, err := Undo(t.Context(), w, target); !fault.Is(err, CodeNotAdopted) {
			rt.Fatal(err)
		}
	})
}

func write(t *testing.T, w Workspace, name string, in Input) []Change {
	t.Helper()
	target, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := Plan(w, target, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), w, target, changes); err != nil {
		t.Fatal(err)
	}
	return changes
}

// What a person changed since stays; what we put in goes.
func TestUndoAfterEditsTakesOutOurPartsOnly(t *testing.T) {
	w := newWorkspace(t)
	put(t, w.Dir, ".mcp.json", `{"mcpServers": {"mine": {}}}`)
	put(t, w.Dir, "AGENTS.md", "# Mine\n")
	write(t, w, "claude", input())
	write(t, w, "codex", input())
	edit := func(rel string, old, new string) {
		data, err := os.ReadFile(filepath.Join(w.Dir, rel))
		if err != nil || !strings.Contains(string(data), old) {
			t.Fatalf("%v: %s", err, data)
		}
		put(t, w.Dir, rel, strings.Replace(string(data), old, new, 1))
	}
	edit(".mcp.json", `{"mine": {}`, `{"mine": {}, "later": {}`)
	edit("AGENTS.md", "# Mine\n", "# Mine\n\nMore.\n")
	edit(".claude/settings.json", `"permissions": {`, `"model": "x", "permissions": {`)
	for _, name := range []string{"claude", "codex"} {
		target, _ := Find(name)
		if _, err := Undo(t.Context(), w, target); err != nil {
			t.Fatal(err)
		}
	}
	got := tree(t, w.Dir)
	want := map[string]string{
		".mcp.json": `file {"mcpServers": {"mine": {}, "later": {}}}`, "AGENTS.md": "file # Mine\n\nMore.\n",
		".claude": "folder", ".claude/settings.json": got[".claude/settings.json"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	left, err := canon.Canonical([]byte(strings.TrimPrefix(got[".claude/settings.json"], "file ")), canon.Limits{})
	if err != nil || string(left) != `{"model":"x"}` {
		t.Fatal(err, got[".claude/settings.json"])
	}
}

// An entry that was there already, from another machine, is not ours to remove.
func TestUndoLeavesWhatWasThereBefore(t *testing.T) {
	w := newWorkspace(t)
	text := `{"mcpServers":{"hcp":{"type":"stdio","command":"hcpx","args":["mcp"]}}}`
	put(t, w.Dir, ".mcp.json", text)
	write(t, w, "agent", input())
	target, _ := Find("agent")
	if _, err := Undo(t.Context(), w, target); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{".mcp.json": "file " + text}, tree(t, w.Dir)); diff != "" {
		t.Fatal(diff)
	}
}

func TestFileThatChangedSinceItWasLookedAtIsNotWritten(t *testing.T) {
	w := newWorkspace(t)
	target, _ := Find("claude")
	changes, err := Plan(w, target, input())
	if err != nil {
		t.Fatal(err)
	}
	put(t, w.Dir, ".mcp.json", "{}")
	if err := Write(t.Context(), w, target, changes); !fault.Is(err, CodeCannotEdit) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{".mcp.json": "file {}"}, tree(t, w.Dir)); diff != "" {
		t.Fatal(diff)
	}
}

func TestFilesOfEachHostAreJSONAndNameNoSecret(t *testing.T) {
	for _, target := range Targets() {
		w := newWorkspace(t)
		in := input()
		in.Home = "~/store"
		for _, c := range write(t, w, target.Name, in) {
			text := strings.TrimPrefix(tree(t, w.Dir)[c.Path], "file ")
			if strings.HasSuffix(c.Path, ".json") {
				if err := canon.Check([]byte(text), canon.Limits{}); err != nil {
					t.Errorf("%s %s: %v", target.Name, c.Path, err)
				}
			}
			if strings.Contains(text, "/home/you") {
				t.Errorf("%s %s names this machine", target.Name, c.Path)
			}
		}
	}
}

func TestToolsDropWhatMayNotRunAndNeverAConfirmMark(t *testing.T) {
	s := Generate(input(), DefaultLead)
	var names []string
	for _, tool := range s.Tools {
		names = append(names, tool.Name)
	}
	if diff := cmp.Diff([]string{"hcp__read_skill", "ledger__list", "ledger__send_it"}, names); diff != "" {
		t.Fatal(diff)
	}
	send := s.Tools[2]
	if !send.NeedsApproval || send.Confirm != hcp.ConfirmAlways || send.VerbKey != "send.it" || send.Description != "Send it. (write, land local, confirm always)" {
		t.Errorf("%+v", send)
	}
	if len(s.Notes) != 1 || s.Skills[0].Lead != "Pays.\nNeeds a login." || !strings.Contains(s.System, "`send.it` (write, land local, confirm always)") || strings.Contains(s.System, "hidden") {
		t.Errorf("%+v", s)
	}
	if again := Generate(input(), DefaultLead); again.System != s.System {
		t.Error("the system text is not stable")
	}
}
