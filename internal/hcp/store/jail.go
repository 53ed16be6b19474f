package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
)

// Jail is the private place of a pack's program: its home and temporary
// folders, and a working folder for packs that ask for one (§10.6). Close
// removes a jail that was made for one call; of a lasting one it ends the use, up
// to which nobody removes it.
type Jail struct {
	Dir   string
	Home  string
	Tmp   string
	Work  string
	close func()
}

// Close ends the use of the jail.
func (j *Jail) Close() {
	if j.close != nil {
		j.close()
		j.close = nil
	}
}

// tmpAge is how long something stays in a jail's temporary folder untouched.
const tmpAge = 7 * 24 * time.Hour

// Jail returns the lasting jail of a pack for one owner, and makes it when it
// is missing. The owner is everything that must be kept apart: the Principal,
// together with the tenant where there are several. Two owners never share a
// folder. While a pack's data is being removed there is none to be had.
func (s *Store) Jail(id, owner string) (*Jail, error) {
	if !validID(id) {
		return nil, s.unknownPack(id)
	}
	if err := s.privateDir(s.path(locksDir)); err != nil {
		return nil, err
	}
	unlock, ok, err := durable.TryLockShared(s.jailLock(id), s.opts.Holder)
	if err != nil {
		return nil, ioFault("lock", s.jailLock(id), err)
	}
	if !ok {
		return nil, fault.Newf(durable.CodeLocked, "the data of %q is being removed", id).
			WithHint("install the pack again once that is done")
	}
	jail, err := s.lastingJail(id, owner)
	if err != nil {
		unlock()
		return nil, err
	}
	jail.close = unlock
	return jail, nil
}

// jailLock is held by whoever uses a jail of the pack, all together, and alone by
// whoever removes them.
func (s *Store) jailLock(id string) string { return s.path(locksDir, "data-"+id+".lock") }

func (s *Store) lastingJail(id, owner string) (*Jail, error) {
	dir := s.path(jailsDir, id, ownerName(owner))
	jail := jailAt(dir)
	for _, part := range []string{s.path(jailsDir), s.path(jailsDir, id), dir, jail.Home, jail.Tmp, jail.Work} {
		if err := s.privateDir(part); err != nil {
			return nil, err
		}
	}
	s.sweepTmp(jail.Tmp)
	return jail, nil
}

func jailAt(dir string) *Jail {
	return &Jail{
		Dir:  dir,
		Home: filepath.Join(dir, "home"),
		Tmp:  filepath.Join(dir, "tmp"),
		Work: filepath.Join(dir, "work"),
	}
}

// Ephemeral returns a jail for one call. The caller closes it; should the
// process die first, a later one removes it.
func (s *Store) Ephemeral() (*Jail, error) {
	claimed, err := s.claim(ephemeralDir, "call")
	if err != nil {
		return nil, err
	}
	jail := jailAt(claimed.dir)
	jail.close = claimed.close
	for _, part := range []string{jail.Home, jail.Tmp, jail.Work} {
		if err := os.Mkdir(part, dirMode); err != nil {
			jail.Close()
			return nil, ioFault("create", part, err)
		}
	}
	return jail, nil
}

// ownerName is the folder of an owner: its own name where that is plain and
// safe on every file system, else a hash. The prefixes keep the two apart.
func ownerName(owner string) string {
	plain := owner != "" && len(owner) <= 64
	for i := 0; plain && i < len(owner); i++ {
		c := owner[i]
		plain = 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
	}
	if plain {
		return "u-" + owner
	}
	sum := sha256.Sum256([]byte(owner))
	return "x-" + hex.EncodeToString(sum[:16])
}

// sweepTmp removes what nobody touched for long from a jail's temporary
// folder, at the top level only.
func (s *Store) sweepTmp(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	oldest := s.opts.Clock.Now().Add(-tmpAge)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.ModTime().Before(oldest) {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// jailKept reports whether the pack left data in the store.
func (s *Store) jailKept(id string) bool {
	entries, err := os.ReadDir(s.path(jailsDir, id))
	return err == nil && len(entries) > 0
}

// seizeJail keeps everybody from the data of a pack until release, and refuses
// while a call has it.
func (s *Store) seizeJail(id string) (release func(), err error) {
	lock := s.jailLock(id)
	unlock, ok, err := durable.TryLock(lock, s.opts.Holder)
	if err != nil {
		return nil, ioFault("lock", lock, err)
	}
	if !ok {
		return nil, fault.Newf(durable.CodeLocked, "a command of %q is running in the data that would be removed", id).
			WithHint("nothing was removed; wait until the command has ended, or end it")
	}
	return func() {
		_ = os.Remove(lock)
		unlock()
	}, nil
}

// removeJail removes the data of a pack, which the caller has seized.
func (s *Store) removeJail(id string) error {
	dir := s.path(jailsDir, id)
	makeRemovable(dir)
	err := durable.RemoveAll(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return ioFault("remove", dir, err)
}
