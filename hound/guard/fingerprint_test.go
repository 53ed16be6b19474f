package guard

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/snapshot"
)

// The hash that is made without maps is the one that a reader of the plan makes
// of the document.
func TestFingerprintsHashIsThatOfItsDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := func(label string) []snapshot.PathHash {
			names := rapid.MapOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z/"\\\x00-\x7f<>&]{1,8}`)), rapid.StringMatching(`[0-9a-f]{8}`)).Draw(t, label)
			var list []snapshot.PathHash
			for _, name := range sortedNames(names) {
				list = append(list, snapshot.PathHash{Path: name, Hash: names[name]})
			}
			return list
		}
		tracked, untracked := files("tracked"), files("untracked")
		f := hound.Fingerprint{Head: rapid.String().Draw(t, "head"), GitIntegrity: "0:x"}
		a, err := canonicalPaths(tracked)
		if err != nil {
			t.Fatal(err)
		}
		b, err := canonicalPaths(untracked)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sumOf(f, a, b)
		if err != nil {
			t.Fatal(err)
		}
		f.Tracked, f.Untracked = byPath(tracked), byPath(untracked)
		if want, err := document.Digest(f); err != nil || got != want {
			t.Fatalf("%s, want %s: %v", got, want, err)
		}
	})
}

func TestNamesThatAreNoTextAreRefusedByName(t *testing.T) {
	if _, err := canonicalPaths([]snapshot.PathHash{{Path: "a\xff", Hash: "x"}}); err == nil {
		t.Fatal("it was taken")
	}
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
