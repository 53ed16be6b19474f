package host

import "strings"

// The signs by which a file that is wholly ours is known.
const (
	sign     = "Written by `hcpx adopt`"
	signJSON = `"generated_by": "hcpx adopt"`
)

// doctrine is what an agent has to know before it runs a command.
func doctrine(cli string) string {
	return strings.ReplaceAll(`# HCP

Commands come from packs that the user installed and activated. Every command runs through `+"`hcpx`"+`, in a terminal or as the tool `+"`hcp`"+`, which checks the user's rules first.

- Look up commands and arguments instead of guessing them: `+"`hcpx commands --json`"+`.
- Never start a pack's own program, and never register a tool or a server for a pack.
- A failure carries `+"`code`, `hint` and `next`"+`. Do what `+"`next`"+` says; do not repeat a refused call unchanged.
- On `+"`confirm_required`"+`, show the user the preview. Repeat the call with `+"`confirm=true`"+` only after they agreed to exactly these values. When it names an approval of the user's, wait for that.
- Credentials are the runtime's. Ask for none, write none down, pass none on.
`, "hcpx", cli)
}

// skillText is the protocol Skill: how to drive the command line from a shell.
func skillText(cli string) string {
	return strings.ReplaceAll(`---
name: hcp
description: Run the user's installed capability packs with the hcpx command line. Use it when a task needs one of their commands (hcpx commands lists them), or when the user asks to find, install or activate a pack.
---

`+doctrine("hcpx")+`
## Find and read

`+"```bash"+`
hcpx commands --json
hcpx availability --json
hcpx skill <pack_id>
hcpx search "<words>" --json
`+"```"+`

Read a pack's Skill before its first use: it is the pack's own teaching, and it changes with the pack.

## Run

`+"```bash"+`
hcpx exec <pack_id> <command> --json -- name=value other=value
hcpx exec <pack_id> <command> --json --args '{"name":"value with spaces"}'
`+"```"+`

The answer is one JSON object: `+"`ok`, `result`"+`, or `+"`error` with `code`, `hint` and `next`"+`.

## Install

`+"```bash"+`
hcpx lint <pack_dir> --json
hcpx install <pack_dir> --json
hcpx activate <pack_id> --json
`+"```"+`

A new pack is there at the next call; nothing has to be registered.

## Not yours to do

`+"`approve`, `reject`, `mode`, `allow`, `ask`, `deny` and `rules rm`"+` belong to the user and refuse an agent. Show the user the command instead of looking for another way.

`+sign+`; run it again to refresh this file.
`, "hcpx", cli)
}

// agentsText is the section of an AGENTS.md.
func agentsText(cli, skill string) string {
	return strings.ReplaceAll(`## HCP

The user's commands are in packs, run with `+"`hcpx`"+`. How to use it stands in `+"`"+skill+"`"+`; `+"`hcpx commands --json`"+` lists what there is and `+"`hcpx skill <pack_id>`"+` teaches one pack.

- Run commands with `+"`hcpx exec <pack_id> <command> --json -- name=value`"+`, never a pack's own program.
- On `+"`confirm_required`"+`, ask the user, and pass `+"`confirm=true`"+` only after they agreed to exactly these values.`, "hcpx", cli)
}

// ruleText is a host's always-on rule.
func ruleText(cli string) string {
	return strings.ReplaceAll(`Prefer `+"`hcpx exec <pack_id> <command> --json -- name=value`"+` in the terminal for what the user's packs can do; `+"`hcpx commands --json`"+` lists it. The tool `+"`hcp`"+` runs the same commands where there is no terminal. Never register tools or servers by hand for a pack, and never start a pack's own program. On `+"`confirm_required`"+`, ask the user first.

`+sign+`; run it again to refresh this file.
`, "hcpx", cli)
}
