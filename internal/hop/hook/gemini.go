package hook

import "bridle/internal/kernel/configedit"

// gemini is the Gemini CLI.
func gemini() Client {
	events := kinds{"SessionStart": Start, "BeforeAgent": Prompt, "AfterTool": Work, "AfterAgent": Done, "SessionEnd": Work}
	return Client{
		Name: "gemini", briefed: true,
		read: func(data []byte) (Event, error) {
			var p struct {
				Event   string `json:"hook_event_name"`
				Session string `json:"session_id"`
				Dir     string `json:"cwd"`
				Prompt  string `json:"prompt"`
				Answer  string `json:"prompt_response"`
			}
			if err := decode(data, &p); err != nil {
				return Event{}, err
			}
			e, err := events.event(p.Event, p.Session, p.Dir)
			e.Text = textOf(e.Kind, p.Prompt, p.Answer)
			return e, err
		},
		answer: answerLines,
		advice: "Gemini CLI reads the hooks of a project only where you trust its folder",
		config: func(p Place) (string, configedit.File) {
			return p.folder(), grouped(".gemini/settings.json", "gemini", 1000, []group{
				{"SessionStart", "", short},
				{"BeforeAgent", "", long},
				{"AfterTool", "run_shell_command|write_file|replace", short},
				{"AfterAgent", "", short},
				{"SessionEnd", "", short},
			})
		},
	}
}
