package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fault"
)

// unsafeTree is the fault of a folder that cannot become a pack of the store.
func unsafeTree(name, why string) error {
	return hinted(fault.Newf(pack.CodeUnsafePack, "%q %s", name, why))
}

// hinted adds what to do about a folder that is no pack of a store.
func hinted(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == pack.CodeUnsafePack && f.Hint == "" {
		return f.WithHint("a pack is a modest number of plain files and folders inside its own folder")
	}
	return err
}

// copyTree copies a pack's folder into dest, which must be empty. It takes
// files, folders and links as they are, the links unfollowed, and refuses what
// must not even be opened or would not end: special files, set-id files, and
// more than a pack may have. What a pack may consist of beyond that is judged
// on the copy, which nobody else changes. The copy is private; the executable
// bit is kept.
//
// The source may be changed by others meanwhile. Nothing is read outside of it
// all the same: every step goes through a root that links cannot leave.
func copyTree(ctx context.Context, source, dest string) error {
	from, err := os.OpenRoot(source)
	if err != nil {
		return sourceFault("open", source, err)
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenRoot(dest)
	if err != nil {
		return ioFault("open", dest, err)
	}
	defer func() { _ = to.Close() }()
	return (&copier{ctx: ctx, from: from, to: to}).folder(".", 0)
}

type copier struct {
	ctx      context.Context
	from, to *os.Root
	count    int
	bytes    int64
}

func (c *copier) folder(dir string, depth int) error {
	if depth > pack.MaxDepth {
		return unsafeTree(dir, fmt.Sprintf("lies more than %d folders deep", pack.MaxDepth))
	}
	entries, err := c.list(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if pack.IsVersionControl(entry.Name()) {
			continue
		}
		rel := path.Join(dir, entry.Name())
		if c.count++; c.count > pack.MaxEntries {
			return unsafeTree(rel, fmt.Sprintf("is one file too many: a pack has at most %d", pack.MaxEntries))
		}
		if err := c.entry(rel, depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) list(dir string) ([]fs.DirEntry, error) {
	file, err := c.from.OpenFile(dir, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, sourceFault("open", dir, err)
	}
	defer func() { _ = file.Close() }()
	// Enough to know that there are too many, with room for what is left out.
	entries, err := file.ReadDir(pack.MaxEntries + 16)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, sourceFault("list", dir, err)
	}
	return entries, nil
}

func (c *copier) entry(rel string, depth int) error {
	info, err := c.from.Lstat(rel)
	if err != nil {
		return sourceFault("read", rel, err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		if err := c.to.Mkdir(rel, dirMode); err != nil {
			return ioFault("create", rel, err)
		}
		return c.folder(rel, depth+1)
	case mode&fs.ModeSymlink != 0:
		target, err := c.from.Readlink(rel)
		if err == nil {
			err = c.to.Symlink(target, rel)
		}
		return ioFault("copy", rel, err)
	case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return unsafeTree(rel, "is a set-id file")
	case mode.IsRegular():
		return c.file(rel, info)
	default:
		return unsafeTree(rel, "is a special file")
	}
}

func (c *copier) file(rel string, info fs.FileInfo) error {
	in, err := c.from.OpenFile(rel, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return sourceFault("read", rel, err)
	}
	defer func() { _ = in.Close() }()
	opened, err := in.Stat()
	if err != nil {
		return sourceFault("read", rel, err)
	}
	if !os.SameFile(info, opened) || !opened.Mode().IsRegular() {
		return unsafeTree(rel, "was exchanged while it was copied")
	}
	out, err := createIn(c.to, rel, info.Mode())
	if err != nil {
		return ioFault("create", rel, err)
	}
	room := int64(pack.MaxBytes) - c.bytes
	written, err := io.Copy(out, io.LimitReader(in, room+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return ioFault("copy", rel, err)
	}
	if c.bytes += written; written > room {
		return unsafeTree(rel, fmt.Sprintf("brings the pack to more than %d bytes", pack.MaxBytes))
	}
	return nil
}

// fillTree writes a file system that comes with the program into dest.
func fillTree(tree fs.FS, dest string) error {
	to, err := os.OpenRoot(dest)
	if err != nil {
		return ioFault("open", dest, err)
	}
	defer func() { _ = to.Close() }()
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if entry.IsDir() {
			return to.Mkdir(name, dirMode)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		out, err := createIn(to, name, info.Mode())
		if err != nil {
			return err
		}
		_, err = out.Write(data)
		return errors.Join(err, out.Close())
	})
	return ioFault("unpack", dest, err)
}

// createIn makes a new private file, executable if the original is.
func createIn(to *os.Root, name string, original fs.FileMode) (*os.File, error) {
	mode := fs.FileMode(fileMode)
	if original.Perm()&0o111 != 0 {
		mode = dirMode
	}
	return to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}
