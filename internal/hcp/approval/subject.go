package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
)

// Subject is everything that an approval is bound to.
type Subject struct {
	PackID     string          `json:"pack_id"`
	PackDigest string          `json:"pack_digest,omitempty"`
	Key        string          `json:"verb_key"`
	Args       hcp.Args        `json:"args"`
	Argv       []string        `json:"argv,omitzero"`
	BinDigest  string          `json:"bin_digest,omitempty"`
	Dir        string          `json:"dir,omitempty"`
	Principal  string          `json:"principal"`
	TenantID   string          `json:"tenant_id,omitempty"`
	ProjectID  string          `json:"project_id,omitempty"`
	Mode       hcp.SandboxMode `json:"sandbox,omitempty"`
	Mock       bool            `json:"mock,omitempty"`
}

// Digest names the subject: equal subjects, and only they, have the same one.
func (s Subject) Digest() (string, error) {
	if s.Args == nil {
		s.Args = hcp.Args{}
	}
	if s.Argv == nil {
		s.Argv = []string{}
	}
	canonical, err := canon.Encode(map[string]any{
		"pack_id": s.PackID, "pack_digest": s.PackDigest, "verb_key": s.Key, "args": map[string]any(s.Args), "argv": s.Argv,
		"bin_digest": s.BinDigest, "dir": s.Dir, "principal": s.Principal, "tenant_id": s.TenantID,
		"project_id": s.ProjectID, "sandbox": string(s.Mode), "mock": s.Mock,
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// Changes names what is different between two subjects of one command. Values
// stay out of it, since the names go into results and logs.
func (s Subject) Changes(now Subject) []string {
	var changed []string
	for _, part := range []struct {
		differs bool
		name    string
	}{
		{s.PackDigest != now.PackDigest, "the files of the pack"},
		{s.BinDigest != now.BinDigest, "the executable"},
		{s.Dir != now.Dir, "the working directory"},
		{s.Principal != now.Principal, "who acts"},
		{s.TenantID != now.TenantID, "the tenant"},
		{s.ProjectID != now.ProjectID, "the project"},
		{s.Mode != now.Mode, "the sandbox"},
		{s.Mock != now.Mock, "the kind of credential"},
	} {
		if part.differs {
			changed = append(changed, part.name)
		}
	}
	names := slices.Sorted(maps.Keys(s.Args))
	for name := range now.Args {
		if _, had := s.Args[name]; !had {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !same(s.Args, now.Args, name) {
			changed = append(changed, fmt.Sprintf("argument %q", name))
		}
	}
	if len(changed) == 0 && !slices.Equal(s.Argv, now.Argv) {
		changed = append(changed, "the command line")
	}
	return changed
}

func same(a, b hcp.Args, name string) bool {
	x, inA := a[name]
	y, inB := b[name]
	if inA != inB {
		return false
	}
	left, errX := canon.Encode(x)
	right, errY := canon.Encode(y)
	return errX == nil && errY == nil && bytes.Equal(left, right)
}
