package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
)

// FolderName is the project's own folder, in its root.
const FolderName = ".hop"

// Layout knows where things are.
type Layout struct {
	// Root is the project's root.
	Root string
	// Outside is the folder that workspaces go to instead of the project's own, or
	// empty.
	Outside string
}

// Dir is the project's own folder.
func (l Layout) Dir() string { return filepath.Join(l.Root, FolderName) }

// ConfigFile is the project's configuration.
func (l Layout) ConfigFile() string { return filepath.Join(l.Dir(), "config.toml") }

// RelativeWorkspace is how records name the workspace of an attempt.
func RelativeWorkspace(attempt string) string { return path.Join("workspaces", attempt) }

// Workspace returns the absolute place of a workspace that records name. One
// that exists inside the project stays there whatever the configuration says now.
func (l Layout) Workspace(relative string) string {
	inside := filepath.Join(l.Dir(), filepath.FromSlash(relative))
	if l.Outside == "" {
		return inside
	}
	if _, err := os.Lstat(inside); err == nil {
		return inside
	}
	return filepath.Join(l.Outside, filepath.Base(inside))
}

// WorkspaceFolders are the folders that workspaces lie in.
func (l Layout) WorkspaceFolders() []string {
	folders := []string{filepath.Join(l.Dir(), "workspaces")}
	if l.Outside != "" {
		folders = append(folders, l.Outside)
	}
	return folders
}

// IndexFile is the private git index of a workspace.
func (l Layout) IndexFile(name string) string {
	return filepath.Join(l.Dir(), "cache", name+".index")
}

// LockFile is the lock of a workspace or of something else with a name.
func (l Layout) LockFile(name string) string { return filepath.Join(l.Dir(), "locks", name+".lock") }

// MakingFile marks a workspace that is being made.
func (l Layout) MakingFile(name string) string {
	return filepath.Join(l.Dir(), "cache", name+".making")
}

// RewriteFile says how the workspace's files are being changed.
func (l Layout) RewriteFile(name string) string {
	return filepath.Join(l.Dir(), "cache", name+".rewrite")
}

// MovingFile is there while a branch of the user's, or other refs outside of the
// ledger, are being moved.
func (l Layout) MovingFile(what string) string {
	return filepath.Join(l.Dir(), "cache", what+".moving")
}

// Ready reports whether a workspace is there as a whole: one whose making was cut
// short is not.
func (l Layout) Ready(name, relative string) bool {
	if _, err := os.Lstat(l.MakingFile(name)); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, err := os.Lstat(l.Workspace(relative))
	return err == nil
}

func (l Layout) checksDir() string { return filepath.Join(l.Dir(), "checks") }

// Check refuses what stands in the place of the project's folder and is none, and
// a folder or a configuration of another user, who could say there what programs
// run. A link to a folder is one that the user put there.
func (l Layout) Check() error {
	if info, err := os.Stat(l.Dir()); err == nil && !info.IsDir() {
		return l.noFolder()
	}
	for _, path := range []string{l.Dir(), l.ConfigFile()} {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !git.Owned(real) {
			return fault.Newf(git.CodeForeign, "%q belongs to another user", path).
				WithHint("it says what programs run here; take it over with chown where you trust it, or move it away")
		}
	}
	return nil
}

func (l Layout) noFolder() error {
	return fault.Newf("bad_project_folder", "%q is no folder", l.Dir()).WithHint("move it out of the way")
}

// Prepare makes the project's folder and hides it from git and from tools that
// honour ignore files. Common is the repository's common git folder.
func (l Layout) Prepare(common string) error {
	if info, err := os.Lstat(l.Dir()); err == nil && !info.IsDir() {
		return l.noFolder()
	}
	for _, dir := range []string{l.Dir(), filepath.Join(l.Dir(), "workspaces"), filepath.Join(l.Dir(), "cache"), filepath.Join(l.Dir(), "locks"), l.checksDir()} {
		if err := durable.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	ignore := filepath.Join(l.Dir(), ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := durable.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
			return err
		}
	}
	return exclude(common)
}

// excludeLine hides the folder in the whole repository; it is the line that
// existing projects have.
const excludeLine = FolderName + "/"

// Hidden reports whether the repository's own ignore file names the project's
// folder, as it does once a project was made there. Common is the repository's
// common git folder.
func Hidden(common string) (bool, error) {
	_, _, hidden, err := readExclude(common)
	return hidden, err
}

// readExclude reads the repository's own ignore file.
func readExclude(common string) (file string, data []byte, hidden bool, err error) {
	file = filepath.Join(common, "info", "exclude")
	// The file may be a link of the user's: what it points to is meant.
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	data, err = os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return file, nil, false, durable.Explain("read", file, err)
	}
	for line := range bytes.Lines(data) {
		switch string(bytes.TrimSpace(line)) {
		case excludeLine, "/" + excludeLine, FolderName, "/" + FolderName:
			return file, data, true, nil
		}
	}
	return file, data, false, nil
}

// exclude adds the project's folder to the repository's own ignore file.
func exclude(common string) error {
	file, data, hidden, err := readExclude(common)
	if err != nil || hidden {
		return err
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, '\n')
	}
	if err := durable.MkdirOpen(filepath.Dir(file)); err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, excludeLine+"\n"...), 0o644)
}
