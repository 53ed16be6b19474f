package cli

import (
	"strings"
	"testing"
)

func TestLaterEntryOfAnEnvironmentCounts(t *testing.T) {
	env := NewEnv([]string{"A=1", "B=x=y", "A=2", "odd"})
	if env.Get("A") != "2" || env.Get("B") != "x=y" {
		t.Error(env.List())
	}
	if _, set := env.Lookup("odd"); set {
		t.Error("an entry without a value counts as set")
	}
	changed := env.With("A", "3")
	if changed.Get("A") != "3" || env.Get("A") != "2" {
		t.Error("With changed its receiver")
	}
}

func TestAgentMarkers(t *testing.T) {
	for entry, want := range map[string]string{
		"CLAUDECODE=1":                          "CLAUDECODE",
		"CODEX_THREAD_ID=abc":                   "CODEX_THREAD_ID",
		"CODEX_SANDBOX=seatbelt":                "CODEX_SANDBOX",
		"CODEX_SANDBOX_NETWORK_DISABLED=1":      "CODEX_SANDBOX_NETWORK_DISABLED",
		"CURSOR_TRACE_ID=x":                     "CURSOR_TRACE_ID",
		"AI_AGENT=claude-code":                  "AI_AGENT",
		"OPENCODE=1":                            "OPENCODE",
		"AGENT=1":                               "AGENT",
		"AGENT=smith":                           "",
		"GEMINI_CLI=1":                          "GEMINI_CLI",
		"GEMINI_CLI=0":                          "",
		"CLAUDECODE=":                           "",
		"CLAUDECODE=false":                      "",
		"EDITOR=vi":                             "",
		"MY_MARK=1":                             "MY_MARK",
		"CLAUDECODE=1 CLAUDECODE=" /* unset */ : "",
	} {
		got, found := NewEnv(strings.Fields(entry)).AgentMarker("MY_MARK")
		if got != want || found != (want != "") {
			t.Errorf("%s: %q, %v", entry, got, found)
		}
	}
}
