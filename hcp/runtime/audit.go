package hcpruntime

import (
	"context"
	"os"

	"bridle/hcp"
	"bridle/internal/hcp/pipeline"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/journal"
)

// FileAudit opens an audit log: a hash-chained file whose lines vouch for all
// before them. Pass the function as Options.Audit.
func FileAudit(path string) (func(ctx context.Context, e hcp.AuditEvent, durable bool) error, error) {
	j, err := journal.Open(path, journal.Options{Holder: "hcpruntime", MaxBytes: auditBytes})
	if err != nil {
		return nil, public(err)
	}
	return pipeline.Log(j).Record, nil
}

// auditBytes is the size from which a file of the log is put aside.
const auditBytes = 64 << 20

// ReadAudit returns the newest events that the filter lets pass, the oldest of
// them first; nil lets all pass, a limit of 0 is none. A log that does not exist
// has no events.
func ReadAudit(path string, lets func(hcp.AuditEvent) bool, limit int) ([]hcp.AuditEvent, error) {
	if _, err := os.Lstat(path); os.IsNotExist(err) {
		return nil, nil
	}
	filter := func(line journal.Line) bool {
		var e hcp.AuditEvent
		return line.Decode(&e) == nil && (lets == nil || lets(e))
	}
	lines, err := journal.Read(path, filter, limit)
	if err != nil {
		return nil, public(err)
	}
	events := make([]hcp.AuditEvent, len(lines))
	for i, line := range lines {
		if err := line.Decode(&events[i]); err != nil {
			return nil, public(err)
		}
	}
	return events, nil
}

// VerifyAudit checks a log and names its first bad line in the error.
func VerifyAudit(path string) error {
	report, err := journal.Verify(path)
	if err != nil {
		return public(err)
	}
	return public(report.Err())
}

// AuditKey returns the key that the file at path holds, made when there is none,
// private to this user. Pass it as Options.AuditKey. That of the command line's
// store is audit.key in its folder.
func AuditKey(path string) ([]byte, error) {
	key, err := journal.Key(path)
	return key, public(err)
}

// ArgsHash is the digest of a call's arguments as a log records it under a key:
// HMAC-SHA-256 over their canonical JSON, since a plain hash of a short value
// can be guessed. It is "" for arguments that JSON cannot carry.
func ArgsHash(key []byte, args hcp.Args) string {
	if args == nil {
		args = hcp.Args{}
	}
	canonical, err := canon.Encode(map[string]any(args))
	if err != nil {
		return ""
	}
	return journal.KeyedDigest(key, canonical)
}
