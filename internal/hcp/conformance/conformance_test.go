package conformance

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/packs"
	hcpvectors "bridle/spec/hcp/vectors"
)

func suite(t testing.TB) *Suite {
	t.Helper()
	s, err := Load(hcpvectors.FS(), packs.FS())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOwnRuntimePassesEveryVector(t *testing.T) {
	runner := Runner{Suite: suite(t), Start: Own, Temp: t.TempDir()}
	for _, v := range runner.Suite.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			if got := runner.Run(t.Context(), v); got.Status != Passed {
				t.Errorf("%s: %q", got.Status, got.Why)
			}
		})
	}
}

// The names of §14.5, and of what the reference suite leaves out.
func TestPublishedVectorsAreThereByTheirNames(t *testing.T) {
	s := suite(t)
	for _, name := range []string{
		"pack.lint.transit", "pack.lint.ledger", "pack.lint.echo", "exec.transit.plan", "exec.ledger.transfer.confirm-required",
		"exec.denied.missing-write-grant", "exec.sandbox.bin-not-allowlisted", "exec.brain.requires-project", "availability.flags",
		"exec.twin-faces", "pack.lint.wrap-without-commands",
	} {
		if !slices.ContainsFunc(s.Vectors, func(v Vector) bool { return v.Name == name }) {
			t.Errorf("%s is missing", name)
		}
	}
}

// broken is a driver in front of this project's own that does one thing wrong.
type broken struct {
	Driver
	before func(r *Request)
	after  func(r Request, answer map[string]any)
}

func (b broken) Do(ctx context.Context, r Request) ([]byte, error) {
	if b.before != nil {
		b.before(&r)
	}
	raw, err := b.Driver.Do(ctx, r)
	if err != nil || b.after == nil {
		return raw, err
	}
	value, err := canon.Parse(raw, canon.Limits{})
	if err != nil {
		return nil, err
	}
	b.after(r, value.(map[string]any))
	return canon.Marshal(value)
}

// constant answers everything alike.
type constant string

func (c constant) Do(context.Context, Request) ([]byte, error) { return []byte(c), nil }
func (c constant) Close() error                                { return nil }

func TestEveryVectorFailsForADriverThatDoesNothing(t *testing.T) {
	for _, answer := range []constant{
		`{"ok":true}`, `{"ok":false,"error":"no"}`, `{"ok":true,"issues":[],"result":{}}`, `{}`, `[]`, `x`, ``, `{"ok":false,"unsupported":true}`,
	} {
		runner := Runner{Suite: suite(t), Temp: t.TempDir(), Start: func(context.Context, string) (Driver, error) { return answer, nil }}
		for _, v := range runner.Suite.Vectors {
			if got := runner.Run(t.Context(), v); got.Status == Passed || got.Status == LeftOut && v.Optional == "" {
				t.Errorf("%s passes with %s", v.Name, answer)
			}
		}
	}
}

// Each fault of a runtime is found by the vectors that are about it.
func TestEveryFaultIsFoundByItsVectors(t *testing.T) {
	session := func(change func(s *Session)) func(r *Request) {
		return func(r *Request) {
			if r.Do != "open" {
				return
			}
			s := Session{}
			if r.Session != nil {
				s = *r.Session
			}
			change(&s)
			r.Session = &s
		}
	}
	for name, c := range map[string]struct {
		broken
		found string
	}{
		"everything is granted": {broken{before: func(r *Request) {
			session(func(s *Session) { s.Grants = nil })(r)
			if r.Do == "grants" {
				r.Do, r.ID = "availability", "probe"
			}
		}}, "exec.denied.missing-write-grant exec.step5.missing-read-grant exec.step5.connect-needs-connect exec.step5.grants-are-scoped exec.order.grant-before-confirm availability.grants"},
		"confirmed by the host": {broken{before: func(r *Request) {
			if r.Do == "exec" {
				r.Envelope = []byte(strings.Replace(string(r.Envelope), `"args":{`, `"args":{"confirm":true,`, 1))
				r.Envelope = []byte(strings.Replace(string(r.Envelope), `"args": {`, `"args": {"confirm":true,`, 1))
			}
		}}, "exec.ledger.transfer.confirm-required"},
		"everybody is a member": {broken{before: session(func(s *Session) { s.MemberOf = append(s.MemberOf, "proj_8") })}, "exec.brain.requires-membership"},
		"a project for everyone": {broken{before: session(func(s *Session) {
			if s.ProjectID == "" {
				s.ProjectID, s.MemberOf = "any", []string{"any"}
			}
		})}, "exec.brain.requires-project exec.order.scope-before-grant exec.envelope.session-decides-scope"},
		"everybody is an operator": {broken{before: session(func(s *Session) { s.Elevated = true })}, "exec.mothership.needs-elevation"},
		"no sandbox by one setting": {
			broken{before: session(func(s *Session) { s.NativeLocal = s.NoSandbox })},
			"exec.sandbox.one-setting-is-not-enough",
		},
		"a hub that never fails": {broken{before: session(func(s *Session) {
			s.Hub = &HubScript{Env: map[string]string{"PROBE_TOKEN": "ambient-credential"}}
		})}, "exec.step7.mint-fails"},
		"an audit log that lies": {broken{before: session(func(s *Session) { s.AuditFails = false }), after: func(r Request, answer map[string]any) {
			if r.Do == "audit" {
				answer["events"] = []any{}
			}
		}}, "exec.step9.unwritable-audit exec.step9.audited lifecycle.binding-and-principal-apart lifecycle.public-needs-no-connect"},
		"availability of the optimist": {broken{after: func(r Request, answer map[string]any) {
			verbs, _ := answer["verbs"].([]any)
			for _, v := range verbs {
				v.(map[string]any)["executable"] = true
			}
		}}, "availability.flags availability.grants availability.connect-needed exec.sandbox.bin-not-allowlisted"},
		"a lint that sees nothing": {broken{after: func(r Request, answer map[string]any) {
			if r.Do == "lint" {
				answer["ok"], answer["issues"] = true, []any{}
			}
		}}, "pack.lint.transit pack.lint.wrap-without-commands pack.lint.no-skill pack.lint.write-stimulus"},
		"denials as text alone": {broken{after: func(r Request, answer map[string]any) {
			if r.Do == "exec" && answer["ok"] == false {
				delete(answer, "pack_id")
				delete(answer, "verb_key")
			}
		}}, "exec.step1.unknown-pack exec.step2.not-activated exec.step3.no-policy exec.step6.confirm-required"},
		"results as text": {broken{after: func(r Request, answer map[string]any) {
			if result, ok := answer["result"]; ok {
				text, _ := canon.Encode(result)
				answer["result"] = string(text)
			}
		}}, "exec.transit.plan exec.twin-faces exec.render.cli-words"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := Runner{Suite: suite(t), Temp: t.TempDir(), Start: func(ctx context.Context, dir string) (Driver, error) {
				inner, err := Own(ctx, dir)
				return broken{inner, c.before, c.after}, err
			}}
			for _, v := range runner.Suite.Vectors {
				if slices.Contains(strings.Fields(c.found), v.Name) {
					if got := runner.Run(t.Context(), v); got.Status != Failed || len(got.Why) == 0 {
						t.Errorf("%s is %s", v.Name, got.Status)
					}
				}
			}
		})
	}
}

func TestVectorsThatCouldNotFailAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"expects nothing": `{"vectors":[{"name":"a","sections":["1"],"holds":"x","steps":[{"request":{"do":"audit"},"expect":{}}]}]}`,
		"no steps":        `{"vectors":[{"name":"a","sections":["1"],"holds":"x","steps":[]}]}`,
		"no sections":     `{"vectors":[{"name":"a","sections":[],"holds":"x","steps":[{"request":{"do":"audit"},"expect":{"absent":["/x"]}}]}]}`,
		"same name": `{"vectors":[{"name":"a","sections":["1"],"holds":"x","steps":[{"request":{"do":"audit"},"expect":{"absent":["/x"]}}]},
			{"name":"a","sections":["1"],"holds":"x","steps":[{"request":{"do":"audit"},"expect":{"absent":["/x"]}}]}]}`,
		"unknown pack":   `{"vectors":[{"name":"a","sections":["1"],"holds":"x","steps":[{"request":{"do":"lint","pack":"p"},"expect":{"absent":["/x"]}}]}]}`,
		"pack elsewhere": `{"vectors":[{"name":"a","sections":["1"],"holds":"x","steps":[{"request":{"do":"lint","pack":"../p"},"expect":{"absent":["/x"]}}]}]}`,
		"unknown member": `{"vectors":[],"colour":1}`,
		"no JSON":        `{`,
	} {
		data := fstest.MapFS{"v.json": {Data: []byte(text)}, "packs/q/surface.json": {Data: []byte("{}")}}
		if _, err := Load(data); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestDriverProgramsThatMisbehaveFailTheirVector(t *testing.T) {
	s := suite(t)
	for name, c := range map[string]struct {
		script  string
		timeout time.Duration
		why     string
	}{
		"ends at once":       {"exit 3", time.Minute, "exit code 3"},
		"says why it ended":  {"echo 'no license' >&2; exit 3", time.Minute, "no license"},
		"closes its output":  {"exec >&-; exec cat >/dev/null", time.Second, "out of time"},
		"never answers":      {"exec cat >/dev/null", time.Second, "out of time"},
		"answers nonsense":   {"while read -r x; do echo nonsense; done", time.Minute, "no JSON"},
		"one answer for all": {`read -r x; echo '{"ok":true}'; exec cat >/dev/null`, time.Second, "out of time"},
		"endless line":       {"head -c 9000000 /dev/zero | tr '\\0' x; cat >/dev/null", time.Minute, "token too long"},
		"talks after the end": {
			`while read -r x; do echo '{"ok":false}'; done; head -c 1000000 /dev/zero`, time.Minute,
			"/ok is false, not true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			command := Command{Path: "/bin/sh", Args: []string{"-c", c.script}, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: c.timeout}
			runner := Runner{Suite: s, Start: command.Start, Temp: t.TempDir()}
			i := slices.IndexFunc(s.Vectors, func(v Vector) bool { return v.Name == "exec.transit.plan" })
			got := runner.Run(t.Context(), s.Vectors[i])
			if got.Status != Failed || !strings.Contains(strings.Join(got.Why, "\n"), c.why) {
				t.Errorf("%s: %q", got.Status, got.Why)
			}
		})
	}
}

func TestServeAnswersEveryLine(t *testing.T) {
	var out strings.Builder
	in := strings.NewReader("nonsense\n{\"do\":\"audit\"}\n{\"do\":\"lint\",\"pack\":\"" + filepath.ToSlash(t.TempDir()) + "/nowhere\"}\n")
	if err := Serve(t.Context(), in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, `{"ok":false,"error":"`) {
			t.Errorf("%s", line)
		}
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, open := newPipe()
	defer open.Close()
	if err := Serve(ctx, in, &strings.Builder{}); err != context.Canceled {
		t.Error(err)
	}
}

// A driver answers whatever it is sent with one JSON object.
func FuzzAnswerLine(f *testing.F) {
	for _, seed := range []string{`{"do":"exec","envelope":{}}`, `{"do":"activate","ids":["x"]}`, `{`, `null`, `{"do":"grants","grants":[{"capability":"x"}]}`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "open") || strings.Contains(line, "lint") {
			return // they read directories
		}
		answer, err := answerLine(t.Context(), &own{}, []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		value, err := canon.Parse(answer, canon.Limits{})
		if object, ok := value.(map[string]any); err != nil || !ok || object["ok"] != false {
			t.Errorf("%s: %v", answer, err)
		}
	})
}
