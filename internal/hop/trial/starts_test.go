//go:build unix

package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mostStarts is how often a command may start git that tidies up. All others do
// their work without: a start takes as long as most of what they do.
const mostStarts = 6

// TestCommandsWorkWithoutStartingGit counts how often each command starts git, in
// a repository as most are: what is rare, such as filters, logs of our refs or the
// landing of branches, is git's.
func TestCommandsWorkWithoutStartingGit(t *testing.T) {
	bin := programs(t)
	real, err := exec.LookPath("git")
	must(t, err)
	p := newProject(t, bin)
	count := filepath.Join(p.home, "starts")
	must(t, os.WriteFile(filepath.Join(bin, "git"), fmt.Appendf(nil, "#!/bin/sh\necho >> '%s'\nexec '%s' \"$@\"\n", count, real), 0o755))
	starts := func(most int, args ...string) answer {
		t.Helper()
		must(t, os.WriteFile(count, nil, 0o600))
		a := p.done(args...)
		data, err := os.ReadFile(count)
		must(t, err)
		n := strings.Count(string(data), "\n")
		t.Logf("%d: hop %s", n, strings.Join(args, " "))
		if n > most {
			t.Errorf("hop %s starts git %d times, more than %d", strings.Join(args, " "), n, most)
		}
		return a
	}
	starts(0, "init")
	prompt := starts(0, "start", "--agent", "a", "work").text("data.prompt.id")
	other := p.start("other")
	p.write(filepath.Join(other.workspace, "b.txt"), "other\n")
	for _, args := range [][]string{
		{"checkpoint", prompt},
		{"check", prompt, "--", "true"},
		{"check", prompt, "--", "true"},
		{"prompt", "--from", prompt, "more"},
		{"begin", "--agent", "b", "an instruction"},
		{"refresh", prompt},
		{"restore", prompt},
	} {
		starts(0, args...)
	}
	landed := starts(0, "propose", other.prompt).text("data.proposal.id")
	starts(0, "land", landed, "--", "true")
	p.write(filepath.Join(other.workspace, "c.txt"), "composed\n")
	third := p.start("third")
	p.write(filepath.Join(third.workspace, "d.txt"), "third\n")
	for _, prompt := range []string{other.prompt, third.prompt} {
		starts(0, "land", starts(0, "propose", prompt).text("data.proposal.id"))
	}
	for _, args := range [][]string{{"undo"}, {"redo"}, {"sync"}, {"resume", prompt}, {"cancel", prompt}} {
		starts(0, args...)
	}
	starts(mostStarts, "gc", "--all")
	starts(mostStarts, "doctor", "--repair")
	for _, args := range [][]string{{"status"}, {"state", prompt}, {"log"}, {"ops"}, {"graph"}, {"history"}, {"doctor"}} {
		starts(0, args...)
	}
}
