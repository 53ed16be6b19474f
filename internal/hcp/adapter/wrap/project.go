package wrap

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// Project is the caller's project: the directory that the caller is in, and the
// root of what belongs to the project around it.
type Project struct {
	// Dir is the working directory, Root the project's root; both absolute and
	// free of links, Dir at or below Root.
	Dir, Root string
	// gitDirs are the directories outside Root that git needs, for a linked
	// worktree or a submodule.
	gitDirs []string
	// git is the repository's data, or empty when there is none.
	git    string
	limits Limits
}

// Limits are what a place may never open: the user's home as a whole, and the
// store. Home is what the environment calls the user's home, Account what the
// system's user database has; either may be empty, and both are homes, since the
// environment is the caller's to set. Offline closes the network as well.
type Limits struct {
	Home, Account, Store string
	Offline              bool
}

// homes are the user's homes without links.
func (l Limits) homes() []string {
	var all []string
	for _, home := range []string{l.Home, l.Account} {
		if home == "" {
			continue
		}
		if home = realPath(home); !slices.Contains(all, home) {
			all = append(all, home)
		}
	}
	return all
}

// tooWide reports whether a path is at or above one of the limits.
func (l Limits) tooWide(path string) bool {
	return slices.ContainsFunc([]string{"/", l.Home, l.Account, l.Store}, func(limit string) bool {
		return limit != "" && below(realPath(limit), path)
	})
}

// refuses reports whether a path may not be opened: it is too wide, or part of
// the store.
func (l Limits) refuses(path string) bool {
	path = realPath(path)
	return l.tooWide(path) || l.Store != "" && below(path, realPath(l.Store))
}

// systemFolders belong to the machine, and nobody's project is there.
var systemFolders = []string{"/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", "/var/lib", "/var/run"}

// private reports whether a project's root is where no project is: in the
// system's own folders or devices, or in a hidden folder right below the home,
// where programs keep keys and logins. A repository deeper in such a folder is a
// project all the same: agents keep their worktrees there.
func (l Limits) private(root string) bool {
	if slices.ContainsFunc(systemFolders, func(dir string) bool { return below(root, dir) }) ||
		below(root, "/dev") && !below(root, "/dev/shm") {
		return true
	}
	return slices.ContainsFunc(l.homes(), func(home string) bool { return hiddenIn(home, root) })
}

// hiddenIn reports whether a root is a hidden folder of a home.
func hiddenIn(home, root string) bool {
	if root == home || !below(root, home) {
		return false
	}
	inHome, err := filepath.Rel(home, root)
	if err != nil || !strings.HasPrefix(inHome, ".") {
		return false
	}
	_, deeper := os.Lstat(filepath.Join(root, ".git"))
	return deeper != nil || !strings.Contains(inHome, string(filepath.Separator))
}

// realPath follows links as far as the path exists.
func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(realPath(parent), filepath.Base(path))
}

// OpenProject makes a project of the directory that the caller is in. The root
// is the root of the enclosing git repository when the user owns it. A
// repository that holds the whole home or the store is passed over, a directory
// that does is refused, and so is one inside the store.
func OpenProject(dir string, limits Limits) (*Project, error) {
	if dir == "" {
		return nil, fault.New(CodeNoProject, "the working directory is not there any more").
			WithHint("run the command in a directory that exists")
	}
	resolved, err := filepath.Abs(dir)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	if err != nil {
		return nil, fault.Newf(CodeNoProject, "the project directory %q cannot be opened", dir).Because(err).
			WithHint("run the command in a directory that exists")
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return nil, fault.Newf(CodeNoProject, "the project %q is not a directory", dir).
			WithHint("name the project's directory")
	}
	if limits.refuses(resolved) {
		return nil, fault.Newf(CodeNoProject, "the directory %q cannot be a project", dir).
			WithHint("it holds your whole home or belongs to the HCP store; run the command inside a project directory")
	}
	p := &Project{Dir: resolved, Root: resolved, limits: limits}
	p.findRepository(limits)
	if limits.private(p.Root) {
		return nil, fault.Newf(CodeNoProject, "the directory %q cannot be a project", dir).
			WithHint("it belongs to the system, or is a hidden folder of your home, where programs keep logins; run the command inside a project directory")
	}
	return p, nil
}

// moved reports whether the project would be found otherwise than it was.
func (p *Project) moved() bool {
	again, err := OpenProject(p.Dir, p.limits)
	return err != nil || again.Root != p.Root || again.git != p.git || !slices.Equal(again.gitDirs, p.gitDirs)
}

// below reports whether a clean path is dir or lies in it.
func below(path, dir string) bool {
	if path == dir {
		return true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.HasPrefix(path, dir)
}

// holds reports whether an absolute path lies in the project by its real place.
func (p *Project) holds(path string) bool { return below(realPath(filepath.Clean(path)), p.Root) }

// relative returns an absolute path of the project relative to the working
// directory.
func (p *Project) relative(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	clean := filepath.Clean("/" + strings.TrimLeft(path, "/"))
	if filepath.Separator != '/' {
		clean = filepath.Clean(path)
	}
	if !p.holds(clean) {
		return "", false
	}
	if !below(clean, p.Root) {
		clean = realPath(clean) // named through a link that leads into the project
	}
	rel, err := filepath.Rel(p.Dir, clean)
	if err != nil {
		return "", false
	}
	return rel, true
}

// findRepository widens the project to the git repository around it, unless
// that is wider than a project may be. What git keeps outside of the root is
// opened only if it names this project as its own: a .git file is content of the
// project and may say anything.
func (p *Project) findRepository(limits Limits) {
	found, err := git.Locate(p.Dir)
	if err != nil || limits.tooWide(found.Root) {
		return
	}
	p.Root = found.Root
	if below(found.GitDir, found.Root) {
		p.git = found.GitDir
		return
	}
	switch common := commonDir(found.GitDir); {
	case pointsBack(found) && common == found.GitDir:
		p.git, p.gitDirs = found.GitDir, []string{found.GitDir}
	case pointsBack(found) && filepath.Dir(found.GitDir) == filepath.Join(common, "worktrees"):
		p.git, p.gitDirs = common, []string{common}
	}
	if slices.ContainsFunc(p.gitDirs, limits.refuses) {
		p.git, p.gitDirs = "", nil
	}
}

// commonDir is the repository that a linked worktree belongs to, or the
// directory itself.
func commonDir(gitDir string) string {
	text, ok := readSmall(filepath.Join(gitDir, "commondir"))
	if !ok {
		return gitDir
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(gitDir, text)
	}
	if resolved, err := filepath.EvalSymlinks(text); err == nil {
		return resolved
	}
	return gitDir
}

// pointsBack reports whether a repository outside of the project names the
// project: a linked worktree by its gitdir file, a submodule by core.worktree.
func pointsBack(l git.Location) bool {
	if text, ok := readSmall(filepath.Join(l.GitDir, "gitdir")); ok {
		return samePlace(text, filepath.Join(l.Root, ".git"))
	}
	config, ok := readSmall(filepath.Join(l.GitDir, "config"))
	if !ok {
		return false
	}
	for _, e := range parseConfig(config) {
		if e.section == "core" && e.key == "worktree" {
			tree := e.value
			if !filepath.IsAbs(tree) {
				tree = filepath.Join(l.GitDir, tree)
			}
			return samePlace(tree, l.Root)
		}
	}
	return false
}

func samePlace(a, b string) bool {
	first, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	second, err := filepath.EvalSymlinks(b)
	return err == nil && first == second
}

// readSmall reads a small text file without the white space around it.
func readSmall(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGuarded {
		return "", false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	return strings.TrimSpace(string(data)), true
}
