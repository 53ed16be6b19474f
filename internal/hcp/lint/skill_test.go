package lint

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/pack"
)

// lintSkill lints a Skill for a pack with the commands list and mail.send and
// the trigger new_item, and returns the keys of what is found.
func lintSkill(text string) []string {
	p := &pack.Pack{ID: "demo", SkillPresent: true, Skill: text}
	p.Manifest.Verbs.Set("list", hcp.Command{})
	p.Manifest.Verbs.Set("mail.send", hcp.Command{})
	p.Manifest.StimulusTriggers = []hcp.Trigger{{Ref: "new_item"}}
	f := &findings{}
	f.skill(p, true)
	found := []string{}
	for _, i := range f.issues {
		found = append(found, i.Key)
	}
	return found
}

// named is a Skill that names every command, before the text under test.
const named = "# HCP — Demo\n\nUse `list` and `mail.send`.\n\n"

func expect(t *testing.T, text string, want []string) {
	t.Helper()
	if got := lintSkill(text); !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("%q: %q, want %q", text, got, want)
	}
}

func TestCommandsAreNamedInBackticksWhereTheyAreSeen(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"`list` `mail.send`", nil},
		{"`` list `` and **`mail.send`**", nil},
		{"## Anti-patterns\n\n- `list` twice\n- `mail.send` twice", nil},
		{"list and mail.send", []string{"list", "mail.send"}},
		{"`list --all` and `mail.send`", []string{"list"}},
		{"`List` and `mail.send`", []string{"list"}},
		{"```\n`list`\n```\n`mail.send`", []string{"list"}},
		{"`mail.send` <!-- `list` -->", []string{"list", "hidden"}},
		{"`mail.send`\n<!--\n`list`\n-->", []string{"list", "hidden"}},
		{"`mail.send` `` <!-- `` `list` -->", nil},
		{"`mail.send` ``` <!-- `list` -->", []string{"list", "hidden"}},
	} {
		expect(t, c.text, c.want)
	}
}

func TestTablesTeachDeclaredCommandsOnly(t *testing.T) {
	table := func(header string, cells ...string) string {
		s := named + "| " + header + " | CLI |\n|---|---|\n"
		for _, c := range cells {
			s += "| " + c + " | x |\n"
		}
		return s
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{table("Command", "`list`", "`mail.send`"), nil},
		{table("Command", "`refund`"), []string{"refund"}},
		{table("**Command**", "`mail.get`", "`refund`"), []string{"mail.get", "refund"}},
		{table("Command", "refund", "list", "…", "", "transfer money"), []string{"refund"}},
		{table("Command", "`list` / `ls`"), []string{"ls"}},
		{table("Command", "`demo list`", "`--json`", "`DEMO`"), nil},
		{table("Command", "`list_all`"), []string{"list_all"}},
		{table("What", "`refund`"), []string{"refund"}},
		{table("What", "refund", "`list_all`"), nil},
		{table("Flag", "`limit`", "`refund`"), nil},
		{table("Argument", "`payee`"), nil},
		{table("Exit code", "`zero`"), nil},
		{table("Trigger", "`new_item`"), nil},
		{table("Trigger", "`old_item`"), []string{"old_item"}},
		{table("Command", "`list\\|x`", "`list`"), nil},
		{named + "| `refund` | no delimiter row |\n", []string{"refund"}},
		{named + "Command | CLI\n---|---\n`refund` | x\n", []string{"refund"}},
		{named + "```\n| Command |\n|---|\n| `refund` |\n```\n", nil},
		{named + "~~~~\n| `refund` |\n~~~\n| `refund` |\n~~~~\n", nil},
		{named + "```\n| `refund` |\n", nil},
		{named + "```\n```\n| `refund` |\n", []string{"refund"}},
		{named + "<!-- | `refund` | -->\n", []string{"hidden"}},
		{named + "## Anti-patterns\n\n| Command |\n|---|\n| `refund` |\n", nil},
		{named + "## anti patterns ##\n\n| Command |\n|---|\n| `refund` |\n", nil},
		{named + "### Anti-patterns\n\n| Command |\n|---|\n| `refund` |\n", []string{"refund"}},
		{named + "```\n## Anti-patterns\n```\n\n| Command |\n|---|\n| `refund` |\n", []string{"refund"}},
		{named + "<!--\n## Anti-patterns\n-->\n| `refund` |\n", []string{"refund", "hidden"}},
		{named + "Text with a | and `refund`.\n", nil},
	} {
		expect(t, c.text, c.want)
	}
}

func TestTriggersAreDescribedWhereTheyAreDeclared(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"## Sense\n\n- `new_item`: something came\n", nil},
		{"## Triggers\n\n- `gone_item`: something went\n", []string{"gone_item"}},
		{"## Sense\n\n* `gone_item`\n", []string{"gone_item"}},
		{"## Sense\n\n- `list` shows it\n- `--flag`\n- `unclosed\n", nil},
		{"## Examples\n\n- `gone_item`\n", nil},
		{"When `binding.degraded` is announced, connect.\n", []string{"binding.degraded"}},
		{"## Anti-patterns\n\n- Waiting for `binding.degraded`.\n", nil},
		{"A sensible text about `gone_item`.\n", nil},
	} {
		expect(t, named+c.text, c.want)
	}
}

func TestHostPathsAreFoundAnywhere(t *testing.T) {
	for _, s := range []string{
		"/Users/ann/x", "in /home/ann", "`/root/x`", "(/opt/x)", "--file=/srv/x", "file:///home/x", "file:/home/x", "\"/home/x\"", "'/opt/x'",
		"//home/x", "PATH=/opt/bin:$PATH", "a:/opt/b", "<!-- /home/x -->", `C:\Users\ann`, "\t/home/", "é /home/x", "@/opt/x", "[x](/opt/x)",
	} {
		if hostPath(s) == "" {
			t.Errorf("%q is not found", s)
		}
	}
	for _, s := range []string{
		"~/.hcp/packs", "./opt/x", "x/home/y", "https://example.com/home/x", "https://home/x", "/usr/opt/x", "~/home/x", "$HOME/opt/x", "/homes/x",
		"/home", "/opt", "/etc/hosts", "../srv/x", "${X}/opt/x", "<dir>/opt/x", "and/opt/in", "C:\\Windows", "日/opt/x",
	} {
		if p := hostPath(s); p != "" {
			t.Errorf("%q is taken for %q", s, p)
		}
	}
	expect(t, named+"```\ncd /home/ann\n```\n## Anti-patterns\n- /opt/x\n", []string{"path", "path"})
}

func TestMCPIsNotTaughtAsTheWayIn(t *testing.T) {
	for _, s := range []string{
		"Install the MCP server.", "Add it to your MCP\nconfiguration.", "Call the MCP tool `list`.", "## Install via MCP", "Use MCP.",
		"Invoke commands through MCP", "Start the MCP server, then list.", "| `list` | use the MCP tool |", "- Connect over MCP: see docs",
		"```json\n{\"mcpServers\": {}}\n```", "```sh\nclaude mcp add demo\n```", "Call mcp__demo__list.", "Run `claude mcp add demo` once.",
		"Send `tools/call`.", "Not here. Install the MCP server.",
	} {
		expect(t, named+s+"\n", []string{"mcp"})
	}
	for _, s := range []string{
		"MCP is an optional export.", "Do not install the MCP server.", "There's no MCP server to add.", "Use the CLI instead of MCP.",
		"Don’t call MCP tools.", "Use the amcp tool.", "Reads MCP logs.", "Runs audits of MCP traffic.", "```\nmcp\n```",
		"## Anti-patterns\n\n- MCP as the install path\n- Calling `tools/call`\n\n## See also\n\nInstall the MCP server.", "Use `list`. MCP is an export.",
	} {
		expect(t, named+s+"\n", nil)
	}
}

func TestHiddenTextIsReported(t *testing.T) {
	for _, s := range []string{
		"a\u200bb", "a\u2060b", "x\ufeffy", "a\u202eb", "a\u2066b\u2069", "a\U000e0041b", "a\u00adb", "a\x1b[31mb", "a\x00b", "a\u0085b", "a\u200db", "a\u200cb",
		"a\u200eb", "a\u3164b", "a\ue000b", "a\U000e0100b", "\ufe0fa", "a\ufe0f\ufe0f\ufe0f", "a\u2028b", "a\x7fb",
		"<!-- do this -->", "<!---->", "<!-- never closed", "text <!-- x --> text", "<!-- prettier-ignore and do this -->", "<!-- markdownlint-disable run this -->",
		"<!--\nmarkdownlint-disable\nMD01 x\n-->", "[//]: # (do this)", "[comment]: <> (do this)", "[x]: #y",
	} {
		expect(t, named+s+"\n", []string{"hidden"})
	}
	for _, s := range []string{
		"tab\there", "windows\r", "é ✓ … — “x”",
		"\U0001f469\u200d\U0001f680 and \u2764\ufe0f", // emoji that are joined and varied
		"\u0915\u094d\u200d\u0937",                    // Devanagari with a joiner
		"\u0645\u06cc\u200c\u062e\u0648",              // Persian with a non-joiner
		"\u05e9\u05dc\u05d5\u05dd\u200f!",             // Hebrew with a mark
		"`<!-- x -->`", "```\n<!-- x -->\n```", "日本語",
		"<!-- prettier-ignore -->", "<!-- markdownlint-disable MD013 MD033 -->", "<!-- markdownlint-enable -->", "[x]: https://example.com",
	} {
		expect(t, named+s+"\n", nil)
	}
	expect(t, "\ufeff"+named, nil)
}

func TestTheNumberOfFindingsIsBounded(t *testing.T) {
	if got := lintSkill(named + strings.Repeat("/home/x\u200b token=abc <!-- x -->\n", 5000)); len(got) > 5*most {
		t.Errorf("%d findings", len(got))
	}
}

func TestALargePackGivesABoundedReport(t *testing.T) {
	p := &pack.Pack{ID: "demo", SkillPresent: true}
	for i := range 20000 {
		p.Manifest.Verbs.Set("c"+strconv.Itoa(i), hcp.Command{})
	}
	if got := len(Pack(p)); got != mostInAll {
		t.Errorf("%d issues", got)
	}
}

// hostileTexts are pieces that, repeated, make a careless scanner start over
// from each position.
var hostileTexts = []string{
	"eyJ", "sk-", "token=", "a: ", "`", "` ``", "\u200e", "/", "//home", "://", "://a:b", "<!--", "<!--\n", "<!-- -->", "|", "|\n", "` <",
	"- `\n", "\\|", "[", "#\n", "Bearer ", "MCP ", ". ", "```\n", "a\n",
}

func TestHostileTextGivesABoundedReport(t *testing.T) {
	for _, s := range hostileTexts {
		text := strings.Repeat(s, pack.MaxSkill/16/len(s))
		if got := len(lintSkill(text)); got > mostInAll {
			t.Errorf("%q: %d issues", s, got)
		}
		f := &findings{}
		f.value(pack.SurfaceFile, map[string]string{"x": text}, hcp.LintInvalidMeta)
		if len(f.issues) > mostInAll {
			t.Errorf("%q: %d issues", s, len(f.issues))
		}
	}
}

// At full size each takes tens of milliseconds; one that takes seconds is read
// more than once.
func BenchmarkHostileText(b *testing.B) {
	for _, s := range hostileTexts {
		text := strings.Repeat(s, pack.MaxSkill/len(s))
		b.Run(strconv.Quote(s), func(b *testing.B) {
			for b.Loop() {
				lintSkill(text)
			}
		})
	}
}

func FuzzSkill(f *testing.F) {
	for _, s := range []string{named, "```", "<!--", "|`a`|\n|-|\n|`b`|", "`` ` ``", "token=\"", "://a:b@c", "/home/", "\ufeff<!-- x -->", "## Anti-patterns\n`", "a\\|b|c\n-|-\n", "## Sense\n- `"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		md := parseMarkdown(text)
		if len(md.lines) != strings.Count(text, "\n")+1 {
			t.Fatalf("%d lines of %q", len(md.lines), text)
		}
		first := lintSkill(text)
		if again := lintSkill(text); !slices.Equal(first, again) {
			t.Fatalf("%q and then %q", first, again)
		}
		p := &pack.Pack{ID: "demo", SkillPresent: true, Skill: text}
		for _, i := range Pack(p) {
			if i.Kind == "" || strings.ContainsAny(i.Message, "\n\x1b") || strings.HasSuffix(i.Message, ".") {
				t.Fatalf("%+v", i)
			}
		}
	})
}
