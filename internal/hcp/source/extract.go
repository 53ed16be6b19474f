package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/ids"
)

// limits bound what an archive may unpack to. They are those of a whole
// repository, of which the pack is a part; the store has tighter ones for the
// pack.
type limits struct {
	entries   int
	fileSize  int64
	totalSize int64
	depth     int
	// An archive may always unpack to ratioFrom bytes; beyond, only to ratio
	// times its own size.
	ratio, ratioFrom int64
}

func defaultLimits() limits {
	return limits{entries: 20_000, fileSize: 128 << 20, totalSize: 512 << 20, depth: 32, ratio: 100, ratioFrom: 32 << 20}
}

// extractor places the entries of one archive. It trusts no name: each becomes
// a clean relative path that nothing else has, also not in another case, and
// whose parents are folders. Links are only noted; they are made when every
// file is in its place, so that no file is ever written through one.
type extractor struct {
	ctx    context.Context
	root   *os.Root
	limits limits
	budget int64
	bytes  int64
	placed map[string]entry
	links  []link
}

// entry is what has a path. The key of placed is the path in one case.
type entry struct {
	path   string
	folder bool
}

type link struct{ path, target string }

func newExtractor(ctx context.Context, root *os.Root, l limits, archiveSize int64) *extractor {
	budget := min(l.totalSize, max(l.ratioFrom, archiveSize*l.ratio))
	return &extractor{ctx: ctx, root: root, limits: l, budget: budget, placed: map[string]entry{}}
}

// clean checks a name and returns it as a relative path with slashes.
func (x *extractor) clean(name string) (string, error) {
	switch {
	case !utf8.ValidString(name):
		return "", badArchive(name, "has a name that is not UTF-8")
	case strings.HasPrefix(name, "/"):
		return "", badArchive(name, "has an absolute name")
	case strings.ContainsRune(name, '\\'):
		return "", badArchive(name, "has a backslash in its name")
	case len(name) > 1024:
		return "", badArchive(name[:64]+"…", "has a name that is too long")
	}
	trimmed := strings.TrimSuffix(name, "/")
	for strings.HasPrefix(trimmed, "./") {
		trimmed = strings.TrimPrefix(trimmed, "./")
	}
	if trimmed == "" || trimmed == "." {
		return ".", nil
	}
	parts := strings.Split(trimmed, "/")
	if len(parts) > x.limits.depth {
		return "", badArchive(name, fmt.Sprintf("lies more than %d folders deep", x.limits.depth))
	}
	for _, part := range parts {
		if part == ".." {
			return "", badArchive(name, "has a name that leads outside")
		}
		if !ids.IsPathElement(part) {
			return "", badArchive(name, "has a name that not every platform allows")
		}
	}
	return trimmed, nil
}

// claim takes a path for an entry. A folder may be named again, a file not.
func (x *extractor) claim(rel string, folder bool) (known bool, err error) {
	if err := x.ctx.Err(); err != nil {
		return false, err
	}
	if parent := path.Dir(rel); parent != "." {
		if err := x.ensure(parent); err != nil {
			return false, err
		}
	}
	other, taken := x.placed[strings.ToLower(rel)]
	switch {
	case !taken && len(x.placed) >= x.limits.entries:
		return false, fault.Newf(CodeBadArchive, "the archive has more than %d files and folders", x.limits.entries).WithHint(plainArchive)
	case !taken:
		x.placed[strings.ToLower(rel)] = entry{rel, folder}
		return false, nil
	case other.path != rel:
		return false, badArchive(rel, fmt.Sprintf("differs from %q by case alone", other.path))
	case other.folder && folder:
		return true, nil
	default:
		return false, badArchive(rel, "is there twice")
	}
}

// ensure makes the folders above an entry.
func (x *extractor) ensure(rel string) error {
	known, err := x.claim(rel, true)
	if err != nil || known {
		return err
	}
	return x.made(rel, x.root.Mkdir(rel, 0o700))
}

// made turns a failure to write into a fault.
func (x *extractor) made(rel string, err error) error {
	if err == nil {
		return nil
	}
	why := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		why = e.Err
	}
	return fault.Newf(CodeFetchFailed, "cannot unpack %q: %s", rel, why).Because(err).
		WithHint("there must be room in the folder for temporary files")
}

func (x *extractor) folder(name string) error {
	rel, err := x.clean(name)
	if err != nil || rel == "." {
		return err
	}
	return x.ensure(rel)
}

func (x *extractor) file(name string, mode fs.FileMode, content io.Reader) error {
	rel, err := x.clean(name)
	if err != nil {
		return err
	}
	if rel == "." || strings.HasSuffix(name, "/") {
		return badArchive(name, "is a file with the name of a folder")
	}
	if _, err := x.claim(rel, false); err != nil {
		return err
	}
	perm := fs.FileMode(0o600)
	if mode&0o111 != 0 {
		perm = 0o700
	}
	out, err := x.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return x.made(rel, err)
	}
	err = x.pour(rel, out, content)
	if closeErr := out.Close(); err == nil {
		err = x.made(rel, closeErr)
	}
	return err
}

// pour copies a file's content within the bounds. Sizes that an archive
// declares are not looked at.
func (x *extractor) pour(rel string, out io.Writer, content io.Reader) error {
	most := min(x.limits.fileSize, x.budget-x.bytes)
	buffer := make([]byte, 64<<10)
	var written int64
	for {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		n, err := content.Read(buffer)
		if written += int64(n); written > most {
			return badArchive(rel, "is too large, or unpacks to far more than the archive's size")
		}
		if _, writeErr := out.Write(buffer[:n]); writeErr != nil {
			return x.made(rel, writeErr)
		}
		if errors.Is(err, io.EOF) {
			x.bytes += written
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// drain reads on to the end of a stream, within the same bounds.
func (x *extractor) drain(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, x.budget-x.bytes+1))
	if err == nil && n > x.budget-x.bytes {
		return fault.New(CodeBadArchive, "the archive unpacks to far more than its size").WithHint(plainArchive)
	}
	return err
}

// link notes a link whose target, by its text, lies inside.
func (x *extractor) link(name, target string) error {
	rel, err := x.clean(name)
	if err != nil {
		return err
	}
	if rel == "." {
		return badArchive(name, "is a link with the name of a folder")
	}
	if target == "" || !utf8.ValidString(target) || strings.ContainsRune(target, '\\') || path.IsAbs(target) || filepath.IsAbs(target) ||
		!filepath.IsLocal(filepath.FromSlash(path.Join(path.Dir(rel), target))) {
		return badArchive(name, fmt.Sprintf("is a link that leads outside, to %q", target))
	}
	if _, err := x.claim(rel, false); err != nil {
		return err
	}
	x.links = append(x.links, link{rel, target})
	return nil
}

// makeLinks makes the links, after everything else, and follows each: a chain
// of links may lead outside where each alone does not.
func (x *extractor) makeLinks() error {
	for _, l := range x.links {
		if err := x.root.Symlink(filepath.FromSlash(l.target), l.path); err != nil {
			return x.made(l.path, err)
		}
	}
	for _, l := range x.links {
		if _, err := x.root.Stat(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return badArchive(l.path, fmt.Sprintf("is a link that leads outside, to %q", l.target))
		}
	}
	return nil
}
