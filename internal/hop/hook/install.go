package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/configedit"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Scope says for whom hooks are installed.
type Scope string

// The scopes.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// Place is where hooks are installed.
type Place struct {
	Scope Scope
	// Root is the project's root, Home the user's home folder.
	Root, Home string
	// CodexHome and ConfigHome are the folders that the environment names for
	// Codex and for configuration, or empty.
	CodexHome, ConfigHome string
	// Records is the folder that keeps what was installed.
	Records string
}

func (p Place) folder() string {
	if p.Scope == Project {
		return p.Root
	}
	return p.Home
}

// The seconds after which clients give a hook up: a prompt waits for its workspace,
// nothing else takes long.
const (
	short = 30
	long  = 120
)

// group is one event that the client is to pass on.
type group struct {
	event, matcher string
	seconds        int
}

// sign says who wrote a file that is wholly ours.
const sign = "Written by `hop hook install"

func commandOf(client string) string { return "hop hook " + client }

// Installed is what was done to the file of a client.
type Installed struct {
	Client string            `json:"client"`
	Path   string            `json:"path"`
	Action configedit.Action `json:"action"`
	Reason string            `json:"reason,omitempty"`
	Advice string            `json:"advice,omitempty"`
}

// Install puts the hooks of a client where it looks for them. What was there stays
// byte for byte, and a second time changes nothing. A file that cannot be edited is
// left alone, and what to add by hand comes back as the snippet.
func (c Client) Install(ctx context.Context, p Place) (out Installed, snippet string, err error) {
	folder, file, err := c.where(p)
	if err != nil {
		return out, "", err
	}
	changes := configedit.Plan(folder, []configedit.File{file})
	change := changes[0]
	out = Installed{Client: c.Name, Path: filepath.Join(folder.Dir, filepath.FromSlash(change.Path)), Action: change.Action, Advice: c.advice}
	if change.Action == configedit.Refused {
		return out, change.Snippet, fault.Newf(configedit.CodeCannotEdit, "%q cannot be edited: %s", out.Path, change.Reason).
			WithHint("nothing was written; mend the file, or add the hooks by hand")
	}
	return out, "", configedit.Write(ctx, folder, c.Name, changes)
}

// Uninstall takes the hooks of a client out again.
func (c Client) Uninstall(ctx context.Context, p Place) (Installed, error) {
	folder, file, err := c.where(p)
	if err != nil {
		return Installed{}, err
	}
	out := Installed{Client: c.Name, Path: filepath.Join(folder.Dir, filepath.FromSlash(file.Path))}
	changes, err := configedit.Undo(ctx, folder, c.Name)
	if fault.Is(err, configedit.CodeNotWritten) {
		return c.takeOut(ctx, folder, file, out)
	}
	if err != nil {
		return out, err
	}
	out.Action, out.Reason = changes[0].Action, changes[0].Reason
	return out, nil
}

// takeOut takes hooks out that another machine installed, or that stood there when
// the project was somewhere else: entries that do nothing but run our command.
func (c Client) takeOut(ctx context.Context, folder configedit.Folder, file configedit.File, out Installed) (Installed, error) {
	none := fault.Newf(configedit.CodeNotWritten, "no hooks of %s are installed in %q", c.Name, out.Path)
	text, err := os.ReadFile(out.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && strings.TrimSpace(string(text)) == "" {
		return out, none
	}
	if err != nil {
		return out, durable.Explain("read", out.Path, err)
	}
	if file.Whole != "" {
		if !strings.Contains(string(text), sign) {
			return out, none
		}
		out.Action = configedit.Remove
		return out, durable.Explain("remove", out.Path, os.Remove(out.Path))
	}
	file.Edit = func(e *configedit.Edit) error { return removeHooks(e, commandOf(c.Name)) }
	changes := configedit.Plan(folder, []configedit.File{file})
	switch changes[0].Action {
	case configedit.Refused:
		return out, fault.Newf(configedit.CodeCannotEdit, "%q cannot be edited: %s", out.Path, changes[0].Reason).
			WithHint("mend the file, or take out by hand what runs %q", commandOf(c.Name))
	case configedit.Same, configedit.Create:
		return out, none
	case configedit.Modify, configedit.Restore, configedit.Remove, configedit.Kept:
	}
	out.Action = configedit.Restore
	return out, configedit.Amend(ctx, folder, changes)
}

// removeHooks takes the entries out of all lists of hooks that run the command and
// nothing else.
func removeHooks(e *configedit.Edit, command string) error {
	list, found, err := e.Value("hooks")
	if err != nil || !found {
		return err
	}
	var events map[string]any
	if err := canon.Decode(list, &events, canon.Limits{}); err != nil {
		return err
	}
	for event := range events {
		err := e.RemoveItems([]string{"hooks", event}, func(item []byte) bool { return runsOnly(item, command) })
		if err != nil {
			return err
		}
	}
	return nil
}

// hookItem is an entry of a list: a command, or a group of commands.
type hookItem struct {
	Command string `json:"command"`
	Hooks   []struct {
		Command string `json:"command"`
	} `json:"hooks"`
}

func runsOnly(item []byte, command string) bool {
	var i hookItem
	if _, err := canon.DecodeOpen(item, &i, canon.Limits{}); err != nil {
		return false
	}
	for _, h := range i.Hooks {
		if h.Command != command {
			return false
		}
	}
	return i.Command == command || i.Command == "" && len(i.Hooks) > 0
}

func (c Client) where(p Place) (configedit.Folder, configedit.File, error) {
	dir, file := c.config(p)
	if !filepath.IsAbs(dir) {
		return configedit.Folder{}, file, fault.Newf("no_home", "there is no home folder to install the hooks of %s in", c.Name).
			WithHint("install them for a project with --project")
	}
	return configedit.Folder{Dir: dir, Records: p.Records, Holder: "hop hook", Signs: []string{sign}}, file, nil
}

// grouped is the file of a client whose lists hold groups of commands, each with a
// pattern of the tools it is for. Limits are in seconds times unit.
func grouped(path, client string, unit int, events []group) configedit.File {
	type entry struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	type item struct {
		Matcher string  `json:"matcher,omitempty"`
		Hooks   []entry `json:"hooks"`
	}
	return hooksFile(path, client, events, func(g group) any {
		return item{g.matcher, []entry{{"command", commandOf(client), g.seconds * unit}}}
	}, nil)
}

// hooksFile edits a JSON file with one list of hooks for each event. Where a list
// has our command already, in whatever form, it stays as it is.
func hooksFile(path, client string, events []group, item func(group) any, more func(*configedit.Edit) error) configedit.File {
	snippet := map[string][]any{}
	for _, g := range events {
		snippet[g.event] = []any{item(g)}
	}
	return configedit.File{
		Path: path, Format: configedit.FormatJSON,
		Snippet: configedit.Indented(map[string]any{"hooks": snippet}),
		Edit: func(e *configedit.Edit) error {
			if more != nil {
				if err := more(e); err != nil {
					return err
				}
			}
			for _, g := range events {
				list, found, err := e.Value("hooks", g.event)
				if err != nil {
					return err
				}
				if found && runs(list, commandOf(client)) {
					continue
				}
				if err := e.AddItems([]string{"hooks", g.event}, configedit.Compact(item(g))); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// runs reports whether a list of hooks has an entry that runs the command.
func runs(list []byte, command string) bool {
	var items []hookItem
	if _, err := canon.DecodeOpen(list, &items, canon.Limits{}); err != nil {
		return false
	}
	for _, i := range items {
		if i.Command == command {
			return true
		}
		for _, h := range i.Hooks {
			if h.Command == command {
				return true
			}
		}
	}
	return false
}
