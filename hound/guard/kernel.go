package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"io/fs"
	"strings"
	"sync"

	"bridle"
	"bridle/hound"
)

// Kernel says which kernel this is: its version, and the hash of the sources it
// was built from.
func Kernel() (hound.Kernel, error) {
	sum, err := kernelSum()
	return hound.Kernel{Version: hound.Version, SHA256: sum, Dependencies: map[string]string{}}, err
}

// kernelSum is the hash over package, file name and content of every source file
// but the tests, in the order of their names.
var kernelSum = sync.OnceValues(func() (string, error) {
	sum := sha256.New()
	piece := make([]byte, 32<<10) // no file is copied as a whole: that would cost more than the hash
	for _, pkg := range bridle.KernelPackages {
		entries, err := fs.ReadDir(bridle.KernelSources, pkg)
		if err != nil {
			return "", err
		}
		for _, entry := range entries {
			if entry.IsDir() || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			if err := addSource(sum, pkg+"/"+entry.Name(), piece); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})

// addSource adds a file's name and content, each with a NUL at its end.
func addSource(sum hash.Hash, name string, piece []byte) error {
	file, err := bridle.KernelSources.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	sum.Write(append([]byte(name), 0))
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{file}, piece); err != nil {
		return err
	}
	sum.Write([]byte{0})
	return nil
}
