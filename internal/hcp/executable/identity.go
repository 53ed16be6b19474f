package executable

import (
	"fmt"
	"io/fs"
	"os"
)

// Identity tells one version of a file from another without reading it. Two
// files with equal identities have equal content, but for changes within one
// step of the file system's clock (see racy).
type Identity struct {
	Device  uint64 `json:"device"`
	Inode   uint64 `json:"inode"`
	Size    int64  `json:"size"`
	Mode    uint32 `json:"mode"`
	Changed int64  `json:"changed"`
	Written int64  `json:"written"`
}

// identify stats a file that must be a regular one and no link.
func identify(path string) (Identity, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Identity{}, err
	}
	if !info.Mode().IsRegular() {
		return Identity{}, fmt.Errorf("it is no regular file: %w", fs.ErrInvalid)
	}
	return identityOf(info), nil
}

// racy reports whether a file with this identity could have been changed after
// it was hashed without its times telling. Without times it always could.
func (i Identity) racy(hashedAt int64) bool {
	edge := hashedAt - int64(racyWindow)
	return i.Changed == 0 || i.Changed >= edge || i.Written >= edge
}
