package git

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
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

// call is one run of git.
type call struct {
	dir     string
	home    string // an empty folder that stands for the home folder
	args    []string
	timeout time.Duration
	allow   []string // transports, "https" alone when empty
}

// outputLimit is how much of what git prints is kept.
const outputLimit = 1 << 20

// run runs git and fails unless it succeeds.
func (p Program) run(ctx context.Context, c call) ([]byte, error) {
	allow := c.allow
	if len(allow) == 0 {
		allow = []string{"https"}
	}
	args := append(settings(allow), c.args...)
	result, err := proc.Run(ctx, proc.Spec{
		Path: p.path, Args: args, Env: p.environment(c.home, allow), Dir: c.dir,
		Timeout: c.timeout, MaxStdout: outputLimit, MaxStderr: 64 << 10,
	})
	if err != nil {
		return nil, err
	}
	switch {
	case result.Canceled:
		return nil, context.Cause(ctx)
	case result.TimedOut:
		return nil, fault.Newf(CodeFailed, "git %s took longer than %s", c.args[0], c.timeout)
	case result.ExitCode != 0 || result.Signal != "":
		return nil, fault.Newf(CodeFailed, "git %s failed: %s", c.args[0], complaint(result.Stderr.Head))
	case result.Stdout.Truncated():
		return nil, fault.Newf(CodeFailed, "git %s printed more than %d bytes", c.args[0], outputLimit)
	}
	return result.Stdout.Head, nil
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
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_LFS_SKIP_SMUDGE=1",
		"GIT_PAGER=cat",
		"GIT_EDITOR=false",
	}
}

// settings are given on the command line of every call, where they win over
// the repository's own configuration.
func settings(allow []string) []string {
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
	args := make([]string, 0, 2*len(pairs))
	for _, pair := range pairs {
		args = append(args, "-c", pair)
	}
	return args
}
