package git

import (
	"os"
	"path/filepath"
	"strings"
)

// personalFile finds a file that the configuration names, the repository's
// before the user's, or the one of that name in the user's configuration folder.
func (r *Repository) personalFile(user *config, key, name string) string {
	path, ok := r.config.lookup(key)
	if !ok {
		path, ok = user.lookup(key)
	}
	if !ok {
		if r.options.ConfigHome == "" {
			return os.DevNull
		}
		path = filepath.Join(r.options.ConfigHome, "git", name)
	}
	if rest, tilde := strings.CutPrefix(path, "~/"); tilde {
		if r.options.Home == "" {
			return os.DevNull
		}
		path = filepath.Join(r.options.Home, rest)
	}
	if path == "" {
		return os.DevNull
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.root, path)
	}
	return path
}

// Identity is the user's name and address as configured, the repository's
// before the user's. Either may be empty.
func (r *Repository) Identity() (name, email string, err error) {
	user, err := r.personal()
	if err != nil {
		return "", "", err
	}
	pick := func(key string) string {
		if value, ok := r.config.lookup(key); ok {
			return value
		}
		return user.get(key)
	}
	return pick("user.name"), pick("user.email"), nil
}
