package houndcli

import (
	"context"
	"path/filepath"
	"strings"

	"bridle/hound"
	"bridle/internal/hound/document"
	"bridle/internal/hound/manifest"
	"bridle/internal/hound/record"
	"bridle/internal/hound/view"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/git"
)

// systemPath is where git is looked for.
const systemPath = "/usr/bin:/bin:/usr/local/bin"

// runRoot is where the records of a driver lie, or without one those of the
// repository that the command runs in.
func runRoot(c *cli.Call, driver string) (string, error) {
	if driver == "" {
		root, err := git.Root(c.Dir)
		if err != nil {
			return "", err
		}
		return below(root, hound.DefaultRunRoot)
	}
	m, err := manifest.Load(resolve(c, driver))
	if err != nil {
		return "", err
	}
	root, err := m.Root()
	if err != nil {
		return "", err
	}
	return below(root, m.RunRootPath())
}

// below is a run root in its repository. Behind a link it would be another one's,
// whose records are not to be removed from here.
func below(root, runs string) (string, error) {
	at := filepath.Join(root, filepath.FromSlash(runs))
	return at, record.Reachable(root, runs+"/record")
}

// before finds what files were: a working file or a blob of HEAD with the hash
// that is asked for. Outside a repository there is nothing.
func before(ctx context.Context, c *cli.Call, driver string) view.Source {
	none := func(string, string) ([]byte, string, bool) { return nil, "", false }
	root, err := git.Root(c.Dir)
	if driver != "" {
		var m *manifest.Manifest
		if m, err = manifest.Load(resolve(c, driver)); err == nil {
			root, err = m.Root()
		}
	}
	if err != nil {
		return none
	}
	return func(path, sum string) ([]byte, string, bool) {
		if body, mode, err := readWithMode(filepath.Join(root, filepath.FromSlash(path))); err == nil && document.Sum(body) == sum {
			return body, mode, true
		}
		body, mode, err := committed(ctx, c, root, path)
		return body, mode, err == nil && document.Sum(body) == sum
	}
}

// committed returns the blob that HEAD has at a path.
func committed(ctx context.Context, c *cli.Call, root, path string) ([]byte, string, error) {
	program, err := git.Find(systemPath)
	if err != nil {
		return nil, "", err
	}
	repository, err := git.Open(ctx, root, git.Options{Program: program, Home: c.Home, Clock: c.Clock})
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = repository.Close() }()
	head, err := repository.Head(ctx)
	if err != nil {
		return nil, "", err
	}
	commit, err := repository.Commit(ctx, head.Commit)
	if err != nil {
		return nil, "", err
	}
	return blobAt(ctx, repository, commit.Tree, path)
}

func blobAt(ctx context.Context, repository *git.Repository, tree git.OID, path string) ([]byte, string, error) {
	name, rest, deeper := strings.Cut(path, "/")
	entries, err := repository.Tree(ctx, tree)
	if err != nil {
		return nil, "", err
	}
	for _, entry := range entries {
		switch {
		case entry.Name != name:
		case deeper:
			return blobAt(ctx, repository, entry.ID, rest)
		case entry.Mode == git.ModeExec:
			body, err := repository.Blob(ctx, entry.ID)
			return body, "0755", err
		default:
			body, err := repository.Blob(ctx, entry.ID)
			return body, "0644", err
		}
	}
	return nil, "", errNotThere
}
