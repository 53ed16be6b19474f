package hook

import (
	"path/filepath"

	"bridle/internal/kernel/configedit"
)

// codex is Codex. Its payloads and answers are those of Claude Code, but that it
// refuses members it does not know.
func codex() Client {
	c := claude()
	c.Name, c.envFiles = "codex", []string{"CODEX_ENV_FILE", "CLAUDE_ENV_FILE"}
	c.advice = "Codex runs a new hook only after you have looked at it: answer its question, or open /hooks"
	c.config = func(p Place) (string, configedit.File) {
		dir, path := p.folder(), ".codex/hooks.json"
		if p.Scope == User && filepath.IsAbs(p.CodexHome) {
			dir, path = p.CodexHome, "hooks.json"
		}
		return dir, grouped(path, "codex", 1, []group{
			{"SessionStart", "", short}, {"UserPromptSubmit", "", long}, {"PostToolUse", "Bash|apply_patch|Edit|Write", short}, {"Stop", "", short},
		})
	}
	return c
}
