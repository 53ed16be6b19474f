package archive

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridle/internal/hound/record"
	"bridle/internal/kernel/journal"
	houndspec "bridle/spec/hound"
)

const planID = "ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8"

// root is a run root with one good record, one damaged, one pending, and one that
// was cut off between its result and its index.
func root(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	put := func(id string, change func(name string, data []byte) []byte) {
		dir := filepath.Join(root, id)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		from := "interop/elsewhere/run/" + planID
		entries, err := houndspec.Interop.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			data, err := houndspec.Interop.ReadFile(from + "/" + entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, entry.Name()), change(entry.Name(), data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(planID, func(_ string, data []byte) []byte { return data })
	put(strings.Repeat("a", 64), func(_ string, data []byte) []byte { return append(data, ' ') })
	for id, unwritten := range map[string][]string{"b": {"result.json", "index.json"}, "c": {"index.json"}} {
		put(strings.Repeat(id, 64), func(name string, data []byte) []byte {
			if slices.Contains(unwritten, name) {
				return []byte(`{"plan_id":"x","record":"result","schema_version":"hound.run.pending.v1"}` + "\n")
			}
			return data
		})
	}
	if err := os.Mkdir(filepath.Join(root, "something-else"), 0o700); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestRecordsAreListedWithTheirState(t *testing.T) {
	runs, err := List(root(t))
	if err != nil || len(runs) != 4 {
		t.Fatal(runs, err)
	}
	states := map[string]string{}
	for _, run := range runs {
		states[run.PlanID] = run.State
		if (run.State == StateOK) != (run.IndexSHA256 != "") {
			t.Errorf("%+v", run)
		}
	}
	if states[planID] != StateOK || states[strings.Repeat("a", 64)] != StateInvalid || states[strings.Repeat("b", 64)] != StatePending ||
		states[strings.Repeat("c", 64)] != StatePending {
		t.Error(states)
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, strings.Repeat("e", 64)), 0o700); err != nil {
		t.Fatal(err)
	}
	if runs, err := List(empty); err != nil || len(runs) != 1 || runs[0].State != StateInvalid || runs[0].At.IsZero() {
		t.Error(runs, err)
	}
	none, err := List(filepath.Join(t.TempDir(), "none"))
	if err != nil || none == nil || len(none) != 0 {
		t.Error(none, err)
	}
}

func TestRulesChooseByNumberAgeAndState(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }
	runs := []Run{
		{PlanID: "1", State: StateOK, At: at(1)},
		{PlanID: "2", State: StatePending, At: at(2)},
		{PlanID: "3", State: StateFailed, At: at(3)},
		{PlanID: "4", State: StateInvalid, At: at(4)},
		{PlanID: "5", State: StateHeld, At: at(5)},
	}
	ids := func(runs []Run) string {
		text := ""
		for _, run := range runs {
			text += run.PlanID
		}
		return text
	}
	for _, c := range []struct {
		rule           Rule
		gone, evidence string
	}{
		{Rule{}, "135", "24"},
		{Rule{Keep: 1}, "13", "24"},
		{Rule{Keep: 5}, "", ""},
		{Rule{Keep: 50}, "", ""},
		{Rule{Before: at(3)}, "1", "2"},
		{Rule{Keep: 4, Before: at(9)}, "1", ""},
	} {
		gone, evidence := Choose(runs, c.rule)
		if ids(gone) != c.gone || ids(evidence) != c.evidence {
			t.Errorf("%+v: %s and %s", c.rule, ids(gone), ids(evidence))
		}
	}
}

func TestRemovedRecordsLeaveTheirDigestsInAChain(t *testing.T) {
	root := root(t)
	runs, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	gone, _ := Choose(runs, Rule{})
	if err := Remove(context.Background(), root, gone, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	report, err := journal.Verify(filepath.Join(root, Journal))
	if err != nil || report.Problem != nil || report.Lines != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	lines, err := journal.Read(filepath.Join(root, Journal), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kept Pruned
	if err := json.Unmarshal(lines[0].Raw, &kept); err != nil || kept.PlanID != planID || kept.IndexSHA256 != gone[0].IndexSHA256 {
		t.Errorf("%+v, %v", kept, err)
	}
	left, err := List(root)
	if err != nil || len(left) != 3 {
		t.Error(left, err)
	}
	outside := Run{PlanID: planID, Path: filepath.Join(t.TempDir(), planID)}
	if err := Remove(context.Background(), root, []Run{outside}, time.Now()); err == nil {
		t.Error("a record elsewhere is removed")
	}
}

// A list of removed records is whole, or nobody knows what it named.
func TestAListThatIsNotAsItWasWrittenIsRefusedAndNamed(t *testing.T) {
	root := root(t)
	list := filepath.Join(root, Journal)
	if gone, err := record.PrunedPlans(root); err != nil || gone != nil {
		t.Fatal(gone, err)
	}
	log, err := journal.Open(list, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"1", "2", "3"} {
		if _, err := log.Append(context.Background(), Pruned{Event: "pruned", PlanID: strings.Repeat(id, 64)}, journal.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct{ text, named string }{
		"as it was":           {whole, ""},
		"cut off in a line":   {whole + `{"seq":4,"prev":"0`, ""},
		"a plan's id changed": {strings.Replace(whole, "111", "112", 1), "line"},
		"a line removed":      {lines[0] + lines[2], "line 2"},
		"the first removed":   {lines[1] + lines[2], "line 1"},
		"lines changed round": {lines[1] + lines[0] + lines[2], "line"},
		"a line between":      {lines[0] + "{}\n" + lines[1] + lines[2], "line 2"},
		"no line at the end":  {whole + "nonsense\n", "line 4"},
		"an empty line":       {lines[0] + "\n" + lines[1] + lines[2], "line 2"},
		"another event":       {strings.Replace(lines[0], `"pruned"`, `"kept"`, 1), "line 1"},
		"no plan's id":        {strings.Replace(lines[0], "1111", "111", 1), "line 1"},
	} {
		if err := os.WriteFile(list, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		gone, err := record.PrunedPlans(root)
		if good := c.named == ""; good != (err == nil) || good && len(gone) != 3 || !good && !strings.Contains(err.Error(), c.named) {
			t.Errorf("%s: %v, %v", name, gone, err)
		}
		if c.named == "" {
			continue
		}
		if record.Exists(filepath.Join(root, strings.Repeat("9", 64))) == nil {
			t.Errorf("%s: a plan that the list may have named is executed", name)
		}
		runs, err := List(root)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _ := Choose(runs, Rule{})
		if Remove(context.Background(), root, chosen, time.Now()) == nil {
			t.Errorf("%s: records are removed on top of it", name)
		}
	}
}
