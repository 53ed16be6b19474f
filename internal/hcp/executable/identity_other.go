//go:build !linux && !darwin

package executable

import "io/fs"

// identityOf has size and time of writing alone where the portable interface
// tells no more.
func identityOf(info fs.FileInfo) Identity {
	return Identity{Size: info.Size(), Mode: uint32(info.Mode()), Written: info.ModTime().UnixNano()}
}
