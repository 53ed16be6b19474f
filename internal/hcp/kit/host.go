package kit

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"bridle/hcp"
	"bridle/internal/hcp/command"
	"bridle/internal/hcp/hcpx"
	"bridle/internal/hcp/host"
	"bridle/internal/hcp/local"
	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/cli"
)

// hostInput collects what hosts are configured from: the activated packs, as
// this Principal may use them. One that cannot be read is left out with a note.
func hostInput(ctx context.Context, c *cli.Call, rt *local.Runtime) (in host.Input, notes []string, err error) {
	in = host.Input{Home: c.Env.Get("HCP_HOME"), Store: rt.Store.Home()}
	in.CLI, notes = cliName(c)
	state, err := rt.Store.State()
	if err != nil {
		return in, nil, err
	}
	for _, id := range state.Activated {
		if id == hcp.BootstrapPack {
			continue // it describes the program itself, which every host starts
		}
		p, err := rt.Store.Pack(id)
		if err != nil {
			notes = append(notes, "pack "+id+" is left out: "+err.Error())
			continue
		}
		report, err := rt.Availability(ctx, id)
		if err != nil {
			return in, nil, err
		}
		in.Packs = append(in.Packs, hostPack(p, report))
	}
	return in, notes, nil
}

func hostPack(p *pack.Pack, report hcp.Availability) host.Pack {
	out := host.Pack{ID: p.ID, Name: p.Manifest.Name, Skill: p.Skill}
	for _, status := range report.Verbs {
		declared, _ := p.Command(status.VerbKey)
		out.Commands = append(out.Commands, host.Command{
			Key: status.VerbKey, Description: declared.Description, Operation: status.Operation, Land: status.Land,
			Confirm: status.Confirm, Executable: status.Executable, Reason: status.Reason,
			Parameters: parameters(&p.Manifest, status.VerbKey, declared),
		})
	}
	return out
}

// parameters is the JSON Schema of a command's arguments: the pack's own, or
// one made of the names that its command line has.
func parameters(m *hcp.Manifest, key string, declared hcp.Command) json.RawMessage {
	if len(declared.Args) > 0 {
		return declared.Args
	}
	properties := map[string]any{}
	required := []string{}
	args, err := command.Declared(m, key)
	for _, a := range args {
		properties[a.Name] = map[string]string{"type": "string"}
		if a.Required {
			required = append(required, a.Name)
		}
	}
	data, encodeErr := canon.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil || encodeErr != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return data
}

// cliName is the name by which hosts start the program: hcpx, and hcp only
// where nothing else on the PATH is this program.
func cliName(c *cli.Call) (name string, notes []string) {
	if onPath(c, hcpx.Name) != "" {
		return hcpx.Name, nil
	}
	if path := onPath(c, "hcp"); path != "" && besides(path, c.Executable) {
		return "hcp", nil
	}
	return hcpx.Name, []string{"hcpx is not on the PATH, where a host looks for it: put its folder there before the host starts"}
}

func onPath(c *cli.Call, name string) string {
	for _, dir := range filepath.SplitList(c.Env.Get("PATH")) {
		for _, file := range []string{name, name + ".exe"} {
			path := filepath.Join(dir, file)
			if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || file != name) {
				return path
			}
		}
	}
	return ""
}

// besides reports whether two files are in one folder, links followed: hcp is
// also the name of a program that has nothing to do with this one.
func besides(a, b string) bool {
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && slices.Contains([]string{filepath.Dir(realA), realA}, filepath.Dir(realB))
}
