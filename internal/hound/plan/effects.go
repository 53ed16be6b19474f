package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/fault"
)

// Expected is what a proposal says it will change.
type Expected struct {
	// Exact says that the proposal has expected_effects; Effects are then sorted
	// by path, with their paths in one form.
	Exact   bool
	Effects []hound.ExpectedEffect
	// Writes are the paths of the older form, sorted.
	Writes []string
}

// Paths lists the files that are to change, sorted.
func (e Expected) Paths() []string {
	if !e.Exact {
		return slices.Clone(e.Writes)
	}
	paths := make([]string, len(e.Effects))
	for i, effect := range e.Effects {
		paths[i] = effect.Path
	}
	return paths
}

var effectForm = document.Form{
	Required: []string{"path", "mode", "before_sha256", "after_sha256"},
	Nullable: []string{"mode", "before_sha256", "after_sha256"},
}

// ExpectedOf reads the effects of a proposal whose data must be an object, and
// checks them against the write scopes.
func ExpectedOf(response *hound.Response, scopes []string) (Expected, error) {
	expected, err := expectedOf(response, scopes)
	if err != nil {
		return Expected{}, fault.Newf(hound.CodeBadEffects, "the proposal is refused: %s", err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	return expected, nil
}

func expectedOf(response *hound.Response, scopes []string) (Expected, error) {
	data, ok := conversation.DataObject(response)
	if !ok {
		return Expected{}, nil
	}
	members, err := document.Members(data)
	if err != nil {
		return Expected{}, err
	}
	effects, exact := members["expected_effects"]
	writes, legacy := members["expected_writes"]
	switch {
	case exact && legacy:
		return Expected{}, fmt.Errorf("it has both expected_effects and expected_writes")
	case exact:
		return readEffects(effects, scopes)
	case legacy:
		return readWrites(writes, scopes)
	default:
		return Expected{}, nil
	}
}

func readEffects(raw json.RawMessage, scopes []string) (Expected, error) {
	items, err := list(raw)
	if err != nil {
		return Expected{}, fmt.Errorf("expected_effects: %w", err)
	}
	expected := Expected{Exact: true, Effects: make([]hound.ExpectedEffect, len(items))}
	for i, item := range items {
		if err := document.Decode(item, effectForm, &expected.Effects[i]); err != nil {
			return Expected{}, fmt.Errorf("expected_effects[%d]: %w", i, err)
		}
		if err := checkEffect(&expected.Effects[i], scopes); err != nil {
			return Expected{}, fmt.Errorf("expected_effects[%d]: %w", i, err)
		}
	}
	slices.SortFunc(expected.Effects, func(a, b hound.ExpectedEffect) int { return strings.Compare(a.Path, b.Path) })
	return expected, checkDistinct(expected.Paths())
}

// checkEffect checks one effect and brings its path into one form.
func checkEffect(e *hound.ExpectedEffect, scopes []string) error {
	path, err := scoped(e.Path, scopes)
	if err != nil {
		return err
	}
	e.Path = path
	for name, hash := range map[string]*string{"before_sha256": e.BeforeSHA256, "after_sha256": e.AfterSHA256} {
		if hash != nil && !document.IsSHA256(*hash) {
			return fmt.Errorf("%s of %q is no SHA-256", name, path)
		}
	}
	switch {
	case e.BeforeSHA256 == nil && e.AfterSHA256 == nil:
		return fmt.Errorf("%q has no hash before and none after", path)
	case e.AfterSHA256 == nil && e.Mode != nil:
		return fmt.Errorf("%q is deleted and has a mode", path)
	case e.AfterSHA256 != nil && (e.Mode == nil || !isMode(*e.Mode)):
		return fmt.Errorf("%q needs a mode of four octal digits that begin with 0", path)
	}
	return nil
}

// isMode reports whether text is a mode as effects write it: permission bits
// only, since no file of a repository needs set-id or sticky bits.
func isMode(text string) bool {
	return len(text) == 4 && text[0] == '0' && strings.Trim(text[1:], "01234567") == ""
}

func readWrites(raw json.RawMessage, scopes []string) (Expected, error) {
	items, err := list(raw)
	if err != nil {
		return Expected{}, fmt.Errorf("expected_writes: %w", err)
	}
	var expected Expected
	for i, item := range items {
		text, err := text(item)
		if err != nil {
			return Expected{}, fmt.Errorf("expected_writes[%d]: %w", i, err)
		}
		path, err := scoped(text, scopes)
		if err != nil {
			return Expected{}, fmt.Errorf("expected_writes[%d]: %w", i, err)
		}
		expected.Writes = append(expected.Writes, path)
	}
	slices.Sort(expected.Writes)
	expected.Writes = slices.Compact(expected.Writes)
	return expected, checkNested(expected.Writes)
}

// scoped brings a path into one form and refuses it outside the write scopes.
func scoped(text string, scopes []string) (string, error) {
	path, err := manifest.File(text)
	if err != nil {
		return "", err
	}
	if !InScope(path, scopes) {
		return "", fmt.Errorf("the path %q lies outside the write scopes", path)
	}
	return path, nil
}

// InScope reports whether a path lies in one of the write scopes.
func InScope(path string, scopes []string) bool {
	return slices.ContainsFunc(scopes, func(scope string) bool {
		clean, err := manifest.Relative(scope)
		return err == nil && manifest.Under(clean, path)
	})
}

// checkDistinct refuses two effects on one file in a sorted list.
func checkDistinct(sorted []string) error {
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("the path %q stands twice", sorted[i])
		}
	}
	return checkNested(sorted)
}

// checkNested refuses a path that would have to be a file and a folder.
func checkNested(paths []string) error {
	all := map[string]bool{}
	for _, path := range paths {
		all[path] = true
	}
	for _, path := range paths {
		for parent := range parents(path) {
			if all[parent] {
				return fmt.Errorf("the path %q would be a file and a folder", parent)
			}
		}
	}
	return nil
}

// parents yields the folders above a path, the nearest first, without the root.
func parents(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for {
			i := strings.LastIndexByte(path, '/')
			if i < 0 {
				return
			}
			path = path[:i]
			if !yield(path) {
				return
			}
		}
	}
}
