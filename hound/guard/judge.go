package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/fault"
)

// judge says what was wrong with a run, nil if it did exactly what was planned.
// The order of the rules decides which failure is named.
func (x *execution) judge(r run, altered []string, changes []change) error {
	if r.err != nil {
		return r.proved(x.failed(r.err))
	}
	if len(altered) > 0 {
		return x.refuse("the driver altered its own run record: %s", named(altered))
	}
	changed := paths(x.withoutImplied(changes))
	if outside := x.outside(changed); len(outside) > 0 {
		return x.refuse("the driver changed what lies outside the write scopes: %s", named(outside))
	}
	if bad := x.badPlaces(r.after); bad != "" {
		return x.refuse("%s", bad)
	}
	want := x.plan.Expected.Paths()
	if unexpected := minus(changed, want); len(unexpected) > 0 {
		return x.refuse("the driver changed what was not planned: %s", named(unexpected))
	}
	if missing := minus(want, changed); len(missing) > 0 {
		return x.refuse("the driver did not change what was planned: %s", named(missing))
	}
	if bad := x.badFolders(r.before, r.after); bad != "" {
		return x.refuse("%s", bad)
	}
	if miss := plan.Misses(x.plan.Expected, r.after); miss != "" {
		return x.refuse("%s", miss)
	}
	return x.outcome(r.answered)
}

// outcome refuses the outcomes that no execution ends with.
func (x *execution) outcome(r *hound.Response) error {
	switch r.Outcome {
	case hound.OutcomePlanned:
		return x.refuse("the driver answered an execution with the outcome planned")
	case hound.OutcomeHeld, hound.OutcomeFailed:
		f := x.refuse("the driver reports the outcome %q", r.Outcome)
		return reported(f, r)
	default:
		return nil
	}
}

func (x *execution) refuse(format string, args ...any) *fault.Error {
	return fault.Newf(hound.CodeRunFailed, format, args...).
		WithHint("nothing is put back: the record says what changed").WithNext("hound verify " + x.dir)
}

// failed keeps the exit code of what ended the run early, and says where the
// record is.
func (x *execution) failed(err error) error {
	if isInterrupt(err) {
		return fault.New(hound.CodeRunFailed, "the run was interrupted").WithNext("hound verify " + x.dir).Because(context.Canceled)
	}
	f := *fault.From(err)
	f.Next = append(slices.Clone(f.Next), "hound verify "+x.dir)
	return &f
}

// badPlaces looks whether every planned path is a regular file in a real folder,
// also in the older form, which says no more of it.
func (x *execution) badPlaces(after look) string {
	for _, path := range x.plan.Expected.Paths() {
		at := after.At(path)
		if at.Kind != "" && at.Kind != plan.KindFile {
			return "what was planned as a file is none: " + named([]string{path})
		}
		for dir := path; strings.Contains(dir, "/"); {
			dir = dir[:strings.LastIndexByte(dir, '/')]
			if kind := after.At(dir).Kind; kind != "" && kind != plan.KindDirectory {
				return "what was planned lies behind no folder: " + named([]string{path})
			}
		}
	}
	return ""
}

// badFolders names a folder that was made for a planned file with a mode that no
// plan names and no umask explains: one that anybody may write to would let others
// put another file in its place, one that is closed to its owner hides it. A set
// group bit is handed down by the folder above.
func (x *execution) badFolders(before, after look) string {
	const least, most, handedDown = 0o700, 0o775, 0o2000
	for _, path := range x.plan.Expected.Paths() {
		for dir := path; strings.Contains(dir, "/"); {
			dir = dir[:strings.LastIndexByte(dir, '/')]
			made := after.At(dir)
			if made.Kind != plan.KindDirectory || before.At(dir).Kind == plan.KindDirectory {
				continue
			}
			mode, err := strconv.ParseUint(made.Mode, 8, 16)
			if err != nil || mode&least != least || mode&^(most|handedDown) != 0 {
				return fmt.Sprintf("the driver made the folder %q with the mode %s; new folders have at least 0700 and at most 0775", dir, made.Mode)
			}
		}
	}
	return ""
}

// outside lists the paths that no write scope holds.
func (x *execution) outside(changed []string) []string {
	return slices.DeleteFunc(slices.Clone(changed), func(path string) bool {
		return plan.InScope(path, x.plan.WriteScopes) && !strings.HasPrefix(path, ".git/")
	})
}

// withoutImplied drops the folders that come with a planned creation or go with a
// planned deletion.
func (x *execution) withoutImplied(changes []change) []change {
	implied := map[string]bool{}
	for _, path := range x.plan.Expected.Paths() {
		for strings.Contains(path, "/") {
			path = path[:strings.LastIndexByte(path, '/')]
			implied[path] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return c.isFolder() && implied[c.path] })
}

// result is the run as its record says it.
func (x *execution) result(r run, changes []change, failure error) (*hound.RunResult, error) {
	result := &hound.RunResult{
		SchemaVersion: hound.SchemaRunResult, PlanID: x.plan.PlanID, ChangedPaths: paths(x.withoutImplied(changes)),
	}
	if x.plan.Expected.Exact {
		result.Effects = &x.plan.Expected.Effects
	}
	if r.answered != nil {
		response, err := withCleanup(r.answered, r.cleanup)
		if err != nil {
			return nil, err
		}
		result.DriverResponse = response
	}
	if failure != nil {
		f := fault.From(failure)
		result.Outcome, result.Error = hound.OutcomeFailed, f.Message
		if f.Exit == hound.ExitHeld {
			result.Outcome = hound.OutcomeHeld
		}
		return result, nil
	}
	result.OK, result.Outcome, result.Data = true, r.answered.Outcome, r.answered.Data
	if result.Data == nil {
		result.Data = json.RawMessage("{}")
	}
	return result, nil
}

// minus lists what is in a and not in b, both sorted.
func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool {
		_, found := slices.BinarySearch(b, s)
		return found
	})
}
