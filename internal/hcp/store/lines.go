package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"bridle/internal/hcp/pack"
	"bridle/internal/kernel/fileid"
)

// A record carries the content of a pack as one line of text for each file and
// folder. Every call reads it, and such lines are read several times faster
// than objects with a dozen members each:
//
//	file    sha256 exec size dev ino isize mode mtime ctime path
//	link    - exec size dev ino isize mode mtime ctime path NUL target
//	folder  dev ino isize mode mtime ctime path
//
// Numbers are decimal, exec is 0 or 1, and the path is the rest of the line.

var errLine = errors.New("a line of its content cannot be read")

func fileLine(f pack.File) string {
	sum, path, exec := f.SHA256, f.Path, 0
	if f.Link != "" {
		sum, path = "-", f.Path+"\x00"+f.Link
	}
	if f.Exec {
		exec = 1
	}
	return fmt.Sprintf("%s %d %d %s %s", sum, exec, f.Size, identityWords(f.Identity), path)
}

func folderLine(f pack.Folder) string { return identityWords(f.Identity) + " " + f.Path }

func identityWords(i fileid.Identity) string {
	return fmt.Sprintf("%d %d %d %d %d %d", i.Device, i.Inode, i.Size, i.Mode, i.Modified, i.Changed)
}

// words takes the words of a line one by one, and remembers the first that is
// none of its kind.
type words struct {
	rest string
	bad  bool
}

func (w *words) next() string {
	word, rest, found := strings.Cut(w.rest, " ")
	w.rest, w.bad = rest, w.bad || !found || word == ""
	return word
}

func (w *words) signed() int64 {
	n, err := strconv.ParseInt(w.next(), 10, 64)
	w.bad = w.bad || err != nil
	return n
}

func (w *words) unsigned(bits int) uint64 {
	n, err := strconv.ParseUint(w.next(), 10, bits)
	w.bad = w.bad || err != nil
	return n
}

func (w *words) identity() fileid.Identity {
	return fileid.Identity{
		Device: w.unsigned(64), Inode: w.unsigned(64), Size: w.signed(),
		Mode: uint32(w.unsigned(32)), Modified: w.signed(), Changed: w.signed(),
	}
}

func parseFile(line string) (pack.File, error) {
	w := words{rest: line}
	f := pack.File{SHA256: w.next(), Exec: w.unsigned(1) == 1, Size: w.signed(), Identity: w.identity()}
	path, target, link := strings.Cut(w.rest, "\x00")
	f.Path, f.Link = path, target
	if f.SHA256 == "-" {
		f.SHA256 = ""
	}
	if w.bad || path == "" || link != (f.SHA256 == "") || link && target == "" || !link && len(f.SHA256) != 64 {
		return pack.File{}, errLine
	}
	return f, nil
}

func parseFolder(line string) (pack.Folder, error) {
	w := words{rest: line}
	f := pack.Folder{Identity: w.identity(), Path: w.rest}
	if w.bad || f.Path == "" {
		return pack.Folder{}, errLine
	}
	return f, nil
}

// fileLines and folderLines are lists of such lines in JSON.
type (
	fileLines   []pack.File
	folderLines []pack.Folder
)

func (l fileLines) MarshalJSONTo(enc *jsontext.Encoder) error { return writeLines(enc, l, fileLine) }

func (l *fileLines) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readLines(dec, (*[]pack.File)(l), parseFile)
}

func (l folderLines) MarshalJSONTo(enc *jsontext.Encoder) error {
	return writeLines(enc, l, folderLine)
}

func (l *folderLines) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return readLines(dec, (*[]pack.Folder)(l), parseFolder)
}

func writeLines[T any](enc *jsontext.Encoder, list []T, line func(T) string) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, item := range list {
		if err := enc.WriteToken(jsontext.String(line(item))); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

func readLines[T any](dec *jsontext.Decoder, list *[]T, parse func(string) (T, error)) error {
	return readStrings(dec, func(line string) error {
		item, err := parse(line)
		*list = append(*list, item)
		return err
	})
}

// readStrings reads a list of strings, and nothing else: null is no list.
func readStrings(dec *jsontext.Decoder, each func(string) error) error {
	start, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if start.Kind() != '[' {
		return errors.New("want a list")
	}
	for dec.PeekKind() != ']' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if token.Kind() != '"' {
			return errors.New("want a list of strings")
		}
		if err := each(token.String()); err != nil {
			return err
		}
	}
	_, err = dec.ReadToken()
	return err
}

// setContent keeps the content of a pack.
func (i *Installed) setContent(c pack.Content) {
	i.Digest, i.Taken, i.Files, i.Folders = c.Digest, c.Taken, c.Files, c.Folders
}

// content returns the content that was kept.
func (i *Installed) content() pack.Content {
	return pack.Content{Digest: i.Digest, Taken: i.Taken, Files: i.Files, Folders: i.Folders}
}
