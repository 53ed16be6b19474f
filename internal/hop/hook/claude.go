package hook

import "bridle/internal/kernel/configedit"

// claude is Claude Code.
func claude() Client {
	events := kinds{"SessionStart": Start, "UserPromptSubmit": Prompt, "PostToolUse": Work, "Stop": Done, "SessionEnd": Work}
	return Client{
		Name: "claude", briefed: true, envFiles: []string{"CLAUDE_ENV_FILE"},
		read: func(data []byte) (Event, error) {
			var p struct {
				Event   string `json:"hook_event_name"`
				Session string `json:"session_id"`
				Dir     string `json:"cwd"`
				Prompt  string `json:"prompt"`
				Answer  string `json:"last_assistant_message"`
			}
			if err := decode(data, &p); err != nil {
				return Event{}, err
			}
			e, err := events.event(p.Event, p.Session, p.Dir)
			e.Text = textOf(e.Kind, p.Prompt, p.Answer)
			return e, err
		},
		answer: answerLines,
		config: func(p Place) (string, configedit.File) {
			return p.folder(), grouped(".claude/settings.json", "claude", 1, []group{
				{"SessionStart", "", short},
				{"UserPromptSubmit", "", long},
				{"PostToolUse", "Bash|Edit|MultiEdit|Write|NotebookEdit", short},
				{"Stop", "", short},
				{"SessionEnd", "", short},
			})
		},
	}
}

// textOf picks the text that belongs to an event.
func textOf(kind Kind, prompt, answer string) string {
	switch kind {
	case Prompt:
		return prompt
	case Done:
		return answer
	default:
		return ""
	}
}
