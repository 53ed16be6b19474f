// Package gitleaks compares the credential detection of internal/kernel/redact
// with gitleaks on the same texts in the same run:
//
//	cd bench/gitleaks && go test -v .
//
// It is a module of its own, so that nothing else depends on gitleaks.
package gitleaks

import (
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"bridle/internal/kernel/redact"
	"bridle/internal/kernel/redact/corpus"
)

// detector returns the stretches of a text that it takes for credentials.
type detector func(text string) []corpus.Span

func ours(text string) []corpus.Span {
	var out []corpus.Span
	for _, f := range redact.Find(text) {
		out = append(out, corpus.Span{Start: f.Start, End: f.End})
	}
	return out
}

// theirs gives every place of a secret that gitleaks names, which is kinder to
// it than the one place that it reports.
func theirs(d *detect.Detector) detector {
	return func(text string) []corpus.Span {
		var out []corpus.Span
		for _, f := range d.DetectString(text) {
			secret := f.Secret
			if secret == "" {
				secret = f.Match
			}
			for at := 0; secret != ""; {
				i := strings.Index(text[at:], secret)
				if i < 0 {
					break
				}
				out = append(out, corpus.Span{Start: at + i, End: at + i + len(secret)})
				at += i + len(secret)
			}
		}
		return out
	}
}

// score counts a credential as found if any part of it is, for both.
func score(samples []corpus.Sample, find detector) (recall, falseHits float64) {
	labels, found, negatives, hits := 0, 0, 0, 0
	for _, s := range samples {
		spans := find(s.Text)
		if len(s.Labels) == 0 {
			negatives++
			if len(spans) > 0 {
				hits++
			}
			continue
		}
		for _, l := range s.Labels {
			labels++
			for _, p := range spans {
				if p.Start < l.End && l.Start < p.End {
					found++
					break
				}
			}
		}
	}
	return float64(found) / float64(labels), float64(hits) / float64(negatives)
}

func TestBothFiguresOnTheHeldOutSetAreBetterThanThoseOfGitleaks(t *testing.T) {
	samples, err := corpus.Load("../../internal/kernel/redact/testdata/corpus/heldout", 4)
	if err != nil {
		t.Fatal(err)
	}
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	recall, falseHits := score(samples, ours)
	otherRecall, otherHits := score(samples, theirs(d))
	t.Logf("%d samples; recall %.3f, gitleaks %.3f; false hits %.3f, gitleaks %.3f", len(samples), recall, otherRecall, falseHits, otherHits)
	if recall <= otherRecall || falseHits >= otherHits && falseHits > 0 {
		t.Error("not better than gitleaks in both")
	}
}
