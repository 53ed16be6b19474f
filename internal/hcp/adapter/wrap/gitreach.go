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
		}
	}
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
