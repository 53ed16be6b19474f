package agent

import "testing"

func TestAnyMarkerOfAnAgentIsSeen(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{[]string{"PATH=/bin", "CLAUDECODE=1"}, "CLAUDECODE"},
		{[]string{"CLAUDECODE=0"}, ""},
		{[]string{"CLAUDECODE=False"}, ""},
		{[]string{"CLAUDECODE="}, ""},
		{[]string{"CLAUDECODE"}, ""},
		{[]string{"CLAUDECODE=", "CLAUDECODE=1"}, "CLAUDECODE"},
		{[]string{"CLAUDECODE=1", "CLAUDECODE="}, ""},
		{[]string{"AGENT=smith"}, ""},
		{[]string{"AGENT=1"}, "AGENT"},
		{[]string{"CURSOR_TRACE_ID=x"}, "CURSOR_TRACE_ID"},
		{[]string{"CODEX_SANDBOX_NETWORK_DISABLED=0"}, ""},
		{[]string{"GEMINI_CLI=1", "OWN=yes"}, "OWN"},
	} {
		if got, found := Marker(c.environ, "OWN"); got != c.want || found != (c.want != "") {
			t.Errorf("%q: %q, want %q", c.environ, got, c.want)
		}
	}
}
