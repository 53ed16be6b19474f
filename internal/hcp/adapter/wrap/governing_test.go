package wrap

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridle/hcp"
	"bridle/internal/kernel/fault"
)

const readonlyMode = `{"mode":"read-only"}`

// governed is a world whose project has access settings and a host's settings.
func governed(t *testing.T, script string) (*world, func() (code, message string)) {
	t.Helper()
	w, run := guarded(t, script)
	w.write(filepath.Join(w.project, ".hcp", "access.json"), readonlyMode, 0o644)
	w.write(filepath.Join(w.project, ".claude", "settings.json"), `{"hooks":{}}`, 0o644)
	w.write(filepath.Join(w.project, "nested", ".git", "HEAD"), "ref: refs/heads/main\n", 0o644)
	w.mkdir(filepath.Join(w.project, "nested", ".git", "objects"))
	w.mkdir(filepath.Join(w.project, "nested", ".git", "refs"))
	w.write(filepath.Join(w.project, "nested", ".hcp", "access.json"), readonlyMode, 0o644)
	return w, run
}

func TestSettingsThatGovernTheProjectAreUndone(t *testing.T) {
	for name, script := range map[string]string{
		"settings removed":       `rm .hcp/access.json`,
		"settings rewritten":     `echo '{"mode":"evil"}' > .hcp/access.json`,
		"settings moved":         `mv .hcp evil`,
		"folder removed":         `rm -r .hcp`,
		"folder became a link":   `mv .hcp evil; mkdir other; ln -s other .hcp`,
		"settings became a link": `mv .hcp/access.json other; ln -s ../other .hcp/access.json`,
		"settings became a pipe": `rm .hcp/access.json; mkfifo .hcp/access.json`,
		"settings closed":        `chmod 0 .hcp/access.json`,
		"opted out":              `: > .hcp/no-adopt`,
		"of a nested repository": `rm -r nested/.hcp`,
		"hooks of a host":        `echo '{"hooks":{"evil":1}}' > .claude/settings.json`,
		"local hooks":            `echo evil > .claude/settings.local.json`,
		"script of a hook":       `mkdir -p .claude/hooks; echo evil > .claude/hooks/stop.sh`,
		"servers":                `echo evil > .mcp.json`,
		"servers of an editor":   `mkdir -p .vscode .cursor; echo evil > .vscode/mcp.json; echo evil > .cursor/mcp.json`,
		"tasks of an editor":     `mkdir -p .vscode; echo evil > .vscode/tasks.json`,
		"codex":                  `mkdir -p .codex; echo evil > .codex/config.toml`,
		"gemini":                 `mkdir -p .gemini; echo evil > .gemini/settings.json`,
		"opencode":               `mkdir -p .opencode/plugin; echo evil > .opencode/plugin/x.ts; echo evil > opencode.json`,
		"through a link":         `mkdir cx; ln -s cx .codex; echo evil > .codex/config.toml`,
		"after a failure":        `echo evil > .mcp.json; exit 3`,
	} {
		t.Run(name, func(t *testing.T) {
			w, run := governed(t, script)
			code, message := run()
			if code != CodeSettingsChanged || !strings.Contains(message, "undone") {
				t.Fatalf("code %q, %s", code, message)
			}
			for _, file := range []string{".hcp/access.json", "nested/.hcp/access.json"} {
				if text := w.read(filepath.Join(w.project, file)); text != readonlyMode {
					t.Errorf("%s: %q", file, text)
				}
			}
			if text := w.read(filepath.Join(w.project, ".claude", "settings.json")); text != `{"hooks":{}}` {
				t.Error(text)
			}
			for _, folder := range []string{".hcp", ".claude", ".codex", ".cursor", ".vscode", ".gemini", ".opencode", ".mcp.json", "opencode.json"} {
				if path := filepath.Join(w.project, folder); exist(path) && strings.Contains(strings.ReplaceAll(w.state(path), "evil/", ""), "evil") {
					t.Errorf("still there:\n%s", w.state(path))
				}
			}
		})
	}
}

func exist(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// What an agent reads, and what a host keeps for itself while it works, is not
// the guard's.
func TestOrdinaryFilesOfHostsStay(t *testing.T) {
	for name, script := range map[string]string{
		"instructions": `echo x > CLAUDE.md; echo x > AGENTS.md; mkdir -p .claude/skills/x .claude/agents; echo x > .claude/skills/x/SKILL.md; echo x > .claude/agents/x.md`,
		"sessions":     `mkdir -p .codex/sessions; echo x > .codex/sessions/1.jsonl; echo x > .codex/auth.json`,
		"elsewhere":    `mkdir -p lib/.claude; echo x > lib/.claude/settings.json`,
		"a new clone":  `mkdir -p new/.git/objects new/.git/refs new/.vscode; echo 'ref: refs/heads/main' > new/.git/HEAD; echo x > new/.vscode/settings.json`,
		"a clone goes": `rm -rf nested`,
	} {
		t.Run(name, func(t *testing.T) {
			_, run := governed(t, script)
			if code, message := run(); code != "" {
				t.Fatalf("%s: %s", code, message)
			}
		})
	}
}

// The same holds in every folder on the way from the caller's to the root, also
// while a call from another folder is under way.
func TestFoldersOnTheWayToTheRootAreGuarded(t *testing.T) {
	w, _ := governed(t, "")
	deep := filepath.Join(w.project, "a", "b")
	settings := w.write(filepath.Join(deep, ".claude", "settings.json"), "{}", 0o644)
	above, guard := w.local.Project, w.local.Guard
	below, err := OpenProject(deep, w.local.Limits)
	if err != nil {
		t.Fatal(err)
	}
	first, _, err := guard.enter(t.Context(), above)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := guard.enter(short, below); fault.CodeOf(err) != "locked" && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal("a call joined others whose baseline lacks what governs it:", err)
	}
	if _, err := first.end(); err != nil {
		t.Fatal(err)
	}
	second, _, err := guard.enter(t.Context(), below)
	if err != nil {
		t.Fatal(err)
	}
	w.write(settings, "evil", 0o644)
	if _, err := second.end(); fault.CodeOf(err) != CodeSettingsChanged || w.read(settings) != "{}" {
		t.Fatal(err, w.read(settings))
	}
}

func TestBothKindsOfTamperingAreTold(t *testing.T) {
	_, run := governed(t, `rm .hcp/access.json; echo evil > .git/hooks/post-checkout`)
	code, message := run()
	if code != CodeGitConfigChanged || !strings.Contains(message, ".hcp/access.json") || !strings.Contains(message, "settings that say what runs") {
		t.Fatalf("%s: %s", code, message)
	}
}

func TestReadCannotTouchWhatGovernsTheProject(t *testing.T) {
	w, _ := governed(t, "")
	before := w.state(w.project)
	for _, script := range []string{`rm .hcp/access.json`, `mv .hcp x`, `mv nested x`, `echo x > .hcp/access.json`} {
		if out := w.readCall(script + " || exit 9"); out.Failure == nil || *out.ExitCode != 9 {
			t.Errorf("%s: %v", script, out.Failure)
		}
	}
	if after := w.state(w.project); after != before {
		t.Error(after)
	}
}

// A call of a single-use place carries results into the project, and no
// settings among them.
func TestResultsAreNoSettings(t *testing.T) {
	for _, name := range []string{".mcp.json", ".claude/settings.json", "a/.vscode/tasks.json", ".Codex/config.toml", ".hcp/access.json", ".claude"} {
		w := newWorld(t)
		w.open()
		p := w.toolPack(`mkdir -p "$(dirname "$2")"; echo x > "$2"`, &hcp.Workspace{Mode: hcp.WorkspaceEphemeral}, map[string][]string{"x": {"--output", "{{to}}"}})
		out := w.run(w.request(p, "x", hcp.Args{"to": name}))
		if out.Started || out.Failure == nil || out.Failure.Code != CodeBadFile {
			t.Errorf("%s: %+v", name, out)
		}
	}
	w := newWorld(t)
	w.open()
	p := w.toolPack(`mkdir -p out/.vscode; echo x > out/.vscode/tasks.json; echo x > out/a`, &hcp.Workspace{Mode: hcp.WorkspaceEphemeral}, map[string][]string{"x": {"--output", "out"}})
	if out := w.run(w.request(p, "x", nil)); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	if exist(filepath.Join(w.project, "out", ".vscode", "tasks.json")) || !exist(filepath.Join(w.project, "out", "a")) {
		t.Error("a folder of results carried settings")
	}
}
