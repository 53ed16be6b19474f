package redact_test

import (
	"strings"
	"testing"

	"bridle/internal/kernel/redact"
	"bridle/internal/kernel/redact/corpus"
)

// score is what a detector did on a corpus.
type score struct {
	labels, found       int // credentials
	negatives, hits     int // samples without any, and those with a finding
	positives, overdone int // samples with credentials, and those with a finding beside them
}

func (s score) recall() float64    { return float64(s.found) / float64(s.labels) }
func (s score) falseHits() float64 { return float64(s.hits) / float64(s.negatives) }
func (s score) beside() float64    { return float64(s.overdone) / float64(s.positives) }

// measure counts. A credential is found if all of its bytes would be replaced.
func measure(t *testing.T, dir string, seed uint64) score {
	t.Helper()
	samples, err := corpus.Load(dir, seed)
	if err != nil {
		t.Fatal(err)
	}
	var s score
	for _, sample := range samples {
		found := redact.Find(sample.Text)
		if len(sample.Labels) == 0 {
			s.negatives++
			if len(found) > 0 {
				s.hits++
				t.Logf("false hit %s: %q", sample.Name, describe(sample.Text, found))
			}
			continue
		}
		s.positives++
		for _, l := range sample.Labels {
			s.labels++
			if isCovered(sample.Text, l, found) {
				s.found++
			} else {
				t.Logf("missed %s: %q", sample.Name, sample.Text[l.Start:l.End])
			}
		}
		for _, f := range found {
			if !touches(f, sample.Labels) {
				s.overdone++
				t.Logf("beside %s: %q", sample.Name, sample.Text[f.Start:f.End])
				break
			}
		}
	}
	t.Logf("%s: recall %.3f of %d, false hits %.3f of %d, findings beside credentials %.3f of %d", dir, s.recall(), s.labels, s.falseHits(), s.negatives, s.beside(), s.positives)
	return s
}

func describe(text string, found []redact.Finding) string {
	var parts []string
	for _, f := range found {
		parts = append(parts, f.Rule+": "+text[f.Start:f.End])
	}
	return strings.Join(parts, "; ")
}

func isCovered(text string, l corpus.Span, found []redact.Finding) bool {
	at := l.Start
	for _, f := range found {
		if f.Start <= at && f.End > at {
			at = f.End
		}
	}
	return at >= l.End || strings.TrimSpace(text[at:l.End]) == ""
}

func touches(f redact.Finding, labels []corpus.Span) bool {
	for _, l := range labels {
		if f.Start < l.End && l.Start < f.End {
			return true
		}
	}
	return false
}

// The rules may be tuned on this set, so it shows that nothing got worse. Of the 45
// credentials in its last 40 samples, written for places away from their names, 36
// were missed before there were rules for them; one is.
func TestTheTuningSetIsFound(t *testing.T) {
	if s := measure(t, "testdata/corpus/tune", 1); s.recall() < 0.99 || s.falseHits() > 0.01 || s.beside() > 0.01 {
		t.Errorf("%+v", s)
	}
}

// The rules were not tuned on this set. It is the third one: of the first (recall
// 0.966, no false hits in its one run) and the second (0.979, 0.004) the misses
// had been looked at, so their samples went to the tuning set, and others were
// written in their place before the rules were run on them. The list of provider
// formats stayed, with other values. In its first run the third one had a recall
// of 0.992 and false hits of 0.012; its misses have not been looked at.
func TestTheHeldOutSetMeetsTheBar(t *testing.T) {
	if s := measure(t, "testdata/corpus/heldout", 4); s.recall() < 0.95 || s.falseHits() > 0.02 || s.beside() > 0.02 {
		t.Errorf("%+v", s)
	}
}
