package executable

import (
	"fmt"
	"io/fs"
	"os"

	"bridle/internal/kernel/fileid"
)

// identify stats a file that must be a regular one and no link.
func identify(path string) (fileid.Identity, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return fileid.Identity{}, err
	}
	if !info.Mode().IsRegular() {
		return fileid.Identity{}, fmt.Errorf("it is no regular file: %w", fs.ErrInvalid)
	}
	return fileid.Of(info), nil
}
