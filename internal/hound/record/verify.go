package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/conversation"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/fault"
)

// maxFiles is how many entries of a directory are looked at; a record has six.
const maxFiles = 64

// VerifyRun checks the record in a directory. A record that does not verify is a
// fault with the code invalid_record that names what is wrong.
func VerifyRun(path string) (*hound.Verification, error) {
	v, err := verified(path)
	if err != nil {
		return nil, err
	}
	return &hound.Verification{SchemaVersion: hound.SchemaRunVerified, Valid: true, Failures: []string{}, PlanID: v.index.PlanID}, nil
}

// verified is a pass over a record that found nothing wrong.
func verified(path string) (*verification, error) {
	v, err := openRun(path)
	if err != nil {
		return nil, err
	}
	v.check()
	if len(v.failures) > 0 {
		return nil, invalid(path, v.failures, v.pending)
	}
	return v, nil
}

func invalid(path string, failures []string, pending bool) error {
	slices.Sort(failures)
	failures = slices.Compact(failures)
	f := fault.Newf(hound.CodeInvalid, "the record %q does not verify: %s", path, strings.Join(failures, ", ")).WithExit(hound.ExitFailed)
	if pending {
		return f.WithHint("the run was cut off before it ended; look at the repository before anything else is done with it")
	}
	return f.WithHint("each name stands for a file or a relation that is not as the kernel writes it; a file must be a regular one with the mode that it was given")
}

func unreadable(path string, err error) error {
	return fault.Newf(hound.CodeUnreadable, "the record %q cannot be read: %s", path, err.Error()).Because(err).WithExit(hound.ExitRefused)
}

// verification is one pass over a run record.
type verification struct {
	dir      string
	files    map[string][]byte
	index    hound.RunIndex
	pending  bool
	failures []string
}

var (
	indexForm   = document.Form{Required: []string{"schema_version", "plan_id", "files"}}
	pendingForm = document.Form{Required: []string{"schema_version", "plan_id", "record"}}
)

// openRun reads the files of a record. Without an index that can be read there
// is nothing to check against.
func openRun(path string) (*verification, error) {
	dir, err := realPath(path)
	if err != nil {
		return nil, unreadable(path, errors.New("it does not exist"))
	}
	mode, entries, err := readDir(dir)
	if err != nil {
		return nil, unreadable(path, err)
	}
	good := func(file fs.FileInfo) bool { return isRecordMode(file.Mode()) && agree(file.Mode(), mode) }
	v := &verification{dir: dir, files: map[string][]byte{}}
	for _, entry := range entries {
		data, err := readFile(filepath.Join(dir, entry.Name()), good)
		if err != nil {
			v.fail(entry.Name())
			continue
		}
		v.files[entry.Name()] = data
	}
	data, there := v.files[hound.IndexFile]
	if !there && slices.Contains(v.failures, hound.IndexFile) {
		return nil, invalid(path, v.failures, false) // it is there, and not as it was written
	}
	if !there {
		return nil, unreadable(path, errors.New(hound.IndexFile+" is missing"))
	}
	if v.isPending(data) {
		v.pending = true
		v.fail("index.files")
		return v, nil
	}
	if err := document.Decode(data, indexForm, &v.index); err != nil {
		return nil, unreadable(path, err)
	}
	return v, nil
}

// realPath returns the absolute path of a directory by its own name, whatever
// link it was reached by.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(abs)
	if err == nil && info.IsDir() && !strings.Contains(path, "..") {
		return abs, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// readDir returns the mode of a directory and what is in it.
func readDir(dir string) (fs.FileMode, []fs.DirEntry, error) {
	file, err := os.Open(dir)
	if err != nil {
		return 0, nil, errors.New("it is no directory that may be read")
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return 0, nil, err
	}
	entries, err := file.ReadDir(maxFiles)
	if err != nil && len(entries) == 0 {
		return 0, nil, errors.New("it is no directory with files")
	}
	return info.Mode(), entries, nil
}

func (v *verification) isPending(data []byte) bool {
	var pending hound.RunPending
	return document.Decode(data, pendingForm, &pending) == nil && pending.SchemaVersion == hound.SchemaRunPending
}

func (v *verification) fail(label string) { v.failures = append(v.failures, label) }

// require notes a failure unless ok, and returns ok.
func (v *verification) require(label string, ok bool) bool {
	if !ok {
		v.fail(label)
	}
	return ok
}

func (v *verification) check() {
	if v.pending {
		return
	}
	v.require("index.plan_id", v.index.SchemaVersion == hound.SchemaRunIndex && v.index.PlanID == filepath.Base(v.dir))
	for name, data := range v.files {
		sum, listed := v.index.Files[name]
		switch {
		case name == hound.IndexFile:
			v.require("index.files", document.IsCanonicalLine(data))
		case !listed:
			v.fail(name)
		default:
			v.require(name, sum == document.Sum(data) && document.IsCanonicalLine(data))
		}
	}
	p, err := plan.ParseRecorded(v.files[hound.PlanFile])
	if !v.require(hound.PlanFile, err == nil) {
		return
	}
	v.require("index.plan_id", v.index.PlanID == p.PlanID)
	v.checkSet(p)
	v.checkManifest(p)
	v.checkRequest(p)
	v.checkApproval(p)
	v.checkResult(p)
}

// checkSet compares the names that the index lists with those of a record.
func (v *verification) checkSet(p *plan.Plan) {
	want := slices.DeleteFunc(FileNames(p.Gate), func(name string) bool { return name == hound.IndexFile })
	v.require("index.files", slices.Equal(slices.Sorted(maps.Keys(v.index.Files)), want))
	for name := range v.index.Files {
		if _, there := v.files[name]; !there {
			v.fail(name)
		}
	}
}

func (v *verification) checkManifest(p *plan.Plan) {
	m, err := manifest.Parse(v.files[hound.ManifestFile])
	if !v.require(hound.ManifestFile, err == nil && m.SHA256 == p.DriverManifestSHA256 && m.ID == p.DriverID) {
		return
	}
	c, err := m.Operation(p.Operation)
	v.require(hound.ManifestFile, err == nil && c.Effect == p.Effect && c.Gate == p.Gate && slices.Equal(m.Scopes(), p.WriteScopes))
	v.require(hound.PlanFile, p.Effect == hound.EffectWrite)
}

func (v *verification) checkRequest(p *plan.Plan) {
	want, err := document.Line(p.Request())
	v.require(hound.RequestFile, err == nil && bytes.Equal(want, v.files[hound.RequestFile]))
}

func (v *verification) checkApproval(p *plan.Plan) {
	data, there := v.files[hound.ApprovalFile]
	if p.Gate != hound.GateHuman {
		v.require(hound.ApprovalFile, !there)
		return
	}
	a, err := approval.Parse(data)
	v.require(hound.ApprovalFile, there && err == nil && a.Binds(&p.Plan) == "")
}

var (
	resultForm = document.Form{
		Required: []string{"schema_version", "plan_id", "outcome", "ok", "changed_paths", "driver_response"},
		Optional: []string{"effects", "data", "error"},
		Nullable: []string{"driver_response", "data"},
	}
	resultFormV1 = document.Form{
		Required: append(slices.Clone(resultForm.Required), "run_dir"), Optional: resultForm.Optional, Nullable: resultForm.Nullable,
	}
)

// result is a result with what its absent members are.
type result struct {
	hound.RunResult
	members map[string]json.RawMessage
}

func (v *verification) checkResult(p *plan.Plan) {
	r, err := readResult(v.files[hound.ResultFile])
	if !v.require(hound.ResultFile, err == nil) {
		return
	}
	good := r.PlanID == p.PlanID && slices.Equal(r.ChangedPaths, plan.Sort(r.ChangedPaths)) && r.effectsAre(p)
	if r.OK {
		good = good && r.succeeded(p)
	} else {
		good = good && r.failed()
	}
	v.require(hound.ResultFile, good)
}

func readResult(data []byte) (*result, error) {
	var r result
	var err error
	if r.members, err = document.DecodeMembers(data, resultForm, &r.RunResult); err != nil {
		if r.members, err = document.DecodeMembers(data, resultFormV1, &r.RunResult); err != nil || r.SchemaVersion != hound.SchemaRunResultV1 {
			return nil, fs.ErrInvalid
		}
		return checkedResult(&r)
	}
	if r.SchemaVersion != hound.SchemaRunResult {
		return nil, fs.ErrInvalid
	}
	return checkedResult(&r)
}

func checkedResult(r *result) (*result, error) {
	if !r.Outcome.Known() {
		return nil, fs.ErrInvalid
	}
	return r, nil
}

func (r *result) has(member string) bool {
	_, there := r.members[member]
	return there
}

// effectsAre compares the effects with the sorted ones of the plan.
func (r *result) effectsAre(p *plan.Plan) bool {
	if !p.Expected.Exact {
		return !r.has("effects")
	}
	if !r.has("effects") {
		return !r.OK
	}
	want, err := document.Canonical(p.Expected.Effects)
	return err == nil && document.Equal(r.members["effects"], want)
}

// succeeded checks a result that says the run did what was planned.
func (r *result) succeeded(p *plan.Plan) bool {
	response, err := conversation.ParseResponse(r.DriverResponse)
	if err != nil || !response.OK || response.Outcome != r.Outcome || r.Outcome == hound.OutcomePlanned {
		return false
	}
	data := response.Data
	if data == nil {
		data = json.RawMessage("{}")
	}
	return !r.has("error") && r.has("data") && document.Equal(r.members["data"], data) &&
		slices.Equal(r.ChangedPaths, p.Expected.Paths())
}

// failed checks a result that says the run did not.
func (r *result) failed() bool {
	if string(r.members["driver_response"]) != "null" {
		if _, err := conversation.ParseResponse(r.DriverResponse); err != nil {
			return false
		}
	}
	return (r.Outcome == hound.OutcomeFailed || r.Outcome == hound.OutcomeHeld) && r.Error != "" && !r.has("data")
}
