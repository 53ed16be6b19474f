package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
)

var form = document.Form{
	Required: []string{"schema_version", "id", "protocol", "owner", "exec", "capabilities"},
	Optional: []string{
		"run_root", "write_scopes", "ignored_snapshot_excludes", "timeouts_seconds", "env_allowlist", "extensions", "source",
	},
}

var (
	ownerForm      = document.Form{Required: []string{"repo"}}
	capabilityForm = document.Form{Required: []string{"effect", "gate"}, Optional: []string{"env_allowlist"}}
)

// wire is a manifest whose objects have not been looked into.
type wire struct {
	SchemaVersion           string                     `json:"schema_version"`
	ID                      string                     `json:"id"`
	Protocol                string                     `json:"protocol"`
	Owner                   json.RawMessage            `json:"owner"`
	Exec                    []string                   `json:"exec"`
	Capabilities            map[string]json.RawMessage `json:"capabilities"`
	RunRoot                 *string                    `json:"run_root"`
	WriteScopes             []string                   `json:"write_scopes"`
	IgnoredSnapshotExcludes []string                   `json:"ignored_snapshot_excludes"`
	TimeoutsSeconds         map[string]json.RawMessage `json:"timeouts_seconds"`
	EnvAllowlist            []string                   `json:"env_allowlist"`
	Extensions              map[string]json.RawMessage `json:"extensions"`
	Source                  json.RawMessage            `json:"source"`
}

// manifest checks every field.
func (w *wire) manifest() (*hound.Manifest, error) {
	m := &hound.Manifest{
		SchemaVersion: w.SchemaVersion, ID: w.ID, Protocol: w.Protocol, Exec: w.Exec, WriteScopes: w.WriteScopes,
		IgnoredSnapshotExcludes: w.IgnoredSnapshotExcludes, EnvAllowlist: w.EnvAllowlist, Extensions: w.Extensions, Source: w.Source,
		Capabilities: map[string]hound.Capability{}, TimeoutsSeconds: map[string]json.Number{},
	}
	for _, check := range []func(*hound.Manifest) error{w.names, w.owner, w.exec, w.capabilities, w.paths, w.timeouts, w.opaque} {
		if err := check(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (w *wire) names(*hound.Manifest) error {
	if w.SchemaVersion != hound.SchemaManifest {
		return fmt.Errorf("schema_version is %q, not %q", w.SchemaVersion, hound.SchemaManifest)
	}
	if w.Protocol != hound.SchemaProtocol {
		return fmt.Errorf("protocol is %q, not %q", w.Protocol, hound.SchemaProtocol)
	}
	if !IsIdentifier(w.ID) {
		return fmt.Errorf("id %q is no identifier: letters, digits, dot, underscore and hyphen, beginning with a letter or digit", w.ID)
	}
	return nil
}

func (w *wire) owner(m *hound.Manifest) error {
	if err := document.Decode(w.Owner, ownerForm, &m.Owner); err != nil {
		return fmt.Errorf("owner: %w", err)
	}
	if _, err := Locator(m.Owner.Repo); err != nil {
		return fmt.Errorf("owner.repo: %w", err)
	}
	return nil
}

func (w *wire) exec(*hound.Manifest) error {
	if len(w.Exec) == 0 || w.Exec[0] == "" {
		return fmt.Errorf("exec needs a program")
	}
	for i, word := range w.Exec {
		if hasControl(word) {
			return fmt.Errorf("exec[%d] has a control character", i)
		}
	}
	return nil
}

func (w *wire) capabilities(m *hound.Manifest) error {
	if len(w.Capabilities) == 0 {
		return fmt.Errorf("capabilities declares no operation")
	}
	if err := checkVariables("env_allowlist", w.EnvAllowlist); err != nil {
		return err
	}
	for _, name := range sortedNames(w.Capabilities) {
		if !IsIdentifier(name) {
			return fmt.Errorf("the operation %q is no identifier", name)
		}
		var c hound.Capability
		if err := document.Decode(w.Capabilities[name], capabilityForm, &c); err != nil {
			return fmt.Errorf("operation %q: %w", name, err)
		}
		if err := checkCapability(name, c); err != nil {
			return err
		}
		m.Capabilities[name] = c
	}
	return nil
}

func checkCapability(name string, c hound.Capability) error {
	switch {
	case c.Effect != hound.EffectRead && c.Effect != hound.EffectWrite:
		return fmt.Errorf("operation %q: effect is %q, not read or write", name, c.Effect)
	case c.Gate != hound.GateNone && c.Gate != hound.GateHuman:
		return fmt.Errorf("operation %q: gate is %q, not none or human", name, c.Gate)
	case c.Effect == hound.EffectRead && c.Gate != hound.GateNone:
		return fmt.Errorf("operation %q: a read has no gate", name)
	}
	return checkVariables(fmt.Sprintf("operation %q: env_allowlist", name), c.EnvAllowlist)
}

// checkVariables checks a list of names of environment variables. PATH is fixed
// for every driver.
func checkVariables(where string, names []string) error {
	for i, name := range names {
		switch {
		case !isVariable(name):
			return fmt.Errorf("%s: %q is no name of a variable", where, name)
		case name == "PATH":
			return fmt.Errorf("%s: PATH is fixed and cannot be handed over", where)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%s: %q stands twice", where, name)
		}
	}
	return nil
}

func (w *wire) paths(m *hound.Manifest) error {
	if w.RunRoot != nil {
		root, err := Relative(*w.RunRoot)
		if err != nil {
			return fmt.Errorf("run_root: %w", err)
		}
		if touchesGit(root) {
			return fmt.Errorf("run_root: the path %q lies in git's own data", *w.RunRoot)
		}
		m.RunRoot = *w.RunRoot
	}
	if err := checkPaths("write_scopes", w.WriteScopes, true); err != nil {
		return err
	}
	return checkPaths("ignored_snapshot_excludes", w.IgnoredSnapshotExcludes, false)
}

func checkPaths(where string, paths []string, rootToo bool) error {
	for i, text := range paths {
		path, err := Relative(text)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", where, err)
		case path == "." && !rootToo:
			return fmt.Errorf("%s: %q is everything", where, text)
		case slices.Contains(paths[:i], text):
			return fmt.Errorf("%s: %q stands twice", where, text)
		}
	}
	return nil
}

func (w *wire) timeouts(m *hound.Manifest) error {
	for _, name := range sortedNames(w.TimeoutsSeconds) {
		literal := string(w.TimeoutsSeconds[name])
		if !IsIdentifier(name) {
			return fmt.Errorf("timeouts_seconds: %q is no identifier", name)
		}
		seconds, err := strconv.ParseFloat(literal, 64)
		if err != nil || math.IsInf(seconds, 0) || math.IsNaN(seconds) || seconds <= 0 {
			return fmt.Errorf("timeouts_seconds: %q is %s, not a positive number", name, literal)
		}
		m.TimeoutsSeconds[name] = json.Number(literal)
	}
	return nil
}

// opaque looks only at the kind of what the kernel does not read.
func (w *wire) opaque(*hound.Manifest) error {
	for _, name := range sortedNames(w.Extensions) {
		switch {
		case !IsIdentifier(name):
			return fmt.Errorf("extensions: %q is no identifier", name)
		case !document.IsObject(w.Extensions[name]):
			return fmt.Errorf("extensions: %q is no object", name)
		}
	}
	if len(w.Source) > 0 && !document.IsObject(w.Source) {
		return fmt.Errorf("source is no object")
	}
	return nil
}

// IsIdentifier reports whether text names a driver, an operation or an extension.
func IsIdentifier(text string) bool {
	for i, c := range []byte(text) {
		alnum := isLetter(c) || '0' <= c && c <= '9'
		if !alnum && (i == 0 || !strings.ContainsRune("._-", rune(c))) {
			return false
		}
	}
	return text != ""
}

func isVariable(text string) bool {
	for i, c := range []byte(text) {
		if !isLetter(c) && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func quote(text string) string { return strconv.Quote(text) }
