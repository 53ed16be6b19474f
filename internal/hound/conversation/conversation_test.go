package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	houndspec "bridle/spec/hound"
)

const good = `{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed"}`

// unsupervised runs drivers without a supervisor, which other tests look at.
func unsupervised(ctx context.Context, spec proc.Spec) (proc.Result, hound.Cleanup, error) {
	result, err := proc.Run(ctx, spec)
	return result, hound.Cleanup{Method: "none"}, err
}

// driver is a driver whose program is a shell script.
func driver(t *testing.T, script string, env map[string]string) *Driver {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "d.sh"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"schema_version":"hound.driver.v1","id":"d","protocol":"hound.protocol.v1","owner":{"repo":"."},"exec":["./d.sh","a b"],` +
		`"capabilities":{"r":{"effect":"read","gate":"none","env_allowlist":["MY_TOKEN","MY_ENDPOINT"]}},"env_allowlist":["REGION"],` +
		`"timeouts_seconds":{"default":10,"slow":0.2}}`
	m, err := manifest.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	e, err := EnvironmentOf(m, "r", func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Driver{Manifest: m, Root: root, Env: e, Run: unsupervised}
}

func read() hound.Request {
	asOf := "2026-01-02"
	return hound.Request{Mode: hound.ModeRead, Operation: "r", Input: json.RawMessage(`{"b": 1.50, "a": "ü"}`), AsOf: &asOf}
}

func TestRequestIsOneCanonicalLineAndThenTheEnd(t *testing.T) {
	d := driver(t, `cat >got; pwd >where; printf '%s\n' "$0" "$@" >words; echo '`+good+`'`, nil)
	answer, err := d.Ask(context.Background(), read())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"as_of":"2026-01-02","input":{"a":"ü","b":1.5},"mode":"read","operation":"r","schema_version":"hound.driver.request.v1"}`
	got, err := os.ReadFile(filepath.Join(d.Root, "got"))
	if err != nil || string(got) != want+"\n" {
		t.Errorf("%q, %v", got, err)
	}
	if string(answer.Request) != want {
		t.Errorf("the receipt's request is %q", answer.Request)
	}
	words, _ := os.ReadFile(filepath.Join(d.Root, "words"))
	if !strings.HasSuffix(string(words), "\na b\n") {
		t.Errorf("the words of exec arrive as %q", words)
	}
	where, _ := os.ReadFile(filepath.Join(d.Root, "where"))
	if real, err := filepath.EvalSymlinks(d.Root); err != nil || strings.TrimSpace(string(where)) != real {
		t.Errorf("the driver runs in %q", where)
	}
}

func TestRequestsHaveTheMembersOfTheirMode(t *testing.T) {
	asOf, input := "x", json.RawMessage("{}")
	for want, request := range map[string]hound.Request{
		`{"mode":"check","schema_version":"hound.driver.request.v1"}`:                           {Mode: hound.ModeCheck},
		`{"input":{},"mode":"read","operation":"r","schema_version":"hound.driver.request.v1"}`: {Mode: hound.ModeRead, Operation: "r", Input: input},
		`{"as_of":"x","input":{},"mode":"plan","operation":"r","schema_version":"hound.driver.request.v1"}`: {
			Mode: hound.ModePlan, Operation: "r", Input: input, AsOf: &asOf,
		},
		`{"as_of":"x","driver_plan":{"p":1},"input":{},"mode":"execute","operation":"r","plan_id":"00","schema_version":"hound.driver.request.v1"}`: {
			Mode: hound.ModeExecute, Operation: "r", Input: input, AsOf: &asOf, PlanID: "00", DriverPlan: json.RawMessage(`{"p":1}`),
		},
	} {
		d := driver(t, `cat >got; echo '`+good+`'`, nil)
		if _, err := d.Ask(context.Background(), request); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(d.Root, "got")); string(got) != want+"\n" {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestEnvironmentIsThePathAndWhatIsAllowedAndSet(t *testing.T) {
	t.Setenv("LEAKED", "1")
	d := driver(t, `env -0 | tr '\0' '\n' | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD= | sort >got; echo '`+good+`'`,
		map[string]string{"REGION": "eu", "MY_ENDPOINT": "https://example.org/", "OTHER": "x", "PATH": "/elsewhere"})
	if _, err := d.Ask(context.Background(), read()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(d.Root, "got"))
	if want := "MY_ENDPOINT=https://example.org/\nPATH=/bin:/usr/bin\nREGION=eu\n"; err != nil || string(got) != want {
		t.Errorf("%q, not %q; %v", got, want, err)
	}
}

func TestEnvironmentDigestBindsNamesAndValues(t *testing.T) {
	digests := map[string]string{}
	for name, env := range map[string]map[string]string{
		"nothing":   {},
		"empty":     {"REGION": ""},
		"one value": {"REGION": "eu"},
		"another":   {"REGION": "us"},
		"both":      {"REGION": "eu", "MY_TOKEN": "t"},
	} {
		digest, err := driver(t, "", env).Env.Digest()
		if err != nil || !document.IsSHA256(digest) {
			t.Fatal(digest, err)
		}
		if other := digests[digest]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		digests[digest] = name
	}
	// Computed apart: {"system_path_sha256":…,"variables":[three of {"name":…,"present":false}]}.
	want := document.Sum([]byte(`{"system_path_sha256":"` + document.Sum([]byte("/bin:/usr/bin")) + `","variables":[` +
		`{"name":"MY_ENDPOINT","present":false},{"name":"MY_TOKEN","present":false},{"name":"REGION","present":false}]}`))
	if digests[want] != "nothing" {
		t.Errorf("the digest of nothing is not %s", want)
	}
}

func TestEndpointsAreRootsOfServices(t *testing.T) {
	for value, want := range map[string]bool{
		"http://127.0.0.1:9377":      true,
		"https://api.example.org":    true,
		"https://api.example.org/":   true,
		"HTTPS://api.example.org":    true,
		"http://[::1]:80":            true,
		"":                           false,
		"api.example.org":            false,
		"ftp://example.org":          false,
		"https://":                   false,
		"https://:80":                false,
		"https://u@example.org":      false,
		"https://u:p@example.org":    false,
		"https://@example.org":       false,
		"https://example.org/v1":     false,
		"https://example.org//":      false,
		"https://example.org?":       false,
		"https://example.org/?a=b":   false,
		"https://example.org#":       false,
		"https://example.org/#x":     false,
		"\thttps://example.org":      false,
		"https://example.org\n":      false,
		"https:\\\\example.org":      false,
		"https://example.org:99999x": false,
		"https:example.org":          false,
		"http://localhost:65535":     true,
		"http://in_house-1.example.": true,
		"http://bücher.example":      true,
		"http://h;a":                 false,
		"http://h,a":                 false,
		"http://h&a=b":               false,
		"http://h%41":                false,
		"http://a..b":                false,
		"http://h:99999":             false,
		"http://h:0":                 false,
		"http://[::1%25lo]":          false,
		"http://[::1":                false,
		"http://[h]":                 false,
	} {
		if got := isEndpoint(value); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
	m, err := manifest.Parse([]byte(`{"schema_version":"hound.driver.v1","id":"d","protocol":"hound.protocol.v1","owner":{"repo":"."},` +
		`"exec":["x"],"capabilities":{"r":{"effect":"read","gate":"none"}},"env_allowlist":["my_endpoint"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := EnvironmentOf(m, "r", func(string) (string, bool) { return "https://u:very-secret@h", true }); !fault.Is(err, hound.CodeBadEnv) ||
		strings.Contains(err.Error(), "very-secret") {
		t.Errorf("a name in lower case: %v", err)
	}
}

func TestFailuresCountInTheirOrder(t *testing.T) {
	const token = "token-of-the-driver"
	for name, c := range map[string]struct {
		script, code string
		exit         int
	}{
		"secret before size":       {`echo ` + token + `; head -c 17000000 /dev/zero`, hound.CodeCredential, 1},
		"secret on error output":   {`echo ` + token + ` >&2; echo '` + good + `'`, hound.CodeCredential, 1},
		"secret before status":     {`echo ` + token + `; exit 3`, hound.CodeCredential, 1},
		"secret in base64":         {`printf ` + token + ` | base64`, hound.CodeCredential, 1},
		"size before status":       {`head -c 17000000 /dev/zero; exit 3`, hound.CodeTooMuch, 1},
		"both outputs together":    {`head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2`, hound.CodeTooMuch, 1},
		"no UTF-8":                 {`printf '\377'; exit 3`, hound.CodeDriver, 1},
		"no UTF-8 in the errors":   {`echo '` + good + `'; printf '\377' >&2`, hound.CodeDriver, 1},
		"status before form":       {`echo nothing; exit 3`, hound.CodeDriver, 1},
		"killed":                   {`kill -9 $$`, hound.CodeDriver, 1},
		"no JSON":                  {`echo nothing`, hound.CodeBadResponse, 2},
		"nothing at all":           {``, hound.CodeBadResponse, 2},
		"two values":               {`echo '` + good + good + `'`, hound.CodeBadResponse, 2},
		"contract":                 {`echo '{"schema_version":"hound.driver.response.v1","ok":true}'`, hound.CodeBadResponse, 2},
		"secret inside attachment": {`printf '{"schema_version":"hound.driver.response.v1","ok":true,"outcome":"completed","data":{"body_base64":"%s"}}' "$(printf x` + token + ` | gzip | base64 -w0)"`, hound.CodeCredential, 1},
		"secret packed on errors":  {`printf x` + token + ` | gzip | base64 -w0 >&2; exit 3`, hound.CodeCredential, 1},
		"secret twice on errors":   {`printf 'see %s there' "$(printf x` + token + ` | base64 | base64 -w0)" >&2; echo '` + good + `'`, hound.CodeCredential, 1},
		"secret in a wrong name":   {`name=$(printf x` + token + ` | base64 | base64 -w0); printf '{"%s":1,"%s":1}' $name $name`, hound.CodeCredential, 1},
		"secret in no JSON":        {`printf x` + token + ` | gzip | base64 -w0`, hound.CodeCredential, 1},
	} {
		_, err := driver(t, c.script+"\n", map[string]string{"MY_TOKEN": token}).Ask(context.Background(), read())
		f := fault.From(err)
		if f == nil || f.Code != c.code || max(f.Exit, 1) != c.exit {
			t.Errorf("%s: %+v", name, f)
			continue
		}
		if strings.Contains(f.Message+f.Hint, token) {
			t.Errorf("%s: the error tells the secret", name)
		}
	}
}

func TestWhiteSpaceAroundTheResponseIsFine(t *testing.T) {
	if _, err := driver(t, "printf '\\n\\t "+good+" \\n\\n'", nil).Ask(context.Background(), read()); err != nil {
		t.Error(err)
	}
}

func TestDriverThatHangsIsEnded(t *testing.T) {
	d := driver(t, "echo waiting >&2; exec sleep 1000", nil)
	request := read()
	request.Operation = "slow"
	_, err := d.Ask(context.Background(), request)
	if !fault.Is(err, hound.CodeTimeout) || !strings.Contains(err.Error(), "200ms: waiting") {
		t.Error(err)
	}
}

func TestComplaintIsCutAndQuoted(t *testing.T) {
	_, err := driver(t, `head -c 9000 /dev/zero | tr '\0' x >&2; exit 1`, nil).Ask(context.Background(), read())
	if err == nil || strings.Count(err.Error(), "x") != maxComplaint {
		t.Errorf("%d", strings.Count(err.Error(), "x"))
	}
}

func TestProgramsAreFoundOnTheFixedPathOrFromTheRoot(t *testing.T) {
	d := driver(t, "", nil)
	for name, want := range map[string]string{
		"./tools/x": filepath.Join(d.Root, "tools/x"), "tools/x": filepath.Join(d.Root, "tools/x"), "/bin/sh": "/bin/sh", "sh": "/bin/sh",
	} {
		d.Manifest.Exec[0] = name
		if got, err := d.program(); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	d.Manifest.Exec[0] = "no-such-program"
	if _, err := d.Ask(context.Background(), read()); !fault.Is(err, hound.CodeDriverMissing) {
		t.Error(err)
	}
	d.Manifest.Exec[0] = "./no-such-program"
	if _, err := d.Ask(context.Background(), read()); !fault.Is(err, hound.CodeDriverMissing) {
		t.Error(err)
	}
}

// A driver whose supervisor was killed may have run and done anything: that is not
// a program that could not be found.
func TestDriverWithoutItsSupervisorFailed(t *testing.T) {
	d := driver(t, "", nil)
	d.Run = func(context.Context, proc.Spec) (proc.Result, hound.Cleanup, error) {
		return proc.Result{}, hound.Cleanup{}, fault.New(proc.CodeSupervisorLost, "the supervisor ended")
	}
	if _, err := d.Ask(context.Background(), read()); !fault.Is(err, hound.CodeDriver) {
		t.Error(err)
	}
}

func TestEffectsBesideTheProposalAreToldFromUnknownMembers(t *testing.T) {
	for _, name := range []string{"expected_effects", "expected_writes"} {
		_, err := ParseResponse([]byte(strings.TrimSuffix(good, "}") + `,"` + name + `":[]}`))
		if err == nil || !strings.Contains(err.Error(), "stands in data") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestResponsesAreStrict(t *testing.T) {
	with := func(more string) string { return strings.TrimSuffix(good, "}") + more + "}" }
	for name, text := range map[string]string{
		"array":                  `[]`,
		"null":                   `null`,
		"no schema":              `{"ok":true,"outcome":"completed"}`,
		"other schema":           strings.Replace(good, "v1", "v2", 1),
		"no outcome":             `{"schema_version":"hound.driver.response.v1","ok":true}`,
		"unknown outcome":        strings.Replace(good, "completed", "done", 1),
		"ok as text":             strings.Replace(good, "true", `"true"`, 1),
		"not ok but completed":   strings.Replace(good, "true", "false", 1),
		"unknown member":         with(`,"extra":1`),
		"member in another case": with(`,"Data":1`),
		"empty data schema":      with(`,"data_schema":""`),
		"control in data schema": with(`,"data_schema":"a\u0001"`),
		"null data schema":       with(`,"data_schema":null`),
		"artifacts as object":    with(`,"artifacts":{}`),
		"null proofs":            with(`,"proofs":null`),
		"diagnostics as text":    with(`,"diagnostics":"x"`),
		"name twice":             with(`,"ok":true`),
		"name twice deep inside": with(`,"data":{"a":{"b":1,"b":1}}`),
		"lone surrogate":         with(`,"data":"\ud83d"`),
		"not a number":           with(`,"data":NaN`),
		"infinite number":        with(`,"data":1e400`),
		"leading zero":           with(`,"data":01`),
		"byte order mark":        "\ufeff" + good,
		"trailing text":          good + "x",
		"deep nesting":           with(`,"data":` + strings.Repeat("[", 250) + strings.Repeat("]", 250)),
		"very deep nesting":      strings.Repeat(`{"a":`, 1_000_000),
		"cut off":                good[:len(good)-1],
		"raw control":            with(",\"data\":\"\x01\""),
	} {
		if r, err := ParseResponse([]byte(text)); err == nil {
			t.Errorf("%s: accepted %+v", name, r)
		}
	}
}

func TestOutcomesAgreeWithOK(t *testing.T) {
	for outcome, ok := range map[string]bool{
		"planned": true, "completed": true, "no-change": true, "no-op": true, "no-edition": true, "held": false, "failed": false,
	} {
		for _, said := range []bool{true, false} {
			text := `{"schema_version":"hound.driver.response.v1","ok":` + map[bool]string{true: "true", false: "false"}[said] + `,"outcome":"` + outcome + `"}`
			if _, err := ParseResponse([]byte(text)); (err == nil) != (said == ok) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestResponseIsKeptAsItWasGiven(t *testing.T) {
	text := `{"outcome":"completed", "ok":true,"schema_version":"hound.driver.response.v1","data":{"n":12345678901234567890,"f":1E2,"z":null}}`
	r, err := ParseResponse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"data":{"f":100.0,"n":12345678901234567890,"z":null},"ok":true,"outcome":"completed","schema_version":"hound.driver.response.v1"}`
	if string(r.Raw) != want {
		t.Errorf("%s", r.Raw)
	}
	for data, object := range map[string]bool{"{}": true, "[]": false, "null": false, `"x"`: false, "1": false} {
		r, err := ParseResponse([]byte(strings.TrimSuffix(good, "}") + `,"data":` + data + "}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := DataObject(r); got != object {
			t.Errorf("data %s: %v", data, got)
		}
	}
}

func FuzzParseResponse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(strings.TrimSuffix(good, "}") + `,"data":{"expected_effects":[]},"artifacts":[1],"proofs":[null],"diagnostics":[{}],"data_schema":"x"}`))
	if data, err := houndspec.Interop.ReadFile("interop/elsewhere/execute-stdout.json"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseResponse(data)
		if err != nil {
			return
		}
		again, err := ParseResponse(r.Raw)
		if err != nil || string(again.Raw) != string(r.Raw) {
			t.Errorf("the canonical form is not a fixed point: %v", err)
		}
		if r.OK != r.Outcome.OK() {
			t.Error("ok and outcome disagree")
		}
	})
}

func TestDriverStartsAfterWhatComesFirstAndNotWhenThatFails(t *testing.T) {
	d := driver(t, `cat first; echo >started`, nil)
	first := filepath.Join(d.Root, "first")
	answer, err := d.AskAfter(context.Background(), read(), func() error { return os.WriteFile(first, []byte(good), 0o600) })
	if err != nil || answer.Response.Outcome != hound.OutcomeCompleted {
		t.Fatalf("%+v %v", answer, err)
	}
	if err := os.Remove(filepath.Join(d.Root, "started")); err != nil {
		t.Fatal(err)
	}
	held := errors.New("not now")
	if _, err := d.AskAfter(context.Background(), read(), func() error { return held }); err != held { //nolint:errorlint // as it is, and not wrapped
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(d.Root, "started")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the driver has started: %v", err)
	}
}
