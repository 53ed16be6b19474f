package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
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

// auditBytes is the size from which a file of the log is put aside. The chain
// goes on in the next one.
const auditBytes = 64 << 20

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

// CheckAudit reports why the audit log would not take an entry, as far as can be
// seen without writing one. A log that is not there yet is in order.
func (r *Runtime) CheckAudit(ctx context.Context) error {
	if _, err := os.Lstat(r.AuditPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	log, err := journal.Open(r.AuditPath(), journal.Options{Holder: "hcpx", MaxBytes: auditBytes})
	if err != nil {
		return err
	}
	_, err = log.Head(ctx)
	return errors.Join(err, log.Close())
}

// Record appends one event.
func (a *auditLog) Record(ctx context.Context, e hcp.AuditEvent, synced bool) error {
	a.once.Do(func() {
		a.log, a.err = journal.Open(filepath.Join(a.home, auditFile), journal.Options{Holder: "hcpx", MaxBytes: auditBytes})
	})
	if a.err != nil {
		return a.err
	}
	mode := journal.NoSync
	if synced {
		mode = journal.Sync
	}
	if line, ok := auditLine(&e); ok {
		_, err := a.log.Append(ctx, line, mode)
		return err
	}
	_, err := a.log.Append(ctx, e, mode)
	return err
}
