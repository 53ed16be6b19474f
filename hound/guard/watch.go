package guard

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/plan"
	"bridle/internal/hound/snapshot"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// gitSearch is where git is looked for: the system's own places, whatever PATH
// the caller has.
const gitSearch = "/usr/bin:/bin:/usr/local/bin"

// snapshots watches repositories by snapshots.
func snapshots(o Options) func(root string, excludes []string) watcher {
	return func(root string, excludes []string) watcher {
		return &recorder{root: root, options: snapshot.Options{
			Home: o.Home, Excludes: excludes, Paranoid: o.Paranoid, CacheDir: o.CacheDir,
		}}
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
	return &sight{s}, nil
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
type sight struct{ *snapshot.Snapshot }

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
	f, files, err := s.fingerprint(without)
	f.Tracked, f.Untracked = byPath(files.Tracked), byPath(files.Untracked)
	return f, err
}

// Identity is the part of the fingerprint that a receipt names. It makes no maps
// of files, of which there may be many.
func (s *sight) Identity() (hound.ReceiptRepository, error) {
	f, _, err := s.fingerprint("")
	return hound.ReceiptRepository{Head: f.Head, FingerprintSHA256: f.FingerprintSHA256}, err
}

// fingerprint is a fingerprint with its files as lists.
func (s *sight) fingerprint(without string) (hound.Fingerprint, snapshot.Bound, error) {
	files, err := s.Bound(without)
	if err != nil {
		return hound.Fingerprint{}, files, err
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
	}
	tracked, err := canonicalPaths(files.Tracked)
	if err != nil {
		return f, files, err
	}
	untracked, err := canonicalPaths(files.Untracked)
	if err != nil {
		return f, files, err
	}
	f.StagedDiffSHA256 = document.Sum([]byte(head + "\x00" + state.Index))
	f.UnstagedDiffSHA256 = document.Sum(append([]byte(state.Index+"\x00"), tracked...))
	f.FingerprintSHA256, err = sumOf(f, tracked, untracked)
	return f, files, err
}

func byPath(files []snapshot.PathHash) map[string]string {
	m := make(map[string]string, len(files))
	for _, file := range files {
		m[file.Path] = file.Hash
	}
	return m
}

// canonicalPaths is the canonical JSON of an object with the paths as its members.
// They come in order.
func canonicalPaths(files []snapshot.PathHash) ([]byte, error) {
	text := make([]byte, 0, 2+len(files)*128)
	text = append(text, '{')
	for i, file := range files {
		if i > 0 {
			text = append(text, ',')
		}
		if plain(file.Path) {
			text = append(append(append(text, '"'), file.Path...), '"')
		} else {
			if !utf8.ValidString(file.Path) {
				return nil, fault.Newf(snapshot.CodeUnsupported, "the name %q is not UTF-8, and documents hold nothing else", file.Path).
					WithHint("rename it, or have git ignore it").WithExit(hound.ExitRefused)
			}
			quoted, err := canon.Encode(file.Path)
			if err != nil {
				return nil, err
			}
			text = append(text, quoted...)
		}
		text = append(append(append(text, `:"`...), file.Hash...), '"')
	}
	return append(text, '}'), nil
}

// plain says whether a name stands in JSON as it is.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// sumOf is the hash of the fingerprint's canonical form, with the files in theirs
// already.
func sumOf(f hound.Fingerprint, tracked, untracked []byte) (string, error) {
	f.Tracked, f.Untracked = map[string]string{}, map[string]string{}
	text, err := canon.Encode(f)
	if err != nil {
		return "", err
	}
	for name, files := range map[string][]byte{"tracked": tracked, "untracked": untracked} {
		before, after, found := bytes.Cut(text, []byte(`"`+name+`":{}`))
		if !found {
			return "", fault.New(fault.CodeInternal, "a fingerprint without its files")
		}
		text = slices.Concat(before, []byte(`"`+name+`":`), files, after)
	}
	return document.Sum(text), nil
}
