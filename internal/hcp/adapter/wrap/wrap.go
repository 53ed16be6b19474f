// Package wrap runs the command-line program that a pack wraps (§3.2, §6.4,
// §10).
//
// A call goes through five stages, the same for every driver of the exec plane
// (§10.6): prepare the place, rewrite the words, spawn, write back, clean up.
// There is no shell anywhere: words stay words.
//
// What holds of every call:
//
//   - The one file that runs is the executable that was pinned when the pack
//     was activated. A pack without one is refused with exit 127; no name is
//     ever looked up (§10.2.1).
//   - The environment is made from nothing: a fixed PATH, a private home and
//     temporary directory, the pack's agent_env, what Binding minted, and the
//     markers of HCP. Nothing of the environment of this process is passed on
//     (§10.2.3) but the places of certificate bundles and the time zone.
//   - In sandbox mode the program is confined to its place; where the system
//     cannot confine, nothing runs.
//   - Whatever the program did to hooks and configuration of the project's git
//     repositories, to its access settings and to those of agent hosts is undone before the result is returned. When the calling
//     process is killed, the next call ends what is left of the program and
//     undoes it, before it runs anything itself. Nested repositories are found by
//     going through the project's directories before and after each call, up to
//     4,000,000 entries; see gitnested.go.
//   - A command whose Policy says that it reads gets the project read-only, unless
//     a word of it names a file. So nothing has to be watched for it.
package wrap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
)

// DefaultTimeout ends a command that does not end by itself.
const DefaultTimeout = 10 * time.Minute

// cancelGrace is how long a program that is to end has to do so by itself. A call
// that is cancelled leaves no process behind for longer than a second (RFC 0007).
const cancelGrace = 500 * time.Millisecond

// exitNoBin is the exit code of a missing or refused executable (§6.4.8).
const exitNoBin = 127

// The codes of this package's faults.
const (
	CodeBinNotAllowlisted = "bin_not_allowlisted"
	CodeHostPath          = "host_path_not_allowed"
	CodeNoProject         = "no_project"
	CodeBadFile           = "bad_file"
	CodeGitConfigChanged  = "git_config_changed"
	CodeSettingsChanged   = "settings_changed"
	CodeLeftovers         = "leftovers_running"
)

// Options are what a host program decides about wrapped commands.
type Options struct {
	// Driver supplies the place of each call; required.
	Driver Driver
	// Host is what of this machine's environment a command gets.
	Host Host
	// Limits are never opened to a command.
	Limits Limits
	// Timeout is how long a command may take; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Adapter runs wrap packs.
type Adapter struct {
	o        Options
	profiles profiles
}

// New returns the adapter.
func New(o Options) *Adapter {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return &Adapter{o: o}
}

// Run takes one call through the five stages.
func (a *Adapter) Run(ctx context.Context, r adapter.Request) adapter.Outcome {
	if over := adapter.Over(ctx); over != nil {
		return adapter.Refused(over)
	}
	if r.Bin.Path == "" {
		return notAllowlisted(r)
	}
	stay, err := a.o.Driver.Prepare(ctx, r)
	if err != nil {
		return adapter.Refused(err)
	}
	defer stay.Cleanup()
	words, err := stay.Rewrite(r.Argv.Tokens)
	if err != nil {
		return adapter.Refused(err)
	}
	env, notes := environment(r, stay.Place(), a.o.Host)
	out := a.spawn(ctx, r, stay.Place(), words, env)
	out.Notes = slices.Concat(stay.Place().Notes, notes, out.Notes)
	out.Found = stay.Place().Found
	if out.Started {
		a.settle(ctx, stay, &out)
	}
	if stay.Place().ReadOnlyProject && out.Started && out.Failure != nil {
		out.Notes = append(out.Notes, "the project was read-only: the Policy says that this command reads")
	}
	return out
}

// spawn runs the program in its place.
func (a *Adapter) spawn(ctx context.Context, r adapter.Request, place Place, words, env []string) adapter.Outcome {
	spec := proc.Spec{
		Path:      r.Bin.Path,
		Argv0:     r.Bin.Argv0,
		Args:      words,
		Env:       env,
		Dir:       place.Dir,
		Timeout:   a.o.Timeout,
		Grace:     cancelGrace,
		Mark:      place.Mark,
		MaxStdout: adapter.MaxStdout,
		MaxStderr: adapter.MaxStderr,
		Cgroup:    r.Sandbox == hcp.NativeLocal,
	}
	// Only the sandbox closes the network.
	if r.Sandbox != hcp.NativeLocal || a.o.Limits.Offline {
		if err := a.profiles.confine(&spec, r, place, a.o.Limits); err != nil {
			return adapter.Refused(err)
		}
	}
	result, err := proc.Run(ctx, spec)
	if err != nil {
		out := adapter.Refused(err)
		if fault.Is(err, proc.CodeMissing) {
			exit := exitNoBin
			out.ExitCode = &exit
		}
		return out
	}
	return a.outcome(result)
}

// outcome words what the program's end means (§6.4.8).
func (a *Adapter) outcome(result proc.Result) adapter.Outcome {
	exit := result.ExitCode
	out := adapter.Outcome{
		Started:  true,
		ExitCode: &exit,
		Duration: result.Duration,
		Stdout:   &adapter.Stream{Head: result.Stdout.Head, Size: result.Stdout.Size},
		Stderr:   &adapter.Stream{Head: result.Stderr.Head, Size: result.Stderr.Size},
	}
	if result.Leftovers > 0 {
		out.Notes = append(out.Notes, fault.Count(int64(result.Leftovers),
			"process that the command left behind was ended", "processes that the command left behind were ended"))
	}
	if result.Held {
		out.Notes = append(out.Notes, "a process out of reach still holds the command's output; what it writes from now on is lost")
	}
	switch {
	case result.TimedOut:
		out.Failure = fault.Newf(adapter.CodeTimeout, "timed out after %s", a.o.Timeout).
			WithHint("the command was ended; it may have done part of its work")
	case result.Canceled:
		out.Failure = fault.New(adapter.CodeCanceled, "cancelled").
			WithHint("the command was ended; it may have done part of its work")
	case exit != 0:
		out.Failure = fault.New(adapter.CodeCommandFailed, said(result, exit))
		if result.Signal != "" {
			out.Failure.Hint = endedBy(result.Signal)
		}
	}
	return out
}

// endedBy explains an end by a signal, of which the program itself could say nothing.
func endedBy(signal string) string {
	switch signal {
	case "SIGXFSZ":
		return "SIGXFSZ ended it: a file grew past the size that this session allows (ulimit -f)"
	case "SIGXCPU":
		return "SIGXCPU ended it: it used more processor time than this session allows (ulimit -t)"
	case "SIGKILL":
		return "SIGKILL ended it: someone did, or the system was out of memory"
	}
	return signal + " ended it; it may have done part of its work"
}

// said is what a failed program says of itself: its standard error, else the
// exit code.
func said(result proc.Result, exit int) string {
	if text := strings.TrimRight(string(result.Stderr.Head), "\r\n"); strings.TrimSpace(text) != "" {
		return text
	}
	return fmt.Sprintf("exit %d", exit)
}

// settle writes back what the command made. A command that succeeded but whose
// files could not be delivered has not done what was asked.
func (a *Adapter) settle(ctx context.Context, stay Stay, out *adapter.Outcome) {
	notes, err := stay.WriteBack(context.WithoutCancel(ctx), out.Failure == nil)
	out.Notes = append(out.Notes, notes...)
	if err != nil {
		out.Failure = fault.From(err)
	}
}

func notAllowlisted(r adapter.Request) adapter.Outcome {
	name := r.Bin.Name
	if name == "" && r.Pack.Manifest.Wrap != nil {
		name = r.Pack.Manifest.Wrap.Bin
	}
	f := fault.Newf(CodeBinNotAllowlisted, "sandbox: bin %q not allowlisted", name)
	why := r.Bin.Reason
	if why == "" {
		why = "the runtime never allowed this executable for the pack"
	}
	exit := exitNoBin
	return adapter.Outcome{Failure: f.WithHint("%s; nothing else is run in its place", why), ExitCode: &exit}
}
