// Package hcpx is the command set of hcpx, the HCP command line (§11.5, §12.1):
// one file per verb, over the local runtime.
//
// Invariants:
//
//   - A verb returns one value; rendering, exit codes and the layout of
//     failures belong to the kit. What is printed with --json is documented and
//     only grows.
//   - The verbs that need a network, a schema engine or a protocol library are
//     in hcpx-kit, and this program hands over to it with every word unread.
//   - Inside a command that hcpx itself runs, no verb touches a store.
//   - What only a person may do refuses under every known marker of an agent.
package hcpx

import (
	"bridle/hcp"
	"bridle/internal/hcp/access"
	"bridle/internal/hcp/advice"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/sandbox"
)

// Name is what the program calls itself, whichever name it was started by.
const Name = "hcpx"

// The groups of the help text.
const (
	groupRun    = "run commands"
	groupPacks  = "packs"
	groupAccess = "access"
	groupLook   = "look"
	groupHosts  = "hosts"
)

// Main runs the program.
func Main() int { return cli.Main(App()) }

// App returns the program.
func App() cli.App {
	return cli.App{
		Name:      Name,
		Short:     "run packs of commands under the user's rules",
		Protocol:  hcp.ProtocolVersion,
		Groups:    []string{groupRun, groupAccess, groupPacks, groupHosts, groupLook},
		Verbs:     append(verbs(), Heavy()...),
		Before:    refuseNested,
		Advise:    advice.For,
		Elsewhere: handOver,
	}
}

func verbs() []cli.Verb {
	return []cli.Verb{
		{Name: "commands", Group: groupRun, Short: "list commands with arguments and a line ready to run", New: commandsCommand},
		{Name: "exec", Group: groupRun, Short: "run one command of a pack", New: ExecCommand(Open), Away: execAway},
		{Name: "output", Group: groupRun, Short: "read more of a long output", New: outputCommand},
		{Name: "skill", Group: groupRun, Short: "print the Skill of an activated pack", New: skillCommand},

		{Name: "preview", Group: groupAccess, Short: "show the card and the command line of a call", New: previewCommand},
		{Name: "approvals", Group: groupAccess, Short: "list the requests that wait for a person", New: approvalsCommand},
		{Name: "approve", Group: groupAccess, Short: "let one request run once", New: approveCommand},
		{Name: "reject", Group: groupAccess, Short: "refuse one request", New: rejectCommand},
		{Name: "access", Group: groupAccess, Short: "show what decides about running, and where it comes from", New: accessCommand},
		{Name: "mode", Group: groupAccess, Short: "show or set the access mode", New: modeCommand},
		{Name: "allow", Group: groupAccess, Short: "add a rule that lets a command run without asking", New: ruleCommand(access.Allow,
			"Adds a rule that lets a command run without asking", `hcpx allow ledger.transfer --when payee=demo-transit --max amount=5 --note "fares"`)},
		{Name: "ask", Group: groupAccess, Short: "add a rule that always asks", New: ruleCommand(access.Ask,
			"Adds a rule that asks before a command runs, whatever the mode", "hcpx ask 'gh.*'")},
		{Name: "deny", Group: groupAccess, Short: "add a rule that refuses a command", New: ruleCommand(access.Deny,
			"Adds a rule that refuses a command, whatever the mode", "hcpx deny '*' --op write")},
		{Name: "rules", Group: groupAccess, Short: "list the rules, or remove one", New: rulesCommand},
		{Name: "audit", Group: groupAccess, Short: "show or check the log of decisions", New: auditCommand},

		{Name: "lint", Group: groupPacks, Short: "check a pack directory", New: lintCommand},
		{Name: "install", Group: groupPacks, Short: "copy a pack into the store", New: installCommand, Away: remoteSource},
		{Name: "activate", Group: groupPacks, Short: "make installed packs usable", New: activateCommand},
		{Name: "connect", Group: groupPacks, Short: "establish the login of a pack", New: connectCommand},
		{Name: "deactivate", Group: groupPacks, Short: "take packs off the session", New: deactivateCommand},
		{Name: "uninstall", Group: groupPacks, Short: "remove a pack from the store", New: uninstallCommand},

		{Name: "availability", Aliases: []string{"avail"}, Group: groupLook, Short: "say what may run now, and why not", New: availabilityCommand},
		{Name: "doctor", Group: groupLook, Short: "report the health of the runtime", New: doctorCommand},
		{Name: "list", Group: groupLook, Short: "list installed packs", New: listCommand},
		{Name: "schema", Group: groupLook, Short: "print the JSON Schema of a document", Offline: true, New: schemaCommand},
	}
}

// Heavy lists the verbs that hcpx-kit has.
func Heavy() []cli.Verb {
	return []cli.Verb{
		{Name: "search", Group: groupPacks, Short: "search the catalog for packs"},
		{Name: "catalog", Group: groupPacks, Short: "show the catalog, or one pack of it"},
		{Name: "init", Group: groupPacks, Short: "begin a new pack"},
		{Name: "wrap", Group: groupPacks, Short: "draft a pack for a program that is installed"},
		{Name: "check", Group: groupPacks, Short: "grade a pack and say what to mend"},
		{Name: "eval", Group: groupPacks, Short: "run the eval cases of a pack"},
		{Name: "share", Group: groupPacks, Short: "print the catalog row of a pack"},
		{Name: "adopt", Group: groupHosts, Short: "configure a coding agent in this directory"},
		{Name: "generate", Group: groupHosts, Short: "print what a host can use of the activated packs"},
		{Name: "conformance", Short: "run the protocol's vectors against a runtime"},
		{Name: "mcp", Group: groupHosts, Short: "serve one tool to a host that only takes MCP servers"},
		{Name: "man", Short: "write the manual pages"},
	}
}

// CodeNested is a call from inside a command that hcpx runs.
const CodeNested = "nested_hcpx"

// refuseNested answers calls from inside a sandbox before they meet the walls
// of it: the store is out of reach there, and the failure would look odd. The
// walls themselves tell; HCP_SANDBOX, which every command finds in its
// environment, may as well be a person's own.
func refuseNested(*cli.Call) error {
	if !sandbox.Inside() {
		return nil
	}
	return fault.Newf(CodeNested, "%s cannot run inside a command that %s runs", Name, Name).
		WithHint("the store is out of a command's reach; let the caller run the second command, or make the pack a composite one")
}
