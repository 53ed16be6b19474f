package hcpruntime

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
)

// packOptions describe a wrap pack of a test.
type packOptions struct {
	binding   string
	workspace string
	bin       string // default ./bin/tool
	plane     string
}

// verb is one command of a test's pack: what it does in the script (a branch
// of a case), its arguments in order, and its Policy.
type verb struct {
	key, script string
	args        []string
	write       bool
	confirm     any
	land        string
}

// writePack makes a wrap pack around a shell script that runs the branch of the
// command.
func writePack(t testing.TB, dir, id string, o packOptions, commands ...verb) string {
	t.Helper()
	if o.binding == "" {
		o.binding = "public"
	}
	if o.bin == "" {
		o.bin = "./bin/tool"
	}
	wrap := map[string]any{"bin": o.bin, "json_flag": []string{}}
	if o.workspace != "" {
		wrap["workspace"] = map[string]any{"mode": o.workspace}
	}
	verbs, rows := map[string]any{}, map[string]any{}
	var script, skill strings.Builder
	script.WriteString("#!/bin/sh\ncase \"$1\" in\n")
	skill.WriteString("# " + id + "\n\nRuns the test's commands.\n\n| Command | Does |\n|---|---|\n")
	for _, c := range commands {
		cli := []string{id, c.key}
		for _, a := range c.args {
			cli = append(cli, "{{"+a+"}}")
		}
		properties := map[string]any{}
		for _, a := range c.args {
			properties[a] = map[string]any{"type": "string", "description": a}
		}
		verbs[c.key] = map[string]any{"description": "Runs " + c.key + ".", "cli": cli, "args": map[string]any{"type": "object", "properties": properties}}
		land := c.land
		if land == "" {
			land = "personal"
		}
		row := map[string]any{"operation": "read", "privacy": map[string]any{"land": land}}
		if c.write {
			row["operation"] = "write"
		}
		if c.confirm != nil {
			row["confirm"] = c.confirm
		}
		rows[c.key] = row
		script.WriteString(c.key + ") shift\n" + c.script + "\n;;\n")
		skill.WriteString("| `" + c.key + "` | does it |\n")
	}
	script.WriteString("esac\n")
	surface := map[string]any{"id": id, "kind": "wrap", "cliBin": id, "wrap": wrap, "verbs": verbs, "binding": map[string]any{"mode": o.binding}}
	if o.plane != "" {
		surface["plane"] = o.plane
	}
	root := filepath.Join(dir, id)
	writeFile(t, filepath.Join(root, "surface.json"), encode(t, surface), 0o644)
	writeFile(t, filepath.Join(root, "policy.json"), encode(t, map[string]any{"surface_id": id, "version": 1, "verbs": rows}), 0o644)
	writeFile(t, filepath.Join(root, "HARNESS.md"), skill.String(), 0o644)
	if strings.HasPrefix(o.bin, "./") {
		writeFile(t, filepath.Join(root, "bin", "tool"), script.String(), 0o755)
	}
	return root
}

func encode(t testing.TB, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// open creates a runtime that is closed with the test and activates all packs.
func open(t testing.TB, o Options) *Runtime {
	t.Helper()
	r, err := Create(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	packs, err := r.ListPacks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		if err := r.Activate(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// gold are the directories of the packs that come with the project.
func gold(ids ...string) []string {
	dirs := make([]string, len(ids))
	for i, id := range ids {
		dirs[i] = filepath.Join("..", "..", "packs", id)
	}
	return dirs
}

func wantCode(t *testing.T, err error, code, message string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != code || e.Message != message {
		t.Errorf("got %#v, want %s: %s", err, code, message)
	}
}

func grants(capabilities ...hcp.Capability) []hcp.Grant {
	list := []hcp.Grant{}
	for _, c := range capabilities {
		list = append(list, hcp.Grant{Capability: c})
	}
	return list
}

func hasNote(r hcp.ExecResult, part string) bool {
	return slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, part) })
}
