package bridle_test

import (
	"fmt"
	"testing"
)

// The trust model's sentences on the service identity and on anchoring are
// counted in its order.
func TestEveryRowOfTheIdentityPageIsHeld(t *testing.T) {
	rows := claimsOf(t, "docs/hound-conformance-identity.md")
	checkHeld(t, rows)
	there := map[string]bool{}
	for _, c := range rows {
		there[c.section] = true
	}
	for section, count := range map[string]int{"Identity": 20, "Anchor": 3} {
		for i := range count {
			if name := fmt.Sprintf("%s %d", section, i+1); !there[name] {
				t.Errorf("the page has no row for %s", name)
			}
		}
	}
}
