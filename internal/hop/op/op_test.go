package op

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bridle/hop"
	"bridle/internal/hop/ledger"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// around is a process that stands in a folder.
func around(dir string, env ...string) Surroundings {
	return Surroundings{Dir: dir, Environ: append([]string{"PATH=" + os.Getenv("PATH")}, env...), Clock: clock.System()}
}

// demo makes a project with the files.
func demo(t *testing.T, files map[string]string) (*Project, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, root, name, text)
	}
	p, done, err := Init(context.Background(), around(root), root)
	if err != nil || !done.Created {
		t.Fatalf("Init = %+v, %v", done, err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, root
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// proposed makes an attempt that writes a file, and its proposal.
func proposed(t *testing.T, p *Project, name, text string) hop.State {
	t.Helper()
	ctx := context.Background()
	started, err := p.Prompt(ctx, "start", PromptRequest{Text: "write " + name})
	if err != nil {
		t.Fatal(err)
	}
	put(t, started.Workspace, name, text)
	made, err := p.Propose(ctx, ProposeRequest{State: started.Prompt.ID})
	if err != nil {
		t.Fatal(err)
	}
	return made.Proposal
}

func TestQuotedWordsAreReadBackByAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("a'\"$`\\ \n\t;&|<>()[]{}*?!~#=-é\x01"))), 1, 4).Draw(rt, "words")
		out, err := exec.Command(shell, "-c", `printf '%s\0' `+QuoteAll(words)).Output()
		if err != nil {
			rt.Fatal(err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words) {
			rt.Fatalf("%q became %q", words, got)
		}
	})
}

func TestCommandsAreRecordedWithoutCredentials(t *testing.T) {
	const secret = "Xk29fj2kd93kfLLq"
	for _, argv := range [][]string{
		{"deploy", "--password", secret},
		{"deploy", "--password=" + secret},
		{"sh", "-c", "PASSWORD=" + secret + " run"},
		{"curl", "-H", "Authorization: Bearer " + secret + secret},
	} {
		got, counts := redactCommand(argv)
		if strings.Contains(strings.Join(got, " "), secret) || len(got) != len(argv) || len(counts) == 0 {
			t.Errorf("%q became %q with %v", argv, got, counts)
		}
	}
	plain := []string{"go", "test", "./...", "", "a b"}
	if got, counts := redactCommand(plain); !slices.Equal(got, plain) || counts != nil {
		t.Errorf("%q became %q with %v", plain, got, counts)
	}
}

func TestEvidenceKeepsBothEndsWithinItsBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var e evidence
		var all bytes.Buffer
		for range rapid.IntRange(0, 12).Draw(rt, "writes") {
			part := bytes.Repeat([]byte("0123456789abcdé\xff"), rapid.IntRange(0, 3000).Draw(rt, "size"))
			all.Write(part)
			if n, err := e.Write(part); n != len(part) || err != nil {
				rt.Fatal(n, err)
			}
		}
		text := e.text()
		if e.size != int64(all.Len()) || !utf8.ValidString(text) {
			rt.Fatalf("size %d of %d, valid %v", e.size, all.Len(), utf8.ValidString(text))
		}
		if all.Len() <= maxOutput {
			if text != strings.ToValidUTF8(all.String(), "\uFFFD") {
				rt.Fatal("a short output is not kept as it is")
			}
			return
		}
		// A replaced byte takes three.
		if len(text) > 3*maxOutput+100 || !strings.Contains(text, "bytes left out") || !strings.HasPrefix(text, "0123456789") {
			rt.Fatalf("%d bytes are kept", len(text))
		}
	})
}

func TestOverlapsAreToldApart(t *testing.T) {
	added := func(path, id string) git.Change {
		return git.Change{Path: path, Kind: git.Added, NewMode: git.ModeFile, NewID: git.OID(id)}
	}
	removed := func(path string) git.Change { return git.Change{Path: path, Kind: git.Deleted, OldMode: git.ModeFile} }
	changed := func(path, id string) git.Change {
		return git.Change{Path: path, Kind: git.Modified, NewMode: git.ModeFile, NewID: git.OID(id)}
	}
	link := git.Change{Path: "d", Kind: git.Added, NewMode: git.ModeLink, NewID: "9"}
	for name, c := range map[string]struct {
		mine, theirs []git.Change
		conflicts    []string
		want         []string
	}{
		"apart":                         {mine: []git.Change{added("a", "1")}, theirs: []git.Change{added("b", "1")}},
		"same bytes":                    {mine: []git.Change{added("a", "1")}, theirs: []git.Change{added("a", "1")}, want: []string{"a same_bytes"}},
		"both deleted":                  {mine: []git.Change{removed("a")}, theirs: []git.Change{removed("a")}, want: []string{"a same_bytes"}},
		"separate":                      {mine: []git.Change{changed("a", "1")}, theirs: []git.Change{changed("a", "2")}, want: []string{"a separate_hunks"}},
		"conflict":                      {mine: []git.Change{changed("a", "1")}, theirs: []git.Change{changed("a", "2")}, conflicts: []string{"a"}, want: []string{"a conflict"}},
		"changed and deleted":           {mine: []git.Change{changed("a", "1")}, theirs: []git.Change{removed("a")}, conflicts: []string{"a"}, want: []string{"a conflict"}},
		"renamed folder":                {mine: []git.Change{added("old/x", "1")}, theirs: []git.Change{removed("old/y"), added("new/y", "2")}, conflicts: []string{"new/x"}, want: []string{"new/x conflict"}},
		"file and folder":               {mine: []git.Change{added("d/x", "1")}, theirs: []git.Change{added("d", "2")}, want: []string{"d/x file_and_directory d"}},
		"folder and file":               {mine: []git.Change{added("d", "1")}, theirs: []git.Change{added("d/x", "2")}, want: []string{"d file_and_directory d/x"}},
		"folder became a link":          {mine: []git.Change{added("d/new", "1")}, theirs: []git.Change{removed("d/x"), link}, want: []string{"d/new file_and_directory d"}},
		"case twins":                    {mine: []git.Change{added("README", "1")}, theirs: []git.Change{added("readme", "1")}, want: []string{"README same_name_when_folded readme"}},
		"twins of folders":              {mine: []git.Change{added("Src/a", "1")}, theirs: []git.Change{added("src/b", "1")}, want: []string{"Src same_name_when_folded src"}},
		"composed and decomposed":       {mine: []git.Change{added("caf\u00e9", "1")}, theirs: []git.Change{added("cafe\u0301", "1")}, want: []string{"caf\u00e9 same_name_when_folded cafe\u0301"}},
		"same folder, other files":      {mine: []git.Change{added("src/a", "1")}, theirs: []git.Change{added("src/b", "1")}},
		"prefix of a name is no folder": {mine: []git.Change{added("dir-x", "1")}, theirs: []git.Change{added("dir", "1")}},
	} {
		merge := git.Merge{}
		for _, path := range c.conflicts {
			merge.Conflicts = append(merge.Conflicts, git.Conflict{Path: path})
		}
		var got []string
		for _, o := range overlaps(c.mine, c.theirs, merge) {
			got = append(got, strings.TrimSpace(o.Path+" "+o.Kind+" "+o.Other))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTitles(t *testing.T) {
	long := strings.Repeat("é", 80)
	for prompt, want := range map[string]string{
		"  one\ntwo": "one", "one": "one", strings.Repeat("x", 100): strings.Repeat("x", 100),
		strings.Repeat("x", 101): strings.Repeat("x", 97) + "...", long: strings.Repeat("é", 48) + "...",
	} {
		if got := title(prompt); got != want || !utf8.ValidString(got) {
			t.Errorf("title(%q) = %q, want %q", prompt, got, want)
		}
	}
}

func TestPromptsThatAreNone(t *testing.T) {
	for text, code := range map[string]string{
		"": CodeUsage, "a\xff": "bad_prompt", strings.Repeat("x", MaxPrompt+1): "prompt_too_large",
	} {
		if err := checkPrompt(text); !fault.Is(err, code) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	for _, blank := range []string{" ", " \n\t", "\u00a0"} {
		if err := checkPrompt(blank); !fault.Is(err, CodeUsage) || fault.From(err).Exit != hop.ExitUsage {
			t.Errorf("%q: %v", blank, err)
		}
	}
	if err := checkPrompt(strings.Repeat("x", MaxPrompt)); err != nil {
		t.Error(err)
	}
}

func TestALargePromptIsRecordedWhole(t *testing.T) {
	p, _ := demo(t, map[string]string{"a": "a\n"})
	text := strings.Repeat("do the thing with \"quotes\" and <tags>\n", 250_000)
	started, err := p.Prompt(context.Background(), "start", PromptRequest{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	entry, err := p.State(context.Background(), started.Prompt.ID)
	if err != nil || entry.State.Prompt != text {
		t.Fatalf("%d bytes of %d, %v", len(entry.State.Prompt), len(text), err)
	}
}

// TestLandingsAtOnceLoseNothing lets every proposal land at the same time, each
// over an open project of its own.
func TestLandingsAtOnceLoseNothing(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	const count = 6
	var proposals []hop.State
	for i := range count {
		proposals = append(proposals, proposed(t, p, "file"+itoa(i), "x\n"))
	}
	var wg sync.WaitGroup
	failures := make([]error, count)
	for i, s := range proposals {
		wg.Go(func() {
			own, err := Open(context.Background(), around(root))
			if err != nil {
				failures[i] = err
				return
			}
			defer own.Close()
			_, failures[i] = own.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{s.ID}})
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	history, err := p.History(context.Background())
	if err != nil || len(history) != count+1 {
		t.Fatalf("%d accepted states, %v", len(history), err)
	}
	changes, err := p.Repo.Diff(context.Background(), git.OID(history[len(history)-1].SourceTree), git.OID(history[0].SourceTree))
	if err != nil || len(changes) != count {
		t.Fatalf("%v changed, %v", changes, err)
	}
	d, err := Doctor(context.Background(), around(root), false)
	if err != nil || !d.OK {
		t.Fatalf("%+v, %v", d, err)
	}
}

// TestBeginsAtOnceMakeOneProject starts where there is no project yet.
func TestBeginsAtOnceMakeOneProject(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "a", "a\n")
	const count = 6
	var wg sync.WaitGroup
	begun := make([]hop.Begun, count)
	failures := make([]error, count)
	for i := range count {
		wg.Go(func() {
			p, b, err := Begin(context.Background(), around(root), PromptRequest{Text: "work " + itoa(i), Agent: "a", Session: itoa(i)})
			begun[i], failures[i] = b, err
			if err == nil {
				failures[i] = p.Close()
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	seen, created := map[string]bool{}, 0
	for _, b := range begun {
		seen[b.Attempt.ID] = true
		if b.Initialized {
			created++
		}
		if _, err := os.Stat(filepath.Join(b.Workspace, "a")); err != nil {
			t.Error(err)
		}
	}
	if len(seen) != count || created != 1 {
		t.Fatalf("%d attempts, made %d times", len(seen), created)
	}
}

// TestHeadThatMovesDuringValidationIsNotOverwritten moves the accepted state from
// inside every validation, so that no try can hold.
func TestHeadThatMovesDuringValidationIsNotOverwritten(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	s := proposed(t, p, "b", "b\n")
	var others []string
	for i := range maxRetries + 1 {
		others = append(others, proposed(t, p, "c"+itoa(i), "c\n").ID)
	}
	tries := 0
	p.Progress = func(text string) {
		if text != "running the command" {
			return
		}
		own, err := Open(context.Background(), around(root, hop.EnvLockHeld+"=1"))
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		if _, err := own.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{others[tries]}}); err != nil {
			t.Error(err)
		}
		tries++
	}
	_, err := p.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{s.ID}, Command: []string{"true"}})
	if !fault.Is(err, ledger.CodeHeadChanged) || fault.From(err).Exit != hop.ExitHeadChanged || tries != maxRetries+1 {
		t.Fatalf("after %d tries: %v", tries, err)
	}
	p.Progress = nil
	if _, err := p.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{s.ID}, Command: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
}

func TestALandingInTheMiddleOfAnotherIsComposedWith(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	s, other := proposed(t, p, "b", "b\n"), proposed(t, p, "c", "c\n")
	once := sync.OnceFunc(func() {
		own, err := Open(context.Background(), around(root))
		if err != nil {
			t.Error(err)
			return
		}
		defer own.Close()
		if _, err := own.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{other.ID}}); err != nil {
			t.Error(err)
		}
	})
	p.Progress = func(text string) {
		if text == "running the command" {
			once()
		}
	}
	done, err := p.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{s.ID}, Command: []string{"ls", "b"}})
	if err != nil || done.Retries != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	if done.CurrentPaths[0] != "c" {
		t.Errorf("current paths %q", done.CurrentPaths)
	}
}

func TestProjectIsFoundFromEverywhereInIt(t *testing.T) {
	p, root := demo(t, map[string]string{"deep/er/a": "a\n"})
	started, err := p.Prompt(context.Background(), "start", PromptRequest{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	for name, s := range map[string]Surroundings{
		"root": around(root), "below": around(filepath.Join(root, "deep", "er")), "workspace": around(started.Workspace),
		"below the workspace": around(filepath.Join(started.Workspace, "deep")), "through a link": around(filepath.Join(link, "deep")),
		"named": around(elsewhere, "HOP_ROOT="+root), "named by a link": around(elsewhere, "HOP_ROOT="+link),
	} {
		if got, err := Locate(s); err != nil || got != root {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, s := range map[string]Surroundings{
		"outside": around(elsewhere), "named wrongly": around(root, "HOP_ROOT="+elsewhere), "named relatively": around(root, "HOP_ROOT=."),
	} {
		if got, err := Locate(s); !fault.Is(err, CodeNoProject) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestWorkspacesCanBeOutside(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "a", "a\n")
	put(t, root, ".hop/config.toml", "workspaces = \"outside\"\n")
	s := around(root, "XDG_DATA_HOME="+data)
	p, begun, err := Begin(context.Background(), s, PromptRequest{Text: "x", Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !strings.HasPrefix(begun.Workspace, data) {
		t.Fatalf("the workspace is at %q", begun.Workspace)
	}
	s.Dir = begun.Workspace
	if got, err := Locate(s); err != nil || got != root {
		t.Errorf("from the workspace: %q, %v", got, err)
	}
	if _, err := p.Checkpoint(context.Background(), begun.Prompt.ID); err != nil {
		t.Error(err)
	}
}

// TestDigestsAreOfTheJSONThatScriptsSee recomputes a digest from the answer.
func TestDigestsAreOfTheJSONThatScriptsSee(t *testing.T) {
	p, _ := demo(t, map[string]string{"a": "a\n"})
	s := proposed(t, p, "b", "b\n")
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var read hop.State
	if err := json.Unmarshal(data, &read); err != nil || read.Sum() != s.Digest {
		t.Fatalf("%s, %v", data, err)
	}
}

// TestWorkspaceWhoseMakingWasCutShortIsMadeAnew leaves what a crash leaves.
func TestWorkspaceWhoseMakingWasCutShortIsMadeAnew(t *testing.T) {
	ctx := context.Background()
	p, _ := demo(t, map[string]string{"a": "a\n", "b": "b\n"})
	started, err := p.Prompt(ctx, "start", PromptRequest{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(started.Workspace, "b")), os.WriteFile(p.Layout.MakingFile(started.Attempt.ID), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Checkpoint(ctx, started.Prompt.ID); !fault.Is(err, CodeNoWorkspace) {
		t.Fatalf("a half-made workspace is recorded: %v", err)
	}
	done, err := p.Resume(ctx, started.Prompt.ID)
	if err != nil || !done.Recreated {
		t.Fatalf("%+v, %v", done, err)
	}
	c, err := p.Checkpoint(ctx, started.Prompt.ID)
	if err != nil || c.SourceTree != started.Prompt.SourceTree {
		t.Fatalf("%+v, %v", c, err)
	}
}

func TestAnotherRepositoryInItsPlaceIsTold(t *testing.T) {
	p, root := demo(t, map[string]string{"a": "a\n"})
	landed, err := p.Land(context.Background(), LandRequest{Verb: "land", Proposals: []string{proposed(t, p, "b", "b\n").ID}})
	if err != nil {
		t.Fatal(err)
	}
	options, err := around(root).gitOptions(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(root, ".git")), git.Init(context.Background(), root, options)); err != nil {
		t.Fatal(err)
	}
	// It has no mark of ours, so that the folder may have come with the files.
	if _, err := Open(context.Background(), around(root)); !fault.Is(err, CodeReplaced) {
		t.Errorf("open: %v", err)
	}
	if _, err := Doctor(context.Background(), around(root), true); !fault.Is(err, CodeReplaced) {
		t.Errorf("doctor: %v", err)
	}
	info := filepath.Join(root, ".git", "info")
	if err := errors.Join(os.MkdirAll(info, 0o755), os.WriteFile(filepath.Join(info, "exclude"), []byte(".hop/\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"open": func() error { _, err := Open(context.Background(), around(root)); return err },
		"begin": func() error {
			_, _, err := Begin(context.Background(), around(root), PromptRequest{Text: "x"})
			return err
		},
		"init": func() error { _, _, err := Init(context.Background(), around(root), root); return err },
	} {
		if err := call(); !fault.Is(err, CodeReplaced) || !strings.Contains(err.Error(), landed.State.ID) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d, err := Doctor(context.Background(), around(root), false)
	if err != nil || d.OK {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestProcessesThatACheckLeavesBehindAreEndedAndCounted(t *testing.T) {
	p, _ := demo(t, map[string]string{"a": "a\n"})
	started, err := p.Prompt(context.Background(), "start", PromptRequest{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	check, err := p.Check(context.Background(), CheckRequest{State: started.Prompt.ID, Command: []string{"sh", "-c", "sleep 600 & echo $!"}})
	if err != nil || check.Leftovers == 0 {
		t.Fatalf("%+v, %v", check, err)
	}
}
