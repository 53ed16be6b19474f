package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridle/hcp"
	"bridle/internal/kernel/canon"
	"bridle/internal/kernel/clock"
	"bridle/internal/kernel/durable"
	"bridle/internal/kernel/fault"
	"bridle/packs"
)

// format is the version of the files that are ours alone. A store that says
// more was written by a later program and is left untouched.
const format = 1

// lockWait bounds the wait for the store's lock where the caller set no
// deadline of its own.
const lockWait = 30 * time.Second

// Options are what a store needs to know of the world.
type Options struct {
	// UserHome is the person's home folder. The store may not be that folder or
	// lie above it.
	UserHome string
	// AccountHome returns the home folder that the system's user database has; it
	// is asked before a store is made, and the same holds of it.
	AccountHome func() (string, error)
	// Holder names this process to others that wait for its lock.
	Holder string
	// Clock is the system's clock when nil.
	Clock clock.Clock
	// Bundled holds the packs that come with the program, one folder each,
	// with the bootstrap pack among them; package packs when nil.
	Bundled fs.FS
}

// Store is an opened store. It holds no open files and no cache, so any number
// of processes may use the same home at once.
type Store struct {
	home string
	opts Options
}

// Open checks the store at home and returns it. On first use it creates the
// store and installs the bootstrap pack, activated by nobody.
func Open(ctx context.Context, home string, opts Options) (*Store, error) {
	if !filepath.IsAbs(home) {
		return nil, fault.Newf(CodeBadHome, "the store %q is not an absolute path", home).
			WithHint("set HCP_HOME to an absolute path")
	}
	if opts.Clock == nil {
		opts.Clock = clock.System()
	}
	if opts.Holder == "" {
		opts.Holder = "hcpx"
	}
	if opts.Bundled == nil {
		opts.Bundled = packs.FS()
	}
	s := &Store{home: filepath.Clean(home), opts: opts}
	if err := s.checkPlace(); err != nil {
		return nil, err
	}
	ready, err := s.ready()
	if err != nil {
		return nil, err
	}
	if !ready {
		if err := s.checkAccount(); err != nil {
			return nil, err
		}
		if err := s.create(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Home is the absolute path of the store.
func (s *Store) Home() string { return s.home }

// checkPlace refuses homes that hold more than a store could own: a file
// system's root, the person's home folder, or anything above it.
func (s *Store) checkPlace() error {
	if s.home == filepath.Dir(s.home) {
		return s.refuseHome(s.home)
	}
	return s.refuseHome(s.opts.UserHome)
}

// checkAccount is the same for the home that the user database has.
func (s *Store) checkAccount() error {
	if s.opts.AccountHome == nil {
		return nil
	}
	home, err := s.opts.AccountHome()
	if err != nil {
		return nil //nolint:nilerr // a user whom the system does not know has no such home
	}
	return s.refuseHome(home)
}

func (s *Store) refuseHome(userHome string) error {
	if userHome != "" && within(filepath.Clean(userHome), s.home) {
		return fault.Newf(CodeBadHome, "the store %q would hold the whole home folder", s.home).
			WithHint("set HCP_HOME to a folder of its own, such as ~/.hcp")
	}
	return nil
}

// within reports whether path is dir or lies below it, by name.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)))
}

// ready reports whether the store is complete, after checking that it is safe
// to use and that this program knows its format. It writes nothing but the
// private mode of the home folder.
func (s *Store) ready() (bool, error) {
	exists, err := s.checkHome()
	if err != nil || !exists {
		return false, err
	}
	known, err := s.checkFormat()
	if err != nil || !known {
		return false, err
	}
	complete, err := s.checkFolders()
	if err != nil || !complete {
		return false, err
	}
	_, err = os.Lstat(filepath.Join(s.PackDir(hcp.BootstrapPack), surfaceFile))
	return err == nil, nil
}

// checkFolders reports whether every folder of the store is there. One that is a
// link leads to where others may write, however private the store is.
func (s *Store) checkFolders() (complete bool, err error) {
	complete = true
	for _, dir := range folders() {
		err := checkPrivateDir(s.path(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			complete = false
		case err != nil:
			return false, err
		}
	}
	return complete, nil
}

// formatText is store.json as this program writes it.
const formatText = "{\"format\":1}\n"

type formatDocument struct {
	Format int `json:"format"`
}

// checkFormat reports whether the store carries a format number that this
// program knows. A store without one is new, unfinished, or made by another
// program that keeps the same layout.
func (s *Store) checkFormat() (known bool, err error) {
	path := s.path(formatFile)
	data, err := readPrivate(path, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if string(data) == formatText {
		return true, nil // as it is on every call but the first
	}
	var doc formatDocument
	if _, err := canon.DecodeOpen(data, &doc, canon.Limits{}); err != nil || doc.Format < 1 {
		return false, fault.Newf(CodeBadRecord, "%q does not name the store's format", path).Because(err).
			WithHint("nothing was changed; restore the file, which holds {\"format\":1}")
	}
	return true, tooNew(path, doc.Format)
}

func tooNew(path string, got int) error {
	if got <= format {
		return nil
	}
	return fault.Newf(CodeTooNew, "%q has format %d and this program knows up to %d", path, got, format).
		WithHint("a later version wrote it; update this program, nothing was changed")
}

// create makes or completes the store. The file that names the format comes
// last, so an interrupted creation is completed by the next call.
func (s *Store) create(ctx context.Context) error {
	if err := durable.MkdirAll(s.home, dirMode); err != nil {
		return ioFault("create", s.home, err)
	}
	if _, err := s.checkHome(); err != nil {
		return err
	}
	for _, dir := range folders() {
		if err := s.privateDir(s.path(dir)); err != nil {
			return err
		}
	}
	return s.locked(ctx, func() error {
		if ready, err := s.ready(); ready || err != nil {
			return err
		}
		known, err := s.checkFormat()
		if err != nil {
			return err
		}
		if !known {
			empty, err := canon.MarshalIndent(State{Activated: []string{}, Connected: []string{}})
			if err != nil {
				return err
			}
			err = durable.CreateFile(s.path(stateFile), append(empty, '\n'), fileMode)
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return ioFault("create", s.path(stateFile), err)
			}
		}
		if err := s.installBootstrap(); err != nil {
			return err
		}
		if known {
			return nil
		}
		return ioFault("create", s.path(formatFile), durable.WriteFile(s.path(formatFile), []byte(formatText), fileMode))
	})
}

// privateDir makes one folder of the store, or checks the one that is there.
func (s *Store) privateDir(path string) error {
	if err := durable.MkdirAll(path, dirMode); err != nil {
		return ioFault("create", path, err)
	}
	return checkPrivateDir(path)
}

// locked runs fn while no other process changes the store.
func (s *Store) locked(ctx context.Context, fn func() error) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lockWait)
		defer cancel()
	}
	unlock, err := durable.Lock(ctx, s.path(locksDir, lockFile), s.opts.Holder)
	if err != nil {
		return ioFault("lock", s.path(locksDir, lockFile), err)
	}
	defer unlock()
	return fn()
}

// InstalledIDs lists the installed packs in the order of their ids. An empty folder
// that no record speaks of is a stray and no pack; one that was emptied is a pack
// that changed.
func (s *Store) InstalledIDs() ([]string, error) {
	entries, err := os.ReadDir(s.path(packsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	if err != nil {
		return nil, ioFault("list", s.path(packsDir), err)
	}
	found := make([]string, 0, len(entries))
	for _, entry := range entries {
		if entry.IsDir() && validID(entry.Name()) && !s.stray(entry.Name()) {
			found = append(found, entry.Name())
		}
	}
	slices.Sort(found)
	return found, nil
}

// stray reports whether a pack's folder is empty, with no record of a pack.
func (s *Store) stray(id string) bool {
	dir, err := os.Open(s.PackDir(id))
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	if _, err := dir.Readdirnames(1); !errors.Is(err, io.EOF) {
		return false
	}
	rec, err := s.readRecord(id)
	return err == nil && rec == nil
}

// Installed reports whether the pack's folder is there.
func (s *Store) Installed(id string) bool {
	if !validID(id) {
		return false
	}
	info, err := os.Lstat(s.PackDir(id))
	return err == nil && info.IsDir()
}
