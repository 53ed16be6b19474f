package op

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/redact"
)

// maxScanned is the size of the largest file that is searched for credentials.
const maxScanned = 8 << 20

// refuseSecrets refuses a tree that brings a credential which its attempt did not
// start with. allow lists the fingerprints of findings that are none.
func (p *Project) refuseSecrets(ctx context.Context, attempt hop.Attempt, tree git.OID, allow []string) error {
	base, err := p.State(ctx, attempt.BaseStateID)
	if err != nil {
		return err
	}
	changes, err := p.Repo.Diff(ctx, git.OID(base.State.SourceTree), tree)
	if err != nil {
		return err
	}
	var paths, prints []string
	for _, c := range changes {
		found, err := p.secretsIn(ctx, c)
		if err != nil {
			return err
		}
		for _, print := range found {
			if slices.Contains(allow, print) {
				continue
			}
			path, _ := hop.ReadablePath(c.Path)
			paths, prints = append(paths, path), append(prints, print)
		}
	}
	if len(prints) == 0 {
		return nil
	}
	f := fault.Newf(CodeCredential, "the workspace brings what looks like a credential in %q", paths[0]).
		WithHint("take it out, and give it to the program by its environment; if it is none, allow it by its fingerprint with --allow-secret %s", prints[0])
	return f.Because(&Details{Paths: slices.Compact(paths)})
}

// secretsIn returns the fingerprints of what a change adds and its old content
// does not have.
func (p *Project) secretsIn(ctx context.Context, c git.Change) ([]string, error) {
	if c.Kind == git.Deleted || c.NewMode != git.ModeFile && c.NewMode != git.ModeExec {
		return nil, nil
	}
	data, err := p.Repo.Blob(ctx, c.NewID)
	if err != nil {
		return nil, err
	}
	if len(data) > maxScanned || bytes.IndexByte(data, 0) >= 0 {
		return nil, nil
	}
	found := redact.Find(data)
	if len(found) == 0 {
		return nil, nil
	}
	var old []byte
	if !c.OldID.IsZero() && c.OldMode != git.ModeGitlink {
		if old, err = p.Repo.Blob(ctx, c.OldID); err != nil {
			return nil, err
		}
	}
	var prints []string
	for _, f := range found {
		if value := data[f.Start:f.End]; !bytes.Contains(old, value) {
			prints = append(prints, fingerprint(value))
		}
	}
	return prints, nil
}

// fingerprint names a finding without telling it.
func fingerprint(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}
