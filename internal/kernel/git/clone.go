package git

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"bridle/internal/kernel/fault"
)

// CloneOptions bound a clone.
type CloneOptions struct {
	// Timeout bounds all of it; two minutes when zero.
	Timeout time.Duration
	// Scratch is an empty folder that stands for the home folder meanwhile.
	Scratch string
	// AllowFile also admits file URLs.
	AllowFile bool
}

// Clone fetches one commit of a repository, without its history, into dest,
// which it makes, and checks its files out. The ref is a branch, a tag or a
// full commit id; empty means the repository's default branch. Nothing that
// the repository brings is run, no submodule is entered, no redirect followed,
// no credential sent.
func (p Program) Clone(ctx context.Context, from, ref, dest string, opts CloneOptions) error {
	if err := checkURL(from, opts.AllowFile); err != nil {
		return err
	}
	if ref == "" {
		ref = "HEAD"
	} else if err := CheckRef(ref); err != nil {
		return err
	}
	if !filepath.IsAbs(dest) || !filepath.IsAbs(opts.Scratch) {
		return fault.New(fault.CodeInternal, "a clone needs absolute folders")
	}
	if err := os.Mkdir(dest, 0o700); err != nil {
		return fault.Newf(CodeFailed, "the folder %q cannot be made", dest).Because(err)
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 2 * time.Minute
	}
	allow := []string{"https"}
	if opts.AllowFile {
		allow = append(allow, "file")
	}
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	for _, args := range [][]string{
		{"init", "--quiet", "--template=", "."},
		{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--", from, ref},
		{"checkout", "--quiet", "--force", "--no-recurse-submodules", "--detach", "FETCH_HEAD"},
	} {
		if _, err := p.run(ctx, call{dir: dest, home: opts.Scratch, args: args, timeout: opts.Timeout, allow: allow}); err != nil {
			return err
		}
	}
	return nil
}

// checkURL admits what is plainly one of the allowed transports. Anything else,
// such as "ext::" or "host:path", means a program or a login to git.
func checkURL(from string, allowFile bool) error {
	u, err := url.Parse(from)
	switch {
	case err != nil:
		return fault.New(CodeBadURL, "the URL of the repository cannot be read").Because(err)
	case u.Scheme == "https" && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "":
		return nil
	case u.Scheme == "file" && u.Host == "" && allowFile:
		return nil
	}
	return fault.Newf(CodeBadURL, "%q is no https URL of a repository without credentials", u.Redacted())
}
