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

// mostStarts is how often a command may start git; on Linux that is what most of
// its time goes into.
const mostStarts = 6

// TestFewStartsOfGit counts how often each command starts git.
func TestFewStartsOfGit(t *testing.T) {
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
	starts(mostStarts, "init")
	prompt := starts(mostStarts, "start", "--agent", "a", "work").text("data.prompt.id")
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
		starts(mostStarts, args...)
	}
	landed := starts(mostStarts, "propose", other.prompt).text("data.proposal.id")
	starts(mostStarts, "land", landed, "--", "true")
	for _, args := range [][]string{
		{"undo"}, {"redo"}, {"sync"}, {"gc", "--all"}, {"resume", prompt}, {"cancel", prompt}, {"doctor", "--repair"},
	} {
		starts(mostStarts, args...)
	}
	for _, args := range [][]string{{"status"}, {"state", prompt}, {"log"}, {"ops"}, {"graph"}, {"history"}, {"doctor"}} {
		starts(0, args...)
	}
}
