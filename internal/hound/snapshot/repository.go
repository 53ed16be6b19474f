package snapshot

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// repository is where a repository's parts lie and of which kind it is.
type repository struct {
	root   string // of the working tree, absolute, without links
	gitDir string
	common string // what linked worktrees share; the Git directory itself otherwise
	idSize int
	config configuration
	// whole says that the object store's files are read, whatever the kernel tells
	// of them.
	whole bool
}

// locate finds the parts and refuses by name what could not be recorded exactly.
func locate(root, home string) (*repository, error) {
	location, err := git.Locate(root)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, unreadable(root, err)
	}
	if real != location.Root {
		return nil, fault.Newf(CodeUnsupported, "%q is not the root of its repository", root).
			WithHint("name the root").WithNext("git rev-parse --show-toplevel")
	}
	r := &repository{root: location.Root, gitDir: location.GitDir, common: location.GitDir, idSize: 20}
	if text, err := git.ReadPlain(filepath.Join(r.gitDir, "commondir"), maxRef); err == nil {
		target := strings.TrimRight(string(text), "\r\n")
		if !filepath.IsAbs(target) {
			target = filepath.Join(r.gitDir, target)
		}
		if r.common, err = filepath.EvalSymlinks(target); err != nil {
			return nil, unreadable(target, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(filepath.Join(r.gitDir, "commondir"), err)
	}
	r.config.home = home
	r.config.read("/etc/gitconfig")
	if home != "" {
		r.config.read(filepath.Join(home, ".gitconfig"))
		r.config.read(filepath.Join(home, ".config", "git", "config"))
	}
	r.config.read(filepath.Join(r.common, "config"))
	r.config.read(filepath.Join(r.gitDir, "config.worktree"))
	return r, r.check()
}

// Places are the directories that hold the repository whose working tree has its
// root at a place: the root, and of a linked worktree or a submodule the Git
// directories that lie elsewhere.
func Places(root string) ([]string, error) {
	r, err := locate(root, "")
	if err != nil {
		return nil, err
	}
	places := []string{r.root}
	for _, dir := range []string{r.common, r.gitDir} {
		if !below(dir, places) {
			places = append(places, dir)
		}
	}
	return places, nil
}

// check refuses by name.
func (r *repository) check() error {
	if r.config.unusable != nil {
		return r.config.unusable
	}
	if r.config.endless {
		return unsupported("includes more than a thousand configuration files", "take the includes out")
	}
	own := configuration{} // the format is said by the repository's own file alone
	own.read(filepath.Join(r.common, "config"))
	switch format, _ := own.last("extensions.objectformat"); strings.ToLower(format) {
	case "", "sha1":
	case "sha256":
		r.idSize = 32
	default:
		return unsupported("has objects of the unknown format \""+format+"\"", "use sha1 or sha256")
	}
	if storage, ok := own.last("extensions.refstorage"); ok && !strings.EqualFold(storage, "files") {
		return unsupported("keeps its refs as \""+storage+"\"", "convert them: git refs migrate --ref-format=files")
	}
	if tree, ok := r.config.last("core.worktree"); ok {
		path := r.config.resolve(tree, r.gitDir)
		if real, err := filepath.EvalSymlinks(path); err != nil || real != r.root {
			return unsupported("has its working tree elsewhere (core.worktree)", "unset core.worktree")
		}
	}
	if bare, ok := own.last("core.bare"); ok && strings.EqualFold(bare, "true") && r.common == r.gitDir {
		return unsupported("is bare", "use a working tree")
	}
	return nil
}

// hooksElsewhere is the directory that core.hooksPath names, or "".
func (r *repository) hooksElsewhere() string {
	path, ok := r.config.last("core.hookspath")
	if !ok || path == "" {
		return ""
	}
	return r.config.resolve(path, r.root)
}

// linked says whether this is a linked worktree.
func (r *repository) linked() bool { return r.common != r.gitDir }
