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
	"testing"

	"pgregory.net/rapid"

	"bridle/hound"
	"bridle/internal/hound/approval"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/plan"
	"bridle/internal/kernel/fault"
	houndspec "bridle/spec/hound"
)

const planID = "ed2aa55077cd4b89f9553589016ba54dc1b2fa31a0e87ed23c339b81de72dac8"

// files are the files of the run that was recorded elsewhere.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	dir := "interop/elsewhere/run/" + planID
	entries, err := houndspec.Interop.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if all[entry.Name()], err = houndspec.Interop.ReadFile(dir + "/" + entry.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func put(t testing.TB, all map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), planID)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// reindex makes the index hold what the files are, as a forger would.
func reindex(t testing.TB, all map[string][]byte) {
	t.Helper()
	index := hound.RunIndex{SchemaVersion: hound.SchemaRunIndex, PlanID: planID, Files: map[string]string{}}
	for name, data := range all {
		if name != hound.IndexFile {
			index.Files[name] = document.Sum(data)
		}
	}
	var err error
	if all[hound.IndexFile], err = document.Line(index); err != nil {
		t.Fatal(err)
	}
}

func TestRunRecordedElsewhereVerifies(t *testing.T) {
	v, err := VerifyRun(put(t, files(t)))
	if err != nil || !v.Valid || v.PlanID != planID || v.SchemaVersion != hound.SchemaRunVerified {
		t.Fatalf("%+v, %v", v, err)
	}
}

func TestInvocationMadeElsewhereVerifies(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/invoke.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "invoke.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := VerifyInvocation(path); err != nil || v.ReceiptID != "d469d59b258c548e6ecd08dc43c611457ea3c79ce6734570397ea42b4f464657" {
		t.Fatalf("%+v, %v", v, err)
	}
}

// What this implementation once wrote goes on verifying.
func TestOwnRecordsOfOldVerify(t *testing.T) {
	dir := t.TempDir()
	here, err := fs.Sub(houndspec.Interop, "interop/here")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, here); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"invoke.json", "invoke-v1.json"} {
		if _, err := VerifyInvocation(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	runs, err := filepath.Glob(filepath.Join(dir, "run", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	for _, name := range FileNames(hound.GateHuman) { // whatever the umask made of the copies
		if err := os.Chmod(filepath.Join(runs[0], name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := VerifyRun(runs[0]); err != nil {
		t.Error(err)
	}
}

func TestEveryChangedByteIsFound(t *testing.T) {
	all := files(t)
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(r *rapid.T) {
		changed := maps.Clone(all)
		name := rapid.SampledFrom(names).Draw(r, "file")
		at := rapid.IntRange(0, len(all[name])-1).Draw(r, "at")
		data := slices.Clone(all[name])
		data[at] ^= 1 << rapid.IntRange(0, 6).Draw(r, "bit")
		changed[name] = data
		if _, err := VerifyRun(put(t, changed)); err == nil {
			r.Fatalf("%s with byte %d changed verifies", name, at)
		}
	})
}

// A forger who computes the index anew still meets the relations between the
// documents.
func TestForgeriesWithAProperIndexAreFound(t *testing.T) {
	replace := func(name, old, new string) func(map[string][]byte) {
		return func(all map[string][]byte) {
			text := string(all[name])
			if !strings.Contains(text, old) {
				panic(name + " has no " + old)
			}
			all[name] = []byte(strings.Replace(text, old, new, 1))
		}
	}
	for name, c := range map[string]struct {
		forge func(map[string][]byte)
		label string
	}{
		"another manifest":       {replace(hound.ManifestFile, `"demo-notes"`, `"demo-other"`), hound.ManifestFile},
		"another request":        {replace(hound.RequestFile, "good day", "evil day"), hound.RequestFile},
		"another plan":           {replace(hound.PlanFile, "good day", "evil day"), hound.PlanFile},
		"another reviewer":       {replace(hound.ApprovalFile, "A. Reviewer", "B. Reviewer"), hound.ApprovalFile},
		"no approval":            {func(all map[string][]byte) { delete(all, hound.ApprovalFile) }, "index.files"},
		"other changed paths":    {replace(hound.ResultFile, `["notes/today.txt"]`, `["notes/other.txt"]`), hound.ResultFile},
		"no changed paths":       {replace(hound.ResultFile, `["notes/today.txt"]`, `[]`), hound.ResultFile},
		"paths twice":            {replace(hound.ResultFile, `["notes/today.txt"]`, `["notes/today.txt","notes/today.txt"]`), hound.ResultFile},
		"another outcome":        {replace(hound.ResultFile, `"outcome":"completed","proofs"`, `"outcome":"no-op","proofs"`), hound.ResultFile},
		"success without a word": {replace(hound.ResultFile, `"effects":[{"after_sha256":"6`, `"effects":[{"after_sha256":"7`), hound.ResultFile},
		"data of its own":        {replace(hound.ResultFile, `"data":{"wrote":"notes/today.txt"},"driver_response"`, `"data":{"wrote":"x"},"driver_response"`), hound.ResultFile},
		"success with an error":  {replace(hound.ResultFile, `"effects"`, `"error":"x","effects"`), hound.ResultFile},
		"result of another plan": {replace(hound.ResultFile, planID, strings.Repeat("0", 64)), hound.ResultFile},
		"unknown member":         {replace(hound.ResultFile, `"ok":true,"outcome":"completed","plan_id"`, `"note":"x","ok":true,"outcome":"completed","plan_id"`), hound.ResultFile},
		"indented document":      {func(all map[string][]byte) { all[hound.PlanFile] = append([]byte(" "), all[hound.PlanFile]...) }, hound.PlanFile},
		"no line end": {func(all map[string][]byte) {
			all[hound.RequestFile] = all[hound.RequestFile][:len(all[hound.RequestFile])-1]
		}, hound.RequestFile},
		"a file more": {func(all map[string][]byte) { all["notes.json"] = []byte("{}\n") }, "index.files"},
		"pending result": {func(all map[string][]byte) {
			all[hound.ResultFile] = []byte(`{"plan_id":"` + planID + `","record":"result","schema_version":"hound.run.pending.v1"}` + "\n")
		}, hound.ResultFile},
	} {
		all := files(t)
		c.forge(all)
		reindex(t, all)
		_, err := VerifyRun(put(t, all))
		if !fault.Is(err, hound.CodeInvalid) || !strings.Contains(err.Error(), c.label) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModesAndKindsOfRecordFiles(t *testing.T) {
	for mode, ok := range map[fs.FileMode]bool{
		0o600: true,
		0o400: false, 0o644: false, 0o444: false, 0o640: false, 0o660: false, 0o666: false, 0o602: false, 0o700: false, 0o755: false, 0o645: false,
		0o600 | fs.ModeSetuid: false, 0o600 | fs.ModeSticky: false,
	} {
		for _, name := range FileNames(hound.GateHuman) {
			dir := put(t, files(t))
			if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
				t.Fatal(err)
			}
			if _, err := VerifyRun(dir); (err == nil) != ok || err != nil && !fault.Is(err, hound.CodeInvalid) {
				t.Errorf("%s is %v: %v", name, mode, err)
			}
		}
	}
	dir := put(t, files(t))
	away := filepath.Join(t.TempDir(), "plan.json")
	if err := os.Rename(filepath.Join(dir, hound.PlanFile), away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, filepath.Join(dir, hound.PlanFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyRun(dir); !fault.Is(err, hound.CodeInvalid) {
		t.Errorf("a link: %v", err)
	}
}

// A copy has the modes of who copied it, files and directory by one mask; all of
// one record were given them at once.
func TestModesOfACopyGoTogether(t *testing.T) {
	for _, c := range []struct {
		dir, file fs.FileMode
		ok        bool
	}{
		{0o700, 0o600, true},
		{0o755, 0o600, true},
		{0o750, 0o600, true},
		{0o775, 0o600, true},
		{0o777, 0o600, false},
		{0o703, 0o600, false},
		{0o755, 0o644, true},
		{0o750, 0o640, true},
		{0o555, 0o444, true},
		{0o500, 0o400, true},
		{0o550, 0o440, true},
		{0o700, 0o644, false},
		{0o700, 0o400, false},
		{0o755, 0o640, false},
		{0o755, 0o444, false},
		{0o775, 0o664, true},
		{0o770, 0o660, true},
		{0o755, 0o664, false},
		{0o700, 0o660, false},
		{0o775, 0o644, false},
		{0o776, 0o666, false},
		{0o777, 0o666, false},
	} {
		dir := put(t, files(t))
		for _, name := range FileNames(hound.GateHuman) {
			if err := os.Chmod(filepath.Join(dir, name), c.file); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, c.dir); err != nil {
			t.Fatal(err)
		}
		if _, err := VerifyRun(dir); (err == nil) != c.ok {
			t.Errorf("files %v in a directory %v: %v", c.file, c.dir, err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// One of a copy that was re-moded since.
	dir := put(t, files(t))
	for _, name := range FileNames(hound.GateHuman) {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, hound.ResultFile), 0o444)); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyRun(dir); !fault.Is(err, hound.CodeInvalid) || !strings.Contains(err.Error(), hound.ResultFile) {
		t.Errorf("%v", err)
	}
}

func TestWhatIsNoRecordIsUnreadable(t *testing.T) {
	empty := t.TempDir()
	noIndex := files(t)
	delete(noIndex, hound.IndexFile)
	badIndex := files(t)
	badIndex[hound.IndexFile] = []byte("{}\n")
	for name, path := range map[string]string{
		"an empty folder":  empty,
		"nothing":          filepath.Join(empty, "none"),
		"no index":         put(t, noIndex),
		"a senseless one":  put(t, badIndex),
		"a file of no run": os.DevNull,
	} {
		if _, err := VerifyRun(path); !fault.Is(err, hound.CodeUnreadable) || fault.From(err).Exit != hound.ExitRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// published is a run to be recorded anew, with its result.
func published() (run Run, result hound.RunResult, err error) {
	read := func(name string) []byte {
		data, readErr := houndspec.Interop.ReadFile("interop/elsewhere/run/" + planID + "/" + name)
		err = errors.Join(err, readErr)
		return data
	}
	p, planErr := plan.Parse(read(hound.PlanFile))
	m, manifestErr := manifest.Parse(read(hound.ManifestFile))
	a, approvalErr := approval.Parse(read(hound.ApprovalFile))
	resultErr := json.Unmarshal(read(hound.ResultFile), &result)
	return Run{Manifest: m, Plan: p, Approval: a}, result, errors.Join(err, planErr, manifestErr, approvalErr, resultErr)
}

func recorded(t testing.TB) Run {
	t.Helper()
	run, _, err := published()
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func ended(t testing.TB) hound.RunResult {
	t.Helper()
	_, result, err := published()
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestRecordIsWrittenAsOthersWriteIt(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "runs", planID)
	d, err := Create(root, "runs/"+planID, recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(ended(t)); err != nil {
		t.Fatal(err)
	}
	for name, want := range files(t) {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, want)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
	if _, err := VerifyRun(dir); err != nil {
		t.Error(err)
	}
}

func TestRunThatWasCutOffIsPending(t *testing.T) {
	dir := filepath.Join(t.TempDir(), planID)
	if _, err := Create(filepath.Dir(dir), planID, recorded(t)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("%v, %v", entries, err)
	}
	_, err = VerifyRun(dir)
	if !fault.Is(err, hound.CodeInvalid) || !strings.Contains(fault.From(err).Hint, "cut off") {
		t.Errorf("%v", err)
	}
	if _, err := Create(filepath.Dir(dir), planID, recorded(t)); !fault.Is(err, hound.CodeRunExists) || fault.From(err).Exit != hound.ExitRefused {
		t.Errorf("a directory is used twice: %v", err)
	}
}

func TestLeftoverOfACutOffCreationIsCleared(t *testing.T) {
	root := t.TempDir()
	making := filepath.Join(root, "."+planID+".new")
	if err := os.MkdirAll(filepath.Join(making, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Create(root, planID, recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Finish(ended(t)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestTamperingWithTheRecordIsSeenAndUndone(t *testing.T) {
	for name, c := range map[string]struct {
		tamper func(dir string) error
		want   string
	}{
		"edit":     {func(dir string) error { return os.WriteFile(filepath.Join(dir, hound.PlanFile), []byte("{}"), 0o600) }, hound.PlanFile},
		"removal":  {func(dir string) error { return os.Remove(filepath.Join(dir, hound.ApprovalFile)) }, hound.ApprovalFile},
		"new file": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) }, "x"},
		"new tree": {func(dir string) error { return os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700) }, "a"},
		"a link": {func(dir string) error {
			path := filepath.Join(dir, hound.PlanFile)
			if err := os.Rename(path, filepath.Join(filepath.Dir(dir), "plan")); err != nil {
				return err
			}
			return os.Symlink("../plan", path)
		}, hound.PlanFile},
		"a folder for a file": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, hound.ResultFile)); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(dir, hound.ResultFile, "x"), 0o700)
		}, hound.ResultFile},
		"a forged result": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, hound.ResultFile), files(t)[hound.ResultFile], 0o600)
		}, hound.ResultFile},
		"all gone": {os.RemoveAll, "."},
		"another name for it": {func(dir string) error {
			return os.Link(filepath.Join(dir, hound.RequestFile), filepath.Join(filepath.Dir(dir), "handle"))
		}, hound.RequestFile},
		"moved away":      {func(dir string) error { return os.Rename(dir, dir+"-away") }, "."},
		"open to all":     {func(dir string) error { return os.Chmod(dir, 0o777) }, "."},
		"open to a group": {func(dir string) error { return os.Chmod(dir, 0o770) }, "."},
		"closed":          {func(dir string) error { return os.Chmod(dir, 0) }, "."},
		"a sticky bit":    {func(dir string) error { return os.Chmod(dir, 0o700|os.ModeSticky) }, "."},
		"a link to it": {func(dir string) error {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				return err
			}
			return os.Symlink(dir+"-away", dir)
		}, "."},
	} {
		dir := filepath.Join(t.TempDir(), planID)
		d, err := Create(filepath.Dir(dir), planID, recorded(t))
		if err != nil {
			t.Fatal(err)
		}
		if altered := d.Altered(); len(altered) != 0 {
			t.Fatalf("%s: %v is altered before anything was", name, altered)
		}
		if err := c.tamper(dir); err != nil {
			t.Fatal(err)
		}
		if altered := d.Altered(); !slices.Contains(altered, c.want) {
			t.Errorf("%s: %v", name, altered)
		}
		if err := d.Finish(ended(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// A name that was kept elsewhere leads to the record no longer.
		if handle := filepath.Join(filepath.Dir(dir), "handle"); os.WriteFile(handle, []byte("{}"), 0o600) != nil {
			t.Fatal(name)
		}
		if _, err := VerifyRun(dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecordLiesInRealFoldersOfTheRepository(t *testing.T) {
	for name, block := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink(t.TempDir(), path) },
		"a file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		root := t.TempDir()
		if err := block(filepath.Join(root, ".hound")); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(root, ".hound/runs/"+planID, recorded(t)); !fault.Is(err, hound.CodeBadManifest) {
			t.Errorf("%s: %v", name, err)
		}
		// And when the driver puts it there meanwhile, the record comes back.
		root = t.TempDir()
		d, err := Create(root, ".hound/runs/"+planID, recorded(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(root, ".hound"), filepath.Join(root, "away")); err != nil {
			t.Fatal(err)
		}
		if err := block(filepath.Join(root, ".hound")); err != nil {
			t.Fatal(err)
		}
		if altered := d.Altered(); len(altered) == 0 {
			t.Errorf("%s is not seen", name)
		}
		if err := d.Finish(ended(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if info, err := os.Lstat(filepath.Join(root, ".hound")); err != nil || !info.IsDir() {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if _, err := VerifyRun(d.Path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModeOfARecordFileIsPutBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), planID)
	d, err := Create(filepath.Dir(dir), planID, recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, hound.PlanFile), 0o666); err != nil {
		t.Fatal(err)
	}
	if altered := d.Altered(); !slices.Contains(altered, hound.PlanFile) {
		t.Errorf("%v", altered)
	}
	if err := d.Finish(ended(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyRun(dir); err != nil {
		t.Error(err)
	}
}

func TestFailedResultsVerifyAndCannotPassForSuccess(t *testing.T) {
	good := hound.RunResult{
		SchemaVersion: hound.SchemaRunResult, PlanID: planID, Outcome: hound.OutcomeFailed, ChangedPaths: []string{"a", "b"}, Error: "x",
	}
	for name, c := range map[string]struct {
		change func(*hound.RunResult)
		ok     bool
	}{
		"failed":             {func(*hound.RunResult) {}, true},
		"held":               {func(r *hound.RunResult) { r.Outcome = hound.OutcomeHeld }, true},
		"without an error":   {func(r *hound.RunResult) { r.Error = "" }, false},
		"with data":          {func(r *hound.RunResult) { r.Data = json.RawMessage("{}") }, false},
		"completed":          {func(r *hound.RunResult) { r.Outcome = hound.OutcomeCompleted }, false},
		"unsorted paths":     {func(r *hound.RunResult) { r.ChangedPaths = []string{"b", "a"} }, false},
		"said to be ok":      {func(r *hound.RunResult) { r.OK = true }, false},
		"a broken response":  {func(r *hound.RunResult) { r.DriverResponse = json.RawMessage("{}") }, false},
		"with its own place": {func(r *hound.RunResult) { r.RunDir = "/srv" }, false},
	} {
		r := good
		c.change(&r)
		all := files(t)
		var err error
		if all[hound.ResultFile], err = document.Line(r); err != nil {
			t.Fatal(err)
		}
		reindex(t, all)
		if _, err := VerifyRun(put(t, all)); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFirstVersionsOfPlanAndResultVerify(t *testing.T) {
	all := files(t)
	older := strings.NewReplacer(hound.SchemaPlan, hound.SchemaPlanV1, planID, "")
	var p map[string]json.RawMessage
	if err := json.Unmarshal([]byte(older.Replace(string(all[hound.PlanFile]))), &p); err != nil {
		t.Fatal(err)
	}
	delete(p, "plan_id")
	delete(p, "driver_environment_sha256")
	id, err := document.Digest(p)
	if err != nil {
		t.Fatal(err)
	}
	p["plan_id"] = json.RawMessage(`"` + id + `"`)
	for name, data := range all {
		all[name] = []byte(strings.ReplaceAll(string(data), planID, id))
	}
	if all[hound.PlanFile], err = document.Line(p); err != nil {
		t.Fatal(err)
	}
	all[hound.ApprovalFile] = resealed(t, all[hound.ApprovalFile])
	text := strings.Replace(string(all[hound.ResultFile]), `"schema_version":"hound.run.result.v2"`, `"schema_version":"hound.run.result.v1"`, 1)
	all[hound.ResultFile] = []byte(strings.Replace(text, `"plan_id":"`+id+`"`, `"plan_id":"`+id+`","run_dir":"/srv/x"`, 1))
	reindex(t, all)
	all[hound.IndexFile] = []byte(strings.ReplaceAll(string(all[hound.IndexFile]), planID, id))
	dir := put(t, all)
	moved := filepath.Join(filepath.Dir(dir), id)
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyRun(moved); err != nil {
		t.Error(err)
	}
	if _, err := plan.Parse(all[hound.PlanFile]); !fault.Is(err, hound.CodeBadPlan) {
		t.Errorf("a plan of the first version can be executed: %v", err)
	}
}

// resealed gives an approval its hash of itself anew.
func resealed(t *testing.T, data []byte) []byte {
	t.Helper()
	sum, err := document.SelfHash(data, "approval_id")
	if err != nil {
		t.Fatal(err)
	}
	members, err := document.Members(data)
	if err != nil {
		t.Fatal(err)
	}
	members["approval_id"] = json.RawMessage(`"` + sum + `"`)
	line, err := document.Line(members)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestEveryPartOfAReceiptIsChecked(t *testing.T) {
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/invoke.json")
	if err != nil {
		t.Fatal(err)
	}
	for old, label := range map[string]string{
		`"hound.invoke.result.v1"`:                          "schema_version",
		`"hound.invocation.receipt.v1"`:                     "receipt.schema_version",
		`"environment_sha256"`:                              "receipt.fields",
		`"environment_sha256":"1f`:                          "receipt_id",
		`"manifest_sha256":"70`:                             "manifest_sha256",
		`"request_sha256":"02`:                              "request_sha256",
		`"response_sha256":"ef`:                             "response_sha256",
		`"receipt_id":"d4`:                                  "receipt_id",
		`"mode":"read"`:                                     "request",
		`"operation":"note.read"`:                           "request",
		`"head":"f7`:                                        "receipt_id",
		`"head":"f75486fdb80622326a5a205308f5da825ec94d72"`: "repository",
		`"dependencies":{}`:                                 "kernel",
		`"outcome":"completed"`:                             "response",
		`"ratio"`:                                           "response_sha256",
		`"weights"`:                                         "manifest_sha256",
		`"effect":"read"`:                                   "manifest",
		`{"artifacts":[]`:                                   "result.fields",
	} {
		text := string(data)
		if !strings.Contains(text, old) {
			t.Fatalf("there is no %s", old)
		}
		changed := map[string]string{
			`"dependencies":{}`: `"dependencies":{"a":"b"}`, `"mode":"read"`: `"mode":"plan"`, `"operation":"note.read"`: `"operation":"note.auto"`,
			`"outcome":"completed"`: `"outcome":"failed"`, `"effect":"read"`: `"effect":"reads"`, `{"artifacts":[]`: `{"more":1,"artifacts":[]`,
			`"head":"f75486fdb80622326a5a205308f5da825ec94d72"`: `"head":""`,
		}[old]
		if changed == "" {
			end := old[len(old)-1]
			swap := map[byte]string{'"': "x\""}[end]
			if swap == "" {
				swap = string(end ^ 1)
			}
			changed = old[:len(old)-1] + swap
		}
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(strings.Replace(text, old, changed, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := VerifyInvocation(path)
		if !fault.Is(err, hound.CodeInvalid) || !strings.Contains(err.Error(), label) {
			t.Errorf("%s to %s: %v", old, changed, err)
		}
	}
}

func FuzzVerifyRun(f *testing.F) {
	all := files(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f.Add(name, all[name])
	}
	f.Add(hound.ResultFile, []byte(`{"schema_version":"hound.run.result.v1"}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		changed := files(t)
		if _, ours := changed[name]; !ours {
			return
		}
		same := bytes.Equal(changed[name], data)
		changed[name] = data
		if _, err := VerifyRun(put(t, changed)); (err == nil) != same {
			t.Errorf("%s: %v", name, err)
		}
	})
}

func FuzzVerifyInvocation(f *testing.F) {
	data, err := houndspec.Interop.ReadFile("interop/elsewhere/invoke.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := VerifyInvocation(path); err != nil && fault.CodeOf(err) == "" {
			t.Errorf("%v has no code", err)
		}
	})
}
