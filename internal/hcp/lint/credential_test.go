package lint

import (
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// body stands for the random part of a token.
var body = strings.Repeat("a1B2c3D4", 8)

func TestCredentialsAreKnownByTheirForm(t *testing.T) {
	for _, s := range []string{
		"ghp_" + body, "use gho_" + body + ".", "`github_pat_" + body + "`", "glpat-" + body, "xoxb-" + body, "AKIA" + "ABCDEFGHIJKLMNOP", "AIza" + body,
		"sk-" + body, "sk-ant-" + body, "sk_live_" + body, "npm_" + body, "hf_" + body, "x=pypi-AgE" + body, "SG." + body,
		"eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".c2lnbmF0dXJlLWhlcmU", "-----BEGIN RSA PRIVATE " + "KEY-----", "-----BEGIN OPENSSH PRIVATE " + "KEY-----",
		"Authorization: Bearer " + body, "https://user:hunter22@example.com/x", "postgres://a:b@h/db", "sk-" + strings.Repeat("x", 24), "ghp_" + strings.Repeat("x", 36),
		"ghp_short and ghp_" + body, "Bearer abcdefgh1234567.",
		// Formats that package redact knows.
		"hvs." + body, "tskey-auth-" + body[:24], "dckr_pat_" + body[:27], "xai-" + body + body[:12], "pul-" + "9f86d081884c7d659a2f" + "eaa0c55ad015a3bf4f1b",
	} {
		if tokenShape(s) == "" {
			t.Errorf("%q is not known", s)
		}
	}
	for _, s := range []string{
		"ghp_short", "xghp_" + body, "sk-learn-and-other-python-packages", "task-management-of-many-things", "AKIA", "eyJ.eyJ.x",
		"-----BEGIN CERTIFICATE-----", "Bearer <token>", "Authorization: Bearer $TOKEN", "https://user@example.com", "https://example.com:8080/@x",
		"ssh://git@github.com:22/x", "https://user:$PASS@example.com", "https://{{user}}:{{pass}}@example.com", "", "a:b",
	} {
		if what := tokenShape(s); what != "" {
			t.Errorf("%q is taken for %s", s, what)
		}
	}
}

func TestACredentialIsFoundWhereverItStandsInALongLine(t *testing.T) {
	for before := window - 200; before < window+10; before++ {
		line := strings.Repeat(" ", before) + "ghp_" + body + strings.Repeat(" ", window)
		if credential(line, false) == "" {
			t.Errorf("not found after %d characters", before)
		}
	}
}

func TestAssignmentsOfSecretsAreFound(t *testing.T) {
	for _, c := range []struct {
		text string
		code bool
		name string
	}{
		{"token=abc", false, "token"},
		{"TOKEN = abc", false, "TOKEN"},
		{"export DEMO_TOKEN=abc", true, "DEMO_TOKEN"},
		{"password=hunter2", false, "password"},
		{"client_secret='x y'", false, "client_secret"},
		{"apiKey=abc", false, "apiKey"},
		{"API_KEY=abc", false, "API_KEY"},
		{"key=abc123", false, "key"},
		{"client_id=abc", false, "client_id"},
		{`"password": "hunter"`, false, "password"},
		{"password: hunter", true, "password"},
		{"Password: hunter2", false, "Password"},
		{"**Token**: `a1b2c3d4`", false, "Token"},
		{"--token=abc", false, "token"},
		{"demo login --token a1b2c3d4", true, "token"},
		{"x.auth.token=abc", false, "x.auth.token"},
		{"a=1 token=abc", false, "token"},
		{"accessKey: AbC123xyz", true, "accessKey"},
		{"passphrase='correct horse'", false, "passphrase"},
		{"secret=shh", false, "secret"},
		{"token=xxxx", false, "token"},
		{"TOKEN=your-token-here", false, "TOKEN"},
	} {
		if got := assignment(c.text, c.code); strings.TrimLeft(got, "-") != c.name {
			t.Errorf("%q: %q, want %q", c.text, got, c.name)
		}
	}
	for _, c := range []struct {
		text string
		code bool
	}{
		{"token=$TOKEN", true},
		{"token={{token}}", true},
		{"token=<token>", true},
		{"token=", true},
		{"token=…", false},
		{"token = ...", false},
		{"key=value", false},
		{"--key=PROJ-12", true},
		{"sort_key=name", false},
		{"verb_key=list", false},
		{"primary_key: id", true},
		{"key: Enter", false},
		{"Token: see Setup.", false},
		{"No login, no token: just run it.", false},
		{"max_tokens=500", false},
		{"page_token=abc123", false},
		{"next_token: abc", true},
		{"if token == abc", true},
		{"token != abc", true},
		{"token => abc", true},
		{"token:: abc", true},
		{"secret://x", false},
		{`"token": {`, true},
		{`"token": "string"`, true},
		{"password: required", true},
		{"demo login --token $T", true},
		{"demo list --token-file x1y2z3", true},
		{"tokens=5", false},
		{"The password: ask for it.", false},
		{"secretary=ann", false},
		{"demo --token", true},
		{"keyboard=qwerty1", false},
		{"monkey=abc123", false},
	} {
		if got := assignment(c.text, c.code); got != "" {
			t.Errorf("%q: taken for a value of %q", c.text, got)
		}
	}
}

func TestCredentialsInTheJSONFilesAreFound(t *testing.T) {
	scan := func(text string) []string {
		f := &findings{}
		f.document(pack.SurfaceFile, []byte(text), hcp.LintInvalidMeta)
		return messages(f.issues)
	}
	found := func(place, what string) string {
		return "binding|secret|surface.json " + place + " holds " + what + "; the runtime's hub gives credentials, not the pack"
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{`{"wrap":{"agent_env":{"DEMO_TOKEN":"abc","DEMO_OUTPUT":"json","A_TOKEN":"","B_TOKEN":"$X"}}}`, []string{found(`"/wrap/agent_env/DEMO_TOKEN"`, `a value for "DEMO_TOKEN"`)}},
		{`{"verbs":{"a":{"cli":["demo","--token","abc","--token={{token}}","--secret","{{s}}","--password","-x"]}}}`, []string{found(`"/verbs/a/cli/2"`, `a value for "--token"`)}},
		{`{"verbs":{"a":{"cli":["demo","--token=abc"]}}}`, []string{found(`"/verbs/a/cli/1"`, `a value for "--token"`)}},
		{`{"verbs":{"a":{"description":"x\nghp_` + body + `"}}}`, []string{found(`"/verbs/a/description"`, "what looks like a GitHub token")}},
		{`{"ghp_` + body + `":1}`, []string{found(`"/"`, "what looks like a GitHub token")}},
		{`{"verbs":{"a":{"args":{"properties":{"token":{"type":"string","description":"Session token from login"}}},"preview":{"fields":{"token":"{{token}}","key":"Sort"}}}}}`, nil},
		{`{"password":12345678}`, []string{found(`"/password"`, `a value for "password"`)}},
		{`{"binding":{"mode":"user"},"skill_url":"https://u:p4ss@example.com/x"}`, []string{found(`"/skill_url"`, "what looks like a password in a URL")}},
		{`not JSON`, nil},
	} {
		if got := scan(c.text); !slices.Equal(got, append([]string{}, c.want...)) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

func messages(issues []hcp.LintIssue) []string {
	out := []string{}
	for _, i := range issues {
		out = append(out, string(i.Kind)+"|"+i.Key+"|"+i.Message)
	}
	return out
}

func TestAFindingNeverRepeatsTheCredential(t *testing.T) {
	const secret = "hunter2hunter2"
	p := &pack.Pack{ID: "demo", SkillPresent: true, Skill: "password=" + secret + "\n\nghp_" + secret + body + "\n\nhttps://u:" + secret + "@h\n\n`--token " + secret + "`\n"}
	p.Manifest.Wrap = &hcp.Wrap{Bin: "x", AgentEnv: map[string]string{"X_SECRET": secret}}
	p.Manifest.Verbs.Set("a", hcp.Command{CLI: []string{"x", "--password", secret}})
	found := 0
	for _, i := range Pack(p) {
		if i.Key == "secret" {
			found++
		}
		if strings.Contains(i.Message, secret) || strings.Contains(i.Key, secret) {
			t.Errorf("%+v", i)
		}
	}
	if found != 6 {
		t.Errorf("%d credentials are found, not 6", found)
	}
}
