package local

import (
	"context"
	"path/filepath"
	"sync"

	"bridle/hcp"
	"bridle/internal/kernel/journal"
)

// The audit log and the key of its digests, in the store.
const (
	auditFile = "audit.jsonl"
	keyFile   = "audit.key"
)

// auditLog is the store's journal of decisions, opened when the first line is
// written.
type auditLog struct {
	home string
	once sync.Once
	log  *journal.Journal
	err  error
}

// AuditPath is where the audit log is.
func (r *Runtime) AuditPath() string { return filepath.Join(r.o.Home, auditFile) }

// Record appends one event.
func (a *auditLog) Record(ctx context.Context, e hcp.AuditEvent, synced bool) error {
	a.once.Do(func() { a.log, a.err = journal.Open(filepath.Join(a.home, auditFile), journal.Options{}) })
	if a.err != nil {
		return a.err
	}
	mode := journal.NoSync
	if synced {
		mode = journal.Sync
	}
	_, err := a.log.Append(ctx, e, mode)
	return err
}
