package packs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func transit(t testing.TB, args ...string) outcome {
	t.Helper()
	needs(t, "sh", "od", "awk")
	return start(t, command{path: script(t, "transit", "transit"), args: args})
}

func TestTransitPlanAnswersAsTheSpecificationShows(t *testing.T) {
	got := transit(t, "plan", "A", "B", "--json").object(t)
	for name, want := range map[string]any{"verb": "plan", "from": "A", "to": "B", "optionId": "opt-1"} {
		if got[name] != want {
			t.Errorf("%s = %v, want %v", name, got[name], want)
		}
	}
	if note, _ := got["note"].(string); !strings.Contains(note, `"A"`) && !strings.Contains(note, `"B"`) {
		t.Errorf("the answer for unknown places has the note %q", note)
	}
}

func TestTransitPlanIsTimeFirst(t *testing.T) {
	got := transit(t, "plan", "Airport", "Museum Quarter", "--depart=09:30", "--json").object(t)
	options := got["options"].([]any)
	if len(options) < 3 {
		t.Fatalf("%d options", len(options))
	}
	if got["note"] != nil {
		t.Errorf("known places got the note %v", got["note"])
	}
	last := ""
	for i := range options {
		depart, arrive := at(t, options, i, "depart").(string), at(t, options, i, "arrive").(string)
		if depart < "09:30" || arrive <= depart || arrive < last {
			t.Errorf("option %d runs from %s to %s after one arriving at %s", i, depart, arrive, last)
		}
		last = arrive
		lines := at(t, options, i, "lines").([]any)
		if at(t, options, i, "changes").(interface{ String() string }).String() != string(rune('0'+len(lines)-1)) {
			t.Errorf("option %d has lines %v and changes %v", i, lines, at(t, options, i, "changes"))
		}
	}
}

func TestTransitOptionIdsLeadToShowAndRunIdsToFollow(t *testing.T) {
	plan := transit(t, "plan", "hillcrest", "airport", "--depart", "10:00", "--json").object(t)
	for i := range plan["options"].([]any) {
		id := at(t, plan, "options", i, "id").(string)
		show := transit(t, "show", id, "--json").object(t)
		if at(t, show, "option", "arrive") != at(t, plan, "options", i, "arrive") || show["optionId"] != id {
			t.Errorf("show %s: %v", id, show["option"])
		}
		legs := show["legs"].([]any)
		now, place := at(t, show, "option", "depart").(string), "hillcrest"
		for l := range legs {
			stops := at(t, legs, l, "stops").([]any)
			if at(t, stops, 0, "id") != place || at(t, stops, 0, "time").(string) < now {
				t.Errorf("%s: leg %d begins at %v", id, l, stops[0])
			}
			place, now = at(t, stops, len(stops)-1, "id").(string), at(t, stops, len(stops)-1, "time").(string)
			run := at(t, legs, l, "runId").(string)
			follow := transit(t, "follow", run, "--at", at(t, stops, 0, "time").(string), "--json").object(t)
			if follow["line"] != at(t, legs, l, "line") || follow["state"] != "running" {
				t.Errorf("follow %s: %v %v", run, follow["line"], follow["state"])
			}
		}
		if place != "airport" || now != at(t, show, "option", "arrive") {
			t.Errorf("%s ends at %s, %s", id, place, now)
		}
	}
}

func TestTransitFindMatchesNamesAndSaysWhenNothingDoes(t *testing.T) {
	for query, want := range map[string]string{"Central": "central", "MUSEUM Q": "museum", "gate": "northgate"} {
		got := transit(t, "find", query, "--json").object(t)
		if at(t, got, "places", 0, "id") != want || got["query"] != query {
			t.Errorf("find %q: %v", query, got)
		}
	}
	if got := transit(t, "find", "Atlantis", "--json").object(t); len(got["places"].([]any)) != 0 {
		t.Errorf("find Atlantis: %v", got)
	}
}

func TestTransitReportsTheLines(t *testing.T) {
	day := transit(t, "status", "--json").object(t)
	if len(day["lines"].([]any)) != 5 || day["observedAt"] != "08:00" {
		t.Errorf("status: %v", day)
	}
	night := transit(t, "status", "--at=03:00", "--json").object(t)
	for i := range night["lines"].([]any) {
		if at(t, night, "lines", i, "state") != "not_running" {
			t.Errorf("at 03:00: %v", at(t, night, "lines", i))
		}
	}
	if got := transit(t, "plan", "Airport", "Harbour", "--depart=23:59", "--json").object(t); got["optionId"] != nil || len(got["options"].([]any)) != 0 {
		t.Errorf("a journey after the last train: %v", got)
	}
	if got := transit(t, "follow", "run-1", "--json").object(t); got["state"] != "arrived" || got["next"] != nil {
		t.Errorf("the first run of the day at 08:00: %v", got)
	}
}

func TestTransitRefusesWithOneSentence(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fly"}, `unknown command "fly"`},
		{[]string{"plan", "Central"}, "needs two stops"},
		{[]string{"plan", "Central", ""}, "needs two stops"},
		{[]string{"plan", "Central", "central"}, "same stop"},
		{[]string{"plan", "Central", "Harbour", "Airport"}, "needs two stops"},
		{[]string{"plan", "Central", "Harbour", "--depart=8"}, "no time of day"},
		{[]string{"plan", "Central", "Harbour", "--depart=24:00"}, "no time of day"},
		{[]string{"plan", "Central", "Harbour", "--depart"}, "needs a time"},
		{[]string{"plan", "Central", "Harbour", "--at=08:00"}, "takes no --at"},
		{[]string{"find"}, "needs a query"},
		{[]string{"find", "--nearby", "x"}, `unknown option "--nearby"`},
		{[]string{"show", "opt-9"}, "there is no option"},
		{[]string{"show", "opt-1.central.central.0800"}, "no option id"},
		{[]string{"show", "opt-1.central.harbour.9900"}, "no option id"},
		{[]string{"follow", "run-0"}, "there is no run"},
		{[]string{"follow", "run-999999999999"}, "there is no run"},
		{[]string{"status", "extra"}, "needs nothing else"},
	} {
		transit(t, c.args...).refused(t, c.want)
		transit(t, append(c.args, "--json")...).refused(t, "")
	}
}

func TestTransitHelpAndText(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"find", "--help"}, {"plan", "-h"}} {
		if got := transit(t, args...); got.code != 0 || !strings.HasPrefix(got.stdout, "usage: transit") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := transit(t); got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "usage: transit") {
		t.Errorf("no command: %+v", got)
	}
	for _, args := range [][]string{{"find", "c"}, {"plan", "A", "B"}, {"show", "opt-1"}, {"status"}, {"follow", "run-1"}, {"find", "x\"y"}} {
		got := transit(t, args...)
		if got.code != 0 || got.stdout == "" || strings.HasPrefix(got.stdout, "{") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestTransitEchoesHostileWordsAsJSON(t *testing.T) {
	for _, word := range []string{`quote " and \ back`, "tab\tnewline\n", "\x01\x1f\x7f", "ünï→😀", "--json", "$(id)", "`id`", "%s%n", "a'b"} {
		got := transit(t, "find", "--json", "--", word).object(t)
		if got["query"] != word {
			t.Errorf("%q came back as %q", word, got["query"])
		}
		got = transit(t, "plan", "--json", "--", word, word+"x").object(t)
		if got["from"] != word || got["optionId"] != "opt-1" {
			t.Errorf("%q: %v", word, got)
		}
	}
}

func TestTransitAnswersTheSameUnderEveryShellAndAwk(t *testing.T) {
	needs(t, "sh", "od", "awk")
	sameEverywhere(t, command{path: script(t, "transit", "transit")}, [][]string{
		{"find", "a", "--json"},
		{"plan", "A", "B\xffé😀\x01", "--json"},
		{"plan", "Airport", "Museum", "--json"},
		{"plan", "Lakeside", "University", "--depart=17:05"},
		{"show", "opt-2.airport.museum.0930", "--json"},
		{"show", "opt-3"},
		{"status", "--json"},
		{"status"},
		{"follow", "run-13", "--json"},
		{"follow", "run-700"},
		{"show", "opt-8"},
		{"fly"},
		{"--help"},
	})
}

// Plain words go to awk as they are, all others as bytes: whichever way a byte takes,
// it comes back as itself.
func TestTransitBringsEveryByteBack(t *testing.T) {
	for b := 1; b < 256; b++ {
		word := "a" + string([]byte{byte(b)}) + "1=b"
		if got := transit(t, "find", "--json", "--", word).object(t); got["query"] != recommended(word) {
			t.Errorf("%q came back as %q", word, got["query"])
		}
	}
	for _, word := range []string{"-v", "-f", "--", "x=1", "json=", "-", "/etc/passwd", "0x10", "1e3", "@", " "} {
		if got := transit(t, "find", "--json", "--", word).object(t); got["query"] != word {
			t.Errorf("%q came back as %q", word, got["query"])
		}
	}
}

func TestTransitStartsNothingButAwkForPlainWords(t *testing.T) {
	needs(t, "sh", "od", "awk")
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "od"), []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(word string) outcome {
		return start(t, command{path: script(t, "transit", "transit"), args: []string{"find", word, "--json"}, path0: broken})
	}
	if got := run("Museum Q").object(t); got["query"] != "Museum Q" {
		t.Errorf("a plain word without od: %v", got)
	}
	if got := run("é"); strings.Contains(got.stdout, "u00e9") {
		t.Errorf("the od of this test was not asked: %+v", got)
	}
}

func TestTransitFindsItsFilesHoweverItIsStarted(t *testing.T) {
	needs(t, "sh", "awk")
	path := script(t, "transit", "transit")
	dir := t.TempDir()
	for name, target := range map[string]string{"absolute": path, "relative": "absolute"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []command{
		{path: filepath.Join(dir, "relative"), args: []string{"status", "--json"}},
		{path: "/bin/sh", args: []string{"relative", "status", "--json"}, dir: dir},
		{path: "/bin/sh", args: []string{"transit", "status", "--json"}, dir: filepath.Dir(path)},
	} {
		if got := start(t, c).object(t); got["verb"] != "status" {
			t.Errorf("%s %q: %v", c.path, c.args, got)
		}
	}
}
