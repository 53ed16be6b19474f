package lint_test

import (
	"slices"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/hcp/lint"
)

// A required argument without a place on the command line: no call can run.
func TestRequiredArgumentNeedsAPlace(t *testing.T) {
	for args, want := range map[string]string{
		`{"type":"object","required":["ghost"]}`:                                                                  "ghost",
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                 "a",
		`{"type":"object","properties":{"a":{"type":"string"},"amount":{"type":"string"}},"required":["a"]}`:      "a",
		`{"type":"object","properties":{"amount":{"type":"string"}},"required":["amount","ghost"]}`:               "ghost",
		`{"type":"object","properties":{"amount":{"type":"string"},"b":{"type":"string"}},"required":["amount"]}`: "",
		`{"type":"object","properties":{"amount":{"type":"string"}},"required":["confirm","amount"]}`:             "",
	} {
		report, err := lint.Dir(with("surface.json", `"description":"Pays.",`, `"description":"Pays.","args":`+args+`,`).plant(t))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(report.Issues, func(i hcp.LintIssue) bool {
			return i.Kind == hcp.LintInvalidMeta && i.Key == "transfer" && strings.Contains(i.Message, `requires the argument "`+want+`"`)
		})
		if found != (want != "") {
			t.Errorf("%s: %v", args, report.Issues)
		}
	}
}
