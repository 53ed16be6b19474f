package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
)

// DefaultTimeout bounds a call for which the manifest names no bound.
const DefaultTimeout = 30 * time.Second

// longestTimeout stands for any longer one, which no clock could add up.
const longestTimeout = 10 * 365 * 24 * time.Hour

// Manifest is a manifest that keeps every rule.
type Manifest struct {
	hound.Manifest
	// Canonical is the canonical JSON of the document as it was written.
	Canonical json.RawMessage
	// SHA256 is the hash of Canonical.
	SHA256 string
	// Path is the absolute path of the file, without links, or empty.
	Path string
}

// Load reads the manifest at path.
func Load(path string) (*Manifest, error) {
	data, err := document.Read(path, hound.CodeBadManifest, hound.ExitRefused)
	if err != nil {
		return nil, err
	}
	m, err := Parse(data)
	if err != nil {
		f := fault.From(err)
		f.Message = "the manifest " + quote(path) + " is refused: " + f.Message
		return nil, f
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fault.Newf(hound.CodeBadManifest, "the manifest %q cannot be found again", path).Because(err).WithExit(hound.ExitRefused)
	}
	m.Path = real
	return m, nil
}

// Parse reads a manifest from its bytes.
func Parse(data []byte) (*Manifest, error) {
	m, err := parse(data)
	if err != nil {
		return nil, fault.New(hound.CodeBadManifest, err.Error()).Because(err).WithExit(hound.ExitRefused)
	}
	return m, nil
}

func parse(data []byte) (*Manifest, error) {
	var w wire
	if err := document.Decode(data, form, &w); err != nil {
		return nil, err
	}
	m, err := w.manifest()
	if err != nil {
		return nil, err
	}
	canonical, err := canon.Canonical(data, document.Limits())
	if err != nil {
		return nil, err
	}
	return &Manifest{Manifest: *m, Canonical: canonical, SHA256: document.Sum(canonical)}, nil
}

// Operation returns the capability of an operation.
func (m *Manifest) Operation(name string) (hound.Capability, error) {
	if c, there := m.Capabilities[name]; there {
		return c, nil
	}
	f := fault.Newf(hound.CodeBadOperation, "the driver %q has no operation %q", m.ID, name).WithExit(hound.ExitRefused)
	names := m.Operations()
	if near := fault.Closest(name, names); near != "" {
		return hound.Capability{}, f.WithHint("did you mean %q?", near)
	}
	return hound.Capability{}, f.WithHint("its operations are %s", strings.Join(names, ", "))
}

// Operations lists the operations, sorted.
func (m *Manifest) Operations() []string {
	names := make([]string, 0, len(m.Capabilities))
	for name := range m.Capabilities {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Environment lists the variables that an operation may see, sorted: those of
// the manifest and those of the operation. A check has no operation, "".
func (m *Manifest) Environment(operation string) []string {
	names := slices.Concat(m.EnvAllowlist, m.Capabilities[operation].EnvAllowlist)
	slices.Sort(names)
	return slices.Compact(names)
}

// Timeout returns the bound of an operation; a check has no operation, "".
func (m *Manifest) Timeout(operation string) time.Duration {
	for _, name := range []string{operation, hound.DefaultTimeoutName} {
		if literal, there := m.TimeoutsSeconds[name]; there && name != "" {
			seconds, err := literal.Float64()
			if err != nil || seconds > longestTimeout.Seconds() {
				return longestTimeout
			}
			return max(time.Duration(seconds*float64(time.Second)), 1)
		}
	}
	return DefaultTimeout
}

// Scopes lists the write scopes, sorted as documents list them.
func (m *Manifest) Scopes() []string {
	scopes := slices.Clone(m.WriteScopes)
	if scopes == nil {
		scopes = []string{}
	}
	slices.Sort(scopes)
	return scopes
}

// RunRootPath is where run records lie, relative to the repository.
func (m *Manifest) RunRootPath() string {
	root := m.RunRoot
	if root == "" {
		root = hound.DefaultRunRoot
	}
	clean, err := Relative(root)
	if err != nil {
		return hound.DefaultRunRoot // Parse has refused such a root
	}
	return clean
}

// Excludes lists the prefixes of ignored files that snapshots leave out, as
// they are matched: as text, with slashes, without one at the end.
func (m *Manifest) Excludes() []string {
	var prefixes []string
	for _, text := range m.IgnoredSnapshotExcludes {
		prefixes = append(prefixes, strings.TrimRight(strings.ReplaceAll(text, `\`, "/"), "/"))
	}
	return prefixes
}

// Root returns the root of the owner's repository as the manifest locates it:
// absolute and without links. The caller checks that it is the root.
func (m *Manifest) Root() (string, error) {
	if m.Path == "" {
		return "", fault.New(hound.CodeBadOwner, "a manifest that was not read from a file has no repository").WithExit(hound.ExitRefused)
	}
	locator, err := Locator(m.Owner.Repo)
	if err != nil {
		return "", fault.New(hound.CodeBadOwner, err.Error()).WithExit(hound.ExitRefused)
	}
	at := filepath.Join(filepath.Dir(m.Path), filepath.FromSlash(locator))
	real, err := filepath.EvalSymlinks(at)
	if err == nil {
		_, err = os.ReadDir(real)
	}
	if err != nil {
		return "", fault.Newf(hound.CodeBadOwner, "owner.repo %q leads to %q, which cannot be opened", m.Owner.Repo, at).
			WithHint("it is relative to the manifest's folder and names the root of the repository").
			Because(err).WithExit(hound.ExitRefused)
	}
	return real, nil
}
