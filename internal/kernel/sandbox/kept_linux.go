//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// Kept is a profile for many runs. Building a ruleset opens every granted path,
// which costs about as much as starting a small program; from the second run on,
// Kept builds it once and afterwards only looks whether the paths still lead where
// they did. When one leads elsewhere, or nowhere, the ruleset is built anew: a rule
// is about a file and not about a name. A program that runs once pays for no look.
// Several goroutines may use it.
type Kept struct {
	profile Profile

	mu      sync.Mutex
	ruleset int // -1 when there is none
	asked   bool
	closed  bool
	abi     int
	seen    []place
	// writable are the places granted for writing, as in Prepared.
	writable []string
}

// place is the file that a path leads to. The time of birth tells a file from
// one that got the same number after it.
type place struct {
	device uint64
	inode  uint64
	born   unix.StatxTimestamp
}

// Keep returns the profile for many runs. Close gives back what it keeps.
func (p Profile) Keep() *Kept { return &Kept{profile: p.Clone(), ruleset: -1} }

// Profile returns the profile, which must not be changed.
func (k *Kept) Profile() *Profile { return &k.profile }

// Prepare is Profile.Prepare with the ruleset that is kept, if it still says
// what the profile says.
func (k *Kept) Prepare() (*Prepared, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || !k.asked {
		k.asked = true
		return k.profile.Prepare()
	}
	now := k.look()
	if k.ruleset >= 0 && slices.Equal(now, k.seen) {
		return k.duplicate()
	}
	k.drop()
	fresh, err := k.profile.Prepare()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(now, k.look()) {
		return fresh, nil // something moved meanwhile: good for one run
	}
	k.ruleset, k.abi, k.seen, k.writable = fresh.ruleset, fresh.abi, now, fresh.writable
	return k.duplicate()
}

// duplicate hands out a ruleset that is closed by its own Close.
func (k *Kept) duplicate() (*Prepared, error) {
	fd, err := unix.FcntlInt(uintptr(k.ruleset), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, step("share the ruleset", err)
	}
	return &Prepared{ruleset: fd, abi: k.abi, profile: k.profile, writable: k.writable}, nil
}

func (k *Kept) look() []place {
	lists := [...][]string{k.profile.ReadExec, k.profile.ReadOnly, k.profile.ReadWrite, k.profile.Devices}
	places := make([]place, 0, len(k.seen))
	for _, list := range lists {
		for _, path := range list {
			places = append(places, placeOf(path))
		}
	}
	return places
}

// placeOf is the zero place for a path that leads nowhere.
func placeOf(path string) place {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_NO_AUTOMOUNT, unix.STATX_INO|unix.STATX_BTIME, &st) != nil {
		return place{}
	}
	return place{device: unix.Mkdev(st.Dev_major, st.Dev_minor), inode: st.Ino, born: st.Btime}
}

func (k *Kept) drop() {
	if k.ruleset >= 0 {
		_ = unix.Close(k.ruleset)
		k.ruleset, k.seen = -1, nil
	}
}

// Close gives back the ruleset. Runs under way are not disturbed, and later ones
// build theirs each.
func (k *Kept) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop()
	k.closed = true
}
