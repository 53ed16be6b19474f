package op

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"bridle/hop"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/redact"
)

// maxOutput is how much of a command's output is kept as evidence; the middle of
// a longer one is left out.
const maxOutput = 128 << 10

// outcome is how a command ended, fit to be recorded.
type outcome struct {
	ExitCode   int
	Signal     string
	TimedOut   bool
	Output     string
	Size       int64
	Redactions []hop.Redaction
	Duration   time.Duration
	// Leftovers counts the processes that were still there and were ended.
	Leftovers int
}

// runCommand runs a command in a folder with the environment contract for a
// state. validation marks the final one before a landing.
func (p *Project) runCommand(ctx context.Context, argv []string, dir string, env hop.Environment, limit time.Duration, validation bool) (outcome, error) {
	path, err := p.findProgram(argv[0], dir)
	if err != nil {
		return outcome{}, err
	}
	sink := &evidence{}
	cleaner := redact.NewRedactor(sink)
	tee := &together{w: cleaner}
	result, err := proc.Run(ctx, proc.Spec{
		Path: path, Argv0: argv[0], Args: argv[1:], Env: p.commandEnv(env, dir, validation), Dir: dir,
		Timeout: limit, MaxStdout: -1, MaxStderr: -1, TeeStdout: tee, TeeStderr: tee, Cgroup: true,
	})
	if err != nil {
		return outcome{}, fault.From(err)
	}
	if result.Canceled {
		return outcome{}, context.Cause(ctx)
	}
	if err := tee.close(cleaner); err != nil {
		return outcome{}, err
	}
	out := outcome{
		ExitCode: result.ExitCode, Signal: result.Signal, TimedOut: result.TimedOut, Output: sink.text(), Size: sink.size,
		Redactions: redactions(cleaner.Counts()), Duration: result.Duration,
		Leftovers: result.Leftovers,
	}
	if result.Signal != "" || result.TimedOut {
		out.ExitCode = -1
	}
	return out, nil
}

// commandEnv is the caller's environment with the contract's variables.
func (p *Project) commandEnv(env hop.Environment, dir string, validation bool) []string {
	ours := map[string]string{
		hop.EnvRoot: env.Root, hop.EnvState: env.State, hop.EnvTask: env.Task, hop.EnvAttempt: env.Attempt, hop.EnvWorkspace: dir,
	}
	if validation {
		ours[hop.EnvLockHeld] = "1"
	}
	var out []string
	for _, entry := range p.Environ {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := ours[name]
		// A GIT_DIR of the caller's would lead the command's git elsewhere than to
		// the checkout that it is about.
		if !replaced && !redirectsGit(name) && name != "PWD" {
			out = append(out, entry)
		}
	}
	for _, name := range append(hop.EnvNames(), hop.EnvLockHeld) {
		if value, set := ours[name]; set && value != "" {
			out = append(out, name+"="+value)
		}
	}
	return append(out, "PWD="+dir)
}

func redirectsGit(name string) bool {
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX":
		return true
	}
	return false
}

// findProgram finds the command's program as a shell would: by PATH, or relative
// to the folder that it runs in.
func (p *Project) findProgram(name, dir string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if executable(path) {
			return path, nil
		}
		return "", notFound(name)
	}
	for _, folder := range filepath.SplitList(p.env("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if path := filepath.Join(folder, name); name != "" && executable(path) {
			return path, nil
		}
	}
	return "", notFound(name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o111 != 0 || filepath.Separator == '\\')
}

func notFound(name string) error {
	return fault.Newf(CodeCommandStart, "there is no program %q to run", redacted(name)).
		WithHint("name a program on PATH, or a file of the project as ./name; for a line of shell say sh -c '…'")
}

func redacted(text string) string {
	out, _ := redact.Redact(text)
	return out
}

// together takes the two outputs of a command as one.
type together struct {
	mu sync.Mutex
	w  *redact.Redactor
}

func (t *together) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.w == nil {
		return len(p), nil
	}
	return t.w.Write(p)
}

// close ends the output: what a process out of reach still writes is dropped.
func (t *together) close(r *redact.Redactor) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w = nil
	return r.Close()
}

// evidence keeps the beginning and the end of an output.
type evidence struct {
	head, tail []byte
	size       int64
}

func (e *evidence) Write(p []byte) (int, error) {
	e.size += int64(len(p))
	rest := p
	if room := maxOutput/2 - len(e.head); room > 0 {
		n := min(room, len(rest))
		e.head, rest = append(e.head, rest[:n]...), rest[n:]
	}
	e.tail = append(e.tail, rest...)
	if over := len(e.tail) - maxOutput; over > 0 {
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return len(p), nil
}

// text is the output as it is recorded: valid UTF-8, and bounded.
func (e *evidence) text() string {
	const half = maxOutput / 2
	tail := e.tail
	if len(tail) <= half {
		return strings.ToValidUTF8(string(e.head)+string(tail), "\uFFFD")
	}
	tail = tail[len(tail)-half:]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	left := e.size - int64(len(e.head)) - int64(len(tail))
	return strings.ToValidUTF8(string(e.head), "\uFFFD") + fmt.Sprintf("\n[… %d bytes left out …]\n", left) + strings.ToValidUTF8(string(tail), "\uFFFD")
}

// tail is the last line of an output.
func tail(output string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	last := lines[len(lines)-1]
	if len(last) > 200 {
		last = strings.ToValidUTF8(last[:200], "") + "…"
	}
	return last
}

// redactCommand replaces credentials in a command, also those that only the word
// before gives away.
func redactCommand(argv []string) ([]string, []hop.Redaction) {
	joined := strings.Join(argv, " ")
	found := redact.Find(joined)
	out := make([]string, len(argv))
	start := 0
	for i, word := range argv {
		out[i] = redactWord(word, start, found)
		start += len(word) + 1
	}
	return out, redactions(redact.Counts(found))
}

// redactWord replaces the parts of a word that findings cover; start is where
// the word stands in the text of the findings.
func redactWord(word string, start int, found []redact.Finding) string {
	var b strings.Builder
	done := 0
	for _, f := range found {
		from, to := max(f.Start-start, done), min(f.End-start, len(word))
		if from >= to {
			continue
		}
		b.WriteString(word[done:from])
		b.WriteString("[REDACTED:" + f.Kind + "]")
		done = to
	}
	b.WriteString(word[done:])
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
