package git

import (
	"context"
	"sync"

	"bridle/internal/kernel/fault"
)

// Batch collects new objects. Their ids are known at once; the objects are in
// the repository, durably and all together, when Flush has returned. Bytes
// handed in must not change until then. An object that cannot be made shows as
// an empty id, and Flush tells why. The methods may be called at the same time.
type Batch struct {
	repo *Repository

	mu      sync.Mutex
	order   []pending
	known   map[OID]bool
	failure error
}

type pending struct {
	id   OID
	kind Kind
	data []byte
}

// NewBatch begins a batch.
func (r *Repository) NewBatch() *Batch { return &Batch{repo: r, known: map[OID]bool{}} }

// Blob adds the content of a file.
func (b *Batch) Blob(data []byte) OID { return b.add(KindBlob, data) }

// Tree adds a folder. The order of the entries does not matter. The objects they
// name must be in the repository or in the batch.
func (b *Batch) Tree(entries []Entry) OID {
	data, err := encodeTree(b.repo.format, entries)
	if err != nil {
		return b.fail(err)
	}
	return b.add(KindTree, data)
}

// Commit adds a commit. A signature without a time gets the time of now.
func (b *Batch) Commit(c Commit) OID {
	for _, who := range []*Signature{&c.Author, &c.Committer} {
		if who.When.IsZero() {
			who.When = b.repo.options.Clock.Now()
		}
	}
	data, err := encodeCommit(b.repo.format, c)
	if err != nil {
		return b.fail(err)
	}
	return b.add(KindCommit, data)
}

func (b *Batch) fail(err error) OID {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failure == nil {
		b.failure = err
	}
	return ""
}

func (b *Batch) add(kind Kind, data []byte) OID {
	id := b.repo.format.ID(kind, data)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known[id] {
		b.known[id] = true
		b.order = append(b.order, pending{id, kind, data})
	}
	return id
}

// Flush writes what is not in the repository yet. After an error nothing, or not
// all, is there; the batch can be flushed again.
func (b *Batch) Flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failure != nil {
		return b.failure
	}
	var missing []pending
	for _, p := range b.order {
		if !b.repo.objects.present(p.id) {
			missing = append(missing, p)
		}
	}
	if err := b.repo.objects.write(ctx, missing); err != nil {
		return err
	}
	b.order, b.known = nil, map[OID]bool{}
	return nil
}

// Object returns an object of any kind.
func (r *Repository) Object(ctx context.Context, id OID) (Kind, []byte, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	return r.objects.read(id)
}

// Blob returns the content of a file.
func (r *Repository) Blob(ctx context.Context, id OID) ([]byte, error) {
	return r.typed(ctx, id, KindBlob)
}

// Tree returns the entries of a folder; of a commit, those of its tree.
func (r *Repository) Tree(ctx context.Context, id OID) ([]Entry, error) {
	kind, data, err := r.Object(ctx, id)
	if err == nil && kind == KindCommit {
		commit, err := decodeCommit(r.format, data)
		if err != nil {
			return nil, err
		}
		id = commit.Tree
		kind, data, err = r.Object(ctx, id)
		if err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if kind != KindTree {
		return nil, wrongKind(id, kind, KindTree)
	}
	return decodeTree(r.format, data)
}

// Commit returns a commit.
func (r *Repository) Commit(ctx context.Context, id OID) (Commit, error) {
	data, err := r.typed(ctx, id, KindCommit)
	if err != nil {
		return Commit{}, err
	}
	return decodeCommit(r.format, data)
}

// Exists returns those of the ids that name no object of the repository.
func (r *Repository) Exists(ctx context.Context, ids ...OID) (missing []OID, err error) {
	for _, id := range ids {
		if err := r.format.Check(id); err != nil {
			return nil, err
		}
		if !r.objects.has(id) {
			missing = append(missing, id)
		}
	}
	return missing, ctx.Err()
}

func (r *Repository) typed(ctx context.Context, id OID, want Kind) ([]byte, error) {
	kind, data, err := r.Object(ctx, id)
	if err == nil && kind != want {
		err = wrongKind(id, kind, want)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func wrongKind(id OID, is, want Kind) error {
	return fault.Newf(CodeBadObject, "the object %s is a %s and no %s", id, is, want)
}
