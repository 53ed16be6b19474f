package proc

import (
	"crypto/rand"
	"encoding/hex"
)

// NewMark returns a mark for Spec.Mark: random, and recognisable among all
// processes of the machine.
func NewMark() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// isMark reports whether a text has the form of a mark. A shorter one would be
// found in processes that have nothing to do with it.
func isMark(text string) bool {
	random, err := hex.DecodeString(text)
	return err == nil && len(random) == 16
}
