package check

import (
	"fmt"
	"strings"

	"bridle/internal/hcp/command"
)

// Text is the report for a person.
func (r *Report) Text() string {
	var b strings.Builder
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "%-6s %-16s %s\n", f.Severity, f.ID, f.Where.text())
		fmt.Fprintf(&b, "       %s\n       fix: %s\n", f.Message, f.Fix)
	}
	if r.Evals != nil {
		b.WriteString(r.Evals.Text())
	}
	fmt.Fprintf(&b, "%s: score %d/100, grade %s, %d error(s), %d warning(s), %d note(s)\n",
		r.name(), r.Score, r.Grade, r.Summary.Errors, r.Summary.Warnings, r.Summary.Info)
	for _, line := range r.Next {
		fmt.Fprintf(&b, "next: %s\n", line)
	}
	return b.String()
}

func (r *Report) name() string {
	if r.PackID != "" {
		return r.PackID
	}
	return r.Dir
}

func (w Where) text() string { return strings.TrimSpace(w.File + " " + w.Pointer + w.Heading) }

// Text is the results of the cases, one on a line.
func (e *Evals) Text() string {
	var b strings.Builder
	for _, c := range e.Cases {
		word := "pass"
		if !c.OK {
			word = "fail"
		}
		fmt.Fprintf(&b, "%s  %6d ms  %6d tokens  %s\n", word, c.MS, c.Tokens, c.Name)
		for _, why := range c.Why {
			fmt.Fprintf(&b, "      %s\n", why)
		}
	}
	fmt.Fprintf(&b, "evals: %d passed, %d failed, p50 %d ms, p95 %d ms\n", e.Passed, e.Failed, e.P50MS, e.P95MS)
	return b.String()
}

// Markdown is the list of what to mend for a coding agent.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# hcpx check: %s\n\nScore %d/100, grade %s. %d error(s), %d warning(s).\n", r.name(), r.Score, r.Grade, r.Summary.Errors, r.Summary.Warnings)
	n := 0
	for _, part := range []struct {
		severity Severity
		title    string
	}{{Error, "Fix now (errors)"}, {Warn, "Then fix (warnings)"}} {
		first := true
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Severity != part.severity {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n", part.title)
				first = false
			}
			n++
			fmt.Fprintf(&b, "\n%d. **%s** (%s): %s\n   Do: %s\n   Why: %s\n", n, f.Where.markdown(), f.ID, f.Message, f.Fix, f.Docs)
		}
	}
	if r.Evals != nil {
		b.WriteString("\n## Eval cases\n\n| Case | Result | ms | tokens |\n|---|---|---|---|\n")
		for _, c := range r.Evals.Cases {
			result := "pass"
			if !c.OK {
				result = "fail: " + strings.Join(c.Why, "; ")
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", cell(c.Name), cell(result), c.MS, c.Tokens)
		}
	}
	b.WriteString("\n## Loop\n\n")
	if r.Ready {
		b.WriteString("The pack is ready to share.")
	} else {
		fmt.Fprintf(&b, "Mend the errors first, then the warnings, and run `%s` again after each edit. Stop at %d or more without an error.",
			command.Line([]string{"hcpx", "check", r.Dir, "--probe", "--agent"}), readyScore)
	}
	b.WriteString(" Never weaken what an eval case expects so that it passes.\n")
	return b.String()
}

func (w Where) markdown() string {
	text := w.File
	if more := w.Pointer + w.Heading; more != "" {
		text += " `" + more + "`"
	}
	return text
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
}
