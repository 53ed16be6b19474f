package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ManPage is one page of the manual: a file name such as hcpx-exec.1 and its
// text in the man macros.
type ManPage struct{ Name, Text string }

// ManPages writes the manual of an app: one page for the program and one for
// each verb, from the same tables as its help.
func ManPages(app App) []ManPage {
	app.Verbs = append(app.Verbs[:len(app.Verbs):len(app.Verbs)], builtin()...)
	call := &Call{App: app}
	commands := map[string]*cobra.Command{}
	for _, cmd := range call.root(app.Verbs).Commands() {
		commands[cmd.Name()] = cmd
	}
	pages := []ManPage{call.mainPage()}
	for _, v := range app.Verbs {
		if !v.Hidden && v.New != nil {
			pages = append(pages, call.verbPage(commands[v.Name]))
		}
	}
	return pages
}

// roff collects man macros. Text is escaped where it enters.
type roff struct{ strings.Builder }

func (r *roff) title(name, program string) {
	fmt.Fprintf(r, ".TH %q 1 \"\" %q\n", strings.ToUpper(name), program+" "+Version())
}

func (r *roff) section(name string) { fmt.Fprintf(r, ".SH %s\n", name) }

func (r *roff) item(head, text string) {
	fmt.Fprintf(r, ".TP\n.B %s\n%s\n", roffText(head), roffText(text))
}

func (r *roff) text(s string) {
	for line := range strings.Lines(s) {
		r.WriteString(roffText(strings.TrimSpace(line)) + "\n")
	}
}

// roffText escapes what the man macros would read as their own: backslashes,
// hyphens that must stay hyphens, and a dot or quote at the start of a line.
func roffText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func (c *Call) mainPage() ManPage {
	r := &roff{}
	r.title(c.App.Name, c.App.Name)
	r.section("NAME")
	r.text(c.App.Name + " - " + c.App.Short)
	r.section("SYNOPSIS")
	r.text(c.App.Name + rootUsage)
	for _, group := range append(c.App.Groups[:len(c.App.Groups):len(c.App.Groups)], "") {
		heading := strings.ToUpper(group)
		if group == "" {
			heading = "OTHER COMMANDS"
		}
		r.section(heading)
		for _, v := range c.App.Verbs {
			if v.Group == group && !v.Hidden {
				r.item(v.Name, v.Short)
			}
		}
	}
	return ManPage{c.App.Name + ".1", r.String()}
}

func (c *Call) verbPage(cmd *cobra.Command) ManPage {
	r := &roff{}
	name := c.App.Name + "-" + cmd.Name()
	r.title(name, c.App.Name)
	r.section("NAME")
	r.text(name + " - " + cmd.Short)
	r.section("SYNOPSIS")
	r.text(cmd.UseLine())
	if cmd.Long != "" {
		r.section("DESCRIPTION")
		r.text(cmd.Long)
	}
	r.section("OPTIONS")
	option := func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			kind, usage := pflag.UnquoteUsage(f)
			r.item(strings.TrimSpace("--"+f.Name+" "+kind), usage)
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(option)
	cmd.InheritedFlags().VisitAll(option)
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.WriteString(".nf\n")
		r.text(cmd.Example)
		r.WriteString(".fi\n")
	}
	r.section("SEE ALSO")
	fmt.Fprintf(r, ".BR %s (1)\n", roffText(c.App.Name))
	return ManPage{name + ".1", r.String()}
}
