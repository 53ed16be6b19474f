package bridle_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bridle/internal/hound/houndcli"
)

// The page on Hound has the four kinds of documentation, and what it names of
// commands and codes is what there is.
func TestHoundPageNamesWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("docs/hound.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	at := -1
	for _, heading := range []string{"## Tutorial", "## How to", "## Reference", "## Explanation"} {
		next := strings.Index(page, "\n"+heading+"\n")
		if next <= at {
			t.Errorf("%q is missing or out of its place", heading)
		}
		at = next
	}
	for _, verb := range houndcli.App().Verbs {
		if !strings.Contains(page, "`hound "+verb.Name) {
			t.Errorf("the page has nothing on hound %s", verb.Name)
		}
	}
	_, reference, _ := strings.Cut(page, "\n## Reference\n")
	for _, code := range []string{"| 0 |", "| 1 |", "| 2 |", "| 3 |", "| 130 |"} {
		if !strings.Contains(reference, code) {
			t.Errorf("the reference does not explain the exit code %s", code)
		}
	}
	source, err := os.ReadFile("hound/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, have []string
	for _, m := range regexp.MustCompile(`(?m)^\tCode\w+\s+= "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, m[1])
	}
	_, rest, _ := strings.Cut(reference, "Stable codes stand in the error's `code`:")
	list, _, _ := strings.Cut(rest, "\n")
	for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(list, -1) {
		have = append(have, m[1])
	}
	slices.Sort(want)
	slices.Sort(have)
	if len(want) == 0 || !slices.Equal(want, have) {
		t.Errorf("the page lists the codes\n%v\nand there are\n%v", have, want)
	}
}
