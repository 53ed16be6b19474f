package op

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

const leaked = "ghp_R4nd0mLetters99AndDigits77xQzWvUtSr1"

func TestCredentialsAreFoundInFilesOfAnySizeAndKind(t *testing.T) {
	filler := func(n int) string { return strings.Repeat("nothing to see here, move on please\n", n/36+1)[:n] }
	var wide bytes.Buffer
	wide.Write([]byte{0xff, 0xfe})
	for _, unit := range utf16.Encode([]rune("token = " + leaked + "\r\n")) {
		wide.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	noise := bytes.Repeat([]byte{0, 1, 2, 0xff, 'a'}, 1000)
	cases := []struct {
		name string
		data []byte
		want bool
	}{
		{"small", []byte("token = " + leaked + "\n"), true},
		{"behind eight MiB", []byte(filler(9<<20) + "token = " + leaked + "\n"), true},
		{"at the end of a window", []byte(filler(scanWindow-20) + "\ntoken = " + leaked + "\n" + filler(scanWindow)), true},
		{"across the end of a window", []byte(filler(scanWindow-len(leaked)/2) + "\n" + leaked + "\n" + filler(1000)), true},
		{"at the start of the second window", []byte(filler(scanWindow-scanOverlap-1) + "\n" + leaked + "\n" + filler(scanWindow)), true},
		{"in a program", append(append(bytes.Clone(noise), "key="+leaked...), noise...), true},
		{"in UTF-16", wide.Bytes(), true},
		{"a random word in a program", append(append(bytes.Clone(noise), "password=Xk29fj2kd93kfLLq"...), noise...), false},
		{"nothing", []byte(filler(9 << 20)), false},
	}
	for _, c := range cases {
		found := credentialsIn(c.data)
		if c.want && (len(found) != 1 || string(found[0]) != leaked) || !c.want && len(found) > 0 {
			t.Errorf("%s: found %d, %.80q", c.name, len(found), found)
		}
	}
}

// gone fails when any object of the repository has the text.
func gone(t *testing.T, root, text string) {
	t.Helper()
	out, err := gitIn(root, "cat-file", "--batch-all-objects", "--batch", "--unordered")
	if err != nil || strings.Contains(out, text) {
		t.Errorf("the text is still there, %v", err)
	}
}

func TestAPurgeThatWasCutShortIsFinishedByTheNextCommand(t *testing.T) {
	// Git moves refs one after the other: any part of them may have come.
	for name, unmoved := range map[string][]string{
		"all moved": nil, "none moved": {"project", "attempts"}, "the project's not": {"project"}, "the attempt's not": {"attempts"},
	} {
		t.Run(name, func(t *testing.T) { cutShort(t, unmoved) })
	}
}

func cutShort(t *testing.T, unmoved []string) {
	p, root := demo(t, map[string]string{"a.txt": "a\n"})
	ctx := t.Context()
	started, err := p.Prompt(ctx, "start", PromptRequest{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	put(t, started.Workspace, "key.txt", "token = "+leaked+"\n")
	c, err := p.Checkpoint(ctx, started.Prompt.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := p.Repo.Format().ID(git.KindBlob, []byte("token = "+leaked+"\n"))
	before, err := p.Repo.Refs(ctx, "refs/hop/ledger/")
	if err != nil {
		t.Fatal(err)
	}
	if _, states, err := p.Ledger.Purge(ctx, map[git.OID][]byte{id: []byte("token = gone\n")}); err != nil || len(states) != 1 {
		t.Fatalf("%v, %v", states, err)
	}
	for _, ref := range before {
		part, _, _ := strings.Cut(strings.TrimPrefix(ref.Name, "refs/hop/ledger/"), "/")
		if !slices.Contains(unmoved, part) {
			continue
		}
		if out, err := gitIn(root, "update-ref", ref.Name, string(ref.ID)); err != nil {
			t.Fatal(out)
		}
	}
	// Here the process ends: announced, and nothing erased.
	again, err := Open(ctx, around(root))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	if _, open, err := again.Purging(ctx); open || err != nil {
		t.Errorf("the purge is still open, %v", err)
	}
	gone(t, root, leaked)
	if last, err := again.Operations(ctx, 1); err != nil || len(last) != 1 || last[0].Verb != "purge" {
		t.Errorf("%+v, %v", last, err)
	}
	if data, err := os.ReadFile(filepath.Join(started.Workspace, "key.txt")); err != nil || string(data) != "token = gone\n" {
		t.Errorf("%q, %v", data, err)
	}
	if problems, err := again.Verify(ctx); err != nil || len(problems) > 0 {
		t.Errorf("%q, %v", problems, err)
	}
	if e, err := again.State(ctx, c.ID); err != nil || e.State.SourceTree == c.SourceTree {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestALandingThatAPurgeOvertookChangesNothing(t *testing.T) {
	p, root := demo(t, map[string]string{"a.txt": "a\n"})
	ctx := t.Context()
	started, err := p.Prompt(ctx, "start", PromptRequest{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	text := "token = " + leaked + "\n"
	put(t, started.Workspace, "key.txt", text)
	made, err := p.Propose(ctx, ProposeRequest{State: started.Prompt.ID, AllowSecrets: []string{fingerprint([]byte(leaked))}})
	if err != nil {
		t.Fatal(err)
	}
	before, err := p.Accepted(ctx)
	if err != nil {
		t.Fatal(err)
	}
	l := landing{Project: p, request: LandRequest{Verb: "land"}, id: hop.NewID(hop.PrefixAccepted, p.Clock.Now()), head: before.State, parts: map[string]composition{}}
	if _, err := p.Purge(ctx, PurgeRequest{Fingerprints: []string{fingerprint([]byte(leaked))}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.publish(ctx, []hop.State{made.Proposal}, git.OID(made.Proposal.SourceTree)); !fault.Is(err, "proposal_purged") {
		t.Errorf("publish = %v", err)
	}
	if now, err := p.Accepted(context.Background()); err != nil || now.State.ID != before.State.ID {
		t.Errorf("%v, %v", now.State.ID, err)
	}
	gone(t, root, leaked)
}

// gitIn runs git in a folder.
func gitIn(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput()
	return string(out), err
}
