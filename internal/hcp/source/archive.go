package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"bridle/internal/kernel/fault"
)

// The formats of archives.
const (
	formatTarGz = "tar.gz"
	formatTar   = "tar"
	formatZip   = "zip"
)

// formatOf tells the format by the name, or nothing.
func formatOf(name string) string {
	name = strings.ToLower(name)
	switch {
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		return formatTarGz
	case strings.HasSuffix(name, ".tar"):
		return formatTar
	case strings.HasSuffix(name, ".zip"):
		return formatZip
	}
	return ""
}

// sniff tells the format by how the file begins, since names and servers err.
func sniff(file *os.File) (string, error) {
	start := make([]byte, 512)
	n, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	start = start[:n]
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return formatTarGz, nil
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")):
		return formatZip, nil
	case len(start) >= 262 && string(start[257:262]) == "ustar":
		return formatTar, nil
	}
	return "", nil
}

// unpack unpacks an archive into dest, an empty folder.
func unpack(ctx context.Context, archive, dest string, limits limits) error {
	file, err := os.Open(archive)
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return unreadable(err)
	}
	format, err := sniff(file)
	if err != nil {
		return unreadable(err)
	}
	root, err := os.OpenRoot(dest)
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = root.Close() }()
	x := newExtractor(ctx, root, limits, info.Size())
	switch format {
	case formatTarGz:
		err = x.tarGz(file)
	case formatTar:
		err = x.tar(file)
	case formatZip:
		err = x.zip(file, info.Size())
	default:
		return fault.New(CodeBadArchive, "the file is no archive of a known format").
			WithHint("known are .tar.gz, .tgz, .tar and .zip")
	}
	if err == nil {
		err = x.makeLinks()
	}
	return err
}

func unreadable(err error) error {
	return fault.New(CodeBadArchive, "the archive cannot be read").Because(err).
		WithHint("it may be damaged or cut short; fetch it again")
}

// broken keeps refusals and cancellations as they are; everything else that a
// reader reports means a damaged archive.
func broken(err error) error {
	if err == nil || fault.CodeOf(err) != "" || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return unreadable(err)
}

func (x *extractor) tarGz(r io.Reader) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return unreadable(err)
	}
	if err := x.tar(unzipped); err != nil {
		return err
	}
	// The checksum stands behind the last byte.
	return broken(x.drain(unzipped))
}

func (x *extractor) tar(r io.Reader) error {
	reader := tar.NewReader(r)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return broken(err)
		}
		if err := x.tarEntry(header, reader); err != nil {
			return broken(err)
		}
	}
}

func (x *extractor) tarEntry(header *tar.Header, r io.Reader) error {
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return badArchive(header.Name, "is a file with holes")
		}
	}
	mode := fs.FileMode(header.Mode & 0o777)
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil // a comment, such as the commit's id
	case tar.TypeDir:
		return x.folder(header.Name)
	case tar.TypeReg:
		if header.Mode&0o6000 != 0 {
			return badArchive(header.Name, "is a set-id file")
		}
		return x.file(header.Name, mode, r)
	case tar.TypeSymlink:
		return x.link(header.Name, header.Linkname)
	case tar.TypeLink:
		return badArchive(header.Name, "is a second name of another file")
	default:
		return badArchive(header.Name, "is a special file")
	}
}

func (x *extractor) zip(r io.ReaderAt, size int64) error {
	reader, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return unreadable(err)
	}
	for _, entry := range reader.File {
		if err := x.zipEntry(entry); err != nil {
			return broken(err)
		}
	}
	return nil
}

func (x *extractor) zipEntry(entry *zip.File) error {
	const encrypted = 1
	mode := entry.Mode()
	switch {
	case entry.Flags&encrypted != 0:
		return badArchive(entry.Name, "is encrypted")
	case strings.HasSuffix(entry.Name, "/"):
		if !mode.IsDir() {
			return badArchive(entry.Name, "is a file with the name of a folder")
		}
		return x.folder(entry.Name)
	case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return badArchive(entry.Name, "is a set-id file")
	case !mode.IsRegular() && mode.Type() != fs.ModeSymlink:
		return badArchive(entry.Name, "is a special file")
	}
	content, err := entry.Open()
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	if mode.Type() != fs.ModeSymlink {
		return x.file(entry.Name, mode.Perm(), content)
	}
	const longest = 4096
	target, err := io.ReadAll(io.LimitReader(content, longest+1))
	if err != nil {
		return err
	}
	if len(target) > longest {
		return badArchive(entry.Name, "is a link with an endless target")
	}
	return x.link(entry.Name, string(target))
}
