package command

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hcp"
)

// LintTitle reports what is wrong with a command's declared title, given the
// names of its arguments; nothing for a command without one. Live has no result
// to take values from, and the last template of each form must always fit.
func LintTitle(m *hcp.Manifest, key string, names []string) []string {
	c, ok := Lookup(m, key)
	if !ok || c.Title == nil {
		return nil
	}
	var problems []string
	for _, form := range []struct {
		name      string
		templates hcp.Templates
		results   bool
	}{{"live", c.Title.Live, false}, {"done", c.Title.Done, true}} {
		for i, template := range form.templates {
			holders := Placeholders([]string{template})
			for _, name := range holders {
				isResult := strings.HasPrefix(name, resultPrefix)
				switch {
				case isResult && !form.results:
					problems = append(problems, fmt.Sprintf("title.%s names {{%s}}, and there is no result yet", form.name, name))
				case !isResult && !slices.Contains(names, name):
					problems = append(problems, fmt.Sprintf("title.%s names {{%s}}, which is no argument", form.name, name))
				}
			}
			if i == len(form.templates)-1 && len(holders) > 0 {
				problems = append(problems, fmt.Sprintf("title.%s ends with a template that needs a value", form.name))
			}
		}
	}
	return problems
}
