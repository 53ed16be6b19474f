package kit

import (
	"os"
	"path/filepath"
	"strings"

	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/fault"
)

// CodeOutsideProject marks a new folder that a server may not make where it was named.
const CodeOutsideProject = "outside_project"

// newFolder returns the absolute place of a folder that is to be made. Through a
// server it lies in the project that the server works in: whoever calls the tool may
// be led by a text that it read, and a person on the command line is not.
func newFolder(c *cli.Call, named string) (string, error) {
	full := named
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.Dir, full)
	}
	if c.Env.Get("HCP_MCP") == "" {
		return full, nil
	}
	root := realAncestor(projectAround(c.Dir))
	below, err := filepath.Rel(root, realAncestor(full))
	if err != nil || below == "." || below == ".." || hasHidden(below) {
		return "", fault.Newf(CodeOutsideProject, "through a server no folder is made at %q, which is not in the project %q or is hidden there", named, root).
			WithHint("name a folder of the project, such as packs/NAME; a person makes one elsewhere with hcpx on the command line")
	}
	return full, nil
}

// projectAround is the repository that a folder lies in, or the folder itself.
func projectAround(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// realAncestor follows the links of as much of a path as there is.
func realAncestor(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realAncestor(parent), filepath.Base(path))
	}
	return path
}

// hasHidden reports whether a relative path leads upwards or through a folder whose
// name begins with a dot, where programs keep what they are told by.
func hasHidden(path string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
