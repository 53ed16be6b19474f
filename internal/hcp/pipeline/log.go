package pipeline

import (
	"context"

	"bridle/hcp"
	"bridle/internal/kernel/journal"
)

// Log is the audit log as a hash-chained file.
func Log(j *journal.Journal) Audit { return journalLog{j} }

type journalLog struct{ journal *journal.Journal }

// Record appends the event.
func (l journalLog) Record(ctx context.Context, e hcp.AuditEvent, durable bool) error {
	how := journal.NoSync
	if durable {
		how = journal.Sync
	}
	_, err := l.journal.Append(ctx, e, how)
	return err
}
