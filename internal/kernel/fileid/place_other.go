//go:build !linux

package fileid

import "errors"

// Place is an opened folder, where a system has such a thing to look at files in.
type Place struct{}

// OpenPlace fails: whoever asks looks by the whole path.
func OpenPlace(string) (Place, error) { return Place{}, errors.ErrUnsupported }

// Close gives the folder back.
func (Place) Close() {}

// File is the identity of what the relative path names.
func (Place) File(string) (id Identity, known bool) { return id, false }

// Folder is File for a folder.
func (Place) Folder(string) (id Identity, known bool) { return id, false }
