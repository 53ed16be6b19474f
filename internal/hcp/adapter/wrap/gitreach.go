package wrap

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// reach follows a configuration to what it names.
type reach struct {
	home         string
	repo         string // what the configuration belongs to
	files, hooks []named
	seen         map[string]bool
	included     int
}

// Bounds of following includes; git itself stops at a depth of 10.
const (
	maxIncludeDepth = 10
	maxIncluded     = 256
)

// read takes in a configuration. Relative hooks are meant from top, relative
// includes from the file.
func (r *reach) read(config, top string, depth int) {
	key := config + "\x00" + top
	if depth > maxIncludeDepth || r.seen[key] || depth > 0 && r.included >= maxIncluded {
		return
	}
	r.seen[key] = true
	if depth > 0 {
		r.included++
	}
	text, ok := readConfig(config)
	if !ok {
		return
	}
	for _, e := range parseConfig(text) {
		switch {
		case e.value == "":
		case (e.section == "include" || e.section == "includeif") && e.key == "path":
			target := resolveFrom(filepath.Dir(config), e.value, r.home)
			r.files = append(r.files, named{target, r.repo})
			r.read(target, top, depth+1)
		case e.section == "core" && e.key == "hookspath":
			r.hooks = append(r.hooks, named{resolveFrom(top, e.value, r.home), r.repo})
		case e.section == "init" && e.key == "templatedir":
			r.hooks = append(r.hooks, named{filepath.Join(resolveFrom(top, e.value, r.home), "hooks"), r.repo})
		case !e.isData():
			r.programs(e.value, top)
		}
	}
}

// programs takes in the files that a setting may make git run, or hand to what it
// runs: each word of the command line that is a path, from the top of the working
// tree, where git runs such lines. A word without a slash counts from the second
// on, and only where such a file is: "python clean.py" runs one, and "less" none.
func (r *reach) programs(line, top string) {
	words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t'\"`;|&()<>=!", c) })
	for i, word := range words {
		at := resolveFrom(top, word, r.home)
		switch {
		case strings.HasPrefix(word, "-"):
			continue
		case strings.HasPrefix(word, "$") && strings.Contains(word, "/"):
			_, word, _ = strings.Cut(word, "/") // the top itself, by a variable
			at = filepath.Join(top, word)
		case strings.HasPrefix(word, "/"):
			// What is absolute may also stand behind a substitution.
			r.files = append(r.files, named{filepath.Join(top, word), r.repo})
		case !strings.Contains(word, "/") && (i == 0 || !isFile(at)):
			continue
		}
		if info, err := os.Stat(at); err == nil && (info.IsDir() || info.Size() > maxGuarded) {
			continue
		}
		r.files = append(r.files, named{at, r.repo})
	}
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// isData reports whether a setting names no program: addresses, names, colours,
// and files that git reads as text. What is not known here may name one.
func (e entry) isData() bool {
	switch e.section {
	case "remote":
		return e.key == "url" || e.key == "pushurl" || e.key == "fetch" || e.key == "push"
	case "branch", "user", "author", "committer", "url", "color", "advice", "safe", "push", "fetch", "pull", "extensions", "index", "format":
		return true
	case "submodule":
		return e.key != "update"
	case "commit":
		return e.key == "template"
	case "blame":
		return e.key == "ignorerevsfile"
	case "mailmap":
		return true
	case "core":
		return e.key == "excludesfile" || e.key == "worktree" || e.key == "autocrlf" || e.key == "eol"
	}
	return false
}

// resolveFrom is the path that a configuration means.
func resolveFrom(base, value, home string) string {
	switch rest, inHome := strings.CutPrefix(value, "~/"); {
	case inHome && home != "":
		return filepath.Join(home, rest)
	case filepath.IsAbs(value):
		return filepath.Clean(value)
	}
	return filepath.Join(base, filepath.FromSlash(value))
}

func readConfig(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGuarded {
		return "", false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxGuarded))
	return string(data), err == nil
}
