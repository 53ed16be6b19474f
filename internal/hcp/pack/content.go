package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/fault"
	"bridle/internal/kernel/fileid"
)

// Content is what a pack's directory held when it was hashed: enough to tell
// later, for the price of one stat per file and folder, that it still holds
// exactly this.
type Content struct {
	// Digest is the SHA-256 over all files and links, in the order of their
	// paths: kind, path, whether the owner may execute it, size and SHA-256, or
	// the link's target. Folders count only by what is in them.
	Digest string `json:"digest"`
	// Taken is the time before the first file was looked at, in nanoseconds.
	Taken   int64    `json:"taken"`
	Files   []File   `json:"files"`
	Folders []Folder `json:"folders"`
}

// File is a file or a link of a pack.
type File struct {
	Path     string          `json:"path"`
	Size     int64           `json:"size"`
	Exec     bool            `json:"exec,omitempty"`
	Link     string          `json:"link,omitempty"`
	SHA256   string          `json:"sha256,omitempty"`
	Identity fileid.Identity `json:"identity,omitzero"`
}

// Folder is a directory of a pack; its identity moves when a name in it comes or
// goes.
type Folder struct {
	Path     string          `json:"path"`
	Identity fileid.Identity `json:"identity,omitzero"`
}

// same reports whether two files are the same content under the same path.
func (f File) same(g File) bool {
	return f.Path == g.Path && f.Size == g.Size && f.Exec == g.Exec && f.Link == g.Link && f.SHA256 == g.SHA256
}

// Hash reads the whole directory of a pack. What no pack may have (Walk says
// what that is) is refused with unsafe_pack, and so is a file that changes while
// it is read.
func Hash(dir string) (Content, error) {
	c := Content{Taken: now()}
	err := Walk(dir, func(e Entry) error {
		if e.Info.IsDir() {
			c.Folders = append(c.Folders, Folder{e.Path, fileid.Of(e.Info)})
			return nil
		}
		f, err := hashFile(dir, e.Path, e.Info)
		c.Files = append(c.Files, f)
		return err
	}, TreeProblem.fault)
	if err != nil {
		return Content{}, err
	}
	slices.SortFunc(c.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	c.Digest = c.digest()
	return c, nil
}

func (c *Content) digest() string {
	h := sha256.New()
	h.Write([]byte("hcp pack content 1\n"))
	for _, f := range c.Files {
		if f.Link != "" {
			fmt.Fprintf(h, "link\x00%s\x00%s\n", f.Path, f.Link)
			continue
		}
		fmt.Fprintf(h, "file\x00%s\x00%t\x00%d\x00%s\n", f.Path, f.Exec, f.Size, f.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashFile reads a file or link that info describes. That it is still the same
// file after it was opened and after it was read is part of the result.
func hashFile(dir, path string, info fs.FileInfo) (File, error) {
	f := File{Path: path, Size: info.Size(), Exec: info.Mode()&0o100 != 0, Identity: fileid.Of(info)}
	full := filepath.Join(dir, filepath.FromSlash(path))
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		if err != nil {
			return f, unstable(path, err)
		}
		f.Link, f.Size, f.Exec = filepath.ToSlash(target), 0, false
		return f, nil
	}
	r, err := os.OpenFile(full, openPlain, 0)
	if err != nil {
		return f, unstable(path, err)
	}
	defer r.Close()
	opened, err := r.Stat()
	if err != nil || !os.SameFile(info, opened) || !opened.Mode().IsRegular() {
		return f, unstable(path, err)
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, info.Size()+1))
	if err != nil || n != info.Size() {
		return f, unstable(path, err)
	}
	after, err := r.Stat()
	if err != nil || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) || fileid.Of(after) != f.Identity {
		return f, unstable(path, err)
	}
	f.SHA256 = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

func unstable(path string, err error) error {
	if exhausted(err) {
		return manyFiles(quote(path), err)
	}
	f := fault.Newf(CodeUnsafePack, "%s in the pack changed while it was read", quote(path))
	if err != nil {
		f = fault.Newf(CodeUnsafePack, "%s in the pack cannot be read", quote(path)).Because(err)
	}
	return f
}

// Changed compares the directory with the content and returns the paths of
// files that were added, removed or altered. It reads only files whose identity
// moved, or could not show a change. When that happened and nothing changed,
// moved is true and c was brought up to date: whoever keeps it saves the next
// call the reading.
func (c *Content) Changed(dir string) (changed []string, moved bool, err error) {
	if c.untouched(dir) {
		return nil, false, nil
	}
	fresh := Content{Digest: c.Digest, Taken: now()}
	list := false
	for _, folder := range c.Folders {
		look := os.Lstat
		if folder.Path == "." {
			look = os.Stat // the directory itself may be reached through a link
		}
		info, err := look(filepath.Join(dir, filepath.FromSlash(folder.Path)))
		if err != nil || !info.IsDir() || fileid.Of(info) != folder.Identity || !folder.Identity.Settled(c.Taken) {
			list = true
			break
		}
	}
	differs := map[string]bool{}
	if list || len(c.Folders) == 0 {
		if fresh.Folders, err = c.relist(dir, differs); err != nil {
			return nil, false, err
		}
	} else {
		fresh.Folders = c.Folders
	}
	touched := list
	for _, f := range c.Files {
		now, read, ok := f.look(dir, c.Taken)
		if !ok || !now.same(f) {
			differs[f.Path] = true
		}
		touched = touched || read
		fresh.Files = append(fresh.Files, now)
	}
	if len(differs) > 0 {
		return slices.Sorted(maps.Keys(differs)), false, nil
	}
	if touched {
		*c = fresh
	}
	return nil, touched, nil
}

// untouched reports whether every folder and file has the identity that it had, which
// proves that nothing changed, and is so at all calls but a few.
func (c *Content) untouched(dir string) bool {
	place, err := fileid.OpenPlace(dir)
	if err != nil {
		return false
	}
	defer place.Close()
	for i := range c.Folders {
		was := &c.Folders[i].Identity
		if id, known := place.Folder(c.Folders[i].Path); !known || id != *was || !was.Settled(c.Taken) {
			return false
		}
	}
	for i := range c.Files {
		was := &c.Files[i].Identity
		if id, known := place.File(c.Files[i].Path); !known || id != *was || !was.Settled(c.Taken) {
			return false
		}
	}
	return len(c.Folders) > 0
}

// relist walks the directory for names that came, and marks them. Names that
// went are found by looking for them.
func (c *Content) relist(dir string, differs map[string]bool) ([]Folder, error) {
	known := make(map[string]bool, len(c.Files))
	for _, f := range c.Files {
		known[f.Path] = true
	}
	var folders []Folder
	err := Walk(dir, func(e Entry) error {
		if e.Info.IsDir() {
			folders = append(folders, Folder{e.Path, fileid.Of(e.Info)})
		} else if !known[e.Path] {
			differs[e.Path] = true
		}
		return nil
	}, func(p TreeProblem) error {
		differs[p.Path] = true
		return nil
	})
	return folders, err
}

// look returns the file as it is now, whether it had to be read for that, and
// whether it could be.
func (f File) look(dir string, taken int64) (now File, read, ok bool) {
	info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path)))
	if err != nil {
		return f, false, false
	}
	if fileid.Of(info) == f.Identity && f.Identity.Settled(taken) {
		return f, false, true
	}
	isLink := info.Mode()&fs.ModeSymlink != 0
	if isLink != (f.Link != "") || !isLink && (!info.Mode().IsRegular() || info.Size() != f.Size) {
		return f, true, false
	}
	now, err = hashFile(dir, f.Path, info)
	return now, true, err == nil
}

// now is the machine's clock, not the caller's: it is compared with the times
// that the kernel writes into files, which no test clock controls.
func now() int64 { return clock.System().Now().UnixNano() }
