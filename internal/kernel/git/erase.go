package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Erase removes objects for good: loose ones, and those in packs, which are written
// anew without them. The caller knows that nothing leads to them any more. All
// other objects stay, also those that nothing leads to. It returns what it could
// not reach: packs that are marked to be kept, and objects borrowed from another
// repository. Erasing again does what an erasure that was cut short left.
func (r *Repository) Erase(ctx context.Context, ids []OID) (left []string, err error) {
	gone := map[OID]bool{}
	for _, id := range ids {
		if err := r.format.Check(id); err != nil {
			return nil, err
		}
		gone[id] = true
	}
	own := r.objects.dirs[0]
	r.objects.load()
	packs, kept, err := r.packsWith(gone)
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if err := r.rewritePack(ctx, p, gone); err != nil {
			return nil, err
		}
	}
	for id := range gone {
		path := loosePath(own, id)
		if err := os.Remove(path); err != nil && !noFile(err) {
			return nil, durable.Explain("remove", path, err)
		}
		if err := durable.SyncDir(filepath.Dir(path)); err != nil && !fault.Is(err, durable.CodeNotFound) {
			return nil, err
		}
	}
	r.objects.forget()
	left = kept
	for id := range gone {
		if r.objects.has(id) && len(kept) == 0 {
			left = append(left, "object "+string(id)+", which is borrowed from another repository")
		}
	}
	unfinished, err := unfinishedFiles(own)
	return append(left, unfinished...), err
}

// packsWith returns our own packs that hold any of the objects, without those
// that are marked to be kept, which are named.
func (r *Repository) packsWith(gone map[OID]bool) (packs []*pack, kept []string, err error) {
	r.objects.mu.RLock()
	defer r.objects.mu.RUnlock()
	if r.objects.bad != nil {
		return nil, nil, r.objects.bad
	}
	for _, p := range r.objects.packs {
		if filepath.Dir(filepath.Dir(p.path)) != r.objects.dirs[0] || !exists(p.path) {
			continue
		}
		holds := false
		for id := range gone {
			if _, found := p.index.find(id.raw()); found {
				holds = true
				break
			}
		}
		stem := strings.TrimSuffix(p.path, ".pack")
		switch {
		case !holds:
		case exists(stem+".keep") || exists(stem+".promisor"):
			kept = append(kept, "pack "+filepath.Base(p.path)+", which is marked to be kept")
		default:
			packs = append(packs, p)
		}
	}
	return packs, kept, nil
}

// rewritePack writes a pack anew without the objects, then removes the old one. A
// crash between leaves both, and erasing again removes the old one.
func (r *Repository) rewritePack(ctx context.Context, p *pack, gone map[OID]bool) error {
	var list bytes.Buffer
	for n := range p.index.count {
		if id := oidOf(p.index.id(n)); !gone[id] {
			list.WriteString(string(id) + "\n")
		}
	}
	dir := filepath.Dir(p.path)
	if list.Len() > 0 {
		base := filepath.Join(dir, "pack")
		if _, _, err := r.git(ctx, job{
			args:  []string{"pack-objects", "--quiet", "--no-reuse-object", "--window=0", "--threads=1", base},
			stdin: list.Bytes(), limit: 1 << 20, extra: []string{"pack.writeBitmaps=false", "repack.writeBitmaps=false"},
		}); err != nil {
			return err
		}
		if err := durable.SyncDir(dir); err != nil {
			return err
		}
	}
	// What was derived from the packs and the commits is made anew by git when it
	// wants it; it may name what is gone.
	objects := filepath.Dir(dir)
	for _, path := range []string{
		filepath.Join(dir, "multi-pack-index"), filepath.Join(objects, "info", "commit-graph"), filepath.Join(objects, "info", "commit-graphs"),
	} {
		if err := durable.RemoveAll(path); err != nil {
			return err
		}
	}
	stem := strings.TrimSuffix(p.path, ".pack")
	// The index goes first: a pack without one is not looked at.
	for _, suffix := range []string{".idx", ".rev", ".bitmap", ".mtimes", ".pack"} {
		if err := os.Remove(stem + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Explain("remove", stem+suffix, err)
		}
	}
	return durable.SyncDir(dir)
}

// forget closes all packs, so that the store sees what is there now.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs, s.opened, s.loaded = nil, map[string]bool{}, false
}

// unfinishedFiles are what writers left that were killed, or are writing: they may
// hold anything.
func unfinishedFiles(objects string) ([]string, error) {
	var found []string
	for _, pattern := range []string{"tmp_*", "pack/tmp_*", "pack/.tmp-*", "??/tmp_*"} {
		paths, err := filepath.Glob(filepath.Join(objects, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			rel, _ := filepath.Rel(objects, path)
			found = append(found, "unfinished file objects/"+filepath.ToSlash(rel)+", which git removes in time")
		}
	}
	return found, nil
}
