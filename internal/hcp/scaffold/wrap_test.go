package scaffold

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bridle/hcp"
	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/lint"
	"bridle/internal/hcp/pack"
	"bridle/internal/hcp/scaffold/helptext"
	"bridle/internal/kernel/fault"
)

func TestOnlyKnownReadsAreReads(t *testing.T) {
	for name, want := range map[string]struct {
		operation hcp.Operation
		confirm   hcp.Confirm
	}{
		"list":             {hcp.OperationRead, hcp.ConfirmNone},
		"issue list":       {hcp.OperationRead, hcp.ConfirmNone},
		"list-users":       {hcp.OperationRead, hcp.ConfirmNone},
		"create":           {hcp.OperationWrite, hcp.ConfirmNone},
		"delete":           {hcp.OperationWrite, hcp.ConfirmAsk},
		"list delete":      {hcp.OperationWrite, hcp.ConfirmAsk},
		"delete list":      {hcp.OperationWrite, hcp.ConfirmAsk},
		"list-and-delete":  {hcp.OperationWrite, hcp.ConfirmAsk},
		"create:send":      {hcp.OperationWrite, hcp.ConfirmAsk},
		"frobnicate":       {hcp.OperationWrite, hcp.ConfirmAsk},
		"users-listing":    {hcp.OperationWrite, hcp.ConfirmAsk},
		"transfer.history": {hcp.OperationWrite, hcp.ConfirmAsk},
		"---":              {hcp.OperationWrite, hcp.ConfirmAsk},
	} {
		if got := judge(strings.Fields(name), "", nil); got.operation != want.operation || got.confirm != want.confirm || got.why == "" {
			t.Errorf("%q: %+v", name, got)
		}
	}
	for about, read := range map[string]bool{
		"List the files": true, "List and delete files": false, "Show it, then removes it": false, "Open it in a browser": false, "Prints what is there": true,
	} {
		if got := judge([]string{"show"}, about, nil); (got.operation == hcp.OperationRead) != read || !read && got.confirm != hcp.ConfirmAsk {
			t.Errorf("%q: %+v", about, got)
		}
	}
	for _, flag := range append(slices.Clone(confirming), forcing...) {
		if got := judge([]string{"list"}, "", []string{"--all", flag}); got.confirm != hcp.ConfirmAsk {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

// A word that is in no list can never make a read, nor a write that does not ask.
func TestUnknownNamesAsk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z]{3,9}(-[a-z]{3,9})?`).Draw(t, "name")
		first := nameParts(name)[0]
		if slices.Contains(readingWords, first) || slices.Contains(writingWords, first) {
			return
		}
		if got := judge([]string{name}, rapid.String().Draw(t, "about"), nil); got.confirm != hcp.ConfirmAsk || got.operation != hcp.OperationWrite {
			t.Fatalf("%q: %+v", name, got)
		}
	})
}

func TestUsageBecomesACommandLine(t *testing.T) {
	for help, want := range map[string]string{
		"usage: mail get <message-id>":                                      "mail get {{message_id}}",
		"usage: mail list [--folder <name>] [--order=<o>]":                  "mail list --folder {{folder}} --order={{order}}",
		"usage: mail send --to ADDR [--cc ADDR]... TEXT":                    "mail send --to {{to}} --cc {{cc}} {{send_text}}",
		"usage: mail copy <source> to <target>":                             "mail copy {{source}} to {{target}}",
		"usage: mail copy <source> (see below)":                             "mail copy {{source}}",
		"usage: mail add [--] <path>...":                                    "mail add -- {{path}}",
		"usage: mail get <id> <id>":                                         "mail get {{id}} {{id_b}}",
		"usage: mail set <mode> <confirm> <value> <x>":                      "mail set {{set_mode}} {{set_confirm}} {{set_value}} {{set_x}}",
		"usage: mail get [-a|--all] [--token <t>] <id>":                     "mail get {{id}}",
		"usage: mail tell [args...]":                                        "mail tell",
		"usage: mail get (--name <n> | --id <i>)":                           "mail get --name {{name}}",
		"usage: mail list [options]\n\noptions:\n  -n, --limit=N  how many": "mail list --limit={{limit}}",
		"usage: mail set state=open|closed [<id>]":                          "mail set state={{state}} {{id}}",
		"usage: mail set <key>=<value> [<key>=<value> ...]":                 "mail set {{key_and_value}} {{key_and_value_b}}",
		"usage: mail list\n\n  --password P  it\n  --exec CMD  run":         "mail list",
		"usage: mail list\n\n  --pair A B   two values":                     "mail list",
	} {
		page := helptext.Read([]byte(help), "mail")
		f := byWords(page.Usages)[0]
		f.page = page
		if got := strings.Join(formOf("mail", f).tokens, " "); got != want {
			t.Errorf("%q: %q, not %q", help, got, want)
		}
	}
}

// machine has the programs of the test on its PATH, and nothing else to be found.
func machine(t *testing.T, programs map[string]string) Machine {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("programs are asked in the sandbox, on Linux only")
	}
	bin := t.TempDir()
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return Machine{Search: executable.Search{Path: bin}, Dir: t.TempDir(), Home: t.TempDir(), Temp: t.TempDir()}
}

const mailHelp = "echo 'usage: mail list [--folder F]   List messages'; echo '   or: mail send --to ADDR   Send one'\n"

func TestDraftOfEachClassLintsClean(t *testing.T) {
	m := machine(t, map[string]string{"mail": mailHelp, "odd": "printf 'usage: odd 1st <2nd>\\n  or: odd Add-One.x:y <A B>\\n  or: odd add-one y\\n'\n"})
	for _, bin := range []string{"mail", "odd"} {
		for class, mode := range map[string]hcp.BindingMode{"public-read": hcp.BindingPublic, "gated-write": hcp.BindingLocal} {
			dir := filepath.Join(t.TempDir(), "packs", bin)
			w, err := Wrap(context.Background(), m, bin, bin, class, dir)
			if err != nil || len(w.Commands) == 0 {
				t.Fatal(bin, err, w)
			}
			report, err := lint.Dir(dir)
			if err != nil || !report.OK() {
				t.Errorf("%s: %v %+v", bin, err, report.Issues)
			}
			p, err := pack.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if p.Manifest.BindingMode() != mode || p.Manifest.Wrap.Bin != bin || p.Manifest.Wrap.Workspace.Mode != hcp.WorkspaceProject {
				t.Errorf("%s %s: %+v", bin, class, p.Manifest)
			}
			for _, key := range p.Keys() {
				entry, _ := p.Entry(key)
				c, _ := p.Command(key)
				if entry.Privacy.Land != hcp.LandLocal || (entry.Confirm != hcp.ConfirmNone) != (c.Preview != nil) {
					t.Errorf("%s: %+v %+v", key, entry, c)
				}
			}
		}
	}
	left, err := os.ReadDir(m.Temp)
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestNothingIsWrittenOver(t *testing.T) {
	m := machine(t, map[string]string{"mail": mailHelp})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, taken := range []string{dir, file, filepath.Join(file, "below")} {
		if _, err := Wrap(context.Background(), m, "mail", "mail", Classes[0], taken); !fault.Is(err, CodeWrapFailed) {
			t.Errorf("%s: %v", taken, err)
		}
	}
	entries, err := os.ReadDir(dir)
	text, errRead := os.ReadFile(file)
	if err != nil || errRead != nil || len(entries) != 1 || string(text) != "mine" {
		t.Errorf("%v %q", entries, text)
	}
}

// A program that hangs, or leaves a process that does, is ended, and what it said
// does not count.
func TestHelpThatHangsIsEnded(t *testing.T) {
	m := machine(t, map[string]string{"hang": "while :; do :; done", "leave": "sleep 1000 & echo 'usage: leave list'\n"})
	p, _, err := m.find("hang")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.enter(m); err != nil {
		t.Fatal(err)
	}
	defer p.leave()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := p.look(ended); err != nil || s.said || len(s.warnings) == 0 {
		t.Errorf("%+v %v", s, err)
	}
	p.timeout = 50 * time.Millisecond
	if s, err := p.look(context.Background()); err != nil || s.said || !strings.Contains(strings.Join(s.warnings, ""), tooLate) {
		t.Errorf("at the deadline: %+v %v", s, err)
	}
	w, err := Wrap(context.Background(), m, "leave", "leave", Classes[0], filepath.Join(t.TempDir(), "p"))
	if err != nil || len(w.Commands) != 1 {
		t.Errorf("%+v %v", w, err)
	}
}

// Programs answer in many ways; what counts is what a person would read there.
func TestHelpIsReadHoweverItComes(t *testing.T) {
	page := `'usage: mail list\n   or: mail send <to>\n'`
	for name, c := range map[string]struct {
		program string
		want    []string
	}{
		"in colours":              {`printf '\033[1musage: \033[32mmail list\033[0m\n   or: mail \033[4msend\033[24m <to>\n\033]0;title\007'`, []string{"list", "send"}},
		"overstruck as a manual":  {`printf 'U\bUS\bSA\bAG\bGE\bE\n       m\bma\bai\bil\bl list\n       m\bma\bai\bil\bl send <_\bt_\bo>\n'`, []string{"list", "send"}},
		"and ends with a failure": {`printf ` + page + `; exit 3`, []string{"list", "send"}},
		"among the errors":        {`printf ` + page + ` >&2; exit 64`, []string{"list", "send"}},
		"and ends by a signal":    {`printf ` + page + `; kill -9 $$`, []string{"list", "send"}},
		"behind a flood":          {`printf ` + page + `; i=0; while [ $i -lt 2000 ]; do printf '%01000d\n' 0; i=$((i+1)); done`, []string{"list", "send"}},
		"only on a terminal":      {`[ -t 1 ] || { echo 'mail: no terminal' >&2; exit 1; }; printf ` + page, nil},
		"from its own terminal":   {`{ printf 'who are you? ' >/dev/tty && read -r a </dev/tty; } 2>/dev/null || exit 1; printf ` + page, nil},
		"by a question":           {`printf 'continue? '; read -r a || exit 1; printf ` + page, nil},
		"not at all":              {`exit 0`, nil},
	} {
		w, err := Wrap(context.Background(), machine(t, map[string]string{"mail": c.program}), "mail", "mail", Classes[0], filepath.Join(t.TempDir(), "p"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, drafted := range w.Commands {
			got = append(got, drafted.Command)
		}
		if !slices.Equal(got, c.want) || c.want == nil && len(w.Warnings) == 0 {
			t.Errorf("%s: %q, %q", name, got, w.Warnings)
		}
	}
}

func TestASubcommandOfWhichOnlyTheNameIsKnownAsks(t *testing.T) {
	help := `case "$*" in --help) printf 'Usage: mail [command]\n\nCommands:\n  docs\n  list    List messages\n';; *) exit 1;; esac`
	w, err := Wrap(context.Background(), machine(t, map[string]string{"mail": help}), "mail", "mail", Classes[0], filepath.Join(t.TempDir(), "p"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]hcp.Operation{}
	for _, c := range w.Commands {
		got[c.Command] = c.Operation
	}
	if diff := cmp.Diff(map[string]hcp.Operation{"docs": hcp.OperationWrite, "list": hcp.OperationRead}, got); diff != "" {
		t.Error(diff)
	}
}

func TestIDIsMadeOfTheProgramsName(t *testing.T) {
	got := map[string]string{}
	for _, bin := range []string{"mail", "/usr/bin/Mail", "my_tool.py", "tool.exe", "a..b", "..."} {
		got[bin] = IDOf(bin)
	}
	want := map[string]string{"mail": "mail", "/usr/bin/Mail": "mail", "my_tool.py": "my-tool", "tool.exe": "tool", "a..b": "a--b", "...": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
