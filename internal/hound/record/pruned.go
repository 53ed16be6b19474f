package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/journal"
)

// Pruned is the file beside the records with the digests of those that were
// removed, a journal.
const Pruned = "pruned.jsonl"

// prunedEvent is the event of each of its lines.
const prunedEvent = "pruned"

// PrunedPlans returns the ids of the plans whose records were removed from a run
// root. A list in which anything is not as it was written may have named any plan,
// and is an error that names the first bad line. Only part of a line at the end is
// none: a line comes before its record goes, so what a crash cut off removed
// nothing.
func PrunedPlans(root string) (ids []string, err error) {
	list := filepath.Join(root, Pruned)
	data, err := readFile(list, func(file fs.FileInfo) bool { return file.Mode().IsRegular() })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badList(list, "it cannot be read", err)
	}
	report, err := journal.VerifyReader(list, bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, badList(list, "it cannot be read", err)
	case report.Problem != nil:
		return nil, badList(list, fmt.Sprintf("line %d: %s", report.Problem.Line, report.Problem.Reason), report.Err())
	case report.From != journal.Head{}:
		return nil, badList(list, "line 1: the lines before it are missing", nil)
	}
	data = data[:int64(len(data))-report.Torn]
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		id, err := prunedPlan(line)
		if err != nil {
			return nil, badList(list, fmt.Sprintf("line %d: %s", number, err.Error()), err)
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// prunedPlan is the plan that a line names; "" for a line of the journal's own.
func prunedPlan(line []byte) (string, error) {
	var l struct {
		Event  string          `json:"event"`
		PlanID string          `json:"plan_id"`
		Healed json.RawMessage `json:"healed"`
	}
	if _, err := canon.DecodeOpen(line, &l, document.Limits()); err != nil {
		return "", err
	}
	if l.Healed != nil {
		return "", nil
	}
	if l.Event != prunedEvent || !document.IsSHA256(l.PlanID) {
		return "", errors.New("it names no record that was removed")
	}
	return l.PlanID, nil
}

func badList(list, what string, cause error) error {
	return fault.Newf(hound.CodeUnreadable, "the list of removed records %q is not as it was written: %s", list, what).
		WithHint("it says which plans were executed; put back the copy that was kept of it").Because(cause).WithExit(hound.ExitRefused)
}
