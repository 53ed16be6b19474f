package driverkit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hound"
	"bridle/hound/driverkit"
)

// notes keeps one file with a text.
var notes = driverkit.Driver{Operations: map[string]driverkit.Operation{
	"notes.read": {Schema: "notes.v1", Read: func(r driverkit.Request) (any, error) {
		text, err := fs.ReadFile(r.Repository, "notes/today.txt")
		if errors.Is(err, fs.ErrNotExist) {
			return map[string]any{"text": nil}, nil
		}
		return map[string]any{"text": string(text)}, err
	}},
	"notes.write": {Write: func(r driverkit.Request) ([]driverkit.File, error) {
		var input struct {
			Text string `json:"text"`
			Hold bool   `json:"hold"`
		}
		if err := r.Decode(&input); err != nil {
			return nil, err
		}
		if input.Hold {
			return nil, driverkit.Held("somebody has to look first")
		}
		return []driverkit.File{{Path: "notes/today.txt", Body: []byte(input.Text)}, {Path: "notes/old.txt", Remove: true}}, nil
	}},
}}

func Example() {
	request := `{"mode":"read","operation":"notes.read","input":{},"schema_version":"hound.driver.request.v1"}`
	if err := notes.Serve("testdata", strings.NewReader(request), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: {"data":{"text":null},"data_schema":"notes.v1","ok":true,"outcome":"completed","schema_version":"hound.driver.response.v1"}
}

func ask(t *testing.T, root, request string) hound.Response {
	t.Helper()
	var out bytes.Buffer
	if err := notes.Serve(root, strings.NewReader(request), &out); err != nil {
		t.Fatal(err)
	}
	var r hound.Response
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func request(mode, operation, more string) string {
	return `{"schema_version":"hound.driver.request.v1","mode":"` + mode + `","operation":"` + operation + `"` + more + `}`
}

func TestPlanNamesEveryByteAndExecutionWritesThem(t *testing.T) {
	root := t.TempDir()
	input := `,"as_of":"2026-01-02","input":{"text":"good day\n"}`
	plan := ask(t, root, request("plan", "notes.write", input))
	if plan.Outcome != hound.OutcomePlanned || !plan.OK || len(plan.Artifacts) != 1 {
		t.Fatalf("%+v", plan)
	}
	if again := ask(t, root, request("plan", "notes.write", input)); string(again.Data) != string(plan.Data) {
		t.Error("a second plan differs")
	}
	done := ask(t, root, request("execute", "notes.write", input+`,"plan_id":"x","driver_plan":`+string(plan.Data)))
	if done.Outcome != hound.OutcomeCompleted {
		t.Fatalf("%+v", done)
	}
	path := filepath.Join(root, "notes/today.txt")
	if body, err := os.ReadFile(path); err != nil || string(body) != "good day\n" {
		t.Errorf("%q, %v", body, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
		t.Errorf("%v", info.Mode())
	}
	if same := ask(t, root, request("plan", "notes.write", input)); same.Outcome != hound.OutcomeNoChange {
		t.Errorf("%+v", same)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if mode := ask(t, root, request("plan", "notes.write", input)); mode.Outcome != hound.OutcomePlanned {
		t.Errorf("a mode is no change: %+v", mode)
	}
}

func TestExecutionOfAnotherPlanWritesNothing(t *testing.T) {
	root := t.TempDir()
	plan := ask(t, root, request("plan", "notes.write", `,"as_of":"x","input":{"text":"a"}`))
	done := ask(t, root, request("execute", "notes.write", `,"as_of":"x","input":{"text":"b"},"plan_id":"x","driver_plan":`+string(plan.Data)))
	if done.Outcome != hound.OutcomeFailed {
		t.Errorf("%+v", done)
	}
	if _, err := os.Lstat(filepath.Join(root, "notes")); err == nil {
		t.Error("something was written")
	}
}

func TestRemovalsArePlannedAndDone(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(root, "notes/old.txt")
	if err := os.WriteFile(old, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	input := `,"as_of":"x","input":{"text":"a"}`
	plan := ask(t, root, request("plan", "notes.write", input))
	if !strings.Contains(string(plan.Data), `"after_sha256":null`) || len(plan.Artifacts) != 1 {
		t.Errorf("%s", plan.Data)
	}
	if done := ask(t, root, request("execute", "notes.write", input+`,"plan_id":"x","driver_plan":`+string(plan.Data))); !done.OK {
		t.Errorf("%+v", done)
	}
	if _, err := os.Lstat(old); err == nil {
		t.Error("the file is still there")
	}
}

func TestRefusalsAreResponses(t *testing.T) {
	for name, c := range map[string]struct {
		request string
		want    hound.Outcome
	}{
		"check":              {`{"schema_version":"hound.driver.request.v1","mode":"check"}`, hound.OutcomeCompleted},
		"no JSON":            {`nonsense`, hound.OutcomeFailed},
		"another schema":     {`{"schema_version":"x","mode":"check"}`, hound.OutcomeFailed},
		"unknown operation":  {request("read", "nothing", `,"input":{}`), hound.OutcomeFailed},
		"unknown mode":       {request("write", "notes.read", `,"input":{}`), hound.OutcomeFailed},
		"a read is no write": {request("plan", "notes.read", `,"input":{}`), hound.OutcomeFailed},
		"a write is no read": {request("read", "notes.write", `,"input":{}`), hound.OutcomeFailed},
		"unknown input":      {request("plan", "notes.write", `,"input":{"txet":"a"}`), hound.OutcomeFailed},
		"held":               {request("plan", "notes.write", `,"input":{"hold":true}`), hound.OutcomeHeld},
	} {
		if r := ask(t, t.TempDir(), c.request); r.Outcome != c.want || r.OK != c.want.OK() {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestPathsStayInTheRepository(t *testing.T) {
	for _, path := range []string{"../x", "/x", ".", "", "a/../b"} {
		d := driverkit.Driver{Operations: map[string]driverkit.Operation{"w": {
			Write: func(driverkit.Request) ([]driverkit.File, error) { return []driverkit.File{{Path: path}}, nil },
		}}}
		var out bytes.Buffer
		if err := d.Serve(t.TempDir(), strings.NewReader(request("plan", "w", `,"input":{}`)), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"outcome":"failed"`) {
			t.Errorf("%q: %s", path, out.String())
		}
	}
}
