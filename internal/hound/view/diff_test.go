package view

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// apply carries out a script and returns what it makes of its own "before".
func apply(steps []step) (before, after string) {
	for _, s := range steps {
		if s.sign != '+' {
			before += s.line
		}
		if s.sign != '-' {
			after += s.line
		}
	}
	return before, after
}

func TestScriptLeadsFromOneTextToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 0, 12).Draw(t, "lines")
			return strings.Join(words, "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
		})
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		before, after := apply(script(lines(a), lines(b)))
		if before != a || after != b {
			t.Fatalf("%q to %q became %q to %q", a, b, before, after)
		}
		if (Unified(a, b) == "") != (a == b) {
			t.Fatalf("%q to %q: %q", a, b, Unified(a, b))
		}
	})
}

func TestUnifiedHasTheUsualForm(t *testing.T) {
	numbered := func(change map[int]string) string {
		var b strings.Builder
		for i := 1; i <= 30; i++ {
			if text, there := change[i]; there {
				b.WriteString(text)
				continue
			}
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ before, after, want string }{
		"new file":       {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"file that goes": {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		"no line end":    {"a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		"two hunks": {
			numbered(nil), numbered(map[int]string{3: "three\n", 20: ""}),
			"@@ -1,6 +1,6 @@\n line 1\n line 2\n-line 3\n+three\n line 4\n line 5\n line 6\n" +
				"@@ -17,7 +17,6 @@\n line 17\n line 18\n line 19\n-line 20\n line 21\n line 22\n line 23\n",
		},
		"one hunk for near changes": {
			numbered(nil), numbered(map[int]string{10: "", 14: ""}),
			"@@ -7,11 +7,9 @@\n line 7\n line 8\n line 9\n-line 10\n line 11\n line 12\n line 13\n-line 14\n line 15\n line 16\n line 17\n",
		},
	} {
		if got := Unified(c.before, c.after); got != c.want {
			t.Errorf("%s:\n%s\nnot\n%s", name, got, c.want)
		}
	}
}

func TestTextsThatShareNothingAreReplacedAsAWhole(t *testing.T) {
	var a, b strings.Builder
	for i := range 3 * maxEdits {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	before, after := apply(script(lines(a.String()), lines(b.String())))
	if before != a.String() || after != b.String() {
		t.Error("the script does not lead from one to the other")
	}
}
