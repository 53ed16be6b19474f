package document

import (
	"encoding/json"
	"testing"

	"bridle/internal/kernel/canon"
	houndspec "bridle/spec/hound"
)

func TestCanonicalFormsAreThoseOfTheVectors(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Text, SHA256 string
			Canonical    *string
		}
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.Cases) < 30 {
		t.Fatal(len(vectors.Cases), err)
	}
	for _, c := range vectors.Cases {
		got, err := Canonical(json.RawMessage(c.Text))
		if c.Canonical == nil {
			if err := canon.Check([]byte(c.Text), Limits()); err == nil {
				t.Errorf("%.60q is read", c.Text)
			}
			continue
		}
		if err != nil || string(got) != *c.Canonical || Sum(got) != c.SHA256 {
			t.Errorf("%.60q becomes %.60q, %v", c.Text, got, err)
		}
		if !Equal(json.RawMessage(c.Text), got) {
			t.Errorf("%.60q is not equal to its own form", c.Text)
		}
	}
}
