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

// Files are searched in windows, so that what the search needs is bounded whatever
// their size. Windows overlap by more than the longest credential that is looked
// for, so that one at a border is found in one of them as a whole.
const (
	scanWindow  = 4 << 20
	scanOverlap = 128 << 10
)

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
	slices.Sort(prints)
	prints = slices.Compact(prints)
	f := fault.Newf(CodeCredential, "the workspace brings what looks like a credential in %q", paths[0]).
		WithHint("take it out, and give it to the program by its environment; if it is none, allow it by its fingerprint with --allow-secret %s; a checkpoint that has it already is cleaned by hop purge %s", prints[0], prints[0]).
		WithNext("hop purge " + prints[0])
	return f.Because(&Details{Paths: slices.Compact(paths), Fingerprints: prints})
}

// secretsIn returns the fingerprints of what a change adds and its old content
// does not have. A link's target is searched like a file.
func (p *Project) secretsIn(ctx context.Context, c git.Change) ([]string, error) {
	if c.Kind == git.Deleted || c.NewMode == git.ModeGitlink {
		return nil, nil
	}
	data, err := p.Repo.Blob(ctx, c.NewID)
	if err != nil {
		return nil, err
	}
	found := credentialsIn(data)
	if len(found) == 0 {
		return nil, nil
	}
	var old []byte
	if !c.OldID.IsZero() && c.OldMode != git.ModeGitlink {
		if old, err = p.Repo.Blob(ctx, c.OldID); err != nil {
			return nil, err
		}
	}
	old = asText(old)
	var prints []string
	for _, value := range found {
		if !bytes.Contains(old, value) {
			prints = append(prints, fingerprint(value))
		}
	}
	return prints, nil
}

// credentialsIn returns what looks like a credential in a file's content. What is
// text is searched by all rules; of what is not, only its printable stretches, as
// of a program, and there only the formats of providers and private keys count: a
// name before a random word says nothing in such bytes.
func credentialsIn(data []byte) [][]byte {
	data = asText(data)
	if bytes.IndexByte(data[:min(len(data), scanWindow)], 0) < 0 {
		return searched(data, func(redact.Finding) bool { return true })
	}
	var out [][]byte
	for _, text := range printable(data) {
		out = append(out, searched(text, func(f redact.Finding) bool {
			return f.Kind != redact.KindCredential && f.Kind != redact.KindConnection && f.Kind != redact.KindExplicit
		})...)
	}
	return out
}

// asText gives what is marked as UTF-16 the bytes that its ASCII characters have
// elsewhere: credentials have no others.
func asText(data []byte) []byte {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return bytes.ReplaceAll(data[2:], []byte{0}, nil)
	}
	return data
}

// searched looks through a text in windows.
func searched(data []byte, counts func(redact.Finding) bool) [][]byte {
	var out [][]byte
	for start := 0; ; start += scanWindow - scanOverlap {
		end := min(len(data), start+scanWindow)
		for _, f := range redact.Find(data[start:end]) {
			// What reaches the border of a window that goes on is found whole in the next.
			if f.End == end-start && end < len(data) || f.Start == 0 && start > 0 || !counts(f) {
				continue
			}
			value := data[start+f.Start : start+f.End]
			if !slices.ContainsFunc(out, func(known []byte) bool { return bytes.Equal(known, value) }) {
				out = append(out, value)
			}
		}
		if end == len(data) {
			return out
		}
	}
}

// shortestStretch is the length from which printable bytes in what is no text are
// looked at: credentials of providers are longer.
const shortestStretch = 16

// printable returns the stretches of ASCII text in what is no text.
func printable(data []byte) [][]byte {
	var out [][]byte
	start := 0
	for i := 0; i <= len(data); i++ {
		if i < len(data) && (data[i] >= ' ' && data[i] < 0x7f || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
			continue
		}
		if i-start >= shortestStretch {
			out = append(out, data[start:i])
		}
		start = i + 1
	}
	return out
}

// fingerprint names a finding without telling it.
func fingerprint(value []byte) string {
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}
