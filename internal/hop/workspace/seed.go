package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// use says what seeds are put into a working copy for.
type use int

const (
	// forWork gives an attempt files of its own to change.
	forWork use = iota
	// forCheck gives a check what it needs to run: it must not change the user's
	// files, so nothing is linked there.
	forCheck
)

// Seed puts the ignored paths that the configuration lists into a workspace, and
// returns them.
func Seed(l Layout, c Config, dir string) ([]string, error) {
	done, _, err := seed(l.Root, dir, c, forWork, nil)
	return done, err
}

// seed returns what it put there, and apart which of that is linked, or copied for
// a check in the place of a link. What was kept of an earlier check is part of it.
func seed(root, dir string, c Config, purpose use, kept []keptSeed) (done, linked []string, err error) {
	copies, err := included(root)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range kept {
		linked = append(linked, k.Path)
	}
	for _, pattern := range c.Seed.Copy {
		listed, err := matching(root, pattern)
		if err != nil {
			return done, linked, err
		}
		copies = append(copies, listed...)
	}
	if done, err = placeAll(root, dir, copies, copyPath); err != nil {
		return done, linked, err
	}
	link := linkPath
	if purpose == forCheck {
		link = copyReadOnly
	}
	for _, pattern := range c.Seed.Link {
		placed, err := place(root, dir, pattern, link)
		if err != nil {
			return done, linked, err
		}
		linked = append(linked, placed...)
	}
	done = append(done, linked...)
	slices.Sort(done)
	return slices.Compact(done), linked, nil
}

func clean(p string) string { return path.Clean(strings.TrimPrefix(p, "./")) }

// place puts every path that the pattern matches into the working copy.
func place(root, dir, pattern string, put func(from, to string) error) ([]string, error) {
	paths, err := matching(root, pattern)
	if err != nil {
		return nil, err
	}
	return placeAll(root, dir, paths, put)
}

// matching lists the paths that match a pattern of names, relative to the root.
func matching(root, pattern string) ([]string, error) {
	matches, err := filepath.Glob(filepath.Join(escapeGlob(root), filepath.FromSlash(clean(pattern))))
	if err != nil {
		return nil, fault.Newf(CodeBadConfig, "the pattern %q cannot be read", pattern).Because(err)
	}
	var out []string
	for _, from := range matches {
		if relative, err := filepath.Rel(root, from); err == nil && localPattern(filepath.ToSlash(relative)) {
			out = append(out, relative)
		}
	}
	return out, nil
}

// placeAll puts paths into the working copy, unless something is there already:
// what is tracked is never replaced. A link on the way there leads out of it.
func placeAll(root, dir string, paths []string, put func(from, to string) error) ([]string, error) {
	var done []string
	for _, relative := range paths {
		to := filepath.Join(dir, relative)
		if _, err := os.Lstat(to); err == nil || leadsAway(dir, relative) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil { //nolint:gosec // as open as the working copy
			return done, durable.Explain("make", filepath.Dir(to), err)
		}
		if err := put(filepath.Join(root, relative), to); err != nil {
			return done, err
		}
		done = append(done, filepath.ToSlash(relative))
	}
	return done, nil
}

// leadsAway reports whether a folder above the path is a link.
func leadsAway(dir, relative string) bool {
	for parent := filepath.Dir(relative); parent != "."; parent = filepath.Dir(parent) {
		if info, err := os.Lstat(filepath.Join(dir, parent)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// escapeGlob quotes a folder's name so that it matches only itself.
func escapeGlob(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

func linkPath(from, to string) error {
	return durable.Explain("link", to, makeLink(from, to))
}

// copyReadOnly copies a path and takes the permission to write away.
func copyReadOnly(from, to string) error {
	if err := copyPath(from, to); err != nil {
		return err
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o222) //nolint:gosec // the checkout is ours alone while its lock is held
	})
	return durable.Explain("protect", to, err)
}

// copyPath copies a file, a link or a folder. Special files are left out.
func copyPath(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(target, info.Mode().Perm()|0o700)
		case d.Type()&fs.ModeSymlink != 0:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return makeLink(text, target)
		case d.Type().IsRegular():
			return copyFile(path, target, info.Mode().Perm())
		default:
			return nil
		}
	})
	return durable.Explain("copy", from, err)
}

// copyFile copies content and permissions. Seeds can be made again, so nothing is
// flushed.
func copyFile(from, to string, mode fs.FileMode) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
