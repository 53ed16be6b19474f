//go:build !unix

package store

import "io/fs"

// enforceModes is off where access lists, not permission bits, protect a
// user's profile; the store lies in that profile.
const enforceModes = false

const openFlags = 0

func ownedByUs(fs.FileInfo) bool { return true }
