package hook

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bridle/hop"
	"bridle/internal/hop/op"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

func around(dir string, env ...string) Around {
	env = append(env, "PATH="+os.Getenv("PATH"))
	get := func(name string) string {
		for _, entry := range env {
			if key, value, _ := strings.Cut(entry, "="); key == name {
				return value
			}
		}
		return ""
	}
	return Around{op.Surroundings{Dir: dir, Environ: env, Clock: clock.System()}, get}
}

func demo(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, _, err := op.Init(context.Background(), around(root).Surroundings, root)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return root
}

// turn is a conversation as each client writes it: a start, a message, a tool and
// an answer. DIR stands for the folder.
var turns = map[string][4]string{
	"claude": {
		`{"hook_event_name":"SessionStart","session_id":"s","cwd":"DIR","source":"startup","transcript_path":"/x"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"DIR","prompt":"do it"}`,
		`{"hook_event_name":"PostToolUse","session_id":"s","cwd":"DIR","tool_name":"Edit","tool_input":{"file_path":"a.txt"},"tool_response":"ok"}`,
		`{"hook_event_name":"Stop","session_id":"s","cwd":"DIR","stop_hook_active":false,"last_assistant_message":"did it"}`,
	},
	"codex": {
		`{"session_id":"s","transcript_path":null,"cwd":"DIR","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"startup"}`,
		`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"DIR","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"do it"}`,
		`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"DIR","hook_event_name":"PostToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"true"},"tool_response":"","tool_use_id":"u"}`,
		`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"DIR","hook_event_name":"Stop","model":"m","permission_mode":"default","stop_hook_active":false,"last_assistant_message":"did it"}`,
	},
	"gemini": {
		`{"session_id":"s","transcript_path":"/x","cwd":"DIR","hook_event_name":"SessionStart","timestamp":"2026-11-30T00:00:00Z","source":"startup"}`,
		`{"session_id":"s","transcript_path":"/x","cwd":"DIR","hook_event_name":"BeforeAgent","timestamp":"2026-11-30T00:00:00Z","prompt":"do it"}`,
		`{"session_id":"s","transcript_path":"/x","cwd":"DIR","hook_event_name":"AfterTool","timestamp":"2026-11-30T00:00:00Z","tool_name":"replace","tool_input":{},"tool_response":{"llmContent":"ok"}}`,
		`{"session_id":"s","transcript_path":"/x","cwd":"DIR","hook_event_name":"AfterAgent","timestamp":"2026-11-30T00:00:00Z","prompt":"do it","prompt_response":"did it","stop_hook_active":false}`,
	},
	"cursor": {
		`{"conversation_id":"s","generation_id":"g","hook_event_name":"sessionStart","workspace_roots":["DIR"],"session_id":"s","is_background_agent":false}`,
		`{"conversation_id":"s","generation_id":"g","hook_event_name":"beforeSubmitPrompt","workspace_roots":["DIR"],"prompt":"do it","attachments":[]}`,
		`{"conversation_id":"s","generation_id":"g","hook_event_name":"afterFileEdit","workspace_roots":["DIR"],"file_path":"a.txt","edits":[]}`,
		`{"conversation_id":"s","generation_id":"g","hook_event_name":"afterAgentResponse","workspace_roots":["DIR"],"text":"did it"}`,
	},
	"opencode": {
		`{"hook_event_name":"session.created","session_id":"s","cwd":"DIR"}`,
		`{"hook_event_name":"chat.message","session_id":"s","cwd":"DIR","prompt":"do it"}`,
		`{"hook_event_name":"tool.execute.after","session_id":"s","cwd":"DIR"}`,
		`{"hook_event_name":"session.idle","session_id":"s","cwd":"DIR","answer":"did it"}`,
	},
}

func TestEachClientsTurnIsRecorded(t *testing.T) {
	ctx := context.Background()
	for _, c := range Clients() {
		t.Run(c.Name, func(t *testing.T) {
			root := demo(t)
			elsewhere := around(t.TempDir())
			send := func(i int) string {
				out, err := c.Handle(ctx, elsewhere, []byte(strings.ReplaceAll(turns[c.Name][i], "DIR", filepath.ToSlash(root))))
				if err != nil {
					t.Fatalf("event %d: %v", i, err)
				}
				if err := canon.Check(out, canon.Limits{}); err != nil {
					t.Fatalf("event %d: %q: %v", i, out, err)
				}
				return string(out)
			}
			start, prompt := send(0), send(1)
			p, err := op.Open(ctx, around(root).Surroundings)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			bound, found, err := p.Session(ctx, c.Name, "s")
			if err != nil || !found {
				t.Fatalf("the conversation is not known: %v", err)
			}
			first, err := p.State(ctx, bound.State)
			if err != nil || first.State.Prompt != "do it" || first.State.Kind != hop.KindPrompt {
				t.Fatalf("%+v, %v", first.State, err)
			}
			attempt, err := p.Attempt(ctx, bound.Attempt)
			if err != nil {
				t.Fatal(err)
			}
			workspace := p.Layout.Workspace(attempt.Workspace)
			told := prompt
			if !c.briefed {
				told = start
			}
			if c.briefed && !strings.Contains(told, attempt.ID) || !c.briefed && !strings.Contains(told, "hop env --agent "+c.Name+" --session s") {
				t.Errorf("the client is not told where to work: %s", told)
			}
			if err := os.WriteFile(filepath.Join(workspace, "a.txt"), []byte("new\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			send(2)
			if attempt, err = p.Attempt(ctx, bound.Attempt); err != nil || attempt.HeadStateID == bound.State {
				t.Fatalf("the tool's work is not recorded: %+v, %v", attempt, err)
			}
			send(3)
			answer, found, err := p.Completion(ctx, bound.State)
			if err != nil || !found || answer.FinalResponse != "did it" {
				t.Fatalf("%+v, %v, %v", answer, found, err)
			}
		})
	}
}

// What the clients take as "go on" is what they get, also where nothing works.
func TestAClientIsNeverHeldUp(t *testing.T) {
	want := map[string]string{"claude": "{}", "codex": "{}", "gemini": "{}", "cursor": `{"continue":true}`, "opencode": "{}"}
	broken := demo(t)
	if err := os.WriteFile(filepath.Join(broken, ".hop", "config.toml"), []byte("= nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range Clients() {
		for _, data := range []string{"", "null", "[]", "{", `{"hook_event_name":1}`, `{"session_id":"s"}`, "\xff", `{"hook_event_name":"a","hook_event_name":"b"}`} {
			out, err := c.Handle(context.Background(), around(broken), []byte(data))
			if !fault.Is(err, CodeBadPayload) || string(out) != want[c.Name] {
				t.Errorf("%s %q: %s, %v", c.Name, data, out, err)
			}
		}
		for i, data := range turns[c.Name] {
			out, err := c.Handle(context.Background(), around(broken), []byte(strings.ReplaceAll(data, "DIR", filepath.ToSlash(broken))))
			if c.Name == "opencode" && i == 0 {
				continue // which it does not pass on
			}
			if err == nil || strings.Contains(string(out), "false") || strings.Contains(string(out), "block") || strings.Contains(string(out), "deny") {
				t.Errorf("%s %d: %s, %v", c.Name, i, out, err)
			}
		}
		large := []byte(`{"hook_event_name":"` + strings.Repeat("x", MaxPayload) + `"}`)
		if out, err := c.Handle(context.Background(), around(broken), large); !fault.Is(err, CodeBadPayload) || string(out) != want[c.Name] {
			t.Errorf("%s: an event of %d bytes: %v", c.Name, len(large), err)
		}
	}
}

// Ids, folders and texts that want more than they should get nothing.
func TestHostileEventsReachNothing(t *testing.T) {
	root := demo(t)
	c := claude()
	for _, data := range []string{
		`{"hook_event_name":"UserPromptSubmit","session_id":"a\u0000b","prompt":"x"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"` + strings.Repeat("s", 600) + `","prompt":"x"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"ghp_R4nd0mLetters99AndDigits77xQzWvUtSr1","prompt":"x"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"` + strings.Repeat("x", op.MaxPrompt+1) + `"}`,
	} {
		out, err := c.Handle(context.Background(), around(root), []byte(data))
		if err == nil || strings.Contains(string(out), "ghp_") {
			t.Errorf("%.80s: %.200s, %v", data, out, err)
		}
	}
	p, err := op.Open(context.Background(), around(root).Surroundings)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if attempts, err := p.Attempts(context.Background()); err != nil || len(attempts) != 0 {
		t.Errorf("%v, %v", attempts, err)
	}
	// A session that is a piece of shell stays a word.
	file := filepath.Join(t.TempDir(), "env")
	s := around(root, "CLAUDE_ENV_FILE="+file)
	if _, err := c.Handle(context.Background(), s, []byte(`{"hook_event_name":"SessionStart","session_id":"x'; touch y #"}`)); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(line), `--session 'x'"'"'; touch y #'`) {
		t.Errorf("%s, %v", line, err)
	}
}

// The plugin passes on the events that are read, and no others.
func TestPluginAndItsReaderAgree(t *testing.T) {
	for _, name := range []string{"chat.message", "tool.execute.after", "session.idle"} {
		e, err := opencode().Read([]byte(`{"hook_event_name":"` + name + `","session_id":"s"}`))
		if err != nil || e.Kind == Other || !strings.Contains(opencodePlugin, `tell("`+name+`"`) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	if strings.Count(opencodePlugin, "tell(\"") != 3 {
		t.Error("the plugin passes on what nobody reads")
	}
	if !strings.Contains(opencodePlugin, sign+" opencode`") {
		t.Error("the plugin does not say who wrote it")
	}
}

func TestFindNamesWhatThereIs(t *testing.T) {
	if names := slices.Sorted(maps.Keys(turns)); len(names) != len(Clients()) {
		t.Errorf("tests know %v", names)
	}
	_, err := Find("claud")
	if f, ok := errors.AsType[*fault.Error](err); !ok || !strings.Contains(f.Hint, "claude") {
		t.Errorf("%v", err)
	}
}

// Whatever bytes come, an event is read or refused, and the answer is JSON.
func FuzzRead(f *testing.F) {
	for _, events := range turns {
		for _, data := range events {
			f.Add([]byte(data))
		}
	}
	f.Add([]byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"../..","prompt":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range Clients() {
			e, err := c.Read(data)
			if err != nil {
				if !fault.Is(err, CodeBadPayload) {
					t.Fatal(err)
				}
				continue
			}
			if e.Dir != "" && !filepath.IsAbs(e.Dir) || e.Kind != Other && e.Session == "" {
				t.Fatalf("%+v", e)
			}
			out, err := c.Answer(e, Reply{Context: "c", Message: "m", Env: []string{"A=b"}})
			if err != nil || canon.Check(out, canon.Limits{}) != nil {
				t.Fatalf("%q, %v", out, err)
			}
		}
	})
}

// Tools that run side by side end side by side.
func TestToolsThatEndAtOnceAreAllRecorded(t *testing.T) {
	root, c := demo(t), claude()
	ctx := context.Background()
	if _, err := c.Handle(ctx, around(root), []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"x"}`)); err != nil {
		t.Fatal(err)
	}
	p, err := op.Open(ctx, around(root).Surroundings)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	attempts, err := p.Attempts(ctx)
	if err != nil || len(attempts) != 1 {
		t.Fatal(attempts, err)
	}
	workspace := p.Layout.Workspace(attempts[0].Workspace)
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() {
			name := filepath.Join(workspace, string(rune('a'+i)))
			_, err := c.Handle(ctx, around(root), []byte(`{"hook_event_name":"PostToolUse","session_id":"s"}`))
			errs[i] = errors.Join(os.WriteFile(name, nil, 0o644), err)
			_, err = c.Handle(ctx, around(root), []byte(`{"hook_event_name":"PostToolUse","session_id":"s"}`))
			errs[i] = errors.Join(errs[i], err)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	kept, recorded, err := p.Keep(ctx, attempts[0].HeadStateID)
	if err != nil || recorded {
		t.Errorf("the last change was not recorded: %+v, %v", kept, err)
	}
}

// A client that is set up twice tells each message twice, at once.
func TestAMessageThatIsToldTwiceIsRecordedOnce(t *testing.T) {
	root, c := demo(t), codex()
	ctx := context.Background()
	message := []byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"continue"}`)
	tell := func() string {
		t.Helper()
		var group sync.WaitGroup
		outs, errs := make([]string, 4), make([]error, 4)
		for i := range outs {
			group.Go(func() {
				out, err := c.Handle(ctx, around(root), message)
				outs[i], errs[i] = string(out), err
			})
		}
		group.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(outs); outs[0] != outs[3] {
			t.Errorf("one message has several states: %q", outs)
		}
		return outs[0]
	}
	first := tell()
	// Once it is answered, the same words are another message.
	if _, err := c.Handle(ctx, around(root), []byte(`{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"did"}`)); err != nil {
		t.Fatal(err)
	}
	if second := tell(); second == first {
		t.Error("the second message is the first one")
	}
	p, err := op.Open(ctx, around(root).Surroundings)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	attempts, err := p.Attempts(ctx)
	if err != nil || len(attempts) != 1 {
		t.Fatal(attempts, err)
	}
	entries, err := p.OfAttempt(ctx, attempts[0].ID)
	prompts := 0
	for _, e := range entries {
		if e.State.Kind == hop.KindPrompt {
			prompts++
		}
	}
	if err != nil || prompts != 2 {
		t.Errorf("%d prompts, %v", prompts, err)
	}
}
