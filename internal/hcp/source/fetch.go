package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/git"
	"bridle/internal/kernel/netguard"
	"bridle/internal/kernel/redact"
)

// Options are what fetching needs to know of the world.
type Options struct {
	// Dir is where relative paths start.
	Dir string
	// Temp is the folder for temporary files.
	Temp string
	// Path is the PATH on which git and npm are found.
	Path string
	// UserHome is the person's home folder, whose .npmrc names registries.
	UserHome string
	// Lookup reads the variables of the environment that .npmrc names.
	Lookup func(name string) (string, bool)
	// GitHubToken is sent to GitHub's API. It may be empty.
	GitHubToken redact.Secret
	// NoFallback forbids the bundled gold packs to stand in.
	NoFallback bool
	// HTTP is the client for the web; one with the usual rules when nil.
	HTTP *netguard.Client
	// GitHub says where GitHub is; the real one when zero.
	GitHub Sites
}

// Sites are the two addresses of a GitHub.
type Sites struct {
	Web, API string
	// AllowFile admits file URLs as Web.
	AllowFile bool
}

// Fetched is a folder to install. Close removes it if it is temporary.
type Fetched struct {
	Dir    string
	Source string // the argument, for the record
	Note   string // what a person should know, such as that another pack stands in
	close  func()
}

// Close removes what was made for the installation.
func (f *Fetched) Close() {
	if f != nil && f.close != nil {
		f.close()
		f.close = nil
	}
}

// How long and how much may be fetched.
const (
	downloadTime = 5 * time.Minute
	downloadSize = 128 << 20
)

// Fetch makes a folder of an argument.
func Fetch(ctx context.Context, text string, opts Options) (*Fetched, error) {
	a, err := Parse(text)
	if err != nil {
		return nil, err
	}
	f := &fetcher{argument: a, opts: opts}
	dir, err := f.fetch(ctx)
	note := ""
	if fault.Is(err, CodeFetchFailed) {
		if id := a.gold(); id != "" && !opts.NoFallback {
			dir, note, err = f.standIn(id)
		}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return &Fetched{Dir: dir, Source: a.Text, Note: note, close: f.close}, nil
}

// fetcher is one fetching, with the temporary folder that it made.
type fetcher struct {
	argument Argument
	opts     Options
	temp     string
}

func (f *fetcher) close() {
	if f.temp != "" {
		_ = os.RemoveAll(f.temp)
	}
}

func (f *fetcher) fetch(ctx context.Context) (dir string, err error) {
	switch f.argument.kind {
	case local:
		return f.local(ctx)
	case webArchive:
		return f.web(ctx)
	case gitHub:
		return f.gitHub(ctx)
	case npmPackage:
		return f.npmPackage(ctx)
	default:
		return f.npmLocal(ctx)
	}
}

// folder makes a folder of the given name below the temporary one.
func (f *fetcher) folder(name string) (string, error) {
	if f.temp == "" {
		temp, err := os.MkdirTemp(f.opts.Temp, "hcpx-fetch-")
		if err == nil {
			temp, err = filepath.EvalSymlinks(temp)
		}
		if err != nil {
			return "", fault.Newf(CodeFetchFailed, "cannot make a temporary folder in %q", f.opts.Temp).Because(err).
				WithHint("set TMPDIR to a folder that you may write to")
		}
		f.temp = temp
	}
	dir := filepath.Join(f.temp, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fault.Newf(CodeFetchFailed, "cannot make the temporary folder %q", dir).Because(err)
	}
	return dir, nil
}

// place is the absolute path of a local argument.
func (f *fetcher) place() (string, fs.FileInfo, error) {
	path := f.argument.path
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.opts.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fault.Newf(CodeNoPack, "there is nothing at %q", f.argument.path).
			WithHint(forms).WithNext("hcpx help install")
	case err != nil:
		return "", nil, fault.Newf(CodeBadSource, "cannot read %q", f.argument.path).Because(err)
	}
	return path, info, nil
}

func (f *fetcher) local(ctx context.Context) (string, error) {
	path, info, err := f.place()
	if err != nil || info.IsDir() {
		return path, err
	}
	if !info.Mode().IsRegular() || formatOf(path) == "" {
		return "", badSource(f.argument.Text, "it is no folder and no archive")
	}
	return f.unpacked(ctx, path)
}

// unpacked unpacks an archive and finds the pack in it.
func (f *fetcher) unpacked(ctx context.Context, archive string) (string, error) {
	dest, err := f.folder("unpacked")
	if err != nil {
		return "", err
	}
	if err := unpack(ctx, archive, dest, defaultLimits()); err != nil {
		return "", err
	}
	return packageDir(inner(dest))
}

// inner is the folder itself, or the only folder in it, as archives of
// repositories and npm's have one around everything.
func inner(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !entries[0].IsDir() {
		return dir
	}
	return filepath.Join(dir, entries[0].Name())
}

// packageDir is the folder of the pack in a package: the one that its
// package.json names as "hcp": {"pack": …}, else the package's own.
func packageDir(root string) (string, error) {
	const longest = 1 << 20
	info, err := os.Lstat(filepath.Join(root, "package.json"))
	if err != nil || !info.Mode().IsRegular() {
		return root, nil //nolint:nilerr // a folder without the file is its own pack
	}
	if info.Size() > longest {
		return "", fault.New(CodeBadSource, "the package's package.json is too large")
	}
	data, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return "", fault.New(CodeBadSource, "the package's package.json cannot be read").Because(err)
	}
	var doc struct {
		HCP *struct {
			Pack string `json:"pack"`
		} `json:"hcp"`
	}
	if _, err := canon.DecodeOpen(data, &doc, canon.Limits{MaxBytes: longest}); err != nil {
		return "", fault.Newf(CodeBadSource, "the package's package.json cannot be used: %s", err).Because(err)
	}
	if doc.HCP == nil || doc.HCP.Pack == "" {
		return root, nil
	}
	return subfolder(root, doc.HCP.Pack)
}

// subfolder is a folder below root, by its text and in fact.
func subfolder(root, rel string) (string, error) {
	clean := strings.TrimSuffix(strings.TrimPrefix(rel, "./"), "/")
	if clean == "" || clean == "." {
		return root, nil
	}
	if !isFolder(clean) {
		return "", fault.Newf(CodeBadSource, "the folder %q does not lie inside", rel)
	}
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", fault.New(CodeNoPack, "the folder is gone").Because(err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(clean)))
	if err != nil {
		return "", fault.Newf(CodeNoPack, "there is no folder %q in it", rel).Because(err).
			WithHint("name the folder that holds surface.json")
	}
	if !strings.HasPrefix(dir, base+string(filepath.Separator)) {
		return "", fault.Newf(CodeBadSource, "the folder %q does not lie inside", rel)
	}
	return dir, nil
}

// client returns the client for the web and how to be done with it.
func (f *fetcher) client() (*netguard.Client, func()) {
	if f.opts.HTTP != nil {
		return f.opts.HTTP, func() {}
	}
	c := netguard.New(netguard.Options{UserAgent: "hcpx"})
	return c, c.Close
}

func (f *fetcher) web(ctx context.Context) (string, error) {
	archive, err := f.download(ctx, netguard.Request{URL: f.argument.url})
	if err != nil {
		return "", fetchFailed(f.argument.Text, err)
	}
	return f.unpacked(ctx, archive)
}

// download stores the answer to a request in a file.
func (f *fetcher) download(ctx context.Context, r netguard.Request) (string, error) {
	dir, err := f.folder("download")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "archive")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fault.New(CodeFetchFailed, "cannot make a temporary file").Because(err)
	}
	client, done := f.client()
	defer done()
	r.MaxBytes, r.Timeout = downloadSize, downloadTime
	answer, err := client.Download(ctx, r, file)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", err
	}
	if answer.Status != 200 {
		return "", fault.Newf(CodeFetchFailed, "%q answered with status %d", answer.URL, answer.Status)
	}
	return path, nil
}

// program finds git, if there is one.
func (f *fetcher) program() (git.Program, error) { return git.Find(f.opts.Path) }
