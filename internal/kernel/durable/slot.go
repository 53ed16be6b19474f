package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// slots is the number of names that the temporary files of one target have,
// and so the number of its writers at one moment; more of them take turns.
//
// Fixed names keep leftovers few and findable: a call looks at each instead of
// reading a directory that may be large.
const slots = 16

// Turns: how long and how often to look for a free slot.
const (
	turnPause = 2 * time.Millisecond
	turns     = 5000
)

// errSwept says that another process took our temporary file for a leftover,
// which it can between its creation and its locking. Trying again is safe.
var errSwept = errors.New("the temporary file is gone")

// hidden returns a name beside target that only calls for target use. It is
// derived by a hash, so that it fits where the target's own name is as long as
// names may be.
func hidden(target, kind string) string {
	sum := sha256.Sum256([]byte(filepath.Base(target)))
	return filepath.Join(filepath.Dir(target), ".durable-"+hex.EncodeToString(sum[:10])+"-"+kind)
}

func slotName(target string, n int) string { return hidden(target, "tmp"+strconv.Itoa(n)) }

// claim makes a locked temporary file for target and removes leftovers.
func (s system) claim(target string) (*os.File, string, error) {
	for range turns {
		for n := range slots {
			s.sweep(slotName(target, n))
		}
		for n := range slots {
			name := slotName(target, n)
			f, err := s.create(name)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err != nil {
				return nil, "", err
			}
			if keep(f) {
				return f, name, nil
			}
			_ = f.Close() // a sweeper has it and will remove it
		}
		time.Sleep(turnPause)
	}
	return nil, "", errors.New("too many processes are writing it")
}

// sweep removes a temporary file whose writer is dead.
func (s system) sweep(name string) {
	if info, err := s.lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, ok := orphan(name)
	if !ok {
		return
	}
	_ = s.remove(name) // if it stays, the name is merely not free
	_ = f.Close()
}

// sweptIfGone maps the failure of moving a file that is no longer there.
func sweptIfGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(errSwept, err)
	}
	return err
}
