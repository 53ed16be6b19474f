package op

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/redact"
)

// folderKey names a root so that two projects of one name stay apart.
func folderKey(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Base(root) + "-" + hex.EncodeToString(sum[:6])
}

// record writes one operation. Where the accepted line waits for the end of a
// publication that was cut short, that is found out first.
func (p *Project) record(ctx context.Context, verb string, build func(*ledger.Tx) error) error {
	_, err := p.Write(ctx, verb, build)
	if !fault.Is(err, ledger.CodePublishing) {
		return err
	}
	if err := p.settlePublication(ctx); err != nil {
		return err
	}
	_, err = p.Write(ctx, verb, build)
	return err
}

// stateOfAttempt returns a state and the attempt it belongs to.
func (p *Project) stateOfAttempt(ctx context.Context, id string) (hop.State, hop.Attempt, error) {
	entry, err := p.State(ctx, id)
	if err != nil {
		return hop.State{}, hop.Attempt{}, err
	}
	if entry.State.AttemptID == "" || entry.State.Kind == hop.KindAccepted {
		return hop.State{}, hop.Attempt{}, fault.Newf(CodeNoAttempt, "state %q does not belong to an attempt", id).
			WithHint("name a prompt, a checkpoint or a proposal of the attempt").WithNext("hop status")
	}
	attempt, err := p.Attempt(ctx, entry.State.AttemptID)
	return entry.State, attempt, err
}

// absolute returns an attempt as it is shown: with the absolute path of its
// workspace.
func (p *Project) absolute(a hop.Attempt) hop.Attempt {
	a.Workspace = p.Layout.Workspace(a.Workspace)
	return a
}

// cleaned redacts a text and counts what was replaced.
func cleaned(text string) (string, []hop.Redaction) {
	out, counts := redact.Redact(text)
	return out, redactions(counts)
}

func redactions(counts []redact.Count) []hop.Redaction {
	var out []hop.Redaction
	for _, c := range counts {
		out = append(out, hop.Redaction{Kind: c.Kind, Count: c.Count})
	}
	return out
}

// addCounts adds up redactions, by kind and sorted.
func addCounts(all ...[]hop.Redaction) []hop.Redaction {
	var sum []redact.Count
	byKind := map[string]int{}
	for _, list := range all {
		for _, r := range list {
			byKind[r.Kind] += r.Count
		}
	}
	for kind, n := range byKind {
		sum = append(sum, redact.Count{Kind: kind, Count: n})
	}
	sortCounts(sum)
	return redactions(sum)
}

// title is what a task is called: the first line of its prompt, shortened.
func title(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	line = strings.TrimSpace(line)
	const longest, kept = 100, 97
	if len(line) <= longest {
		return line
	}
	return strings.ToValidUTF8(line[:kept], "") + "..."
}

// commitFor puts a project commit into the transaction.
func commitFor(t *ledger.Tx, tree, parent git.OID, message string) git.OID {
	who := ledger.Author(t)
	c := git.Commit{Tree: tree, Author: who, Committer: who, Message: message}
	if parent != "" {
		c.Parents = []git.OID{parent}
	}
	return t.Objects.Commit(c)
}

// newID makes an id at the transaction's time.
func newID(t *ledger.Tx, prefix string) string { return hop.NewID(prefix, t.Now()) }
