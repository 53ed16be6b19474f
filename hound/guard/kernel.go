package guard

import (
	"crypto/sha256"
	"encoding/hex"
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
	part := func(data []byte) {
		sum.Write(data)
		sum.Write([]byte{0})
	}
	for _, pkg := range bridle.KernelPackages {
		entries, err := fs.ReadDir(bridle.KernelSources, pkg)
		if err != nil {
			return "", err
		}
		for _, entry := range entries {
			if entry.IsDir() || strings.HasSuffix(entry.Name(), "_test.go") {
				continue
			}
			data, err := bridle.KernelSources.ReadFile(pkg + "/" + entry.Name())
			if err != nil {
				return "", err
			}
			part([]byte(pkg + "/" + entry.Name()))
			part(data)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})
