package plan

import (
	"encoding/base64"

	"bridle/hound"
	"bridle/internal/hound/document"
)

var artifactForm = document.Form{Required: []string{"path", "sha256", "body_base64"}}

// Bodies returns the bytes after each effect that the proposal shows, by path.
// Only bytes count whose hash is the one that the effect binds; artifacts of any
// other form are the driver's own business.
func Bodies(p *Plan) map[string][]byte {
	after := map[string]string{}
	for _, e := range p.Expected.Effects {
		if e.AfterSHA256 != nil {
			after[e.Path] = *e.AfterSHA256
		}
	}
	bodies := map[string][]byte{}
	for _, raw := range p.Response.Artifacts {
		var a hound.Artifact
		if !document.IsObject(raw) || document.Decode(raw, artifactForm, &a) != nil {
			continue
		}
		body, err := base64.StdEncoding.Strict().DecodeString(a.BodyBase64)
		if err != nil || document.Sum(body) != a.SHA256 || after[a.Path] != a.SHA256 {
			continue
		}
		bodies[a.Path] = body
	}
	return bodies
}
