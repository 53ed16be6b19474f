package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"bridle/internal/kernel/fault"
)

// Sum returns the hash of bytes.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Read returns the content of a regular file, bounded. Reading a pipe or a
// device could wait for ever; but a descriptor that the caller names as a file,
// as a shell does for <(command), is there to be read whatever it is.
func Read(path, code string, exit int) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, unreadable(path, code, exit, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, unreadable(path, code, exit, err)
	}
	if !info.Mode().IsRegular() && !isDescriptor(path) {
		return nil, fault.Newf(code, "%q is no regular file", path).WithExit(exit)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, unreadable(path, code, exit, err)
	}
	if len(data) > MaxBytes {
		return nil, fault.Newf(code, "%q is larger than %d bytes", path, MaxBytes).WithExit(exit)
	}
	return data, nil
}

func isDescriptor(path string) bool {
	if path == "/dev/stdin" {
		return true
	}
	for _, folder := range [...]string{"/dev/fd/", "/proc/self/fd/"} {
		if number, found := strings.CutPrefix(path, folder); found {
			_, err := strconv.ParseUint(number, 10, 16)
			return err == nil
		}
	}
	return false
}

func unreadable(path, code string, exit int, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.Newf(code, "the file %q does not exist", path).Because(err).WithExit(exit)
	case errors.Is(err, fs.ErrPermission):
		return fault.Newf(code, "the file %q may not be read", path).Because(err).WithExit(exit)
	default:
		return fault.Newf(code, "the file %q cannot be read", path).Because(err).WithExit(exit)
	}
}
