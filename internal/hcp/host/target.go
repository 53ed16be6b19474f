package host

import (
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/configedit"
	"bridle/internal/kernel/fault"
)

// Target is one host that can be configured.
type Target struct {
	Name    string
	Aliases []string
	// files are what is written into the workspace.
	files func(in Input) []configedit.File
	// manual is what the person has to add by hand, outside of the workspace.
	manual func(in Input) []Manual
}

// Manual is a piece of configuration for a file that is not the workspace's.
type Manual struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Targets lists the hosts.
func Targets() []Target {
	return []Target{agentTarget(), claudeTarget(), codexTarget(), cursorTarget(), geminiTarget(), grokTarget(), mcpTarget(), opencodeTarget(), vscodeTarget()}
}

// CodeUnknownHost is a host that cannot be configured.
const CodeUnknownHost = "unknown_host"

// Find returns the target of a host.
func Find(name string) (Target, error) {
	var names []string
	for _, t := range Targets() {
		for _, known := range append([]string{t.Name}, t.Aliases...) {
			if known == name {
				return t, nil
			}
			names = append(names, known)
		}
	}
	f := fault.Newf(CodeUnknownHost, "no host is called %q", name)
	if near := fault.Closest(name, names); near != "" {
		return Target{}, f.WithHint("did you mean %q?", near).WithNext("hcpx adopt " + near + " --json")
	}
	return Target{}, f.WithHint("the hosts are %s; agent is for any other", strings.Join(names, ", ")).WithNext("hcpx adopt agent --json")
}

// Names lists what Find knows.
func Names() []string {
	var names []string
	for _, t := range Targets() {
		names = append(append(names, t.Name), t.Aliases...)
	}
	return names
}

// pointer is how a host's own file tells where the packs come from.
type pointer struct {
	Enabled   bool     `json:"enabled"`
	Home      string   `json:"home"`
	Activated []string `json:"activated"`
	Sandbox   string   `json:"sandbox"`
	CLI       string   `json:"cli"`
}

func pointerOf(in Input) pointer {
	return pointer{Enabled: true, Home: in.shownHome(), Activated: in.ids(), Sandbox: "sandbox", CLI: in.CLI}
}

// shownHome is the store as a file that is shared may name it.
func (in Input) shownHome() string {
	if in.Home != "" {
		return in.Home
	}
	return "~/.hcp"
}

func (in Input) ids() []string {
	ids := []string{}
	for i := range in.Packs {
		ids = append(ids, in.Packs[i].ID)
	}
	return ids
}

// env is what a server has to be started with. It names the store only where
// the person did, so that the file serves on every machine.
func (in Input) env() map[string]string {
	if in.Home == "" {
		return nil
	}
	return map[string]string{"HCP_HOME": in.Home}
}

// server is the entry of a host that keeps command and arguments apart.
type server struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// serverFile edits a file that lists MCP servers in one object. Kind is the
// value of type, where the host wants one.
func serverFile(in Input, path, list, kind string) configedit.File {
	entry := server{Type: kind, Command: in.CLI, Args: []string{"mcp"}, Env: in.env()}
	return configedit.File{
		Path: path, Format: configedit.FormatJSON,
		Snippet: configedit.Indented(map[string]any{list: map[string]any{"hcp": entry}}),
		Edit:    func(e *configedit.Edit) error { return setServer(e, []string{list, "hcp"}, entry) },
	}
}

// setServer registers our server. An entry of ours keeps what a person added to
// it; one of the same name that starts something else is theirs.
func setServer(e *configedit.Edit, path []string, s server) error {
	entry, found, err := e.Value(path...)
	if err != nil {
		return err
	}
	if !found {
		return e.Set(path, configedit.Compact(s))
	}
	var old struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	_, err = canon.DecodeOpen(entry, &old, canon.Limits{})
	if err != nil || !isCLI(old.Command) || len(old.Args) == 0 || old.Args[0] != "mcp" {
		return errForeign(path)
	}
	in := func(name string) []string { return append(append([]string{}, path...), name) }
	if s.Type != "" {
		if err := e.Set(in("type"), configedit.Quote(s.Type)); err != nil {
			return err
		}
	}
	if err := e.Set(in("command"), configedit.Quote(s.Command)); err != nil {
		return err
	}
	for name, value := range s.Env {
		if err := e.Set(append(in("env"), name), configedit.Quote(value)); err != nil {
			return err
		}
	}
	return nil
}

// isCLI reports whether a command is one of the two names of the program.
func isCLI(command string) bool { return command == "hcpx" || command == "hcp" }

func errForeign(path []string) error {
	return fault.Newf(CodeCannotEdit, "%s starts something else already", configedit.Place(path))
}

// Paths lists the files of the target in the workspace.
func (t Target) Paths(in Input) []string {
	var paths []string
	for _, f := range t.files(in) {
		paths = append(paths, f.Path)
	}
	return paths
}
