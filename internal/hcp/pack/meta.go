package pack

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"bridle/hcp"
)

// reconcile takes over into the manifest what only its hcp block declares, and
// returns what the two declare differently. A manifest that says two things
// would be read one way here and another way elsewhere, so it is refused.
func reconcile(m *hcp.Manifest) []hcp.LintIssue {
	var issues []hcp.LintIssue
	add := func(key, format string, args ...any) {
		issues = append(issues, hcp.LintIssue{Kind: hcp.LintInvalidMeta, Key: key, Message: fmt.Sprintf(format, args...)})
	}
	if m.Kind != "" && m.AdapterKind != "" && m.Kind != m.AdapterKind {
		add("adapter_kind", "kind %q !== adapter_kind %q", m.Kind, m.AdapterKind)
	}
	h := m.HCP
	if h == nil {
		return issues
	}
	if h.PackID != m.ID {
		add("pack_id", "hcp.pack_id %s !== %s", quote(h.PackID), quote(m.ID))
	}
	if outer := (&hcp.Manifest{Kind: m.Kind, AdapterKind: m.AdapterKind}).EffectiveKind(); (m.Kind != "" || m.AdapterKind != "") && outer != h.AdapterKind {
		add("hcp", "hcp.adapter_kind %q !== kind %q", h.AdapterKind, outer)
	}
	for _, differs := range []string{
		adopt("plane", &m.Plane, h.Plane),
		adopt("transports", &m.Transports, h.Transports),
		adopt("binding", &m.Binding, h.Binding),
		adopt("wrap", &m.Wrap, h.Wrap),
		adopt("openapi", &m.OpenAPI, h.OpenAPI),
		adopt("pass_through", &m.PassThrough, h.PassThrough),
		adopt("skill_url", &m.SkillURL, h.SkillURL),
	} {
		if differs != "" {
			add("hcp", "hcp.%s differs from %s", differs, differs)
		}
	}
	return issues
}

// adopt copies the inner value where there is no outer one, and returns the name
// if both are there and differ.
func adopt[T any](name string, outer *T, inner T) string {
	in, out := reflect.ValueOf(inner), reflect.ValueOf(outer).Elem()
	switch {
	case in.IsZero():
	case out.IsZero():
		*outer = inner
	case !reflect.DeepEqual(*outer, inner):
		return name
	}
	return ""
}

// deriveMeta returns the protocol metadata of a manifest (§2.6, §3.6): the
// declared block completed by the manifest, or what follows from the manifest.
func deriveMeta(m *hcp.Manifest) hcp.Meta {
	return hcp.Meta{
		HCP: hcp.Version, PackID: m.ID, AdapterKind: m.EffectiveKind(),
		Binding: m.Binding, Wrap: m.Wrap, OpenAPI: m.OpenAPI, PassThrough: m.PassThrough,
		Plane: m.Plane, Transports: m.Transports, SkillURL: m.SkillURL,
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
