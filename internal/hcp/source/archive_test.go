package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridle/internal/kernel/fault"
)

// item is one entry of a test's archive. A kind of 0 is a plain file, or a
// folder if the name ends in "/".
type item struct {
	name, content string
	mode          int64
	kind          byte
	pax           map[string]string
}

func tarOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, i := range items {
		header := &tar.Header{Name: i.name, Mode: i.mode, Typeflag: i.kind, PAXRecords: i.pax}
		if header.Mode == 0 {
			header.Mode = 0o644
		}
		switch {
		case i.kind == tar.TypeSymlink || i.kind == tar.TypeLink:
			header.Linkname = i.content
		case i.kind == 0 && strings.HasSuffix(i.name, "/"):
			header.Typeflag = tar.TypeDir
		case i.kind == tar.TypeXGlobalHeader:
			header = &tar.Header{Typeflag: i.kind, PAXRecords: map[string]string{"comment": i.content}}
		case i.kind == 0:
			header.Typeflag, header.Size = tar.TypeReg, int64(len(i.content))
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatalf("%q: %v", i.name, err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, i.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipOf(t testing.TB, items ...item) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, i := range items {
		header := &zip.FileHeader{Name: i.name, Method: zip.Deflate}
		mode := fs.FileMode(i.mode)
		if mode == 0 {
			mode = 0o644
		}
		switch i.kind {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
		case tar.TypeFifo:
			mode |= fs.ModeNamedPipe
		case 's':
			mode |= fs.ModeSetuid
		case 'e':
			header.Flags |= 1
		case 0:
			if strings.HasSuffix(i.name, "/") {
				mode |= fs.ModeDir
			}
		}
		header.SetMode(mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			t.Fatalf("%q: %v", i.name, err)
		}
		if i.content != "" {
			if _, err := io.WriteString(entry, i.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// into unpacks data into a new folder beside which there is a file that must
// stay as it is.
func into(t testing.TB, data []byte, l limits) (string, error) {
	t.Helper()
	base := t.TempDir()
	archive, dest := filepath.Join(base, "archive"), filepath.Join(base, "dest")
	if err := os.WriteFile(archive, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dest, 0o700); err != nil {
		t.Fatal(err)
	}
	err := unpack(context.Background(), archive, dest, l)
	entries, readErr := os.ReadDir(base)
	if readErr != nil || len(entries) != 2 {
		t.Errorf("beside the archive: %v, %v", entries, readErr)
	}
	return dest, err
}

func formats(t testing.TB, items ...item) map[string][]byte {
	tarball := tarOf(t, items...)
	return map[string][]byte{"tar": tarball, "tar.gz": gzipOf(t, tarball), "zip": zipOf(t, items...)}
}

func TestArchivesUnpackToTheSameTree(t *testing.T) {
	for format, data := range formats(
		t,
		item{name: "./"}, item{name: "./top/"}, item{name: "./top/run", content: "#!/bin/sh\n", mode: 0o755}, item{name: "top/deep/er/file", content: "x"},
		item{name: "top/"}, item{name: "top/empty", content: ""}, item{name: "top/link", content: "deep/er/file", kind: tar.TypeSymlink},
		item{name: "top/up", content: "../top/run", kind: tar.TypeSymlink},
	) {
		dest, err := into(t, data, defaultLimits())
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		for name, want := range map[string]string{"top/run": "#!/bin/sh\n", "top/deep/er/file": "x", "top/empty": "", "top/link": "x", "top/up": "#!/bin/sh\n"} {
			got, err := os.ReadFile(filepath.Join(dest, name))
			if err != nil || string(got) != want {
				t.Errorf("%s: %s = %q, %v", format, name, got, err)
			}
		}
		for name, want := range map[string]fs.FileMode{"top/run": 0o700, "top/empty": 0o600, "top": 0o700} {
			if info, err := os.Stat(filepath.Join(dest, name)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %s has %v, %v", format, name, info.Mode(), err)
			}
		}
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	link := func(name, target string) item { return item{name: name, content: target, kind: tar.TypeSymlink} }
	file := func(name string) item { return item{name: name, content: "x"} }
	tight := defaultLimits()
	tight.entries, tight.fileSize, tight.totalSize, tight.depth = 5, 100, 150, 4
	for name, items := range map[string][]item{
		"absolute name":        {file("/etc/x")},
		"upwards":              {file("../x")},
		"upwards inside":       {file("a/../../x")},
		"upwards and back":     {file("a/../b")},
		"folder upwards":       {{name: "../x/"}},
		"backslash":            {file(`..\x`)},
		"drive":                {file("C:x")},
		"device":               {file("a/NUL")},
		"empty part":           {file("a//b")},
		"dot part":             {file("a/./b")},
		"control character":    {file("a\x1b[2Jb")},
		"not UTF-8":            {file("a\xff")},
		"too long":             {file(strings.Repeat("long/", 300) + "x")},
		"too deep":             {file("a/b/c/d/e")},
		"absolute link":        {link("l", "/etc/passwd")},
		"link upwards":         {link("l", "../x")},
		"link upwards inside":  {link("a/l", "../../x")},
		"link with backslash":  {link("l", `..\x`)},
		"write through a link": {link("l", "a"), file("l/x")},
		"link over a file":     {file("a"), link("a", "b")},
		"link over a folder":   {file("a/b"), link("a", "b")},
		"file over a link":     {link("a", "b"), file("a")},
		"file twice":           {file("a"), file("a")},
		"file and folder":      {file("a"), file("a/b")},
		"folder and file":      {file("a/b"), file("a")},
		"twice but for case":   {file("a"), file("A")},
		"folders but for case": {file("a/x"), file("A/y")},
		"special":              {{name: "p", kind: tar.TypeFifo}},
		"too many":             {file("1"), file("2"), file("3"), file("4"), file("5"), file("6")},
		"too many folders":     {file("1/2/3/x"), file("4/5/6")},
		"too large":            {{name: "a", content: strings.Repeat("x", 101)}},
		"too large together":   {{name: "a", content: strings.Repeat("x", 90)}, {name: "b", content: strings.Repeat("x", 90)}},
	} {
		for format, data := range formats(t, items...) {
			dest, err := into(t, data, tight)
			f := fault.From(err)
			if f == nil || f.Code != CodeBadArchive {
				t.Errorf("%s, %s: %v", name, format, err)
				continue
			}
			if strings.ContainsRune(f.Message, 0x1b) {
				t.Errorf("%s, %s: message %q", name, format, f.Message)
			}
			_ = filepath.WalkDir(dest, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type() == fs.ModeSymlink {
					t.Errorf("%s, %s: the link %s was made", name, format, path)
				}
				return nil
			})
		}
	}
}

func TestChainsOfLinksDoNotLeadOutside(t *testing.T) {
	for format, data := range formats(
		t,
		item{name: "a/b/c/"}, item{name: "a/b/c/d", content: "..", kind: tar.TypeSymlink},
		item{name: "l", content: "a/b/c/d/../../../..", kind: tar.TypeSymlink},
	) {
		_, err := into(t, data, defaultLimits())
		if !fault.Is(err, CodeBadArchive) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestEntriesThatOnlyOneFormatHas(t *testing.T) {
	for name, items := range map[string][]item{
		"hard link":    {{name: "a", content: "x"}, {name: "b", content: "a", kind: tar.TypeLink}},
		"device":       {{name: "a", kind: tar.TypeChar}},
		"block device": {{name: "a", kind: tar.TypeBlock}},
		"set-user-id":  {{name: "a", content: "x", mode: 0o4755}},
		"set-group-id": {{name: "a", content: "x", mode: 0o2755}},
	} {
		if _, err := into(t, tarOf(t, items...), defaultLimits()); !fault.Is(err, CodeBadArchive) {
			t.Errorf("tar, %s: %v", name, err)
		}
	}
	for name, items := range map[string][]item{
		"encrypted":   {{name: "a", content: "x", kind: 'e'}},
		"set-user-id": {{name: "a", content: "x", kind: 's'}},
		"long link":   {{name: "a", content: strings.Repeat("a/", 3000), kind: tar.TypeSymlink}},
		"empty link":  {{name: "a", content: "", kind: tar.TypeSymlink}},
	} {
		if _, err := into(t, zipOf(t, items...), defaultLimits()); !fault.Is(err, CodeBadArchive) {
			t.Errorf("zip, %s: %v", name, err)
		}
	}
	// git writes the commit's id as a comment in front.
	dest, err := into(t, tarOf(t, item{content: "0123", kind: tar.TypeXGlobalHeader}, item{name: "a", content: "x"}), defaultLimits())
	if entries, _ := os.ReadDir(dest); err != nil || len(entries) != 1 {
		t.Errorf("comment: %v, %v", entries, err)
	}
}

func TestCompressionBombsStopEarly(t *testing.T) {
	l := defaultLimits()
	l.ratioFrom = 1 << 20
	zeros := strings.Repeat("\x00", 3<<20)
	for format, data := range map[string][]byte{
		"tar.gz": gzipOf(t, tarOf(t, item{name: "a", content: zeros})),
		"zip":    zipOf(t, item{name: "a", content: zeros}),
		"behind": gzipOf(t, append(tarOf(t, item{name: "a", content: "x"}), zeros...)),
	} {
		dest, err := into(t, data, l)
		if !fault.Is(err, CodeBadArchive) || fault.From(err).Hint != plainArchive {
			t.Errorf("%s: %v", format, err)
		}
		if info, err := os.Stat(filepath.Join(dest, "a")); err == nil && info.Size() > 1<<20 {
			t.Errorf("%s: %d bytes were written", format, info.Size())
		}
	}
	if _, err := into(t, tarOf(t, item{name: "a", content: zeros}), l); err != nil {
		t.Errorf("an archive as large as its content: %v", err)
	}
}

func TestDamagedArchivesAreRefused(t *testing.T) {
	for format, data := range formats(t, item{name: "a", content: strings.Repeat("content ", 4000)}, item{name: "b", content: "x"}) {
		for _, cut := range []int{0, 10, len(data) / 2, len(data) - 600, len(data) - 5} {
			if format == "tar" && cut > len(data)-1100 {
				continue // only the zeros of the end are missing
			}
			if _, err := into(t, data[:max(cut, 0)], defaultLimits()); !fault.Is(err, CodeBadArchive) {
				t.Errorf("%s cut at %d of %d: %v", format, cut, len(data), err)
			}
		}
		if format == "tar" {
			continue // has no checksum over contents
		}
		flipped := bytes.Clone(data)
		flipped[len(flipped)/3] ^= 0x40
		if _, err := into(t, flipped, defaultLimits()); !fault.Is(err, CodeBadArchive) {
			t.Errorf("%s with a flipped bit: %v", format, err)
		}
	}
	for name, data := range map[string]string{"text": "hello", "xz": "\xfd7zXZ\x00", "html": "<!doctype html>"} {
		if _, err := into(t, []byte(data), defaultLimits()); !fault.Is(err, CodeBadArchive) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSparseFilesAreRefused(t *testing.T) {
	// Both forms promise a terabyte in a few bytes.
	x := newExtractor(t.Context(), nil, defaultLimits(), 0)
	err := x.tarEntry(&tar.Header{Name: "a", Typeflag: tar.TypeReg, PAXRecords: map[string]string{"GNU.sparse.major": "1", "GNU.sparse.realsize": "1099511627776"}}, strings.NewReader(""))
	if !fault.Is(err, CodeBadArchive) {
		t.Errorf("PAX: %v", err)
	}
	err = x.tarEntry(&tar.Header{Name: "a", Typeflag: tar.TypeGNUSparse, Size: 1 << 40}, strings.NewReader(""))
	if !fault.Is(err, CodeBadArchive) {
		t.Errorf("GNU: %v", err)
	}
}

func TestUnpackingStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	base := t.TempDir()
	archive := filepath.Join(base, "a.zip")
	if err := os.WriteFile(archive, zipOf(t, item{name: "a", content: "x"}), 0o600); err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(base, "dest")
	if err := os.Mkdir(dest, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unpack(ctx, archive, dest, defaultLimits()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, data := range formats(f, item{name: "a/b", content: "x"}, item{name: "l", content: "a/b", kind: tar.TypeSymlink}) {
		f.Add(data)
	}
	for _, data := range formats(f, item{name: "../x", content: "x"}) {
		f.Add(data)
	}
	l := limits{entries: 50, fileSize: 1 << 12, totalSize: 1 << 14, depth: 5, ratio: 10, ratioFrom: 1 << 13}
	f.Fuzz(func(t *testing.T, data []byte) {
		dest, err := into(t, data, l)
		if err != nil && !fault.Is(err, CodeBadArchive) && !fault.Is(err, CodeFetchFailed) {
			t.Fatal(err)
		}
		var size int64
		_ = filepath.WalkDir(dest, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			switch {
			case d.Type() == fs.ModeSymlink:
				end, err := filepath.EvalSymlinks(path)
				real, _ := filepath.EvalSymlinks(dest)
				if err == nil && end != real && !strings.HasPrefix(end, real+"/") {
					t.Fatalf("%s leads to %s", path, end)
				}
			case d.Type().IsRegular():
				info, err := d.Info()
				if err != nil || info.Mode()&^0o700 != 0 {
					t.Fatalf("%s: %v, %v", path, info.Mode(), err)
				}
				size += info.Size()
			case !d.IsDir():
				t.Fatal(fmt.Sprint(path, d.Type()))
			}
			return nil
		})
		if size > l.totalSize {
			t.Fatalf("%d bytes", size)
		}
	})
}
