// Package fileid tells one version of a file or folder from another without
// reading it.
//
// What holds: two equal identities, taken of the same path, mean equal content,
// if the first is settled at the time when the content was looked at. A program
// cannot bring an identity back: the time of change is the kernel's own and moves
// with every write and every change of mode, times or names.
//
// Where the system keeps no time that a program cannot set, identities are zero
// and never settled, so that every check reads anew.
package fileid

import (
	"io/fs"
	"time"
)

// Identity is what a file system says of a file. It moves when the content
// moves, but for changes within one tick of the clock; see Settled.
type Identity struct {
	Device   uint64 `json:"dev,omitempty"`
	Inode    uint64 `json:"ino,omitempty"`
	Size     int64  `json:"size,omitempty"`
	Mode     uint32 `json:"mode,omitempty"`
	Modified int64  `json:"mtime,omitempty"`
	Changed  int64  `json:"ctime,omitempty"`
}

// A file system stamps changes with the time of the last tick: a second change
// within one tick leaves the times as the first set them. A tick is at most 10 ms
// where times have nanoseconds, and 2 s where they do not.
const (
	fineTick   = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// Of returns the identity in what Lstat or Stat told.
func Of(info fs.FileInfo) Identity { return of(info) }

// Links returns how many names a file has, or zero where that cannot be told.
func Links(info fs.FileInfo) uint64 { return links(info) }

// Settled reports whether a change after the instant taken, in nanoseconds, would
// have moved the identity for certain. An identity without times never is.
func (i Identity) Settled(taken int64) bool {
	if i.Changed == 0 {
		return false
	}
	last := max(i.Modified, i.Changed)
	tick := fineTick
	if last%int64(time.Second) == 0 {
		tick = coarseTick
	}
	return last < taken-int64(tick)
}

// OthersMayWrite reports whether another user may write a file, or owns it and so
// could have. It is false where a mode does not tell.
func OthersMayWrite(info fs.FileInfo) bool { return othersMayWrite(info) }

// Plain reports whether a file or folder has no extended attributes, such as lists
// of who may use it, but those that the system gives to every file. Where that
// cannot be told it is not plain.
func Plain(path string) bool { return plain(path) }
