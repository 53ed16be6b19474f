package hcpx

import (
	"path/filepath"
	"strings"
	"testing"

	"bridle/hcp"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/journal"
)

func TestOnANarrowTerminalALineOfTheLogStandsOverSeveral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := journal.Open(path, journal.Options{Holder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	e := hcp.AuditEvent{
		Time: "2026-11-30T14:21:33.437Z", Action: hcp.AuditExec, Stage: hcp.AuditWhole, PackID: "ledger", VerbKey: "transfer",
		Operation: hcp.OperationWrite, Decision: hcp.AuditAllow, ApprovedBy: "human", ApprovalID: "5ea7eb29", Ran: true, OK: true, Reason: "it asks",
	}
	if _, err := log.Append(t.Context(), e, journal.NoSync); err != nil {
		t.Fatal(err)
	}
	lines, err := journal.Read(path, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for width, want := range map[int]string{
		40:  "ledger transfer\n  2026-11-30T14:21:33.437Z\n  allow by human 5ea7eb29, write, ran\n  it asks\n",
		120: "2026-11-30T14:21:33.437Z  ledger transfer  write  allow  human 5ea7eb29  ran  it asks\n",
		0:   "2026-11-30T14:21:33.437Z  ledger transfer  write  allow  human 5ea7eb29  ran  it asks\n",
	} {
		p := &cli.Page{Width: width}
		printAudit(p, lines)
		if got := p.String(); strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
}
