package hook

import "bridle/internal/kernel/configedit"

// cursor is Cursor. It takes a context when a conversation starts, and none with a
// message.
func cursor() Client {
	events := kinds{
		"sessionStart": Start, "beforeSubmitPrompt": Prompt, "afterShellExecution": Work, "afterFileEdit": Work,
		"afterAgentResponse": Done, "stop": Work, "sessionEnd": Work,
	}
	return Client{
		Name: "cursor",
		read: func(data []byte) (Event, error) {
			var p struct {
				Event        string   `json:"hook_event_name"`
				Session      string   `json:"session_id"`
				Conversation string   `json:"conversation_id"`
				Roots        []string `json:"workspace_roots"`
				Prompt       string   `json:"prompt"`
				Answer       string   `json:"text"`
			}
			if err := decode(data, &p); err != nil {
				return Event{}, err
			}
			if p.Conversation == "" {
				p.Conversation = p.Session
			}
			e, err := events.event(p.Event, p.Conversation, "")
			if len(p.Roots) > 0 {
				e.Dir = p.Roots[0]
			}
			e.Text = textOf(e.Kind, p.Prompt, p.Answer)
			return e, err
		},
		answer: func(e Event, r Reply) any {
			out := struct {
				Continue bool              `json:"continue"`
				Context  string            `json:"additional_context,omitempty"`
				Env      map[string]string `json:"env,omitempty"`
			}{Continue: true}
			if e.Kind == Start {
				out.Context, out.Env = r.Context, variables(r.Env)
			}
			return out
		},
		config: func(p Place) (string, configedit.File) { return p.folder(), cursorFile() },
	}
}

// cursorFile is the file of Cursor, whose lists hold commands without groups.
func cursorFile() configedit.File {
	limits := []group{
		{"sessionStart", "", short},
		{"beforeSubmitPrompt", "", long},
		{"afterShellExecution", "", short},
		{"afterFileEdit", "", short},
		{"afterAgentResponse", "", short},
		{"stop", "", short},
		{"sessionEnd", "", short},
	}
	type entry struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	return hooksFile(".cursor/hooks.json", "cursor", limits, func(g group) any { return entry{commandOf("cursor"), g.seconds} }, func(e *configedit.Edit) error {
		if _, found, err := e.Value("version"); err != nil || found {
			return err
		}
		return e.Set([]string{"version"}, "1")
	})
}
