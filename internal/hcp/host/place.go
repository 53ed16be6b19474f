package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
)

// mostBytes bounds a file that is edited.
const mostBytes = 4 << 20

// spot is a file of the workspace: where it really is, and what it holds.
type spot struct {
	path   string // without links
	exists bool
	mode   fs.FileMode
	text   string
}

// look finds a file of the workspace. Folders and files may be links, as long as
// they lead to plain ones inside: what a link leads out to is not this project's.
func look(root, rel string) (spot, error) {
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return spot{}, err
	}
	path := filepath.Join(base, filepath.FromSlash(rel))
	// The deepest part that exists decides where the rest will be.
	existing, rest := path, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		if info, linkErr := os.Lstat(existing); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return spot{}, errors.New("it is a link that leads nowhere")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return spot{}, err
		}
		existing, rest = filepath.Dir(existing), filepath.Join(filepath.Base(existing), rest)
	}
	if inside, err := filepath.Rel(base, path); err != nil || !filepath.IsLocal(inside) {
		return spot{}, errors.New("it leads out of the workspace")
	}
	s := spot{path: path, mode: 0o644}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return spot{}, err
	case !info.Mode().IsRegular():
		return spot{}, errors.New("it is no plain file")
	case info.Size() > mostBytes:
		return spot{}, errors.New("it is too large")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return spot{}, err
	}
	s.exists, s.mode, s.text = true, info.Mode().Perm(), string(data)
	return s, nil
}

// CodeNoAdopt is a workspace that opted out.
const CodeNoAdopt = "no_adopt"

// optOut is the file by which a workspace opts out of adopting.
const optOut = ".hcp/no-adopt"

// CodeNoWorkspace is a folder that no host is configured in.
const CodeNoWorkspace = "no_workspace"

// refuseStore refuses a folder whose .hcp is a store: the files of the plugin
// would lie among those of the store, as they would in the person's home.
func refuseStore(dir, store string) error {
	own := filepath.Join(dir, ".hcp")
	_, isStore := os.Lstat(filepath.Join(own, "store.json"))
	if isStore != nil && !sameFile(own, store) {
		return nil
	}
	return fault.Newf(CodeNoWorkspace, "%q holds the store and is no workspace", dir).
		WithHint("change to the project that the agent works in")
}

func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

// refuseOptedOut refuses a workspace, or a repository around it, that opted out.
func refuseOptedOut(dirs ...string) error {
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(optOut))); err == nil {
			return fault.Newf(CodeNoAdopt, "the workspace %q opted out of adopting", dir).
				WithHint("its file %s says so; whoever owns the workspace may remove it", optOut)
		}
	}
	return nil
}

// reason is an error without the path, which the sentence around it names.
func reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// mentions reports whether a text has our sign, which says who wrote a file.
func mentions(text string) bool {
	return strings.Contains(text, sign) || strings.Contains(text, signJSON)
}
