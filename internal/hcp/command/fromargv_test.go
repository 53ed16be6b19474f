package command

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bridle/hcp"

	"pgregory.net/rapid"
)

func TestCommandLineFillsTheArguments(t *testing.T) {
	m := manifest(t, `{"id":"tool","kind":"wrap","wrap":{"bin":"tool","json_flag":["-o","json"]},"verbs":{
		"transfer":{"cli":["ledger","transfer","{{amount}}","--to","{{payee}}","--memo","{{memo}}","--confirm"]},
		"open":{"cli":["tool","node","open","--id={{node_id}}","-y"],"args":{"properties":{"node_id":{"type":"string"},"pageSize":{"type":"integer"},
			"all":{"type":"boolean"},"tags":{"type":"array","items":{"type":"integer"}},"query":{"type":"string","x-position":0},"late":{"x-position":2}}}},
		"move":{"cli":["tool","move","{{a}}","to","{{b}}","--depth=1","--sort","name"]},
		"get":{"cli":["tool","api","repos/{{owner}}/{{repo}}","-q{{q}}","--as=user:{{who}}"]},
		"calc":{"cli":["tool","calc","{{n}}"],"args":{"properties":{"n":{"type":"number"}}}},
		"rg":{"cli":["rg","--json","-e","{{more}}","--","{{pattern}}"]},
		"free":{"args":{"properties":{"x":{"x-position":0},"y":{"x-position":0},"a_b":{},"ab":{}}}}}}`)
	for _, c := range []struct {
		key  string
		argv string
		want hcp.Args
	}{
		{"transfer", "2.80 --to demo --confirm --json", hcp.Args{"amount": "2.80", "payee": "demo", "confirm": true}},
		{"transfer", "--to=demo 2.80 --memo= -o json", hcp.Args{"amount": "2.80", "payee": "demo", "memo": ""}},
		{"transfer", "--apply -- --to", hcp.Args{"amount": "--to", "apply": true}},
		{"transfer", "--force --level=3 -v", hcp.Args{"force": true, "level": "3", "v": true}},
		{"transfer", "--confirm=false", hcp.Args{"confirm": false}},
		{"open", "--node-id n-7", hcp.Args{"node_id": "n-7"}},
		{"open", "--node-id=n-7 -y", hcp.Args{"node_id": "n-7"}},
		{"open", "--id=n-7", hcp.Args{"node_id": "n-7"}},
		{"open", "--id n-7", hcp.Args{"node_id": "n-7"}},
		{"open", "--NODE_ID=n-7 --page-size 20", hcp.Args{"node_id": "n-7", "pageSize": "20"}},
		{"open", "--all laura --verbose", hcp.Args{"all": true, "query": "laura", "verbose": true}},
		{"open", "--all=false", hcp.Args{"all": "false"}},
		{"open", "--tags 1,2 --tags=[3] --tags x", hcp.Args{"tags": []any{json.Number("1"), json.Number("2"), json.Number("3"), "x"}}},
		{"move", "x to y --depth=1 --sort name", hcp.Args{"a": "x", "b": "y"}},
		{"move", "x to north", hcp.Args{"a": "x", "b": "north"}},
		{"get", "repos/acme/site -qname --as=user:me", hcp.Args{"owner": "acme", "repo": "site", "q": "name", "who": "me"}},
		{"calc", "-5", hcp.Args{"n": "-5"}},
		{"rg", "--json -e a b", hcp.Args{"more": "a", "pattern": "b"}},
		{"rg", "-- -b", hcp.Args{"pattern": "-b"}},
		{"free", "1", hcp.Args{"x": "1"}},
		{"free", "--a-b=1", hcp.Args{"a-b": "1"}},
		{"free", "-", hcp.Args{"x": "-"}},
		{"free", "", hcp.Args{}},
	} {
		got, err := FromArgv(m, c.key, strings.Fields(c.argv))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %#v, %v\nwant %#v", c.key, c.argv, got, err, c.want)
		}
	}
}

func TestFlagValueMayBeTextThatBeginsWithADash(t *testing.T) {
	got, err := FromArgv(ledger(t), "transfer", []string{"--memo", "- one item", "--to", "-5"})
	if err != nil || !reflect.DeepEqual(got, hcp.Args{"memo": "- one item", "payee": "-5"}) {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestWordsWithoutMeaningAreRefused(t *testing.T) {
	m := wrapOf(t, `{
		"transfer":{"cli":["tool","transfer","{{amount}}","--to","{{payee}}"]},
		"get":{"cli":["tool","api","repos/{{owner}}/{{repo}}","{{a}}{{b}}","{{c}}/{{c}}"]},
		"free":{"args":{"properties":{"a_b":{},"aB":{}}}}}`)
	for _, c := range []struct {
		key     string
		argv    []string
		message string
	}{
		{"transfer", []string{"1", "2"}, "bare word 2 of the command line has no argument to fill"},
		{"transfer", []string{"--to"}, `flag "--to" has no value`},
		{"transfer", []string{"--to", "--confirm"}, `flag "--to" has no value`},
		{"transfer", []string{"--to", "a", "--to=b"}, `argument "payee" is given twice`},
		{"transfer", []string{"--confirm", "--confirm"}, `argument "confirm" is given twice`},
		{"transfer", []string{"--mode=mock"}, `flag "--mode" has a name that no argument can have`},
		{"transfer", []string{"--\u202e"}, `flag "--\u202e" has a name that no argument can have`},
		{"transfer", []string{"---"}, `flag "---" has a name that no argument can have`},
		{"transfer", []string{"a\x00"}, "a word of the command line has a NUL character, which no argument can carry"},
		{"transfer", []string{"--to", "\xff"}, "a word of the command line is not valid UTF-8"},
		{"get", []string{"repo/acme/site"}, `a word of the command line does not fit the place of arguments "owner", "repo"`},
		{"get", []string{"repos/acme"}, `a word of the command line does not fit the place of arguments "owner", "repo"`},
		{"get", []string{"repos//x"}, `a word of the command line does not fit the place of arguments "owner", "repo"`},
		{"get", []string{"repos/a/b", "xy"}, `a word of the command line does not fit the place of arguments "a", "b"`},
	} {
		e := faultOf(t, second(FromArgv(m, c.key, c.argv)), CodeBadArgument)
		if e.Message != c.message {
			t.Errorf("%q: %s\nwant %s", c.argv, e.Message, c.message)
		}
	}
	faultOf(t, second(FromArgv(m, "nothing", nil)), CodeUnknownCommand)
	if got, err := FromArgv(m, "free", []string{"--a-b", "--AB=1"}); err != nil || got["AB"] != "1" || got["a-b"] != true {
		t.Errorf("a flag that two arguments could mean: %v, %v", got, err)
	}
}

func TestBootstrapKeepsItsWords(t *testing.T) {
	m := manifest(t, `{"id":"mail","kind":"wrap","wrap":{"bin":"mail"},"verbs":{},"pass_through":{"allowedSubcommands":["get"],"maxArgv":9}}`)
	got, err := FromArgv(m, "get", []string{"--file", "a", "--", "-x"})
	if err != nil || !reflect.DeepEqual(got, hcp.Args{"argv": []any{"--file", "a", "--", "-x"}}) {
		t.Fatalf("%v, %v", got, err)
	}
	if got, err := FromArgv(m, "get", nil); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
}

// What Render writes, FromArgv reads back.
func TestRenderedCommandLineReadsBack(t *testing.T) {
	m := wrapOf(t, `{
		"a":{"cli":["tool","own","words","{{x}}","--to","{{y}}","--as={{z}}","--confirm","--","{{w}}"]},
		"b":{"cli":["tool","own","repos/{{x}}/{{y}}","--n","{{n}}","--l","{{l}}","-o","json"],
			"args":{"properties":{"x":{"type":"string"},"y":{"type":"string"},"n":{"type":"integer"},"l":{"type":"array","items":{"type":"string"}}}}}}`)
	own := map[string]int{"a": 2, "b": 1}
	word := rapid.StringMatching(`[a-zA-Z0-9é{}$' ][a-zA-Z0-9é{}$' =-]{0,8}`).Filter(func(s string) bool { return strings.TrimSpace(s) == s })
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "key")
		args := hcp.Args{}
		names := []string{"x", "y", "z", "w"}
		if key == "b" {
			names = []string{"x", "y"}
			if rapid.Bool().Draw(t, "n?") {
				args["n"] = json.Number(rapid.StringMatching(`-?[1-9][0-9]{0,20}`).Draw(t, "n"))
			}
			if rapid.Bool().Draw(t, "l?") {
				args["l"] = []any{word.Draw(t, "first"), word.Draw(t, "second")}
			}
		}
		// A bare word that is left out moves those behind it, as for any program.
		for _, name := range names {
			args[name] = word.Draw(t, name)
		}
		argv, err := Render(m, key, args)
		if err != nil {
			t.Fatal(err)
		}
		read, err := FromArgv(m, key, argv.Args()[own[key]:])
		if err != nil {
			t.Fatalf("%q: %v", argv.Args(), err)
		}
		delete(read, "confirm")
		checked, err := Check(m, key, read)
		if err != nil || !reflect.DeepEqual(checked, args) {
			t.Fatalf("%q read back as %#v, %v, want %#v", argv.Args(), checked, err, args)
		}
		again, err := Render(m, key, read)
		if err != nil || !slices.Equal(again.Args(), argv.Args()) {
			t.Fatalf("%q renders as %q, %v", argv.Args(), again.Args(), err)
		}
	})
}
