package pack

import (
	"fmt"
	"strings"

	"bridle/hcp"
	"bridle/internal/kernel/ids"
)

// Issues that have fixed words (§3.7).
var (
	wrapWithoutBin = hcp.LintIssue{Kind: hcp.LintBinding, Key: "wrap", Message: "wrap adapter requires wrap.bin"}
	wrapUnnamed    = hcp.LintIssue{Kind: hcp.LintWrap, Key: "verbs", Message: "wrap requires named commands or pass_through"}
	controlBinding = hcp.LintIssue{Kind: hcp.LintBinding, Key: "plane", Message: "control plane packs default Binding mothership"}

	openapiWithoutRef = hcp.LintIssue{Kind: hcp.LintInvalidMeta, Key: "openapi", Message: "openapi adapter requires openapi ref"}
	senseWithoutRef   = hcp.LintIssue{Kind: hcp.LintInvalidMeta, Key: "sense_only", Message: "sense_only adapter requires at least one stimulus trigger_ref"}
)

// Structure returns what is wrong with a manifest whose fields are each right
// by themselves: the conditions of §3.7, the fields that belong to one kind,
// and paths that leave the pack.
func Structure(m *hcp.Manifest) []hcp.LintIssue {
	var issues []hcp.LintIssue
	add := func(kind hcp.LintKind, key, format string, args ...any) {
		issues = append(issues, hcp.LintIssue{Kind: kind, Key: key, Message: fmt.Sprintf(format, args...)})
	}
	kind := m.EffectiveKind()
	if kind == hcp.KindWrap && (m.Wrap == nil || m.Wrap.Bin == "") {
		issues = append(issues, wrapWithoutBin)
	}
	switch {
	case m.Verbs.Len() > 0 || kind == hcp.KindSenseOnly || kind == hcp.KindWrap && m.PassThrough != nil:
	case kind == hcp.KindWrap:
		issues = append(issues, wrapUnnamed)
	default:
		add(hcp.LintInvalidMeta, "verbs", "%s pack declares no command", kind)
	}
	if m.EffectivePlane() == hcp.PlaneControl && m.BindingMode() != hcp.BindingMothership {
		issues = append(issues, controlBinding)
	}
	if kind == hcp.KindOpenAPI && (m.OpenAPI == nil || m.OpenAPI.URL == "" && m.OpenAPI.Path == "") {
		issues = append(issues, openapiWithoutRef)
	}
	if kind == hcp.KindSenseOnly && len(m.StimulusTriggers) == 0 {
		issues = append(issues, senseWithoutRef)
	}
	if m.PassThrough != nil && kind != hcp.KindWrap {
		add(hcp.LintInvalidMeta, "pass_through", "pass_through is for wrap packs, not for %s", kind)
	}
	if m.Wrap != nil && m.Wrap.Bin != "" {
		if reason := badBin(m.Wrap.Bin); reason != "" {
			add(hcp.LintWrap, "bin", "wrap.bin %s %s", quote(m.Wrap.Bin), reason)
		}
		issues = append(issues, badEnvironment(m.Wrap)...)
	}
	if m.OpenAPI != nil && m.OpenAPI.Path != "" {
		if reason := badPath(m.OpenAPI.Path); reason != "" {
			add(hcp.LintInvalidMeta, "openapi", "openapi.path %s %s", quote(m.OpenAPI.Path), reason)
		}
	}
	return issues
}

// IsPath reports whether a wrap.bin is a path within the pack rather than a name
// that is looked up.
func IsPath(bin string) bool { return strings.HasPrefix(bin, ".") || strings.Contains(bin, "/") }

// badBin says why a wrap.bin is neither a plain name nor a path within the pack.
func badBin(bin string) string {
	switch {
	case IsPath(bin):
		return badPath(bin)
	case !ids.IsPathElement(bin) || strings.HasPrefix(bin, "-") || strings.HasPrefix(bin, " "):
		return "is not the name of a program"
	}
	return ""
}

// badPath says why a path cannot be one within the pack. It looks at the text
// alone; ResolveInside looks at the files.
func badPath(path string) string {
	if strings.HasPrefix(path, "/") {
		return "is absolute and so leaves the pack"
	}
	depth := 0
	named := false
	for element := range strings.SplitSeq(path, "/") {
		switch {
		case element == "" || element == ".":
		case element == "..":
			if depth--; depth < 0 {
				return "leaves the pack"
			}
		case !ids.IsPathElement(element):
			return "is not a portable path"
		default:
			depth++
			named = true
		}
	}
	if !named || depth == 0 {
		return "names no file"
	}
	return ""
}

// badEnvironment finds names that no environment can hold.
func badEnvironment(w *hcp.Wrap) []hcp.LintIssue {
	var issues []hcp.LintIssue
	check := func(field, name string) {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '=' || r == 0x7f }) {
			issues = append(issues, hcp.LintIssue{
				Kind: hcp.LintWrap, Key: field,
				Message: fmt.Sprintf("wrap.%s names a variable %s, which no environment can hold", field, quote(name)),
			})
		}
	}
	for _, name := range sortedKeys(w.AgentEnv) {
		check("agent_env", name)
	}
	if w.Workspace != nil {
		for _, name := range w.Workspace.HomeEnv {
			check("home_env", name)
		}
	}
	return issues
}
