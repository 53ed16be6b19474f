package ledger

import (
	"context"
	"slices"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// recordsFile is the one file in the tree of a ledger commit.
const recordsFile = "records.jsonl"

// Author is who makes every commit of a project but the user's own.
func Author(t *Tx) git.Signature {
	return git.Signature{Name: "Hop", Email: "hop@localhost", When: t.now}
}

// commitRecords puts a ledger commit into the batch and returns its id.
func commitRecords(b *git.Batch, t *Transaction, data []byte, keep []git.OID) git.OID {
	at, _ := parseTime(t.At)
	who := git.Signature{Name: "Hop", Email: "hop@localhost", When: at}
	var parents []git.OID
	if t.Prev != "" {
		parents = append(parents, git.OID(t.Prev))
	}
	for _, commit := range keep {
		if !slices.Contains(parents, commit) {
			parents = append(parents, commit)
		}
	}
	blob := b.Blob(data)
	tree := b.Tree([]git.Entry{{Mode: git.ModeFile, Name: recordsFile, ID: blob}})
	return b.Commit(git.Commit{Tree: tree, Parents: parents, Author: who, Committer: who, Message: "hop " + t.Verb + " " + t.ID + "\n"})
}

// readTransaction reads a ledger commit.
func readTransaction(ctx context.Context, repo *git.Repository, id git.OID) (*Transaction, error) {
	commit, err := repo.Commit(ctx, id)
	if err != nil {
		return nil, err
	}
	entries, err := repo.Tree(ctx, commit.Tree)
	if err != nil {
		return nil, err
	}
	if len(entries) != 1 || entries[0].Name != recordsFile {
		return nil, fault.Newf(CodeBadRecord, "commit %q is no ledger transaction", string(id))
	}
	data, err := repo.Blob(ctx, entries[0].ID)
	if err != nil {
		return nil, err
	}
	t, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if t.Prev != "" && (len(commit.Parents) == 0 || commit.Parents[0] != git.OID(t.Prev)) {
		return nil, fault.Newf(CodeBadRecord, "commit %q does not follow the transaction that it names", string(id))
	}
	return t, nil
}
