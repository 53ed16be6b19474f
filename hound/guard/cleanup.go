package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/kernel/fault"
)

// ended says how it was made sure that nothing of a driver is left; nothing when
// it was not started.
func ended(err error, c hound.Cleanup) string {
	switch {
	case c.Method == "" || fault.Is(err, hound.CodeDriverMissing):
		return ""
	case c.Proven:
		return fmt.Sprintf("none of its processes is left, proven by %s", c.Method)
	default:
		return fmt.Sprintf("nothing proves that none of its processes is left (%s)", c.Method)
	}
}

// withProof adds the proof of cleanup to the failure of a driver that gave no
// answer, where there is no other place for it.
func withProof(err error, c hound.Cleanup) error {
	proof := ended(err, c)
	if err == nil || proof == "" {
		return err
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	told := *f
	told.Message += "; " + proof
	return &told
}

// proved is withProof for a run, whose record says it beside what the driver
// answered, if it did.
func (r run) proved(err error) error {
	if r.cleanup == nil || r.answered != nil {
		return err
	}
	return withProof(err, *r.cleanup)
}

// unproven passes on that a driver may have left something behind.
func (g *Guard) unproven(mode hound.Mode, err error, c hound.Cleanup) {
	if g.notice != nil && !c.Proven && ended(err, c) != "" {
		g.notice(mode, c)
	}
}

// isCleanup tells what looks like a proof of cleanup, which is the kernel's alone
// to give: one in a driver's answer is left out.
func isCleanup(diagnostic json.RawMessage) bool {
	members, err := document.Members(diagnostic)
	return err == nil && string(members["schema_version"]) == `"`+hound.SchemaCleanup+`"`
}

// withCleanup adds the proof of cleanup to the diagnostics of a response, which
// is where a run record has room for it.
func withCleanup(r *hound.Response, cleanup *hound.Cleanup) (json.RawMessage, error) {
	members, err := document.Members(r.Raw)
	if err != nil {
		return nil, err
	}
	entry, err := document.Canonical(struct {
		SchemaVersion string `json:"schema_version"`
		hound.Cleanup
	}{hound.SchemaCleanup, *cleanup})
	if err != nil {
		return nil, err
	}
	members["diagnostics"], err = document.Canonical(append(slices.DeleteFunc(slices.Clone(r.Diagnostics), isCleanup), entry))
	if err != nil {
		return nil, err
	}
	return document.Canonical(members)
}
