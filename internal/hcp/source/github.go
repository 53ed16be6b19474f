package source

import (
	"context"
	"net/url"
	"path/filepath"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/netguard"
)

func (s Sites) orReal() Sites {
	if s.Web == "" {
		s.Web = "https://github.com"
	}
	if s.API == "" {
		s.API = "https://api.github.com"
	}
	return s
}

// gitHub clones the repository, and takes its tarball where that fails, as for
// a private one: only the tarball is asked for with the token.
func (f *fetcher) gitHub(ctx context.Context) (string, error) {
	root, cloneErr := f.clone(ctx)
	if cloneErr != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		archive, err := f.tarball(ctx)
		if err != nil {
			return "", fetchFailed(f.argument.Text, cloneErr, err)
		}
		dest, err := f.folder("unpacked")
		if err != nil {
			return "", err
		}
		if err := unpack(ctx, archive, dest, defaultLimits()); err != nil {
			return "", err
		}
		root = inner(dest)
	}
	if f.argument.folder != "" {
		return subfolder(root, f.argument.folder)
	}
	return packageDir(root)
}

func (f *fetcher) clone(ctx context.Context) (string, error) {
	program, err := f.program()
	if err != nil {
		return "", err
	}
	scratch, err := f.folder("scratch")
	if err != nil {
		return "", err
	}
	sites := f.opts.GitHub.orReal()
	dest := filepath.Join(f.temp, "clone")
	from := sites.Web + "/" + f.argument.owner + "/" + f.argument.repo + ".git"
	return dest, program.Clone(ctx, from, f.argument.ref, dest, git.CloneOptions{Scratch: scratch, AllowFile: sites.AllowFile})
}

func (f *fetcher) tarball(ctx context.Context) (string, error) {
	address := f.opts.GitHub.orReal().API + "/repos/" + f.argument.owner + "/" + f.argument.repo + "/tarball"
	if f.argument.ref != "" {
		address += "/" + (&url.URL{Path: f.argument.ref}).EscapedPath()
	}
	header := netguard.Header{"Accept": {"application/vnd.github+json"}}
	if token := f.opts.GitHubToken.Reveal(); token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	archive, err := f.download(ctx, netguard.Request{URL: address, Header: header})
	if err != nil && f.opts.GitHubToken.Reveal() == "" {
		return "", fault.From(err).WithHint("check the name; for a private repository set GITHUB_TOKEN")
	}
	return archive, err
}
