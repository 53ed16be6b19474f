package git

import (
	"context"
	"encoding/hex"
	"io"
	"os"
	"sync"
)

// sink takes the content of files: it computes ids, and stores what is new in
// portions, so that memory does not grow with the working tree.
type sink struct {
	repo  *Repository
	ctx   context.Context //nolint:containedctx // lives for one scan
	store bool

	mu      sync.Mutex
	known   map[string]bool
	waiting []pending
	size    int
	written int
}

// portion is how many bytes wait at most before they are written.
const portion = 96 << 20

// blob returns the raw id of content.
func (s *sink) blob(data []byte) (string, error) { return s.object(KindBlob, data) }

func (s *sink) object(kind Kind, data []byte) (string, error) {
	h := s.repo.format.hash()
	h.Write(header(kind, int64(len(data))))
	h.Write(data)
	var space [32]byte
	raw := string(h.Sum(space[:0]))
	if !s.store || !s.isNew(raw) {
		return raw, nil
	}
	return raw, s.add(pending{OID(hex.EncodeToString([]byte(raw))), kind, data})
}

// isNew says whether an object is met for the first time and is not in the
// repository.
func (s *sink) isNew(raw string) bool {
	s.mu.Lock()
	known := s.known[raw]
	s.known[raw] = true
	s.mu.Unlock()
	return !known && !s.repo.objects.present(OID(hex.EncodeToString([]byte(raw))))
}

func (s *sink) add(p pending) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, p)
	if s.size += len(p.data); s.size < portion {
		return nil
	}
	return s.write()
}

// write stores what is waiting. The caller holds the lock.
func (s *sink) write() error {
	objects := s.waiting
	s.waiting, s.size = nil, 0
	s.written += len(objects)
	return s.repo.objects.write(s.ctx, objects)
}

func (s *sink) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write()
}

// large is blob for a file that is not held in memory: it is read once for its
// id and, if it is new, once more to be stored.
func (s *sink) large(ctx context.Context, file *os.File, size int64) (string, error) {
	h := s.repo.format.hash()
	h.Write(header(KindBlob, size))
	n, err := io.Copy(h, io.NewSectionReader(file, 0, size))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", errChanging
	}
	id := s.repo.format.sum(h)
	raw := string(id.raw())
	if !s.store || !s.isNew(raw) {
		return raw, nil
	}
	if err := s.repo.objects.writeStream(ctx, id, io.NewSectionReader(file, 0, size), size); err != nil {
		s.mu.Lock()
		delete(s.known, raw)
		s.mu.Unlock()
		return "", err
	}
	s.mu.Lock()
	s.written++
	s.mu.Unlock()
	return raw, nil
}

// holds says whether this scan has already met an object.
func (s *sink) holds(raw string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[raw]
}
