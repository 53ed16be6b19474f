package pack

import (
	"strings"

	"bridle/hcp"
)

var (
	operations = []hcp.Operation{hcp.OperationRead, hcp.OperationWrite}
	lands      = []hcp.Land{hcp.LandPersonal, hcp.LandBrain, hcp.LandLocal}

	policyShape  = shape{what: "the Policy", fields: []string{"surface_id", "version", "verbs", "stimuli"}, required: []string{"surface_id", "verbs"}}
	entryShape   = shape{what: "a Policy row", fields: []string{"operation", "privacy", "confirm"}, required: []string{"operation", "privacy"}}
	privacyShape = shape{what: "privacy", fields: []string{"land"}, required: []string{"land"}}
)

// policyIssue files what is wrong at a place of the Policy: under the row's
// key, where it is a row.
func policyIssue(pointer string) (hcp.LintKind, string) {
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case tokens[0] == "":
		return hcp.LintInvalidPolicy, PolicyFile
	case len(tokens) > 1 && tokens[1] != "" && (tokens[0] == "verbs" || tokens[0] == "stimuli"):
		return hcp.LintInvalidPolicy, strings.ReplaceAll(strings.ReplaceAll(tokens[1], "~1", "/"), "~0", "~")
	default:
		return hcp.LintInvalidPolicy, tokens[0]
	}
}

func readPolicy(data []byte) (*reader, hcp.Policy) {
	r := newReader(PolicyFile, data, policyIssue)
	p := hcp.Policy{Version: hcp.Version, Verbs: map[string]hcp.PolicyEntry{}, Stimuli: map[string]hcp.PolicyEntry{}}
	r.isObject = r.object(&policyShape, func(name string) {
		switch name {
		case "surface_id":
			p.SurfaceID = r.text(1, maxLabel)
		case "version":
			literal, ok := r.number()
			if n, isWhole := whole(literal); ok && (!isWhole || n != 1) {
				r.report("/version", "must be 1, not %s", shorten(literal))
			}
		case "verbs":
			r.members(func(key string) { p.Verbs[key] = r.entry() })
		case "stimuli":
			r.members(func(key string) { p.Stimuli[key] = r.entry() })
		}
	})
	return r, p
}

func (r *reader) entry() hcp.PolicyEntry {
	e := hcp.PolicyEntry{}
	r.object(&entryShape, func(name string) {
		switch name {
		case "operation":
			e.Operation = choice(r, operations)
		case "privacy":
			r.object(&privacyShape, func(string) { e.Privacy.Land = choice(r, lands) })
		case "confirm":
			e.Confirm = r.confirm()
		}
	})
	return e
}

func (r *reader) confirm() hcp.Confirm {
	const want = `true, false or "always"`
	if !r.is(want, 't', 'f', '"') {
		return hcp.ConfirmNone
	}
	if r.Kind() != '"' {
		if r.Literal() == "true" {
			return hcp.ConfirmAsk
		}
		return hcp.ConfirmNone
	}
	word := r.Str()
	if word != string(hcp.ConfirmAlways) {
		r.report(r.Pointer(), "must be %s, not %s", want, quote(word))
		return hcp.ConfirmNone
	}
	return hcp.ConfirmAlways
}
