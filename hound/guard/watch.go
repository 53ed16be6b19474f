package guard

import (
	"context"
	"strings"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// gitSearch is where git is looked for: the system's own places, whatever PATH
// the caller has.
const gitSearch = "/usr/bin:/bin:/usr/local/bin"

// snapshots watches repositories by snapshots.
func snapshots(o Options) func(root string, excludes []string) watcher {
	return func(root string, excludes []string) watcher {
		return &recorder{root: root, options: snapshot.Options{Home: o.Home, Excludes: excludes, Paranoid: o.Paranoid}}
	}
}

// recorder takes snapshots of one repository; each lends its hashes to the next.
type recorder struct {
	root    string
	options snapshot.Options
	ready   bool
}

func (r *recorder) Look(ctx context.Context) (look, error) {
	if !r.ready {
		program, err := git.Find(gitSearch)
		if err != nil {
			return nil, err
		}
		r.options.Git, r.ready = program, true
	}
	s, err := snapshot.Take(ctx, r.root, r.options)
	if err != nil {
		return nil, refusedRepository(err)
	}
	r.options.Base = s
	if bad := s.Integrity(); bad != nil {
		return nil, fault.Newf(snapshot.CodeDamaged, "the repository's objects are damaged: %s", bad.Error()).
			WithHint("run git fsck, and repair the repository first").Because(bad)
	}
	return &sight{s, ctx}, nil
}

// refusedRepository gives the exit code of a refusal to a kind of repository
// that cannot be recorded.
func refusedRepository(err error) error {
	if f := *fault.From(err); f.Code == snapshot.CodeUnsupported {
		return f.WithExit(hound.ExitRefused)
	}
	return err
}

// sight is a snapshot as this package looks at it.
type sight struct {
	*snapshot.Snapshot
	ctx context.Context //nolint:containedctx // the fingerprint asks git what is ignored
}

func (s *sight) At(path string) plan.FileState {
	file, _ := s.File(path)
	return stateOf(file)
}

func stateOf(f snapshot.File) plan.FileState {
	state := plan.FileState{Mode: f.ModeText(), SHA256: f.SHA256}
	switch f.Kind {
	case snapshot.Missing:
		return plan.FileState{}
	case snapshot.Regular:
		state.Kind = plan.KindFile
	case snapshot.Directory:
		state.Kind = plan.KindDirectory
	case snapshot.Link:
		state.Kind = plan.KindSymlink
	default:
		state.Kind = f.Kind.String()
	}
	return state
}

func (s *sight) Changes(later look) []change {
	other, ok := later.(*sight)
	if !ok {
		return []change{{path: "."}}
	}
	found := snapshot.Compare(s.Snapshot, other.Snapshot)
	changes := make([]change, len(found))
	for i, c := range found {
		changes[i] = change{c.Path, stateOf(c.Before), stateOf(c.After)}
	}
	return changes
}

// unborn stands for the commit of a branch that has none.
const unborn = "unborn"

// Fingerprint hashes both sides of each comparison that it names: what is staged
// follows from HEAD and index, what is not from the index and the working files.
func (s *sight) Fingerprint(without string) (hound.Fingerprint, error) {
	tracked, untracked, err := s.pathHashes(without)
	if err != nil {
		return hound.Fingerprint{}, err
	}
	state := s.State()
	head := s.Head()
	if head == "" {
		head = unborn + ":" + s.Branch()
	}
	f := hound.Fingerprint{
		Head:                    head,
		IndexStateSHA256:        document.Sum([]byte(state.Index)),
		RefsStateSHA256:         document.Sum([]byte(state.Refs)),
		GitIntegrity:            "0:" + state.Objects,
		GitSensitiveStateSHA256: document.Sum([]byte(state.Sensitive)),
		Tracked:                 tracked,
		Untracked:               untracked,
	}
	f.StagedDiffSHA256 = document.Sum([]byte(head + "\x00" + state.Index))
	if f.UnstagedDiffSHA256, err = document.Digest([]any{state.Index, tracked}); err != nil {
		return f, err
	}
	f.FingerprintSHA256, err = document.Digest(f)
	return f, err
}

// pathHashes hashes the tracked and the nonignored untracked files.
func (s *sight) pathHashes(without string) (tracked, untracked map[string]string, err error) {
	tracked, untracked = map[string]string{}, map[string]string{}
	var trackedNested, untrackedNested []string
	for path, nested := range s.Tracked() {
		tracked[path] = "missing"
		if nested {
			trackedNested = append(trackedNested, path)
		}
	}
	names, err := s.Untracked(s.ctx)
	if err != nil {
		return nil, nil, err
	}
	loose := map[string]bool{}
	for _, name := range names {
		if dir, nested := strings.CutSuffix(name, "/"); nested {
			untrackedNested = append(untrackedNested, dir)
		} else {
			loose[name] = true
		}
	}
	for path, file := range s.Files() {
		if !utf8.ValidString(path) {
			return nil, nil, fault.Newf(snapshot.CodeUnsupported, "the name %q is not UTF-8, and documents hold nothing else", path).
				WithHint("rename it, or have git ignore it below an exclude of the manifest").WithExit(hound.ExitRefused)
		}
		_, isTracked := tracked[path]
		switch {
		case file.Kind == snapshot.Directory:
		case isTracked || belowAny(trackedNested, path):
			tracked[path] = pathHash(file)
		case (loose[path] || belowAny(untrackedNested, path)) && !below(without, path):
			untracked[path] = pathHash(file)
		}
	}
	return tracked, untracked, nil
}

func belowAny(prefixes []string, path string) bool {
	for _, prefix := range prefixes {
		if below(prefix, path) {
			return true
		}
	}
	return false
}

// pathHash is the hash of what a path is: its kind, its mode, and its bytes by
// their hash or its link text.
func pathHash(f snapshot.File) string {
	return document.Sum([]byte(f.Kind.String() + "\x00" + f.ModeText() + "\x00" + f.SHA256 + f.Link))
}
