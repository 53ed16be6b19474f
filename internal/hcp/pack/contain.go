package pack

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/fault"
)

// ResolveInside returns the path, free of links, of a file that the manifest
// names relative to the pack; it is absolute if Dir is. A path that leaves the pack, by its text
// or through a link, is refused with unsafe_pack; one that names nothing with
// bad_pack, whose cause is fs.ErrNotExist.
func (p *Pack) ResolveInside(rel string) (string, error) { return resolveInside(p.Dir, rel) }

func resolveInside(dir, rel string) (string, error) {
	if reason := badPath(rel); reason != "" {
		return "", fault.Newf(CodeUnsafePack, "path %s %s", quote(rel), reason)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", noDirectory(dir, err)
	}
	path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(rel)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.Newf(CodeBadPack, "%s is not in the pack", quote(rel)).Because(err)
	case exhausted(err):
		return "", manyFiles(quote(rel), err)
	case err != nil:
		return "", fault.Newf(CodeUnsafePack, "path %s cannot be followed", quote(rel)).Because(err)
	case !within(root, path):
		return "", fault.Newf(CodeUnsafePack, "path %s leaves the pack through a link", quote(rel))
	}
	return path, nil
}

// within reports whether path is below root. Both are clean and free
// of links.
func within(root, path string) bool {
	return path != root && strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

// IsVersionControl reports whether a folder of that name belongs to a version
// control system. Such folders are the author's and no part of a pack, and their
// hooks and settings have no business in a store. Everything else counts,
// node_modules included, since a pack's program may need it.
func IsVersionControl(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "CVS":
		return true
	}
	return false
}
