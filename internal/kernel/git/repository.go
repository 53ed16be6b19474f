package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
)

// Options say what a repository is opened with.
type Options struct {
	// Program runs what is not done here.
	Program Program
	// Home and ConfigHome are the user's home and configuration folders. From the
	// git configuration there only ignore and attribute files, line ends and the
	// user's name are taken. Empty means none.
	Home, ConfigHome string
	// Filters lets the clean and smudge programs run that the configuration names.
	// It is the owner's decision: a filter is a program of somebody's choice.
	Filters bool
	// Clock is the time of commits without one; the system's when nil.
	Clock clock.Clock
	// Timeout bounds each run of git; five minutes when zero.
	Timeout time.Duration
}

// Repository is one repository, seen from one of its working trees. Its methods
// may be called at the same time.
type Repository struct {
	options Options
	root    string // of the working tree; "" when there is none
	gitDir  string
	common  string
	format  Format
	config  *config
	objects *store

	userOnce sync.Once
	user     *config
	userErr  error
}

// Open opens the repository that dir lies in. A repository without a working
// tree is opened only by its own folder: one that lies inside a working tree
// would be somebody's trap. Kinds that this package cannot treat correctly are
// refused by name.
func Open(ctx context.Context, dir string, o Options) (*Repository, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	location, err := Locate(dir)
	if err != nil {
		bare, bareErr := bareAt(dir)
		switch {
		case bareErr != nil:
			return nil, bareErr
		case bare == "":
			return nil, err
		}
		location = Location{GitDir: bare}
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Minute
	}
	r := &Repository{options: o, root: location.Root, gitDir: location.GitDir}
	if r.common, err = commonDir(r.gitDir); err != nil {
		return nil, err
	}
	if r.config, err = r.readConfig(); err != nil {
		return nil, err
	}
	if err := r.checkKind(); err != nil {
		return nil, err
	}
	r.objects, err = openStore(r.format, filepath.Join(r.common, "objects"))
	if err != nil {
		return nil, err
	}
	r.objects.clock = o.Clock
	return r, nil
}

// Root is the root of the working tree, or empty.
func (r *Repository) Root() string { return r.root }

// GitDir is the folder with the data of this working tree.
func (r *Repository) GitDir() string { return r.gitDir }

// CommonDir is the folder with what all working trees of the repository share.
func (r *Repository) CommonDir() string { return r.common }

// Format is the hash that names the objects.
func (r *Repository) Format() Format { return r.format }

// Bare says whether the repository has no working tree here.
func (r *Repository) Bare() bool { return r.root == "" }

// Close releases what the repository holds open. No method may be called
// afterwards.
func (r *Repository) Close() error {
	r.objects.close()
	return nil
}

// bareAt returns dir as the folder of a repository without a working tree, or
// "" if it is none.
func bareAt(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil || !isRepository(real) {
		return "", nil //nolint:nilerr // the caller says that there is no repository
	}
	info, err := os.Lstat(real)
	if err != nil {
		return "", unreadable(real, err)
	}
	if !ownedByUs(info) {
		return "", foreign(real)
	}
	return real, nil
}

// commonDir follows the file by which a linked working tree names the folder
// that it shares, and checks whose that is.
func commonDir(gitDir string) (string, error) {
	data, err := ReadPlain(filepath.Join(gitDir, "commondir"), maxLine)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil {
		return "", unreadable(filepath.Join(gitDir, "commondir"), err)
	}
	common := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	real, err := filepath.EvalSymlinks(common)
	if err != nil || !isRepository(real) {
		return "", fault.Newf(CodeNoRepository, "the working tree belongs to the repository at %q, which is not there", common).Because(err)
	}
	info, err := os.Lstat(real)
	if err != nil {
		return "", unreadable(real, err)
	}
	if !ownedByUs(info) {
		return "", foreign(real)
	}
	return real, nil
}

func foreign(path string) error {
	return fault.Newf(CodeForeign, "the repository at %q belongs to another user", path).
		WithHint("run the command as its owner, or in a repository of your own")
}

// checkKind reads what the repository says of its own form.
func (r *Repository) checkKind() error {
	refuse := func(why string, args ...any) *fault.Error {
		return fault.Newf(CodeUnsupported, "the repository at %q cannot be used: "+why, append([]any{r.common}, args...)...)
	}
	version := r.config.get("core.repositoryformatversion")
	switch version {
	case "", "0", "1":
	default:
		return refuse("its format has the version %q", version)
	}
	for _, e := range r.config.entries {
		name, ok := strings.CutPrefix(e.key, "extensions.")
		if !ok {
			continue
		}
		switch {
		case name == "objectformat" && version == "1":
			switch e.value {
			case "sha1":
				r.format = SHA1
			case "sha256":
				r.format = SHA256
			default:
				return refuse("its object format is %q", e.value)
			}
		case name == "refstorage" && e.value != "files":
			return refuse("its refs are stored as %q", e.value).WithHint("convert it with \"git refs migrate --ref-format=files\"")
		case name == "compatobjectformat":
			return refuse("it has two object formats")
		case version == "1" && !knownExtension(name):
			return refuse("it needs the extension %q", name)
		}
	}
	if worktree := r.config.get("core.worktree"); worktree != "" && r.root != "" && !r.leadsHere(worktree) {
		return refuse("its configuration places the working tree at %q", worktree)
	}
	return nil
}

func knownExtension(name string) bool {
	switch name {
	case "noop", "noop-v1", "objectformat", "partialclone", "preciousobjects", "worktreeconfig", "refstorage", "relativeworktrees":
		return true
	}
	return false
}

// leadsHere says whether core.worktree is where the working tree was found. A
// submodule's is.
func (r *Repository) leadsHere(worktree string) bool {
	if r.gitDir != r.common {
		return true // the setting is the main working tree's
	}
	if !filepath.IsAbs(worktree) {
		worktree = filepath.Join(r.gitDir, worktree)
	}
	real, err := filepath.EvalSymlinks(worktree)
	return err == nil && real == r.root
}
