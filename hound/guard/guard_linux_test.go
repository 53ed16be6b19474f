package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bridle/hound"
	"bridle/hound/guard"
	"bridle/internal/hound/document"
	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// The test program is the supervisor of its drivers as well.
func TestMain(m *testing.M) {
	if code, handled := proc.SupervisorMain(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// script is what a driver does, in shell; the working directory is the root of
// the repository.
type script struct {
	check, read, plan, execute string
	// proposal is the data of a plan.
	proposal string
	// manifest holds members that replace those of the manifest.
	manifest map[string]any
}

// project is a repository with a driver.
type project struct {
	t              *testing.T
	root, manifest string
}

func git(t *testing.T, dir string, words ...string) string {
	t.Helper()
	cmd := exec.Command("git", words...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=/nowhere", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) put(path, text string) {
	p.t.Helper()
	full := filepath.Join(p.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// newProject makes a repository without a commit.
func newProject(t *testing.T, s script) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir() // what the scripts call OUTSIDE
	for _, text := range []*string{&s.check, &s.read, &s.plan, &s.execute} {
		*text = strings.ReplaceAll(*text, "OUTSIDE", outside)
	}
	p := &project{t: t, root: root, manifest: filepath.Join(root, "m.json")}
	answer := func(outcome, data string) string {
		return fmt.Sprintf("echo '{\"schema_version\":\"hound.driver.response.v1\",\"ok\":true,\"outcome\":%q,\"data\":%s}'", outcome, data)
	}
	if s.proposal == "" {
		s.proposal = "{}"
	}
	p.put("tools/driver", "#!/bin/sh\nrequest=$(cat)\nmode=${request##*\\\"mode\\\":\\\"}\nmode=${mode%%\\\"*}\ncase $mode in\n"+
		"check)\n"+s.check+"\n"+answer("completed", "{}")+";;\n"+
		"read)\n"+s.read+"\n"+answer("completed", "{}")+";;\n"+
		"plan)\n"+s.plan+"\n"+answer("planned", s.proposal)+";;\n"+
		"execute)\numask 022\n"+s.execute+"\n"+answer("completed", `{"done":true}`)+";;\nesac\n")
	if err := os.Chmod(filepath.Join(root, "tools/driver"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := map[string]any{
		"schema_version": "hound.driver.v1", "id": "d", "protocol": "hound.protocol.v1", "owner": map[string]any{"repo": "."},
		"exec": []string{"./tools/driver"}, "write_scopes": []string{"notes"}, "timeouts_seconds": map[string]any{"default": 60},
		"capabilities": map[string]any{
			"r": map[string]any{"effect": "read", "gate": "none"},
			"w": map[string]any{"effect": "write", "gate": "none"},
			"g": map[string]any{"effect": "write", "gate": "human"},
		},
	}
	for name, member := range s.manifest {
		m[name] = member
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	p.put("m.json", string(data))
	p.put("notes/keep.txt", "kept\n")
	p.put(".gitignore", ".hound/\nbuild/\n")
	git(t, root, "init", "-q", "-b", "main")
	return p
}

// commit commits everything.
func (p *project) commit() *project {
	git(p.t, p.root, "add", "-A")
	git(p.t, p.root, "commit", "-q", "-m", "x")
	return p
}

func newGuard(t *testing.T, now func() time.Time) *guard.Guard {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return guard.New(guard.Options{Supervisor: self, Now: now, LockWait: 20 * time.Second})
}

func (p *project) call(operation string) guard.Call {
	asOf := "2026-01-02"
	return guard.Call{Manifest: p.manifest, Operation: operation, AsOf: &asOf}
}

func (p *project) plan(operation string) *guard.Plan {
	p.t.Helper()
	plan, err := newGuard(p.t, nil).Plan(context.Background(), p.call(operation))
	if err != nil {
		p.t.Fatal(err)
	}
	return plan
}

func (p *project) execute(plan *guard.Plan) (*hound.RunResult, error) {
	p.t.Helper()
	return newGuard(p.t, nil).Execute(context.Background(), p.manifest, plan, nil)
}

// effects is a proposal with one file.
func effects(path, mode, before, after string) string {
	hash := func(text string) string {
		if text == "" {
			return "null"
		}
		return `"` + document.Sum([]byte(text)) + `"`
	}
	if mode = `"` + mode + `"`; after == "" {
		mode = "null"
	}
	return fmt.Sprintf(`{"expected_effects":[{"path":%q,"mode":%s,"before_sha256":%s,"after_sha256":%s}]}`, path, mode, hash(before), hash(after))
}

// recorded checks that a failed run left a record that verifies, and returns the
// result.
func (p *project) recorded(plan *guard.Plan) hound.RunResult {
	p.t.Helper()
	dir := filepath.Join(p.root, ".hound/runs", plan.PlanID)
	if _, err := guard.Verify(dir); err != nil {
		p.t.Errorf("the record does not verify: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, hound.ResultFile))
	if err != nil {
		p.t.Fatal(err)
	}
	var result hound.RunResult
	if err := json.Unmarshal(data, &result); err != nil {
		p.t.Fatal(err)
	}
	return result
}

func TestReadingDriversAreCaughtAtEveryKindOfChange(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(p *project)
		change  string
		path    string
	}{
		"tracked file":                  {nil, "echo x >>notes/keep.txt", "notes/keep.txt"},
		"same size, restored time":      {nil, "touch -r notes/keep.txt OUTSIDE/ref; printf 'kepT\\n' >notes/keep.txt; touch -r OUTSIDE/ref notes/keep.txt; rm OUTSIDE/ref", "notes/keep.txt"},
		"untracked file":                {nil, "echo x >new.txt", "new.txt"},
		"ignored file":                  {nil, "mkdir build; echo x >build/x", "build/x"},
		"removal":                       {nil, "rm notes/keep.txt", "notes/keep.txt"},
		"mode":                          {nil, "chmod 600 notes/keep.txt", "notes/keep.txt"},
		"set-id mode":                   {nil, "chmod u+s notes/keep.txt", "notes/keep.txt"},
		"link for a file":               {nil, "mv notes/keep.txt OUTSIDE/k; ln -s OUTSIDE/k notes/keep.txt", "notes/keep.txt"},
		"empty folder":                  {nil, "mkdir empty", "empty"},
		"pipe":                          {nil, "mkfifo notes/pipe", "notes/pipe"},
		"assumed unchanged":             {func(p *project) { git(p.t, p.root, "update-index", "--assume-unchanged", "notes/keep.txt") }, "echo x >>notes/keep.txt", "notes/keep.txt"},
		"skipped in the work tree":      {func(p *project) { git(p.t, p.root, "update-index", "--skip-worktree", "notes/keep.txt") }, "echo x >>notes/keep.txt", "notes/keep.txt"},
		"nested repository":             {func(p *project) { p.put("nested/a", "a"); git(p.t, filepath.Join(p.root, "nested"), "init", "-q") }, "echo x >>nested/a", "nested/a"},
		"data of a nested repository":   {func(p *project) { p.put("nested/a", "a"); git(p.t, filepath.Join(p.root, "nested"), "init", "-q") }, "echo '[a]' >>nested/.git/config", "nested/.git/config"},
		"ref":                           {nil, "git update-ref refs/heads/other HEAD", ".git/refs/heads/other"},
		"index":                         {nil, "git update-index --force-remove notes/keep.txt", ".git/index"},
		"configuration":                 {nil, "git config alias.x status", ".git/config"},
		"hook":                          {nil, "echo x >.git/hooks/post-checkout", ".git/hooks/post-checkout"},
		"rule for ignored files":        {nil, "echo notes >>.git/info/exclude", ".git/info/exclude"},
		"blob with intact connectivity": {nil, "f=$(find .git/objects -type f | head -1); chmod u+w $f; echo x >$f", ".git/objects"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, script{read: c.change, check: c.change, plan: c.change}).commit()
			if c.prepare != nil {
				c.prepare(p)
			}
			_, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false)
			f := fault.From(err)
			if c.path == ".git/objects" { // which looks refuse whatever else there is
				if f == nil || f.Code != snapshot.CodeDamaged {
					t.Errorf("%+v", f)
				}
				return
			}
			if f == nil || f.Code != hound.CodeMutation || !strings.Contains(f.Message, c.path) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestUnchangedRepositoryIsNoMutation(t *testing.T) {
	for name, read := range map[string]string{
		"nothing":                            ":",
		"index rewritten with equal entries": "git read-tree HEAD",
		"file touched":                       "touch notes/keep.txt",
		"file replaced by its equal":         "cp -p notes/keep.txt notes/k2; mv notes/k2 notes/keep.txt",
		"file outside":                       "echo x >OUTSIDE/x; rm OUTSIDE/x",
	} {
		p := newProject(t, script{read: read}).commit()
		if _, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExcludesCoverOnlyIgnoredFiles(t *testing.T) {
	excludes := map[string]any{"ignored_snapshot_excludes": []string{"build/"}}
	for name, c := range map[string]struct {
		change string
		ok     bool
	}{
		"ignored below the exclude":   {"echo x >>build/cache", true},
		"tracked below the exclude":   {"echo x >>build/tracked", false},
		"ignored elsewhere":           {"mkdir -p .hound; echo x >.hound/x", false},
		"a name that begins the same": {"mkdir build2; echo x >build2/x", false},
	} {
		p := newProject(t, script{read: c.change, manifest: excludes})
		p.put("build/tracked", "x")
		p.put("build/cache", "x")
		git(t, p.root, "add", "-f", "build/tracked")
		p.commit()
		if _, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExecutionIsHeldToItsPlan(t *testing.T) {
	create := effects("notes/new.txt", "0644", "", "new\n")
	for name, c := range map[string]struct {
		proposal, execute string
		wrong             string // part of the error; "" is success
	}{
		"creation":                 {create, "echo new >notes/new.txt", ""},
		"creation in new folders":  {effects("notes/a/b/new.txt", "0644", "", "new\n"), "mkdir -p notes/a/b; echo new >notes/a/b/new.txt", ""},
		"update":                   {effects("notes/keep.txt", "0600", "kept\n", "new\n"), "echo new >notes/keep.txt; chmod 600 notes/keep.txt", ""},
		"deletion with its folder": {effects("notes/keep.txt", "", "kept\n", ""), "rm -r notes", ""},
		"mode alone":               {effects("notes/keep.txt", "0755", "kept\n", "kept\n"), "chmod 755 notes/keep.txt", ""},
		"nothing planned":          {`{}`, ":", ""},
		"nothing planned, one done": {
			`{}`, "echo new >notes/new.txt", "not planned",
		},
		"other bytes":      {create, "echo old >notes/new.txt", "bytes that were planned"},
		"other mode":       {create, "umask 077; echo new >notes/new.txt", "mode 0600"},
		"set-id":           {create, "echo new >notes/new.txt; chmod 4644 notes/new.txt", "mode 4644"},
		"nothing done":     {create, ":", "did not change"},
		"one more":         {create, "echo new >notes/new.txt; echo x >notes/more.txt", "not planned"},
		"out of scope":     {create, "echo new >notes/new.txt; echo x >README", "outside the write scopes"},
		"an ignored file":  {create, "echo new >notes/new.txt; mkdir build; echo x >build/x", "outside the write scopes"},
		"an empty folder":  {create, "echo new >notes/new.txt; mkdir notes/empty", "not planned"},
		"a folder's mode":  {create, "echo new >notes/new.txt; chmod 700 notes", "not planned"},
		"a hook":           {create, "echo new >notes/new.txt; echo x >.git/hooks/post-commit", ".git/hooks/post-commit"},
		"configuration":    {create, "echo new >notes/new.txt; git config a.b c", ".git/config"},
		"a commit":         {create, "echo new >notes/new.txt; git update-ref refs/heads/x HEAD", ".git/refs/heads/x"},
		"its own manifest": {create, "echo new >notes/new.txt; echo ' ' >>m.json", "m.json"},
		"a link instead":   {create, "echo new >tools/new; ln -s ../tools/new notes/new.txt", "outside the write scopes"},
		"a folder swapped for a link": {
			effects("notes/sub/new.txt", "0644", "", "new\n"), "ln -s .. notes/sub; echo new >notes/../new.txt", "outside the write scopes",
		},
		"a twin in another case": {create, "echo new >notes/NEW.txt", "not planned"},
		"a twin composed otherwise": {
			effects("notes/\u00e9", "0644", "", "new\n"), "echo new >notes/e\u0301", "not planned",
		},
		"new folders under any usual mask": {
			effects("notes/a/b/new.txt", "0644", "", "new\n"), "mkdir -m 700 notes/a; mkdir -m 2775 notes/a/b; echo new >notes/a/b/new.txt", "",
		},
		"a new folder for anybody": {
			effects("notes/a/b/new.txt", "0644", "", "new\n"), "mkdir -p notes/a/b; echo new >notes/a/b/new.txt; chmod 777 notes/a", `folder "notes/a" with the mode 0777`,
		},
		"a sticky new folder": {
			effects("notes/a/new.txt", "0644", "", "new\n"), "mkdir notes/a; echo new >notes/a/new.txt; chmod 1755 notes/a", "mode 1755",
		},
		"a new folder that its owner cannot list": {
			effects("notes/a/new.txt", "0644", "", "new\n"), "mkdir notes/a; echo new >notes/a/new.txt; chmod 300 notes/a", "notes/a",
		},
		"answer planned": {create, "echo new >notes/new.txt; printf '{\"schema_version\":\"hound.driver.response.v1\",\"ok\":true,\"outcome\":\"planned\"}'; exit", "outcome planned"},
		"answer held":    {create, "echo new >notes/new.txt; printf '{\"schema_version\":\"hound.driver.response.v1\",\"ok\":false,\"outcome\":\"held\"}'; exit", `outcome "held"`},
		"no answer":      {create, "echo new >notes/new.txt; exit", "no strict JSON"},
		"a status":       {create, "echo new >notes/new.txt; exit 7", "status 7"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, script{proposal: c.proposal, execute: c.execute}).commit()
			plan := p.plan("w")
			result, err := p.execute(plan)
			if c.wrong == "" {
				if err != nil || !result.OK || !p.recorded(plan).OK {
					t.Fatalf("%+v, %v", result, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Fatalf("%v", err)
			}
			if r := p.recorded(plan); r.OK || r.Outcome != hound.OutcomeFailed || r.Error == "" {
				t.Errorf("%+v", r)
			}
			if f := fault.From(err); max(f.Exit, 1) != hound.ExitFailed && f.Code != hound.CodeBadResponse {
				t.Errorf("exit %d", f.Exit)
			}
		})
	}
}

func TestPlanOnAnUnbornHeadIsExecutedOnce(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"})
	plan := p.plan("w")
	if !strings.HasPrefix(plan.RepoFingerprint.Head, "unborn") {
		t.Errorf("head %q", plan.RepoFingerprint.Head)
	}
	if _, err := p.execute(plan); err != nil {
		t.Fatal(err)
	}
	if _, err := p.execute(plan); !fault.Is(err, hound.CodeRunExists) {
		t.Errorf("a second time: %v", err)
	}
	// Whoever removes the record still meets the repository.
	if err := os.RemoveAll(filepath.Join(p.root, ".hound")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.execute(plan); !fault.Is(err, hound.CodeDrift) {
		t.Errorf("without the record: %v", err)
	}
}

func TestNothingRunsWithoutARecord(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"})
	p.put(".gitignore", ".hound\n")
	p.put(".hound", "no folder")
	p.commit()
	if _, err := p.execute(p.plan("w")); !fault.Is(err, hound.CodeBadManifest) {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(filepath.Join(p.root, "notes/new.txt")); err == nil {
		t.Error("the driver ran")
	}
}

func TestDriverCannotGetRidOfItsRecord(t *testing.T) {
	for name, execute := range map[string]string{
		"removed":         "rm -r .hound",
		"a file instead":  "rm -r .hound; echo x >.hound",
		"a link instead":  "mv .hound away; ln -s away .hound",
		"elsewhere":       "mkdir OUTSIDE/away; mv .hound OUTSIDE/away; ln -s OUTSIDE/away/.hound .hound",
		"a folder's mode": "chmod 0777 .hound",
		"its own mode":    "chmod 0777 .hound/runs/*",
	} {
		p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt; " + execute}).commit()
		plan := p.plan("w")
		if _, err := p.execute(plan); err == nil {
			t.Errorf("%s: the run is fine", name)
		}
		if r := p.recorded(plan); r.OK {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestTextThatNoDocumentHoldsIsRefused(t *testing.T) {
	p := newProject(t, script{}).commit()
	for _, asOf := range []string{"\xff", "2026-01-02\xc3"} {
		call := p.call("w")
		call.AsOf = &asOf
		_, planned := newGuard(t, nil).Plan(context.Background(), call)
		call.Operation = "r"
		_, read := newGuard(t, nil).Invoke(context.Background(), call, false)
		for _, err := range []error{planned, read} {
			if !fault.Is(err, hound.CodeBadInput) || fault.From(err).Exit != hound.ExitRefused {
				t.Errorf("%q: %v", asOf, err)
			}
		}
	}
}

func TestNamesThatNoDocumentHoldsAreRefusedByName(t *testing.T) {
	p := newProject(t, script{}).commit()
	p.put("odd\xff", "x")
	_, err := newGuard(t, nil).Plan(context.Background(), p.call("w"))
	if f := fault.From(err); f == nil || f.Exit != hound.ExitRefused || !strings.Contains(f.Message, `odd\xff`) {
		t.Errorf("%v", err)
	}
	p.put(".git/info/exclude", "odd*\n")
	if _, err := newGuard(t, nil).Plan(context.Background(), p.call("w")); err != nil {
		t.Errorf("an ignored one: %v", err)
	}
}

func TestOneOfManyExecutionsWins(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"}).commit()
	plan := p.plan("w")
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		group.Go(func() { _, errs[i] = p.execute(plan) })
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !fault.Is(err, hound.CodeRunExists) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d executions won", won)
	}
}

func TestExecutionWaitsForTheLockAndGivesUp(t *testing.T) {
	p := newProject(t, script{}).commit()
	plan := p.plan("w")
	unlock, err := durable.Lock(context.Background(), filepath.Join(p.root, ".git/hound-execute.lock"), "another")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := guard.New(guard.Options{Supervisor: self, LockWait: time.Millisecond})
	if _, err := g.Execute(context.Background(), p.manifest, plan, nil); !fault.Is(err, durable.CodeLocked) {
		t.Errorf("%v", err)
	}
}

func TestInterruptedRunIsRecorded(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n")})
	fifo := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	driver := filepath.Join(p.root, "tools/driver")
	text, err := os.ReadFile(driver)
	if err != nil {
		t.Fatal(err)
	}
	p.put("tools/driver", strings.Replace(string(text), "umask 022", "umask 022; echo >"+fifo+"; sleep 1000", 1))
	p.commit()
	plan := p.plan("w")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		if file, err := os.Open(fifo); err == nil {
			_ = file.Close()
		}
		cancel()
	}()
	_, err = newGuard(t, nil).Execute(ctx, p.manifest, plan, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r := p.recorded(plan); !strings.HasPrefix(r.Error, "the run was interrupted; none of its processes is left, proven by ") {
		t.Errorf("%+v", r)
	}
}

func TestApprovalThatLapsesMeanwhileHoldsTheRun(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"}).commit()
	plan := p.plan("g")
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	asked := 0
	// The third look at the clock, after the record is there, is past the expiry.
	clock := func() time.Time {
		asked++
		if asked > 2 {
			return start.Add(time.Hour)
		}
		return start
	}
	approval, err := newGuard(t, nil).Approve(plan, guard.Review{
		Reviewer: "R", ApprovedAt: start.Format(time.RFC3339), ExpiresAt: start.Add(time.Minute).Format(time.RFC3339),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = newGuard(t, clock).Execute(context.Background(), p.manifest, plan, approval)
	if f := fault.From(err); f == nil || f.Exit != hound.ExitHeld {
		t.Fatalf("%v", err)
	}
	if r := p.recorded(plan); r.Outcome != hound.OutcomeHeld {
		t.Errorf("%+v", r)
	}
	if _, err := os.Lstat(filepath.Join(p.root, "notes/new.txt")); err == nil {
		t.Error("the driver ran")
	}
}

func TestRecordsThatGitDoesNotIgnoreAreNoDriftOfTheirOwn(t *testing.T) {
	p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"})
	p.put(".gitignore", "build/\n")
	p.commit()
	first := p.plan("w")
	if _, err := p.execute(first); err != nil {
		t.Fatal(err)
	}
	p.recorded(first)
}

func TestDocumentsArePrivateAtAnyUmask(t *testing.T) {
	for _, umask := range []int{0, 0o777} {
		p := newProject(t, script{proposal: effects("notes/new.txt", "0644", "", "new\n"), execute: "echo new >notes/new.txt"}).commit()
		plan := p.plan("w")
		old := syscall.Umask(umask)
		_, err := p.execute(plan)
		syscall.Umask(old)
		if err != nil {
			t.Fatalf("%o: %v", umask, err)
		}
		dir := filepath.Join(p.root, ".hound/runs", plan.PlanID)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 5 {
			t.Fatalf("%o: %v, %v", umask, entries, err)
		}
		for _, entry := range entries {
			if info, err := entry.Info(); err != nil || info.Mode() != 0o600 {
				t.Errorf("%o: %s has the mode %v", umask, entry.Name(), info.Mode())
			}
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%o: the folder has the mode %v", umask, info.Mode())
		}
	}
}

func TestNothingOfADriverIsLeft(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	p := newProject(t, script{read: "for i in 1 2 3; do (setsid sh -c 'trap \"\" TERM; sleep 1000' >/dev/null 2>&1 </dev/null & echo $! >>" + pids + "); done"}).commit()
	invocation, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false)
	if err != nil {
		t.Fatal(err)
	}
	if !invocation.Cleanup.Proven || invocation.Cleanup.Killed == 0 {
		t.Errorf("%+v", invocation.Cleanup)
	}
	var document struct {
		Receipt hound.Receipt `json:"receipt"`
	}
	if err := json.Unmarshal(invocation.Result, &document); err != nil || *document.Receipt.Cleanup != invocation.Cleanup {
		t.Errorf("the receipt says %+v, %v", document.Receipt.Cleanup, err)
	}
}

func TestGitVariablesOfTheCallerDoNotCount(t *testing.T) {
	p := newProject(t, script{}).commit()
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_COUNT"} {
		t.Setenv(name, "/nowhere")
	}
	if _, err := newGuard(t, nil).Invoke(context.Background(), p.call("r"), false); err != nil {
		t.Error(err)
	}
}

func TestOwnerIsTheRootOfItsRepository(t *testing.T) {
	for name, repo := range map[string]string{"a folder inside": "tools", "a folder outside": ".."} {
		p := newProject(t, script{manifest: map[string]any{"owner": map[string]any{"repo": repo}}}).commit()
		if _, err := newGuard(t, nil).Check(context.Background(), p.manifest); !fault.Is(err, hound.CodeBadOwner) || fault.From(err).Exit != hound.ExitRefused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlansOfAnotherKernelAreRefused(t *testing.T) {
	p := newProject(t, script{}).commit()
	plan := p.plan("w")
	kernel, err := guard.Kernel()
	if err != nil || plan.Kernel.SHA256 != kernel.SHA256 || plan.Kernel.Version != hound.Version {
		t.Fatalf("%+v, %v", plan.Kernel, err)
	}
	other := plan.Plan
	other.Kernel.SHA256 = document.Sum([]byte("another"))
	other.PlanID = ""
	id, err := document.Digest(other)
	if err != nil {
		t.Fatal(err)
	}
	other.PlanID = id
	line, err := document.Line(other)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, line, 0o600); err != nil {
		t.Fatal(err)
	}
	forged, err := guard.LoadPlan(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.execute(forged); !fault.Is(err, hound.CodeDrift) || !strings.Contains(err.Error(), "kernel") {
		t.Errorf("%v", err)
	}
}

func TestReadsAreNotExecutedAndEmptyProposalsNotApproved(t *testing.T) {
	p := newProject(t, script{}).commit()
	if _, err := p.execute(p.plan("r")); !fault.Is(err, hound.CodeBadOperation) {
		t.Errorf("a read: %v", err)
	}
	q := newProject(t, script{proposal: "[]"}).commit()
	plan := q.plan("w")
	if _, err := q.execute(plan); !fault.Is(err, hound.CodeBadPlan) {
		t.Errorf("no data object: %v", err)
	}
	if _, err := newGuard(t, nil).Approve(plan, guard.Review{Reviewer: "R"}); !fault.Is(err, hound.CodeBadPlan) {
		t.Errorf("no data object: %v", err)
	}
}

func TestRePlanMustComeOutTheSame(t *testing.T) {
	counter := filepath.Join(t.TempDir(), "n")
	p := newProject(t, script{plan: `n=$(cat ` + counter + ` 2>/dev/null); echo "x$n" >` + counter +
		`; printf '{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"planned","data":{"n":"%s"}}' "$n"; exit`}).commit()
	plan := p.plan("w")
	_, err := p.execute(plan)
	if !fault.Is(err, hound.CodeDrift) || !strings.Contains(err.Error(), "proposal") {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(filepath.Join(p.root, ".hound")); err == nil {
		t.Error("something was written")
	}
	found, err := newGuard(t, nil).Explain(context.Background(), p.manifest, plan)
	if err != nil || len(found) != 1 || found[0].Input != "proposal" {
		t.Errorf("%v, %v", found, err)
	}
}

func TestNewFilesBelowAnExcludeAreNoEffects(t *testing.T) {
	p := newProject(t, script{
		proposal: effects("notes/cache/x", "0644", "", "x"),
		manifest: map[string]any{"ignored_snapshot_excludes": []string{"notes/cache"}},
	}).commit()
	if _, err := newGuard(t, nil).Plan(context.Background(), p.call("w")); !fault.Is(err, hound.CodeBadEffects) {
		t.Errorf("%v", err)
	}
}
