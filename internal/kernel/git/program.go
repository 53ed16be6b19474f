package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/redact"
)

// Program is the git program of this machine.
type Program struct {
	path string
	// search is the PATH that git itself gets, for its own helpers.
	search string
}

// Find returns the git program on the absolute entries of a PATH.
func Find(search string) (Program, error) {
	name := "git"
	if runtime.GOOS == "windows" {
		name = "git.exe"
	}
	var kept []string
	found := ""
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		kept = append(kept, dir)
		candidate := filepath.Join(dir, name)
		info, err := os.Stat(candidate)
		if found == "" && err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0) {
			found = candidate
		}
	}
	if found == "" {
		return Program{}, fault.New(CodeNoGit, "git is not on PATH").WithHint("install git")
	}
	return Program{path: found, search: strings.Join(kept, string(filepath.ListSeparator))}, nil
}

// MinVersion is the oldest git that does all that is asked of it.
const MinVersion = "2.39"

// call is one run of git.
type call struct {
	dir     string
	home    string // an empty folder that stands for the home folder
	args    []string
	timeout time.Duration
	allow   []string // transports, "https" alone when nil
	extra   []string // settings, name=value, after those of every call
	env     []string // variables besides those of every call
	stdin   []byte
	limit   int64 // on what is printed; outputLimit when zero
	accept  int   // an exit code besides 0 that is no failure
	// reason picks what tells of a failure out of what was printed; else it is what
	// stands on standard error.
	reason func(stdout, stderr []byte) []byte
	// alone says that git starts nothing but itself: then no descendant can hide, and
	// looking for one is spared.
	alone bool
}

// outputLimit is how much of what git prints is kept.
const outputLimit = 1 << 20

// ErrKilled is the cause of a failure where a signal ended git, so that its locks
// stay.
var ErrKilled = errors.New("git was killed")

// run runs git and fails unless it succeeds.
func (p Program) run(ctx context.Context, c call) ([]byte, error) {
	out, _, err := p.exit(ctx, c)
	return out, err
}

// exit is run with the exit code, which is 0 or the accepted one.
func (p Program) exit(ctx context.Context, c call) (out []byte, code int, err error) {
	if p.path == "" {
		return nil, 0, fault.New(CodeNoGit, "no git program was named")
	}
	allow := c.allow
	if allow == nil {
		allow = []string{"https"}
	}
	limit := c.limit
	if limit == 0 {
		limit = outputLimit
	}
	spec := proc.Spec{
		Path: p.path, Args: append(settings(allow, c.extra), c.args...), Env: override(p.environment(c.home, allow), c.env),
		Dir: c.dir, Timeout: c.timeout, MaxStdout: limit, MaxStderr: 64 << 10, Unmarked: c.alone,
	}
	if c.stdin != nil {
		spec.Stdin = bytes.NewReader(c.stdin)
	}
	result, err := proc.Run(ctx, spec)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case result.Canceled:
		return nil, 0, context.Cause(ctx)
	case result.TimedOut:
		return nil, 0, fault.Newf(CodeFailed, "git %s took longer than %s", c.args[0], c.timeout).
			WithHint("the machine or the disk may be very busy; run the command again")
	case result.Signal != "" || result.ExitCode != 0 && result.ExitCode != c.accept:
		said := result.Stderr.Head
		if c.reason != nil {
			said = c.reason(result.Stdout.Head, said)
		}
		if result.Signal != "" {
			return nil, result.ExitCode, fault.Newf(CodeFailed, "git %s was ended by the signal %s", c.args[0], result.Signal).Because(ErrKilled).
				WithHint("nothing that was acknowledged is lost; run the command again")
		}
		failed := fault.Newf(CodeFailed, "git %s failed: %s", c.args[0], complaint(said)).
			WithHint("nothing that was acknowledged is lost; see to what git complains of, and run the command again")
		if code, hint := diskTrouble(result.Stderr.Head); code != "" {
			failed.Code, failed.Hint = code, hint
		}
		if old := p.tooOld(ctx, c); old != nil {
			return nil, result.ExitCode, old.Because(failed)
		}
		return nil, result.ExitCode, failed
	case result.Stdout.Truncated():
		return nil, 0, fault.Newf(CodeFailed, "git %s printed more than %d bytes", c.args[0], limit)
	}
	return result.Stdout.Head, result.ExitCode, nil
}

// tooOld asks git for its version after a failure: an old one may not know what
// it was asked for. While all goes well nobody waits for the answer.
func (p Program) tooOld(ctx context.Context, c call) *fault.Error {
	result, err := proc.Run(ctx, proc.Spec{
		Path: p.path, Args: []string{"version"}, Env: p.environment(c.home, nil), Dir: c.dir, Timeout: 10 * time.Second,
	})
	if err != nil || result.ExitCode != 0 {
		return nil //nolint:nilerr // then the failure stands as it is
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(result.Stdout.Head)), "git version ")
	if !olderThan(version, 2, 39) {
		return nil
	}
	return fault.Newf(CodeOldGit, "git %q is older than %s", version, MinVersion).WithHint("install a newer git")
}

// olderThan compares the first two numbers of a version. What cannot be read is
// not older.
func olderThan(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	return errA == nil && errB == nil && (a < major || a == major && b < minor)
}

// complaint is the last thing git said, made safe to print.
func complaint(stderr []byte) string {
	text, _ := redact.ValidUTF8(stderr)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, line := range lines {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "fatal: ") {
			last = strings.TrimPrefix(trimmed, "fatal: ")
			break
		}
	}
	if last == "" {
		return "it said nothing"
	}
	return redact.Visible(last)
}

// override replaces variables: of two of one name, programs see the first.
func override(base, with []string) []string {
	for _, pair := range with {
		name, _, _ := strings.Cut(pair, "=")
		base = slices.DeleteFunc(base, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	return append(base, with...)
}

// environment is everything git sees. Configuration outside the repository is
// switched off, and so is everything that would ask a person.
func (p Program) environment(home string, allow []string) []string {
	return []string{
		"PATH=" + p.search,
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + home,
		"TMPDIR=" + home,
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"SSH_ASKPASS=",
		"GIT_ALLOW_PROTOCOL=" + strings.Join(allow, ":"),
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ADVICE=0",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_LFS_SKIP_SMUDGE=1",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
	}
}

// settings are given on the command line of every call, where they win over
// the repository's own configuration.
func settings(allow, extra []string) []string {
	pairs := []string{
		"core.hooksPath=" + os.DevNull,
		"core.fsmonitor=false",
		"core.askPass=",
		"core.attributesFile=" + os.DevNull,
		"core.excludesFile=" + os.DevNull,
		"core.protectNTFS=true",
		"core.protectHFS=true",
		"credential.helper=",
		"diff.external=",
		"submodule.recurse=false",
		"fetch.recurseSubmodules=false",
		"gc.auto=0",
		"maintenance.auto=false",
		"commit.gpgSign=false",
		"tag.gpgSign=false",
		"http.followRedirects=false",
		"transfer.fsckObjects=true",
		"transfer.credentialsInUrl=die",
		"protocol.allow=never",
	}
	for _, transport := range allow {
		pairs = append(pairs, "protocol."+transport+".allow=always")
	}
	pairs = append(pairs, extra...)
	args := make([]string, 0, 2*len(pairs))
	for _, pair := range pairs {
		args = append(args, "-c", pair)
	}
	return args
}
