package host

import (
	"strings"
	"testing"

	"bridle/internal/kernel/configedit"
)

func ours() server {
	return server{Type: "stdio", Command: "hcpx", Args: []string{"mcp"}, Env: map[string]string{"HCP_HOME": "/s"}}
}

func TestEntryThatStartsSomethingElseIsNotEdited(t *testing.T) {
	for _, text := range []string{
		`{"mcpServers":[]}`, `{"mcpServers":{"hcp":1}}`, `{"mcpServers":{"hcp":{}}}`,
		`{"mcpServers":{"hcp":{"command":"evil","args":["mcp"]}}}`, `{"mcpServers":{"hcp":{"command":"hcpx","args":["exec"]}}}`,
	} {
		e := configedit.New(text)
		if err := setServer(e, []string{"mcpServers", "hcp"}, ours()); err == nil || e.Text() != text {
			t.Errorf("%q became %q", text, e.Text())
		}
	}
}

// An entry of ours keeps what a person added to it.
func TestEntryOfOursIsBroughtUpToDateOnly(t *testing.T) {
	e := configedit.New(`{"mcpServers":{"hcp":{"timeout":9,"command":"hcp","args":["mcp","--split"],"env":{"MINE":"1"}}}}`)
	if err := setServer(e, []string{"mcpServers", "hcp"}, ours()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"timeout":9`, `"command":"hcpx"`, `"args":["mcp","--split"]`, `"MINE":"1", "HCP_HOME": "/s"`, `"type": "stdio"`} {
		if !strings.Contains(e.Text(), want) {
			t.Errorf("%s is missing in %s", want, e.Text())
		}
	}
}

func TestGrokTableIsNotOpenedTwice(t *testing.T) {
	body := grokTOML(Input{CLI: "hcpx", Home: "~/s"})
	for text, fine := range map[string]bool{
		"": true, "# mine\n[other]\nx = 1\n": true, "[mcp_servers.hcp]\ncommand='x'\n": false,
		"mcp_servers = {}\n": false, "[permission]\nallow=['x']\n": false,
	} {
		e := configedit.New(text)
		if err := e.SetTOML(tomlMarks, body, "mcp_servers", "hcp"); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}
