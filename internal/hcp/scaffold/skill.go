package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/catalog"
	"bridle/internal/hcp/command"
)

// skill drafts HARNESS.md: what an agent needs to call the commands.
func (d *draft) skill() string {
	var b strings.Builder
	about := describe(&found{about: d.survey.root.About})
	if strings.HasPrefix(about, "TODO") {
		about = "Runs commands of " + d.bin + "."
	}
	login := "No login."
	if d.class == catalog.GatedWrite {
		login = "It uses the login that the program keeps on this machine; see Setup."
	}
	keys := d.manifest.Verbs.Keys()
	fmt.Fprintf(&b, "# HCP — %s\n\n%s %s\nRun `%s` first.\n\n## Hot path\n\n| Command | CLI | Policy |\n|---------|-----|--------|\n", d.manifest.Name, about, login, d.first(keys))
	for _, key := range keys {
		c, _ := d.manifest.Verbs.Get(key)
		entry := d.policy.Verbs[key]
		policy := string(entry.Operation)
		if entry.Confirm != hcp.ConfirmNone {
			policy += " + confirm"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", key, strings.ReplaceAll(shownLine(c.CLI), "|", `\|`), policy)
	}
	b.WriteString("\n## Examples\n\n```bash\n")
	for _, key := range keys[:min(len(keys), 3)] {
		fmt.Fprintln(&b, d.example(key))
	}
	b.WriteString("```\n\n")
	if d.class == catalog.GatedWrite {
		fmt.Fprintf(&b, "## Setup\n\nThe user logs in with %s, in a terminal of their own. Never ask for a password or a token; when\na command says that the login is missing, stop and tell the user.\n\n", d.bin)
	}
	b.WriteString("## Anti-patterns\n\n- Passing `confirm=true` before the user agreed to exactly this call.\n- Guessing a value instead of taking one that a read returned or the user said.\n")
	fmt.Fprintf(&b, "- Calling the program in a shell instead of through its commands, around their Policy.\n")
	return b.String()
}

// first is the command to begin with: a read without required arguments, if
// there is one.
func (d *draft) first(keys []string) string {
	best := keys[0]
	for _, key := range slices.Backward(keys) {
		if d.policy.Verbs[key].Operation == hcp.OperationRead && len(d.required(key)) == 0 {
			best = key
		}
	}
	return d.example(best)
}

func (d *draft) required(key string) []string {
	var names []string
	args, _ := command.Declared(&d.manifest, key)
	for _, a := range args {
		if a.Required {
			names = append(names, a.Name)
		}
	}
	return names
}

// example is a call with a place for each required argument.
func (d *draft) example(key string) string {
	line := "hcpx exec " + d.id + " " + key + " --json"
	for i, name := range d.required(key) {
		if i == 0 {
			line += " --"
		}
		line += " " + name + "=" + strings.ToUpper(name)
	}
	return line
}

// shownLine shows a command line with its placeholders as names.
func shownLine(cli []string) string {
	return command.Line(strings.Fields(strings.NewReplacer("{{", "", "}}", "").Replace(strings.Join(cli, " "))))
}
