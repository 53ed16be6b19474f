package wrap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/hcp"
	"bridle/internal/hcp/adapter"
	"bridle/internal/hcp/command"
	"bridle/internal/kernel/fault"
)

// Jail is a private place of a pack's program on this machine. Close, where there
// is one, ends its use, and removes one that was made for a single call.
type Jail struct {
	Home, Tmp, Work string
	Close           func()
}

// Jails makes jails. Owners never share one.
type Jails interface {
	// Jail returns the lasting jail of a pack for one owner.
	Jail(packID, owner string) (Jail, error)
	// Ephemeral returns a fresh jail for one call.
	Ephemeral() (Jail, error)
}

// Local is the driver for this machine.
//
//	mode       working directory           "workspace:" files, file flags
//	none       the pack, read-only         the pack's lasting work directory
//	project    the caller's directory      the project, read-only for a read
//	workspace  the lasting work directory  the same
//	ephemeral  a fresh work directory      copied in from, and results back to,
//	                                       the project, else the lasting one
//
// The home is always the pack's private one for the Principal; in mode
// workspace the variables of home_env name the work directory instead.
type Local struct {
	Jails Jails
	// Project is where the caller is; nil refuses project mode.
	Project *Project
	// Limits are never opened to a command.
	Limits Limits
	// Guard watches the project's git repositories, and ends what calls that were
	// killed left behind, those on no project as well.
	Guard *GitGuard
}

// stay is one call's use of a local place.
type stay struct {
	place Place
	mode  hcp.WorkspaceMode
	// files is the directory that file references lead to.
	files string
	// exchange is set where files is thrown away after the call: what it is
	// filled from and what results go back to.
	exchange *exchange
	project  *Project
	// reads says that the program may look at the project and not change it.
	reads    bool
	pack     string
	limits   Limits
	confined bool
	watch    *watch
	closers  []func()
}

// Prepare makes the place of a call ready.
func (l *Local) Prepare(ctx context.Context, r adapter.Request) (Stay, error) {
	s := &stay{mode: hcp.WorkspaceNone, pack: r.Pack.Dir, limits: l.Limits, confined: r.Sandbox != hcp.NativeLocal}
	workspace := hcp.Workspace{}
	if w := r.Pack.Manifest.Wrap; w != nil && w.Workspace != nil {
		workspace = *w.Workspace
	}
	if workspace.Mode != "" {
		s.mode = workspace.Mode
	}
	s.reads = s.confined && readsOnly(r)
	jail, err := l.Jails.Jail(r.Pack.ID, owner(r.Scope))
	if err != nil {
		return nil, err
	}
	if jail.Close != nil {
		s.closers = append(s.closers, jail.Close)
	}
	s.place = Place{Home: jail.Home, Tmp: jail.Tmp, HomeEnv: workspace.HomeEnv}
	s.place.ReadWrite = append(s.place.ReadWrite, jail.Home, jail.Tmp)
	s.place.ReadExec = append(s.place.ReadExec, r.Pack.Dir)
	if err := l.watch(ctx, s); err != nil {
		s.Cleanup()
		return nil, err
	}
	if err := l.enter(s, r, jail); err != nil {
		s.Cleanup()
		return nil, err
	}
	if err := s.handOver(l.Jails, r); err != nil {
		s.Cleanup()
		return nil, err
	}
	return s, nil
}

// watch begins the guard's part of the call.
func (l *Local) watch(ctx context.Context, s *stay) (err error) {
	if l.Guard == nil {
		return nil
	}
	var project *Project
	if s.mode == hcp.WorkspaceProject && !s.reads {
		project = l.Project
	}
	s.watch, s.place.Notes, err = l.Guard.enter(ctx, project)
	if err != nil {
		return err
	}
	s.place.Mark = s.watch.call.mark
	for _, code := range []string{CodeSettingsChanged, CodeGitConfigChanged} {
		if slices.ContainsFunc(s.place.Notes, func(note string) bool { return strings.HasPrefix(note, code) }) {
			s.place.Found = code
		}
	}
	return nil
}

// enter sets the working directory and what file references lead to.
func (l *Local) enter(s *stay, r adapter.Request, jail Jail) error {
	switch s.mode {
	case hcp.WorkspaceNone:
		s.place.Dir, s.files = r.Pack.Dir, jail.Work
		s.place.ReadWrite = append(s.place.ReadWrite, jail.Work)
	case hcp.WorkspacePrivate:
		s.place.Dir, s.files = jail.Work, jail.Work
		s.place.ReadWrite = append(s.place.ReadWrite, jail.Work)
		s.place.Home = jail.Work
		if s.place.HomeEnv == nil {
			s.place.HomeEnv = []string{"HOME"}
		}
	case hcp.WorkspaceEphemeral:
		fresh, err := l.Jails.Ephemeral()
		if err != nil {
			return err
		}
		s.closers = append(s.closers, fresh.Close)
		s.place.Fleeting = true
		s.place.Dir, s.files = fresh.Work, fresh.Work
		s.place.ReadWrite = append(s.place.ReadWrite, fresh.Work)
		source := jail.Work
		if l.Project != nil {
			source = l.Project.Dir
		}
		s.exchange = &exchange{source: source, work: fresh.Work}
	case hcp.WorkspaceProject:
		return l.enterProject(s)
	default:
		return fault.Newf(CodeBadFile, "pack %q has an unknown workspace mode %q", r.Pack.ID, s.mode)
	}
	return nil
}

func (l *Local) enterProject(s *stay) error {
	if l.Project == nil {
		return fault.New(CodeNoProject, "no project directory to run in").
			WithHint("this pack works on the caller's project; run it through a local runtime started in the project")
	}
	s.project = l.Project
	s.place.Dir, s.files = l.Project.Dir, l.Project.Dir
	tree := append([]string{l.Project.Root}, l.Project.gitDirs...)
	if s.reads {
		s.place.ReadOnlyProject = true
		s.place.ReadExec = append(s.place.ReadExec, tree...)
		return nil
	}
	s.place.ReadWrite = append(s.place.ReadWrite, tree...)
	return nil
}

// readsOnly reports whether a call has no business changing the project: its
// Policy says that it reads (§4.2), and no word of it names a file, which the
// program might be meant to write. Such a call gets the project read-only, so
// that nothing of it has to be watched.
func readsOnly(r adapter.Request) bool {
	return r.Operation == hcp.OperationRead && !slices.ContainsFunc(r.Argv.Tokens, func(t command.Token) bool {
		_, _, names := command.WorkspaceRef(t.Text)
		return !t.JSON && (t.File || names)
	})
}

// handOver puts the credential's files and the machine's own places where the
// program looks for them (§8.4.4).
func (s *stay) handOver(jails Jails, r adapter.Request) error {
	if len(r.Credential.Files) > 0 {
		// A jail for one call: should this process be killed, the next one
		// removes the secret.
		private, err := jails.Ephemeral()
		if err != nil {
			return err
		}
		s.closers = append(s.closers, private.Close)
		s.place.Fleeting = true
		s.place.ReadOnly = append(s.place.ReadOnly, private.Tmp)
		if err := s.placeSecrets(private.Tmp, r.Credential.Files); err != nil {
			return err
		}
	}
	return s.reach(r.Credential.Reach)
}

// Place returns where the call runs.
func (s *stay) Place() Place { return s.place }

// Rewrite turns file references into paths of the place.
func (s *stay) Rewrite(words []command.Token) ([]string, error) {
	rewritten := make([]string, len(words))
	for i, word := range words {
		flag := ""
		if i > 0 {
			flag = words[i-1].Text
		}
		text, err := s.rewrite(word, flag)
		if err != nil {
			return nil, err
		}
		rewritten[i] = text
	}
	return rewritten, nil
}

// WriteBack delivers results and undoes changes to the repository's hooks and
// configuration.
func (s *stay) WriteBack(_ context.Context, succeeded bool) (notes []string, err error) {
	if s.exchange != nil {
		notes, err = s.exchange.deliver(succeeded)
	}
	if s.watch == nil {
		return notes, err
	}
	changed, watchErr := s.watch.end()
	s.watch = nil
	notes = append(notes, changed...)
	if watchErr != nil {
		// A repository that was tampered with outranks a file that is missing.
		return notes, watchErr
	}
	return notes, err
}

// Cleanup ends the stay.
func (s *stay) Cleanup() {
	if s.watch != nil {
		_, _ = s.watch.end() // nothing ran; another call's tampering is that call's to tell
	}
	for _, done := range s.closers {
		if done != nil {
			done()
		}
	}
}

// owner is everything that keeps two users of a pack apart: the Principal, and
// the tenant where it is not the one of a personal machine. Quoting keeps the
// two parts from running into each other.
func owner(scope hcp.AuthzContext) string {
	if scope.TenantID == hcp.LocalTenant {
		return scope.Principal.ID
	}
	return fmt.Sprintf("%q %q", scope.TenantID, scope.Principal.ID)
}

// exists reports whether a path names a regular file below dir, following links
// that stay below it.
func exists(dir, rel string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(filepath.FromSlash(rel))
	return err == nil && info.Mode().IsRegular()
}
