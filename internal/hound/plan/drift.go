package plan

import (
	"fmt"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
)

// Difference is one bound input that is not as it was.
type Difference struct {
	// Input names what a plan binds, as the plan's member does.
	Input string `json:"input"`
	// Detail says what about it; it holds no secret, since a plan has none.
	Detail string `json:"detail"`
}

// Compare lists in which bound inputs two plans differ. The proposal is compared
// only when both have one.
func Compare(planned, now *hound.Plan) []Difference {
	var found []Difference
	add := func(input, format string, args ...any) {
		found = append(found, Difference{input, fmt.Sprintf(format, args...)})
	}
	text := func(input, was, is string) {
		if was != is {
			add(input, "it was %s and is %s", short(was), short(is))
		}
	}
	text("kernel", planned.Kernel.Version+" "+planned.Kernel.SHA256, now.Kernel.Version+" "+now.Kernel.SHA256)
	text("driver_id", planned.DriverID, now.DriverID)
	text("driver_manifest_sha256", planned.DriverManifestSHA256, now.DriverManifestSHA256)
	text("driver_environment_sha256", planned.DriverEnvironmentSHA256, now.DriverEnvironmentSHA256)
	text("operation", planned.Operation, now.Operation)
	text("effect", string(planned.Effect), string(now.Effect))
	text("gate", string(planned.Gate), string(now.Gate))
	text("as_of", planned.AsOf, now.AsOf)
	if !document.Equal(planned.Input, now.Input) {
		add("input", "the input is another one")
	}
	if !slices.Equal(planned.WriteScopes, now.WriteScopes) {
		add("write_scopes", "they were [%s] and are [%s]", strings.Join(planned.WriteScopes, ", "), strings.Join(now.WriteScopes, ", "))
	}
	found = append(found, compareFingerprints(planned.RepoFingerprint, now.RepoFingerprint)...)
	if planned.Proposal != nil && now.Proposal != nil && !document.Equal(planned.Proposal, now.Proposal) {
		add("proposal", "the driver proposes something else than before")
	}
	return found
}

func compareFingerprints(was, is hound.Fingerprint) []Difference {
	var found []Difference
	for _, part := range []struct{ name, was, is, what string }{
		{"head", was.Head, is.Head, "HEAD names another commit"},
		{"index_state_sha256", was.IndexStateSHA256, is.IndexStateSHA256, "the index has other entries"},
		{"refs_state_sha256", was.RefsStateSHA256, is.RefsStateSHA256, "branches, tags or other git data changed"},
		{"git_integrity", was.GitIntegrity, is.GitIntegrity, "the objects are not as they were"},
		{"git_sensitive_state_sha256", was.GitSensitiveStateSHA256, is.GitSensitiveStateSHA256, "git's configuration or hooks changed"},
		{"staged_diff_sha256", was.StagedDiffSHA256, is.StagedDiffSHA256, "other changes are staged"},
		{"unstaged_diff_sha256", was.UnstagedDiffSHA256, is.UnstagedDiffSHA256, "the working files differ otherwise from the index"},
	} {
		if part.was != part.is {
			found = append(found, Difference{"repo_fingerprint." + part.name, part.what})
		}
	}
	found = append(found, comparePaths("tracked", was.Tracked, is.Tracked)...)
	return append(found, comparePaths("untracked", was.Untracked, is.Untracked)...)
}

// maxNamed is how many paths of one kind a difference names.
const maxNamed = 20

func comparePaths(name string, was, is map[string]string) []Difference {
	changes := map[string]string{}
	for path, hash := range was {
		if now, there := is[path]; !there {
			changes[path] = "gone"
		} else if now != hash {
			changes[path] = "changed"
		}
	}
	for path := range is {
		if _, there := was[path]; !there {
			changes[path] = "new"
		}
	}
	var found []Difference
	for _, path := range sortedKeys(changes) {
		if len(found) == maxNamed {
			more := fmt.Sprintf("and %d more", len(changes)-maxNamed)
			return append(found, Difference{"repo_fingerprint." + name, more})
		}
		found = append(found, Difference{"repo_fingerprint." + name, fmt.Sprintf("%q is %s", path, changes[path])})
	}
	return found
}

// Drifted is the refusal of a plan whose inputs are not as they were.
func Drifted(differences []Difference) error {
	if len(differences) == 0 {
		return nil
	}
	var parts []string
	for _, d := range differences[:min(len(differences), 5)] {
		parts = append(parts, d.Input+": "+d.Detail)
	}
	if more := len(differences) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fault.Newf(hound.CodeDrift, "the plan is out of date: %s", strings.Join(parts, "; ")).
		WithHint("hound explain lists everything that differs; plan again and have the new plan approved").
		WithExit(hound.ExitRefused)
}

// short cuts hashes down to what a person compares.
func short(text string) string {
	if text == "" {
		return `""`
	}
	words := strings.Fields(text)
	for i, word := range words {
		if document.IsSHA256(word) {
			words[i] = word[:12] + "…"
		}
	}
	return fmt.Sprintf("%q", strings.Join(words, " "))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
