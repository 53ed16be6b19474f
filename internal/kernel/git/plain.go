package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotPlain says that what has a file's name is a pipe, a device or a folder,
// ErrTooLong that a file is longer than what it holds can be.
var (
	ErrNotPlain = errors.New("it is no regular file")
	ErrTooLong  = errors.New("it is too long")
)

// The bounds of what git keeps in files of its own.
const (
	maxLine     = 64 << 10 // HEAD, or the way to another folder
	maxRules    = 16 << 20
	maxPacked   = 1 << 30
	maxLooseRaw = 1 << 40 // git itself has no bound
)

// ReadPlain returns the content of a regular file, links followed, that is not
// longer than a limit. A repository may have anything in the place of a file of
// git's: an open of a pipe would wait for ever, and a device never ends. The null
// device counts as an empty file, which people link configuration to.
func ReadPlain(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case isNull(info):
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, ErrNotPlain
	case info.Size() > limit:
		return nil, ErrTooLong
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLong
	}
	return data, err
}

func isNull(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}
