package hook

import (
	_ "embed" // the plugin is part of the program
	"path/filepath"
	"strings"

	"bridle/internal/kernel/configedit"
)

//go:embed opencode.js
var opencodePlugin string

// opencode is OpenCode, whose hooks are functions of a plugin: a file of ours that
// passes its events on.
func opencode() Client {
	events := kinds{"chat.message": Prompt, "tool.execute.after": Work, "session.idle": Done}
	return Client{
		Name: "opencode", briefed: true,
		read: func(data []byte) (Event, error) {
			var p struct {
				Event   string `json:"hook_event_name"`
				Session string `json:"session_id"`
				Dir     string `json:"cwd"`
				Prompt  string `json:"prompt"`
				Answer  string `json:"answer"`
			}
			if err := decode(data, &p); err != nil {
				return Event{}, err
			}
			e, err := events.event(p.Event, p.Session, p.Dir)
			e.Text = textOf(e.Kind, p.Prompt, p.Answer)
			return e, err
		},
		answer: func(_ Event, r Reply) any {
			return struct {
				Context string            `json:"context,omitempty"`
				Message string            `json:"message,omitempty"`
				Env     map[string]string `json:"env,omitempty"`
			}{r.Context, r.Message, variables(r.Env)}
		},
		config: func(p Place) (string, configedit.File) {
			dir, path := p.folder(), ".opencode/plugin/hop.js"
			switch {
			case p.Scope == User && filepath.IsAbs(p.ConfigHome):
				dir, path = p.ConfigHome, "opencode/plugin/hop.js"
			case p.Scope == User:
				path = ".config/opencode/plugin/hop.js"
			}
			return dir, configedit.File{Path: path, Whole: opencodePlugin}
		},
	}
}

// variables are name=value entries as an object.
func variables(env []string) map[string]string {
	if len(env) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}
