package lint

import (
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// Words of a sentence that presents MCP as the way in: a verb of installing or
// calling beside the word MCP. The second list needs a server or tools, too.
var (
	mcpVerbs = []string{
		"install", "installs", "installing", "add", "adds", "adding", "connect", "connects", "connecting",
		"register", "registers", "registering", "configure", "configures", "configuring", "enable", "enables", "enabling",
		"call", "calls", "calling", "invoke", "invokes", "invoking", "invoked", "use", "uses", "using", "through", "via",
	}
	mcpServerVerbs = []string{"run", "runs", "running", "start", "starts", "starting", "launch", "launches", "load", "loads", "loading"}
	mcpObjects     = []string{"server", "servers", "tool", "tools"}
	negations      = []string{
		"not", "never", "no", "nor", "none", "neither", "without", "instead", "rather", "avoid", "cannot",
		"don't", "doesn't", "can't", "isn't", "won't", "needn't",
	}
	// mcpMarkers occur only where an MCP server is set up or called.
	mcpMarkers = []string{"mcpservers", "mcp add", "mcp install", "mcp__", "tools/call", "tools/list"}
)

// mcp: the teaching part does not present MCP as the way to install or invoke
// the pack (§5.2). Saying that it is not the way is fine.
func (f *findings) mcp(md markdown) {
	for _, s := range md.sentences() {
		if s.teaching && presentsMCP(s) {
			f.add(hcp.LintSkill, "mcp", "%s line %d presents MCP as the way to install or invoke the pack; teach the command line", pack.SkillFile, s.number)
		}
	}
}

func presentsMCP(s sentence) bool {
	lower := strings.ToLower(strings.ReplaceAll(s.text, "’", "'"))
	marked := slices.ContainsFunc(mcpMarkers, func(marker string) bool { return strings.Contains(lower, marker) })
	if s.code {
		return marked
	}
	words := strings.FieldsFunc(lower, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r == '\'') })
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	if has(negations) {
		return false
	}
	return marked || slices.Contains(words, "mcp") && (has(mcpVerbs) || has(mcpServerVerbs) && has(mcpObjects))
}
