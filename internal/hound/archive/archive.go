// Package archive looks after the run records of a repository: it lists them and
// removes old ones.
//
// Invariants:
//
//   - A record that is removed leaves the digest of its index in a chained
//     journal beside the records, so that a proof which was made of it still has
//     something to be compared with.
//   - Only records that verify and whose run has ended are removed. What is
//     pending or damaged is evidence and stays.
package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/record"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
)

// The states of a run record.
const (
	StateOK      = "ok"
	StateFailed  = "failed"
	StateHeld    = "held"
	StatePending = "pending" // cut off, or still running
	StateInvalid = "invalid"
)

// Run is one run record.
type Run struct {
	PlanID      string    `json:"plan_id"`
	State       string    `json:"state"`
	DriverID    string    `json:"driver_id,omitempty"`
	Operation   string    `json:"operation,omitempty"`
	Reviewer    string    `json:"reviewer,omitempty"`
	Changed     []string  `json:"changed_paths"`
	Error       string    `json:"error,omitempty"`
	IndexSHA256 string    `json:"index_sha256,omitempty"`
	At          time.Time `json:"at"`
	Path        string    `json:"path"`
}

// Journal is the file with the digests of removed records.
const Journal = record.Pruned

// List returns the records below a run root, the oldest first. A run root that
// is not there has none.
func List(root string) ([]Run, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return []Run{}, nil
	}
	if err != nil {
		return nil, durable.Explain("read", root, err)
	}
	runs := []Run{}
	for _, entry := range entries {
		if entry.IsDir() && document.IsSHA256(entry.Name()) {
			runs = append(runs, look(filepath.Join(root, entry.Name())))
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(a.PlanID, b.PlanID)
	})
	return runs, nil
}

// look describes one record.
func look(path string) Run {
	run := Run{PlanID: filepath.Base(path), State: StateInvalid, Changed: []string{}, Path: path}
	// Where there is no index the folder's own time tells when something was there.
	for _, name := range []string{path, filepath.Join(path, hound.IndexFile)} {
		if info, err := os.Lstat(name); err == nil {
			run.At = info.ModTime().UTC()
		}
	}
	var p hound.Plan
	if read(path, hound.PlanFile, &p) == nil {
		run.DriverID, run.Operation = p.DriverID, p.Operation
	}
	var a hound.Approval
	if read(path, hound.ApprovalFile, &a) == nil {
		run.Reviewer = a.Reviewer
	}
	var r hound.RunResult
	if read(path, hound.ResultFile, &r) != nil {
		return run
	}
	// A run that was cut off while its record was finished has a result already.
	var index hound.RunPending
	if err := read(path, hound.IndexFile, &index); err == nil && index.SchemaVersion == hound.SchemaRunPending {
		run.State = StatePending
		return run
	}
	run.Changed, run.Error = r.ChangedPaths, r.Error
	if run.Changed == nil {
		run.Changed = []string{}
	}
	if _, err := record.VerifyRun(path); err != nil {
		return run
	}
	if data, err := document.Read(filepath.Join(path, hound.IndexFile), hound.CodeUnreadable, hound.ExitFailed); err == nil {
		run.IndexSHA256 = document.Sum(data)
	}
	switch {
	case r.OK:
		run.State = StateOK
	case r.Outcome == hound.OutcomeHeld:
		run.State = StateHeld
	default:
		run.State = StateFailed
	}
	return run
}

// read reads a document of which only some members matter here.
func read(dir, name string, v any) error {
	data, err := document.Read(filepath.Join(dir, name), hound.CodeUnreadable, hound.ExitFailed)
	if err != nil {
		return err
	}
	_, err = canon.DecodeOpen(data, v, document.Limits())
	return err
}

// Pruned is what stays of a removed record.
type Pruned struct {
	Event       string `json:"event"`
	PlanID      string `json:"plan_id"`
	IndexSHA256 string `json:"index_sha256"`
	State       string `json:"state"`
	At          string `json:"at"`
	PrunedAt    string `json:"pruned_at"`
}

// Rule says which records go.
type Rule struct {
	// Keep is how many of the newest stay whatever their age.
	Keep int
	// Before removes only what ended earlier; zero sets no bound.
	Before time.Time
}

// Choose splits runs, the oldest first, into what a rule removes and what stays
// although it is old enough, because it is pending or damaged.
func Choose(runs []Run, rule Rule) (gone, evidence []Run) {
	for i, run := range runs {
		switch {
		case len(runs)-i <= rule.Keep:
		case !rule.Before.IsZero() && !run.At.Before(rule.Before):
		case run.State == StatePending || run.State == StateInvalid:
			evidence = append(evidence, run)
		default:
			gone = append(gone, run)
		}
	}
	return gone, evidence
}

// Remove removes records. The digest of each is on disk before it goes.
func Remove(ctx context.Context, root string, runs []Run, now time.Time) error {
	if len(runs) == 0 {
		return nil
	}
	if _, err := record.PrunedPlans(root); err != nil {
		return err
	}
	log, err := journal.Open(filepath.Join(root, Journal), journal.Options{Holder: "hound gc"})
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	for _, run := range runs {
		if filepath.Dir(run.Path) != filepath.Clean(root) {
			return fault.Newf(fault.CodeInternal, "the record %q does not lie in %q", run.Path, root)
		}
		line := Pruned{
			Event: "pruned", PlanID: run.PlanID, IndexSHA256: run.IndexSHA256, State: run.State,
			At: run.At.Format(time.RFC3339), PrunedAt: now.UTC().Format(time.RFC3339),
		}
		if _, err := log.Append(ctx, line, journal.Sync); err != nil {
			return err
		}
		if err := durable.RemoveAll(run.Path); err != nil {
			return err
		}
	}
	return nil
}
