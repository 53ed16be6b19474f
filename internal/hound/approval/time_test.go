package approval

import (
	"encoding/json"
	"testing"
	"time"

	houndspec "bridle/spec/hound"
)

func TestTimesAreReadAsTheVectorsSay(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/times.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Text string  `json:"text"`
			UTC  *string `json:"utc"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Cases) < 30 {
		t.Fatalf("only %d cases", len(vectors.Cases))
	}
	for _, c := range vectors.Cases {
		got, err := ParseTime(c.Text)
		switch {
		case c.UTC == nil && err == nil:
			t.Errorf("%q was read as %s", c.Text, got)
		case c.UTC != nil && err != nil:
			t.Errorf("%q: %v", c.Text, err)
		case c.UTC != nil:
			if want, err := time.Parse("2006-01-02T15:04:05.000000Z", *c.UTC); err != nil || !got.Equal(want) {
				t.Errorf("%q was read as %s, not %s", c.Text, got, *c.UTC)
			}
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"2026-01-02T03:04:05Z", "2026-W01-5 0304+0530", "2026-01-02T03:04:05.123456-00:00:30", "20260102T03Z", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseTime(text)
		if err != nil {
			return
		}
		if at.Year() < 0 || at.Year() > 10000 {
			t.Errorf("%q is the year %d", text, at.Year())
		}
		if again, err := ParseTime(Stamp(at)); at.Year() > 0 && at.Year() < 10000 && (err != nil || !again.Equal(at)) {
			t.Errorf("%q is %s and reads back as %s, %v", text, at, again, err)
		}
	})
}
