package journal

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// CodeBadKey is a key file that cannot be used.
const CodeBadKey = "bad_key"

// KeyedDigest returns the HMAC-SHA-256 of canonical under key, in lower-case
// hex.
func KeyedDigest(key, canonical []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(canonical)
	return hex.EncodeToString(mac.Sum(nil))
}

// Key returns the key that the file at path holds: KeySize random bytes, made
// once with mode 0600. Of several processes that make it at once, all get the
// key of one. A file of this user that others can read is made private again: who
// read it could guess what was digested, and a new key would not take that back.
// One that others can write is refused, since they may know the key that it has.
func Key(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	fresh := make([]byte, KeySize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	switch err := durable.CreateFile(path, fresh, 0o600); {
	case err == nil:
		return fresh, nil
	case errors.Is(err, fs.ErrExist):
		return readKey(path)
	default:
		return nil, err
	}
}

func readKey(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, durable.Explain("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.Newf(CodeBadKey, "key %q is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|guarded, 0)
	if err != nil {
		return nil, durable.Explain("read", path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, durable.Explain("read", path, err)
	}
	if isWritableByOthers(info) {
		return nil, fault.Newf(CodeBadKey, "key %q can be written by others", path).
			WithHint("others may have chosen it: remove the file to get a new one; digests made with the two cannot be compared")
	}
	if isReadableByOthers(info) {
		if err := f.Chmod(info.Mode().Perm() & 0o700); err != nil {
			return nil, durable.Explain("make private", path, err)
		}
	}
	key := make([]byte, KeySize+1)
	n, err := io.ReadFull(f, key)
	if !errors.Is(err, io.ErrUnexpectedEOF) || n != KeySize {
		return nil, fault.Newf(CodeBadKey, "key %q does not hold %d bytes", path, KeySize)
	}
	return key[:KeySize], nil
}
