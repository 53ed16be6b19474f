package hopcli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"bridle/internal/hop/op"
)

// step is one command of a page, with the lines that the page shows of its output.
type step struct {
	command string
	shows   []string
}

// fails reports whether the page shows that the command fails.
func (s step) fails() bool {
	for _, line := range s.shows {
		if strings.HasPrefix(line, "hop: ") {
			return true
		}
	}
	return false
}

// walkThrough reads the commands of a part of the guide.
func walkThrough(t *testing.T, from, to string) []step {
	t.Helper()
	page, err := os.ReadFile("../../../docs/hop.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(page), "\n## "+from+"\n")
	part, _, end := strings.Cut(part, "\n## "+to+"\n")
	if !found || !end {
		t.Fatalf("the guide has no part %q before %q", from, to)
	}
	var steps []step
	inside, heredoc := false, ""
	for line := range strings.Lines(part) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case heredoc != "":
			steps[len(steps)-1].command += "\n" + line
			if line == heredoc {
				heredoc = ""
			}
		case strings.HasPrefix(line, "$ ") && !strings.HasPrefix(line, "$ grep "):
			steps = append(steps, step{command: strings.TrimPrefix(line, "$ ")})
			if _, word, ok := strings.Cut(line, "<<'"); ok {
				heredoc = strings.TrimSuffix(word, "'")
			}
		default:
			last := &steps[len(steps)-1]
			last.shows = append(last.shows, line)
		}
	}
	return steps
}

// The guide's commands run as they stand, one after the other in one shell, and
// print what the guide shows. An id that it shortens is the newest of its kind.
func TestTheGuidesWalkThroughsRunAsTheyStand(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Fatal("the guide is written for a POSIX shell", err)
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	steps := append(walkThrough(t, "Tutorial", "For an agent"), walkThrough(t, "For an agent", "How to")...)
	if len(steps) < 30 {
		t.Fatalf("only %d commands found", len(steps))
	}
	transcript := filepath.Join(home, "transcript")
	var script strings.Builder
	script.WriteString("newest() { grep -o \"$1_[0-9A-Z]\\{23\\}\" " + op.Quote(transcript) + " | tail -1; }\n")
	shortened := regexp.MustCompile(`\b([A-Z]+)_06H2…`)
	for i, s := range steps {
		command := shortened.ReplaceAllString(s.command, "$$(newest $1)")
		fmt.Fprintf(&script, "echo '@@%d' >> %s\n{\n%s\n} >> %s 2>&1\necho \"@@code $?\" >> %s\n", i, op.Quote(transcript), command, op.Quote(transcript), op.Quote(transcript))
	}
	cmd := exec.Command(shell, "-c", script.String())
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8",
		"GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.com", "GIT_COMMITTER_NAME=Ana", "GIT_COMMITTER_EMAIL=ana@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.ReplaceAll(string(data), home, "/home/ana")
	for i, s := range steps {
		_, after, _ := strings.Cut(rest, fmt.Sprintf("@@%d\n", i))
		output, code, _ := strings.Cut(after, "@@code ")
		code, _, _ = strings.Cut(code, "\n")
		if (code != "0") != s.fails() {
			t.Errorf("%s\nended with %s:\n%s", s.command, code, output)
		}
		checkShown(t, s, output)
	}
}

// checkShown finds the lines that the page shows, in their order.
func checkShown(t *testing.T, s step, output string) {
	t.Helper()
	lines := strings.Split(output, "\n")
	at := 0
	for _, want := range s.shows {
		text := strings.ReplaceAll(regexp.QuoteMeta(want), "_06H2…", "_[0-9A-Z]{23}")
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(text, "…", ".*") + "\\s*$")
		for at < len(lines) && !pattern.MatchString(lines[at]) {
			at++
		}
		if at == len(lines) {
			t.Errorf("%s\ndoes not print the line\n%s\nbut\n%s", s.command, want, output)
			return
		}
		at++
	}
}
