package command

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// hostRoots are the directories that no argument may point into (§10.6).
var hostRoots = []string{"etc", "home", "root", "Users"}

// HostPath reports whether a text as a whole is an absolute path at or below
// /etc, /home, /root or /Users, and returns the path in its shortest form. The
// path may stand behind a flag or a name and "=", behind "@", in a file URL, or
// be written with doubled slashes and dots. The case of the first directory does
// not matter, since some file systems ignore it. Text that only contains such a
// path is not one.
func HostPath(text string) (string, bool) {
	for _, candidate := range pathsIn(strings.TrimPrefix(behindFlag(text), "@")) {
		p := strings.ReplaceAll(candidate, `\`, "/")
		if !strings.HasPrefix(p, "/") {
			continue
		}
		p = path.Clean("/" + strings.TrimLeft(p, "/"))
		first, _, _ := strings.Cut(p[1:], "/")
		if slices.ContainsFunc(hostRoots, func(root string) bool { return strings.EqualFold(first, root) }) {
			return p, true
		}
	}
	return "", false
}

// HostPath looks at the word as a whole and at each value in it.
func (t Token) HostPath() (string, bool) {
	if p, ok := HostPath(t.Text); ok {
		return p, true
	}
	for _, part := range t.Parts {
		if part.Arg == "" {
			continue
		}
		if p, ok := HostPath(part.Text); ok {
			return p, true
		}
	}
	return "", false
}

// Paths are the absolute paths that the word may be read as, as a whole and by
// each value in it.
func (t Token) Paths() []string {
	var paths []string
	add := func(text string) {
		for _, candidate := range pathsIn(strings.TrimPrefix(behindFlag(text), "@")) {
			if p := strings.ReplaceAll(candidate, `\`, "/"); strings.HasPrefix(p, "/") {
				paths = append(paths, path.Clean("/"+strings.TrimLeft(p, "/")))
			}
		}
	}
	add(t.Text)
	for _, part := range t.Parts {
		if part.Arg != "" {
			add(part.Text)
		}
	}
	return paths
}

// workspaceScheme marks a file of the jail (§10.6).
const workspaceScheme = "workspace:"

// WorkspaceRef splits a text that as a whole refers to a file of the workspace
// into what stands before the reference (a flag with "=", or nothing) and the
// path within the workspace, as written.
func WorkspaceRef(text string) (before, rel string, ok bool) {
	value := behindFlag(text)
	rel, ok = strings.CutPrefix(value, workspaceScheme)
	if !ok {
		return "", "", false
	}
	return text[:len(text)-len(value)], rel, true
}

// behindFlag is the value in --flag=value or name=value, or the text itself.
func behindFlag(text string) string {
	flag, value, found := strings.Cut(text, "=")
	if !found || flag == "" || strings.ContainsFunc(flag, func(r rune) bool {
		return r > '~' || !isAlphanumeric(byte(r)) && r != '-' && r != '_' && r != '.'
	}) {
		return text
	}
	return value
}

// pathsIn are the readings of a text as a path: the text itself, or for a file
// URL its path, with and without what may be a host.
func pathsIn(text string) []string {
	const scheme = "file:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return []string{text}
	}
	p := text[len(scheme):]
	if decoded, err := url.PathUnescape(p); err == nil {
		p = decoded
	}
	readings := []string{p}
	if rest, found := strings.CutPrefix(p, "//"); found {
		_, behindHost, _ := strings.Cut(rest, "/")
		readings = append(readings, "/"+behindHost)
	}
	return readings
}
