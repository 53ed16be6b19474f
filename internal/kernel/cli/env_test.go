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

func TestAnAgentAboveIsSeenByItsMarkerOrItsName(t *testing.T) {
	chain := func(all ...Ancestor) *Invocation {
		return &Invocation{Env: NewEnv(nil), Ancestors: func() []Ancestor { return all }}
	}
	shell := Ancestor{PID: 7, Name: "bash", Env: NewEnv([]string{"HOME=/home/ana", "AGENT=smith"})}
	for _, c := range []struct {
		i    *Invocation
		want string
	}{
		{&Invocation{}, ""},
		{chain(shell, Ancestor{PID: 3, Name: "sshd"}), ""},
		{chain(shell, Ancestor{PID: 5, Name: "sh", Env: NewEnv([]string{"CLAUDECODE=1"})}), "CLAUDECODE of the process 5 above (sh)"},
		{chain(shell, Ancestor{PID: 5, Name: "sh", Env: NewEnv([]string{"MY_MARK=1"})}), "MY_MARK of the process 5 above (sh)"},
		{chain(shell, Ancestor{PID: 4, Name: "codex"}), "the process 4 above (codex)"},
		{chain(shell, Ancestor{PID: 4, Name: "codexless"}), ""},
	} {
		who, found := c.i.AgentAbove("MY_MARK")
		if who != c.want || found != (c.want != "") {
			t.Errorf("%q, %v, want %q", who, found, c.want)
		}
	}
}
