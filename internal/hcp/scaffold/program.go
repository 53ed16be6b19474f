package scaffold

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bridle/internal/hcp/executable"
	"bridle/internal/hcp/scaffold/helptext"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/proc"
	"bridle/internal/kernel/sandbox"
)

// The bounds of asking a program for its help.
const (
	helpTimeout = 5 * time.Second
	helpGrace   = 200 * time.Millisecond
	allTimeout  = 40 * time.Second
	mostAsked   = 60
)

// Machine is what wrapping a program needs to know of the place where it is.
type Machine struct {
	// Search says where a bare name is looked up.
	Search executable.Search
	// Dir is the working directory of the caller; Home the user's own home, and
	// Protected what else must stay out of the program's reach.
	Dir, Home string
	Protected []string
	// Temp is where temporary folders are made; "" means the system's place.
	Temp string
}

// program is a CLI that is asked for its help, as an agent would: no terminal,
// nothing to read, no colour. It is a stranger's, so it runs in the sandbox, over
// empty folders that are thrown away, and without a network.
type program struct {
	name, path string
	room       string
	env        []string
	profile    sandbox.Profile
	left       int
	timeout    time.Duration // for one answer
}

// find resolves what the caller named: a name of the PATH, or a path. The name is
// what the pack will say; notes tell where that is not enough.
func (m Machine) find(bin string) (p *program, notes []string, err error) {
	missing := func(why string) error {
		return fault.Newf(CodeBinNotFound, "the program %q cannot be found: %s", bin, why).
			WithHint("install it, or pass its path")
	}
	if bin == "" || strings.HasPrefix(bin, "-") || strings.ContainsRune(bin, 0) {
		return nil, nil, missing("this is no name of a program")
	}
	name := filepath.Base(bin)
	onPath, why := m.Search.Find(name)
	if name == bin {
		if onPath == "" {
			return nil, nil, missing(why)
		}
		return &program{name: name, path: onPath}, nil, nil
	}
	full := bin
	if !filepath.IsAbs(full) {
		full = filepath.Join(m.Dir, full)
	}
	resolved, err := filepath.EvalSymlinks(full)
	if err != nil {
		return nil, nil, missing("there is no such file")
	}
	info, err := os.Stat(resolved)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return nil, nil, missing("this is no file that can be run")
	}
	if onPath != resolved {
		notes = append(notes, "a pack names a program of the PATH without its folder, and "+quote(name)+" is another one there or none: put its folder on the PATH before you activate the pack")
	}
	return &program{name: name, path: resolved}, notes, nil
}

// enter makes the folders that the program may write in, and its sandbox.
func (p *program) enter(m Machine) error {
	room, err := os.MkdirTemp(m.Temp, "hcpx-wrap-")
	if err != nil {
		return fault.New(CodeWrapFailed, "no temporary folder can be made").Because(err).WithHint("make TMPDIR a folder that you may write to")
	}
	p.room, p.left, p.timeout = room, mostAsked, helpTimeout
	home, temp := filepath.Join(room, "home"), filepath.Join(room, "tmp")
	for _, dir := range []string{home, temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fault.New(CodeWrapFailed, "no temporary folder can be made").Because(err).WithHint("make TMPDIR a folder that you may write to")
		}
	}
	path := m.searchPath(filepath.Dir(p.path))
	p.env = []string{
		"PATH=" + path, "HOME=" + home, "TMPDIR=" + temp, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "COLUMNS=200",
		"PAGER=cat", "MANPAGER=cat", "GIT_PAGER=cat", "HCP_SANDBOX=sandbox", "HCP_AGENT=1",
	}
	p.profile, err = sandbox.ForTool(sandbox.Tool{
		Executable: p.path, Path: path, Env: p.env, Home: home, Temp: temp, RealHome: m.Home,
		Protected: m.Protected, Network: sandbox.NetworkNone,
	})
	return err
}

// searchPath keeps the absolute folders that the search may use, and adds the
// program's own.
func (m Machine) searchPath(own string) string {
	var dirs []string
	for _, dir := range append(filepath.SplitList(m.Search.Path), own) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

func (p *program) leave() { _ = os.RemoveAll(p.room) }

// answer is what came of asking once.
type answer struct {
	page helptext.Page
	text string
	// why says what kept the help from being read.
	why string
}

// help asks for the help of a subcommand, or of the program. A subcommand that
// shows nothing for --help is asked with -h as well: some open a manual instead.
func (p *program) help(ctx context.Context, words []string) (answer, error) {
	a, err := p.ask(ctx, words, "--help")
	if err != nil || len(words) == 0 || len(a.page.Usages) > 0 || a.why == tooLate {
		return a, err
	}
	if b, err := p.ask(ctx, words, "-h"); err != nil || len(b.page.Usages) > 0 {
		return b, err
	}
	return a, nil
}

const tooLate = "it did not end in time"

func (p *program) ask(ctx context.Context, words []string, flag string) (answer, error) {
	if p.left--; p.left < 0 || ctx.Err() != nil {
		return answer{why: "too many subcommands to ask each"}, nil //nolint:nilerr // the answer says so
	}
	result, err := proc.Run(ctx, proc.Spec{
		Path: p.path, Argv0: p.name, Args: append(append([]string{}, words...), flag), Env: p.env, Dir: filepath.Join(p.room, "home"),
		Timeout: p.timeout, Grace: helpGrace, MaxStdout: helptext.MaxBytes, MaxStderr: helptext.MaxBytes, Profile: &p.profile,
	})
	if err != nil {
		if ctx.Err() != nil {
			return answer{why: tooLate}, nil //nolint:nilerr // the answer says so
		}
		return answer{}, err
	}
	raw := result.Stdout.Head
	if len(strings.TrimSpace(string(raw))) == 0 {
		raw = result.Stderr.Head
	}
	a := answer{text: helptext.Clean(raw)}
	switch {
	case result.TimedOut || result.Canceled:
		return answer{why: tooLate}, nil
	case strings.TrimSpace(a.text) == "":
		a.why = "it printed nothing"
	default:
		a.page = helptext.Read(raw, p.name)
	}
	return a, nil
}
