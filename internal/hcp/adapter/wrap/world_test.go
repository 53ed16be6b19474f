package wrap

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/binding"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/pack"
)

// world is a machine of the test: packs, jails and a project, all below one
// temporary directory.
type world struct {
	t       testing.TB
	dir     string
	store   string
	home    string
	project string
	local   *Local
	options Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return worldAt(t, dir)
}

func worldAt(t testing.TB, dir string) *world {
	t.Helper()
	w := &world{
		t: t, dir: dir, store: filepath.Join(dir, "home", ".hcp"),
		home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home", "project"),
	}
	for _, d := range []string{w.store, w.project, filepath.Join(w.store, "packs")} {
		w.mkdir(d)
	}
	w.local = &Local{Jails: dirJails{filepath.Join(w.store, "jails")}, Limits: Limits{Home: w.home, Store: w.store}}
	w.options = Options{Driver: w.local, Limits: w.local.Limits}
	return w
}

// open makes the project the caller's.
func (w *world) open() *Project {
	w.t.Helper()
	p, err := OpenProject(w.project, w.local.Limits)
	if err != nil {
		w.t.Fatal(err)
	}
	w.local.Project = p
	w.local.Guard = &GitGuard{Dir: filepath.Join(w.store, "guard"), Holder: "test"}
	return p
}

func (w *world) mkdir(dir string) {
	w.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(path, text string, mode os.FileMode) string {
	w.t.Helper()
	w.mkdir(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// toolPack is a pack around a shell script. The script is the body of bin/tool;
// commands map a key to the words of its cli[] behind the name.
func (w *world) toolPack(script string, workspace *hcp.Workspace, commands map[string][]string) *pack.Pack {
	w.t.Helper()
	dir := filepath.Join(w.store, "packs", "tool")
	w.write(filepath.Join(dir, "bin", "tool"), "#!/bin/sh\n"+script+"\n", 0o755)
	m := map[string]any{
		"id": "tool", "kind": "wrap", "binding": map[string]any{"mode": "public"},
		"wrap": map[string]any{"bin": "./bin/tool", "json_flag": []string{}, "agent_env": map[string]string{"TOOL_OUTPUT": "json"}},
	}
	if workspace != nil {
		m["wrap"].(map[string]any)["workspace"] = workspace
	}
	verbs, rows := map[string]any{}, map[string]any{}
	for key, words := range commands {
		verbs[key] = map[string]any{"description": key, "cli": append([]string{"tool"}, words...)}
		rows[key] = map[string]any{"operation": "read", "privacy": map[string]any{"land": "local"}}
	}
	m["verbs"] = verbs
	w.write(filepath.Join(dir, "surface.json"), w.json(m), 0o644)
	w.write(filepath.Join(dir, "policy.json"), w.json(map[string]any{"surface_id": "tool", "verbs": rows}), 0o644)
	w.write(filepath.Join(dir, "HARNESS.md"), "# tool\n", 0o644)
	return w.loadTool()
}

func (w *world) loadTool() *pack.Pack {
	w.t.Helper()
	p, err := pack.Load(filepath.Join(w.store, "packs", "tool"))
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) json(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// request is a call as the pipeline hands it over.
func (w *world) request(p *pack.Pack, key string, args hcp.Args) adapter.Request {
	w.t.Helper()
	argv, err := command.Render(&p.Manifest, key, args)
	if err != nil {
		w.t.Fatal(err)
	}
	bin := filepath.Join(p.Dir, "bin", "tool")
	return adapter.Request{
		Pack: p, Key: key, Operation: hcp.OperationWrite, Land: hcp.LandLocal, Args: maps.Clone(args), Argv: argv,
		Bin:        adapter.Bin{Name: "./bin/tool", Path: bin, Argv0: bin, Interpreters: []string{"/bin/sh"}},
		Scope:      hcp.AuthzContext{Principal: hcp.Principal{ID: "ann"}, TenantID: hcp.LocalTenant},
		Sandbox:    hcp.Sandboxed,
		Credential: binding.Public(),
	}
}

func (w *world) run(r adapter.Request) adapter.Outcome {
	w.t.Helper()
	return New(w.options).Run(w.t.Context(), r)
}

// lines runs a call that must succeed and returns what it printed.
func (w *world) lines(r adapter.Request) []string {
	w.t.Helper()
	out := w.run(r)
	if out.Failure != nil {
		w.t.Fatalf("%s: %v (hint %s, notes %q)", out.Failure.Code, out.Failure, out.Failure.Hint, out.Notes)
	}
	return strings.Split(strings.TrimSuffix(string(out.Stdout.Head), "\n"), "\n")
}

// dirJails keeps jails below a directory.
type dirJails struct{ dir string }

func (j dirJails) Jail(packID, owner string) (Jail, error) {
	return j.at(filepath.Join(j.dir, packID, fmt.Sprintf("%x", owner)))
}

func (j dirJails) Ephemeral() (Jail, error) {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return Jail{}, err
	}
	dir, err := os.MkdirTemp(j.dir, "call-")
	if err != nil {
		return Jail{}, err
	}
	jail, err := j.at(dir)
	jail.Close = func() { _ = os.RemoveAll(dir) }
	return jail, err
}

func (j dirJails) at(dir string) (Jail, error) {
	jail := Jail{Home: filepath.Join(dir, "home"), Tmp: filepath.Join(dir, "tmp"), Work: filepath.Join(dir, "work")}
	for _, d := range []string{jail.Home, jail.Tmp, jail.Work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return Jail{}, err
		}
	}
	return jail, nil
}

// jail is the lasting jail of the test's pack and Principal.
func (w *world) jail() Jail {
	j, err := w.local.Jails.Jail("tool", "ann")
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

// next runs an ordinary call and returns its notes.
func (w *world) next() (notes, code string) {
	w.t.Helper()
	p := w.toolPack(`true`, &hcp.Workspace{Mode: hcp.WorkspaceProject}, map[string][]string{"x": {}})
	out := w.run(w.request(p, "x", nil))
	if out.Failure != nil {
		return strings.Join(out.Notes, "\n"), out.Failure.Code + ": " + out.Failure.Message + "; " + out.Failure.Hint
	}
	return strings.Join(out.Notes, "\n"), ""
}
